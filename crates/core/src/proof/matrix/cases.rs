//! Which results of a report belong to a linked test: by file, enclosing suites and title.
//!
//! A report names tests in its runner's way: with the package, the binary or the module before them, with parameters
//! behind them. So a case belongs to a test when their titles are the same but for parameters; among several the one
//! whose file and suites say most of the test's own is taken. Where two stay that nothing separates, it is nobody's.

use std::collections::HashMap;

use crate::proof::{CaseOutcome, CaseResult, Link, Ref};

/// What stands between the names where a report writes what encloses a test into its title.
const JOINTS: [&str; 6] = [" ", " > ", " › ", " / ", "::", "."];

/// The cases of one run, by the names that tests may have.
#[derive(Debug)]
pub struct CaseIndex<'r> {
    cases: &'r [CaseResult],
    by_title: HashMap<String, Vec<usize>>,
    by_suite: HashMap<&'r str, Vec<usize>>,
    by_ref: HashMap<&'r Ref, Vec<usize>>,
}

/// What a run says about one test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Matched<'r> {
    /// The cases of the test; several, when it has parameters or ran more than once.
    Cases(Vec<&'r CaseResult>),
    /// Several tests have this name, and nothing says which of them is meant.
    Ambiguous(usize),
    Absent,
}

impl<'r> CaseIndex<'r> {
    pub fn new(cases: &'r [CaseResult]) -> Self {
        let mut index =
            Self { cases, by_title: HashMap::new(), by_suite: HashMap::new(), by_ref: HashMap::new() };
        for (at, case) in cases.iter().enumerate() {
            for title in titles(&case.title) {
                index.by_title.entry(folded(title)).or_default().push(at);
            }
            // What runs below a test of its own name is part of it: `TestX/sub`, `case_1` of a parameter.
            for suite in &case.suites {
                index.by_suite.entry(suite).or_default().push(at);
            }
            for reference in &case.refs {
                index.by_ref.entry(reference).or_default().push(at);
            }
        }
        index
    }

    /// Cases whose report itself names the reference.
    pub fn naming(&self, reference: &Ref) -> Vec<&'r CaseResult> {
        let at = self.by_ref.get(reference).map(Vec::as_slice).unwrap_or_default();
        at.iter().map(|&at| &self.cases[at]).collect()
    }

    /// The cases of a linked test.
    pub fn of(&self, link: &Link) -> Matched<'r> {
        let here = |mut found: Vec<usize>| {
            found.retain(|&at| !is_elsewhere(&link.path, &self.cases[at]));
            found
        };
        let own = link.title.as_deref();
        let mut candidates = here(own.map_or_else(|| self.grouped(link), |title| self.titled(title)));
        let whole = own.filter(|_| candidates.is_empty());
        if let Some(title) = whole {
            candidates = here(self.joined(&link.suites, title));
        }
        if candidates.is_empty() {
            return Matched::Absent;
        }
        let scored: Vec<(usize, usize)> =
            candidates.iter().map(|&at| (score(link, &self.cases[at]), at)).collect();
        let best = scored.iter().map(|(score, _)| *score).max().unwrap_or(0);
        let chosen: Vec<&CaseResult> =
            scored.iter().filter(|(score, _)| *score == best).map(|(_, at)| &self.cases[*at]).collect();
        let mut places: Vec<(Option<&str>, Vec<&str>)> =
            chosen.iter().map(|case| place(case, own, whole.is_some())).collect();
        places.sort_unstable();
        places.dedup();
        // A group is all that runs in it, wherever the report puts it.
        if places.len() > 1 && own.is_some() {
            Matched::Ambiguous(places.len())
        } else {
            Matched::Cases(chosen)
        }
    }

    fn titled(&self, title: &str) -> Vec<usize> {
        let mut found: Vec<usize> = self.by_title.get(&folded(title)).cloned().unwrap_or_default();
        if let Some(below) =
            self.by_suite.get(title).or_else(|| self.by_suite.get(title.replace(' ', "_").as_str()))
        {
            found.extend(below);
        }
        if found.is_empty() && is_template(title) {
            let pieces = template_pieces(title);
            found = (0..self.cases.len()).filter(|&at| fits(&self.cases[at].title, &pieces)).collect();
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Cases that are called by everything that encloses them and their own name, in one text: `accounts signs in`.
    fn joined(&self, suites: &[String], title: &str) -> Vec<usize> {
        if suites.is_empty() {
            return Vec::new();
        }
        let names: Vec<&str> = suites.iter().map(String::as_str).chain([title]).collect();
        let mut found: Vec<usize> = JOINTS.iter().flat_map(|joint| self.titled(&names.join(joint))).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Everything in a group, or in a file that is a test as a whole.
    fn grouped(&self, link: &Link) -> Vec<usize> {
        match link.suites.last() {
            Some(suite) => {
                let exact = self.by_suite.get(suite.as_str()).cloned().unwrap_or_default();
                if !exact.is_empty() {
                    return exact;
                }
                let ends = |case: &CaseResult| case.suites.iter().any(|own| ends_with_name(own, suite));
                (0..self.cases.len()).filter(|&at| ends(&self.cases[at])).collect()
            }
            None => (0..self.cases.len()).filter(|&at| file_score(&link.path, &self.cases[at]) > 0).collect(),
        }
    }
}

/// The outcome of all cases of a test: every one of them has to pass.
pub fn together<'c>(cases: impl IntoIterator<Item = &'c CaseResult>) -> Option<CaseOutcome> {
    let mut outcome = None;
    for case in cases {
        outcome = match (outcome, case.outcome) {
            (Some(CaseOutcome::Failed), _) | (_, CaseOutcome::Failed) => Some(CaseOutcome::Failed),
            (Some(CaseOutcome::Skipped), _) | (_, CaseOutcome::Skipped) => Some(CaseOutcome::Skipped),
            _ => Some(CaseOutcome::Passed),
        };
    }
    outcome
}

/// How a baseline calls a failing case: the check, what encloses it, its title.
pub fn case_name(check: &str, case: &CaseResult) -> String {
    let parts =
        std::iter::once(check).chain(case.suites.iter().map(String::as_str)).chain([case.title.as_str()]);
    parts.collect::<Vec<_>>().join("::")
}

/// A title, and the same without its parameters.
fn titles(title: &str) -> impl Iterator<Item = &str> {
    let cut = title.find(['[', '(']).filter(|at| *at > 0).map(|at| title[..at].trim_end());
    let bare = cut.filter(|cut| cut.len() < title.len() && !cut.is_empty());
    std::iter::once(title).chain(bare)
}

/// Runners write blanks in names as `_`, and some add `()`.
fn folded(title: &str) -> String {
    title.trim().trim_end_matches("()").replace(' ', "_")
}

/// Where a case stands, without what makes its parameters different.
fn place<'c>(case: &'c CaseResult, own: Option<&str>, is_whole: bool) -> (Option<&'c str>, Vec<&'c str>) {
    // Reports that write everything into the title call the class of a case so too.
    let suites = case.suites.iter().map(String::as_str).filter(|suite| !is_whole || *suite != case.title);
    let suites = match own {
        Some(own) => suites.take_while(|suite| folded(suite) != folded(own)).collect(),
        None => Vec::new(),
    };
    (case.file.as_deref(), suites)
}

/// How much of a test's own names a case carries.
fn score(link: &Link, case: &CaseResult) -> usize {
    let mut score = file_score(&link.path, case) * 16;
    let mut rest = case.suites.iter();
    for suite in &link.suites {
        if rest.by_ref().any(|own| own == suite || ends_with_name(own, suite) || folded(own) == folded(suite))
        {
            score += 4;
        }
    }
    score
}

/// How much of a path a case names, by its file or by its package, class and modules.
fn file_score(path: &str, case: &CaseResult) -> usize {
    if let Some(file) = &case.file {
        let same = path.rsplit('/').zip(file.rsplit(['/', '\\'])).take_while(|(a, b)| a == b).count();
        return if same == 0 { 0 } else { 1 + same };
    }
    let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
    let names: Vec<&str> =
        stem.split('/').filter(|name| !matches!(*name, "src" | "mod" | "lib" | "main")).collect();
    let parts: Vec<&str> = case.suites.iter().flat_map(|suite| suite.split(['.', '/', ':', '$'])).collect();
    let named = |name: &&&str| {
        parts.iter().any(|part| *part == **name || part.replace('-', "_") == name.replace('-', "_"))
    };
    names.iter().rev().filter(named).count()
}

/// Whether a report says beyond doubt that a case is in another file than the test: one that did not run is not shown by
/// another of its name.
fn is_elsewhere(path: &str, case: &CaseResult) -> bool {
    let parts = |path: &str| -> Vec<String> {
        let parts = path.split(['/', '\\']).filter(|part| !part.is_empty() && *part != ".");
        parts.map(str::to_owned).collect()
    };
    let stem = |name: &str| name.rsplit_once('.').map_or(name, |(stem, _)| stem).to_owned();
    let own = parts(path);
    let Some(name) = own.last() else { return false };
    let Some(file) = &case.file else {
        // Whatever runs Python's tests calls them by their module.
        let is_module = |suite: &String| suite.split('.').any(|part| part == stem(name));
        return name.ends_with(".py") && case.suites.iter().any(|suite| suite.contains('.')) && {
            !case.suites.iter().any(is_module)
        };
    };
    // The harness of Rust names the file that a whole crate begins with.
    if name.ends_with(".rs") {
        return false;
    }
    let other = parts(file.strip_prefix("file://").unwrap_or(file));
    let Some(other_name) = other.last() else { return false };
    if stem(name) != stem(other_name) {
        return true;
    }
    // One may be relative to a folder of the other. What is compiled to another language lies elsewhere, and so does what
    // is mounted into a container, whose path shows nothing of the project's.
    let same = own.iter().rev().zip(other.iter().rev()).take_while(|(a, b)| a == b).count();
    let is_within = same == own.len() || same == other.len();
    let is_absolute = file.contains(":/") || file.starts_with(['/', '\\']);
    let shows_root = !is_absolute || other.contains(&own[0]);
    name == other_name && !is_within && shows_root
}

/// Whether a dotted or slashed name ends with another.
fn ends_with_name(full: &str, name: &str) -> bool {
    full.strip_suffix(name)
        .is_some_and(|before| before.is_empty() || before.ends_with(['.', ':', '/', '$', '>', ' ']))
}

fn is_template(title: &str) -> bool {
    title.contains('%') || title.contains('$') || title.contains('<') || title.contains('{')
}

/// The fixed parts of a title with placeholders: `%s`, `$name`, `${name}`, `<name>`, `{name}`.
fn template_pieces(title: &str) -> Vec<String> {
    let mut pieces = vec![String::new()];
    let mut chars = title.chars().peekable();
    while let Some(ch) = chars.next() {
        let closing = match (ch, chars.peek()) {
            ('%', Some(next)) if next.is_ascii_alphabetic() || *next == '#' => {
                chars.next();
                pieces.push(String::new());
                continue;
            }
            ('$', Some('{')) | ('{', _) => '}',
            ('<', _) => '>',
            ('$', Some(next)) if next.is_alphabetic() => {
                while chars.next_if(|ch| ch.is_alphanumeric() || matches!(ch, '_' | '.')).is_some() {}
                pieces.push(String::new());
                continue;
            }
            _ => {
                if let Some(last) = pieces.last_mut() {
                    last.push(ch);
                }
                continue;
            }
        };
        for ch in chars.by_ref() {
            if ch == closing {
                break;
            }
        }
        pieces.push(String::new());
    }
    pieces
}

fn fits(title: &str, pieces: &[String]) -> bool {
    let [first, middle @ .., last] = pieces else { return false };
    let Some(mut rest) = title.strip_prefix(first.as_str()) else { return false };
    for piece in middle {
        match rest.find(piece.as_str()) {
            Some(at) => rest = &rest[at + piece.len()..],
            None => return false,
        }
    }
    rest.ends_with(last.as_str())
}

#[cfg(test)]
mod tests;
