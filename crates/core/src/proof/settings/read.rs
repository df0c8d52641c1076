//! From TOML to [`Settings`], with every fault at its line.

use std::collections::BTreeMap;
use std::ops::Range;

use toml_edit::{Document, Item, Table, TableLike};

use super::words::{is_inside, listed, shown};
use super::{
    Channel, Check, DEFAULT_TIMEOUT_S, Format, Gate, GateSet, LONGEST_TIMEOUT_S, Policy, Scope, Settings,
};
use crate::diagnostic::Diagnostic;
use crate::document::line_of;
use crate::near::near;
use crate::rules::workspace::{PROOF_KEY_UNKNOWN, PROOF_SETTINGS_INVALID};
use crate::spec::Category;

const ROOT_KEYS: &[&str] = &["policy", "tests", "min_verified", "reviewers", "gates", "check"];
const GATE_KEYS: &[&str] = &["plan", "archive", "decision", "reviewers"];
const SCOPE_KEYS: &[&str] = &["folder", "category"];
const CHECK_KEYS: &[&str] =
    &["run", "report", "format", "inputs", "harness", "timeout_s", "isolate", "coverage"];
/// A name that is longer says nothing more, and stands in file names.
const LONGEST_NAME: usize = 64;

pub(super) fn read(text: &str) -> (Settings, Vec<Diagnostic>) {
    let mut reader = Reader { text, diagnostics: Vec::new() };
    let document = match Document::parse(text) {
        Ok(document) => document,
        Err(error) => {
            let message = error.message().lines().next().unwrap_or("it is not TOML").to_owned();
            reader.fault(error.span(), &message);
            return (Settings::default(), reader.diagnostics);
        }
    };
    let settings = reader.settings(document.as_table());
    reader.diagnostics.sort_by_key(|diagnostic| diagnostic.span.start);
    (settings, reader.diagnostics)
}

struct Reader<'t> {
    text: &'t str,
    diagnostics: Vec<Diagnostic>,
}

impl Reader<'_> {
    fn settings(&mut self, root: &Table) -> Settings {
        self.unknown(root, "", &[ROOT_KEYS]);
        let mut settings = Settings {
            policy: self.choice(root, "", "policy", &Policy::ALL, Policy::as_str).unwrap_or_default(),
            tests: self.names(root, "", "tests").unwrap_or_default(),
            min_verified: self.number(root, "", "min_verified", 0..=100).and_then(|n| u8::try_from(n).ok()),
            ..Settings::default()
        };
        let everywhere = self.names(root, "", "reviewers");
        if let Some(gates) = self.table(root, "", "gates") {
            self.unknown(gates, "gates.", &[GATE_KEYS, SCOPE_KEYS]);
            settings.gates.general = self.gate_set(gates, "gates.");
            for (kind, make) in
                [("folder", Scope::Folder as fn(String) -> Scope), ("category", Scope::Category)]
            {
                let Some(scopes) = self.table(gates, "gates.", kind) else { continue };
                if kind == "category" {
                    self.unknown(scopes, "gates.category.", &[&Category::ALL.map(Category::as_str)]);
                }
                for (name, item) in scopes.iter() {
                    let path = format!("gates.{kind}.{name}.");
                    let Some(set) = item.as_table_like() else {
                        self.fault(item.span(), &format!("`gates.{kind}.{}` is not a table", shown(name)));
                        continue;
                    };
                    self.unknown(set, &path, &[GATE_KEYS]);
                    let set = self.gate_set(set, &path);
                    let name = name.trim_start_matches("./").trim_end_matches('/').to_owned();
                    settings.gates.special.push((make(name), set));
                }
            }
        }
        if settings.gates.general.reviewers.is_none() {
            settings.gates.general.reviewers = everywhere;
        }
        if let Some(checks) = self.table(root, "", "check") {
            for (name, item) in checks.iter() {
                match item.as_table_like() {
                    Some(table) => {
                        let check = self.check(name, table, item.span());
                        settings.checks.extend(check);
                    }
                    None => self.fault(item.span(), &format!("`check.{}` is not a table", shown(name))),
                }
            }
            self.shared_reports(&settings.checks, checks);
        }
        settings
    }

    fn gate_set(&mut self, table: &dyn TableLike, path: &str) -> GateSet {
        GateSet {
            plan: self.gate(table, path, "plan"),
            archive: self.gate(table, path, "archive"),
            decision: self.gate(table, path, "decision"),
            reviewers: self.names(table, path, "reviewers"),
        }
    }

    fn gate(&mut self, table: &dyn TableLike, path: &str, key: &str) -> Option<Gate> {
        let gates: Vec<Gate> =
            std::iter::once(Gate::None).chain(Channel::ALL.into_iter().map(Gate::Weakest)).collect();
        self.choice(table, path, key, &gates, Gate::as_str)
    }

    fn check(&mut self, name: &str, table: &dyn TableLike, span: Option<Range<usize>>) -> Option<Check> {
        let before = self.faults();
        let path = format!("check.{name}.");
        self.unknown(table, &path, &[CHECK_KEYS]);
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
        if name.is_empty()
            || name.len() > LONGEST_NAME
            || !name.chars().all(is_name)
            || name.starts_with(['.', '-'])
        {
            let problem =
                format!("`{}` is not a name of a check: letters, digits, `.`, `_`, `-`", shown(name));
            self.fault(span.clone(), &problem);
        }
        let run = self.names(table, &path, "run");
        match &run {
            None if !table.contains_key("run") => {
                self.fault(span.clone(), &format!("`{path}run` is missing"));
            }
            Some(run) if run.is_empty() => {
                self.fault(item_span(table, "run"), &format!("`{path}run` names no program"));
            }
            _ => {}
        }
        let format = self.choice(table, &path, "format", &Format::ALL, Format::as_str);
        if format.is_none() && !table.contains_key("format") {
            let problem =
                format!("`{path}format` is missing (one of {})", listed(&Format::ALL, Format::as_str));
            self.fault(span.clone(), &problem);
        }
        let report = self.path(table, &path, "report");
        if let Some(format) = format
            && report.is_none()
            && !table.contains_key("report")
            && format.names_tests()
            && !format.is_printed()
        {
            let problem = format!("`{path}report` is missing: `{}` is read from a file", format.as_str());
            self.fault(span.clone(), &problem);
        }
        let check = Check {
            name: name.to_owned(),
            run: run.unwrap_or_default(),
            report,
            format: format.unwrap_or(Format::Exit),
            inputs: self.names(table, &path, "inputs").unwrap_or_else(|| vec!["**".to_owned()]),
            harness: self.paths(table, &path, "harness").unwrap_or_default(),
            timeout_s: self
                .number(table, &path, "timeout_s", 1..=i64::try_from(LONGEST_TIMEOUT_S).unwrap_or(i64::MAX))
                .and_then(|seconds| u64::try_from(seconds).ok())
                .unwrap_or(DEFAULT_TIMEOUT_S),
            isolate: self.flag(table, &path, "isolate").unwrap_or_default(),
            coverage: self.path(table, &path, "coverage"),
            line: span.map_or(1, |span| line_of(self.text, span.start)),
        };
        (self.faults() == before).then_some(check)
    }

    /// A file that two checks write says nothing about either.
    fn shared_reports(&mut self, checks: &[Check], table: &dyn TableLike) {
        let mut owners: BTreeMap<&str, &str> = BTreeMap::new();
        for check in checks {
            for (key, file) in [("report", &check.report), ("coverage", &check.coverage)] {
                let Some(file) = file.as_deref() else { continue };
                let file = file.trim_start_matches("./");
                if let Some(other) = owners.insert(file, &check.name) {
                    let at = table.get(&check.name).and_then(Item::as_table_like);
                    let problem = format!(
                        "`check.{}.{key}` is `{file}`, which `check.{other}` writes already",
                        check.name
                    );
                    self.fault(at.and_then(|check| item_span(check, key)), &problem);
                }
            }
        }
    }

    fn table<'i>(&mut self, table: &'i dyn TableLike, path: &str, key: &str) -> Option<&'i dyn TableLike> {
        let item = table.get(key)?;
        if item.as_table_like().is_none() {
            self.fault(item.span(), &format!("`{path}{key}` is not a table"));
        }
        item.as_table_like()
    }

    fn string<'i>(&mut self, table: &'i dyn TableLike, path: &str, key: &str) -> Option<&'i str> {
        let item = table.get(key)?;
        if item.as_str().is_none() {
            self.fault(item.span(), &format!("`{path}{key}` is not a string"));
        }
        item.as_str()
    }

    fn choice<T: Copy>(
        &mut self,
        table: &dyn TableLike,
        path: &str,
        key: &str,
        choices: &[T],
        name: fn(T) -> &'static str,
    ) -> Option<T> {
        let text = self.string(table, path, key)?;
        let found = choices.iter().copied().find(|choice| name(*choice) == text);
        if found.is_none() {
            let problem = format!("`{path}{key}` is `{}`, not one of {}", shown(text), listed(choices, name));
            self.fault(item_span(table, key), &problem);
        }
        found
    }

    fn number(
        &mut self,
        table: &dyn TableLike,
        path: &str,
        key: &str,
        allowed: std::ops::RangeInclusive<i64>,
    ) -> Option<i64> {
        let item = table.get(key)?;
        let number = item.as_integer().filter(|number| allowed.contains(number));
        if number.is_none() {
            let problem =
                format!("`{path}{key}` is not a whole number from {} to {}", allowed.start(), allowed.end());
            self.fault(item.span(), &problem);
        }
        number
    }

    fn flag(&mut self, table: &dyn TableLike, path: &str, key: &str) -> Option<bool> {
        let item = table.get(key)?;
        if item.as_bool().is_none() {
            self.fault(item.span(), &format!("`{path}{key}` is neither `true` nor `false`"));
        }
        item.as_bool()
    }

    /// An array of strings that are not empty.
    fn names(&mut self, table: &dyn TableLike, path: &str, key: &str) -> Option<Vec<String>> {
        let item = table.get(key)?;
        let Some(array) = item.as_array() else {
            self.fault(item.span(), &format!("`{path}{key}` is not an array of strings"));
            return None;
        };
        let before = self.faults();
        let mut names = Vec::with_capacity(array.len());
        for (index, value) in array.iter().enumerate() {
            match value.as_str() {
                // Only the program may not be empty: an empty argument is one that somebody wrote on purpose.
                Some(name) if name.contains('\0') || (name.is_empty() && (key != "run" || index == 0)) => {
                    self.fault(
                        value.span(),
                        &format!("`{path}{key}` has an entry that is empty or holds a NUL"),
                    );
                }
                Some(name) => names.push(name.to_owned()),
                None => self.fault(value.span(), &format!("`{path}{key}` has an entry that is not a string")),
            }
        }
        (self.faults() == before).then_some(names)
    }

    fn paths(&mut self, table: &dyn TableLike, path: &str, key: &str) -> Option<Vec<String>> {
        let paths = self.names(table, path, key)?;
        let outside: Vec<&String> = paths.iter().filter(|name| !is_inside(name)).collect();
        for name in outside {
            let problem = format!("`{path}{key}` names `{}`, which is not inside the workspace", shown(name));
            self.fault(item_span(table, key), &problem);
        }
        Some(paths)
    }

    fn path(&mut self, table: &dyn TableLike, path: &str, key: &str) -> Option<String> {
        let name = self.string(table, path, key)?;
        if is_inside(name) {
            return Some(name.to_owned());
        }
        let problem = format!("`{path}{key}` is `{}`, which is not a file inside the workspace", shown(name));
        self.fault(item_span(table, key), &problem);
        None
    }

    /// Keys that nobody reads: most are misspelt, so the nearest known one is named.
    fn unknown(&mut self, table: &dyn TableLike, path: &str, known: &[&[&str]]) {
        let known = || known.iter().copied().flatten().copied();
        let strangers: Vec<String> = table
            .iter()
            .map(|(key, _)| key)
            .filter(|key| !known().any(|k| k == *key))
            .map(str::to_owned)
            .collect();
        for key in strangers {
            let span = table.key(&key).and_then(toml_edit::Key::span).or_else(|| item_span(table, &key));
            let span = span.unwrap_or(0..0);
            let hint = match near(&key, known(), 1).first() {
                Some(name) => format!("did you mean `{name}`?"),
                None => format!("known here: `{}`", known().collect::<Vec<_>>().join("`, `")),
            };
            self.diagnostics.push(PROOF_KEY_UNKNOWN.at(
                line_of(self.text, span.start),
                span,
                format!("`{path}{}` means nothing in `proof.toml`", shown(&key)),
                hint,
            ));
        }
    }

    fn fault(&mut self, span: Option<Range<usize>>, problem: &str) {
        let span = span.unwrap_or(0..0);
        self.diagnostics.push(PROOF_SETTINGS_INVALID.at(
            line_of(self.text, span.start),
            span,
            format!("the settings of proof are not valid: {problem}"),
            "correct `.hewto/proof.toml`; until then nothing is run, and gates stay closed",
        ));
    }

    fn faults(&self) -> usize {
        self.diagnostics.iter().filter(|diagnostic| diagnostic.code == PROOF_SETTINGS_INVALID.code).count()
    }
}

fn item_span(table: &dyn TableLike, key: &str) -> Option<Range<usize>> {
    table.get(key).and_then(Item::span)
}
