//! Tests that may be meant for a promise: those whose names have its words.

use std::collections::{BTreeSet, HashSet};

use crate::proof::{CaseResult, Link};

/// How many names are shown.
const SHOWN: usize = 3;
/// Words that say nothing of what a test is about.
const EMPTY: [&str; 16] = [
    "test", "tests", "spec", "should", "when", "then", "given", "that", "this", "with", "the", "and", "for",
    "from", "are", "not",
];

/// The tests of some runs that no tag links to a promise, with the words of their names.
#[derive(Debug, Default)]
pub struct UntaggedTests(Vec<(String, HashSet<String>)>);

impl UntaggedTests {
    pub fn of<'c>(cases: impl IntoIterator<Item = &'c CaseResult>, links: &[Link]) -> Self {
        let linked: HashSet<&str> = links.iter().filter_map(|link| link.title.as_deref()).collect();
        let mut seen = BTreeSet::new();
        let mut tests = Vec::new();
        for case in cases {
            if !case.refs.is_empty() || linked.contains(case.title.as_str()) || !seen.insert(&case.title) {
                continue;
            }
            let place = case.file.as_ref().or(case.suites.last());
            let name = place.map_or_else(|| case.title.clone(), |place| format!("{place}::{}", case.title));
            tests.push((name, words(&case.title)));
        }
        Self(tests)
    }

    /// Those whose names have at least half of the words of a heading, best first.
    pub fn like(&self, heading: &str) -> Vec<String> {
        let wanted = words(heading);
        let shared = |test: &HashSet<String>| wanted.iter().filter(|word| test.contains(*word)).count();
        let mut found: Vec<(usize, &str)> = self
            .0
            .iter()
            .map(|(name, words)| (shared(words), name.as_str()))
            .filter(|(shared, _)| *shared > 0 && shared * 2 >= wanted.len())
            .collect();
        found.sort_unstable_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
        found.into_iter().take(SHOWN).map(|(_, name)| name.to_owned()).collect()
    }
}

/// The words of a name, however they are joined: `third_try`, `thirdTry`, `third try`.
fn words(name: &str) -> HashSet<String> {
    let mut words = HashSet::new();
    let mut word = String::new();
    let mut was_small = false;
    for ch in name.chars().chain([' ']) {
        if !ch.is_alphanumeric() || (was_small && ch.is_uppercase()) {
            let whole = std::mem::take(&mut word);
            if whole.chars().count() > 2 && !EMPTY.contains(&whole.as_str()) {
                words.insert(whole);
            }
        }
        if ch.is_alphanumeric() {
            word.extend(ch.to_lowercase());
        }
        was_small = ch.is_lowercase();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proof::CaseOutcome;

    fn case(file: Option<&str>, title: &str) -> CaseResult {
        CaseResult {
            file: file.map(str::to_owned),
            suites: Vec::new(),
            title: title.to_owned(),
            outcome: CaseOutcome::Passed,
            refs: Vec::new(),
            message: None,
        }
    }

    #[test]
    fn names_are_compared_by_their_words_however_they_are_joined() {
        let cases = [
            case(Some("tests/a.py"), "test_locks_after_third_try"),
            case(None, "TestThirdTry"),
            case(None, "test_sign_in"),
            case(None, "the third one should pass"),
        ];
        let tests = UntaggedTests::of(&cases, &[]);
        assert_eq!(
            tests.like("Third try"),
            ["TestThirdTry", "tests/a.py::test_locks_after_third_try", "the third one should pass"]
        );
        assert_eq!(tests.like("Then the test"), Vec::<String>::new(), "such words say nothing");
        assert_eq!(tests.like("Known customer"), Vec::<String>::new());
    }
}
