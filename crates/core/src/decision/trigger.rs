//! Whether a decision record is due (seed 003, 3.3): one rule for each reason, on whole words.
//!
//! What was asked for wins: `force_adr`, or an intention that names a record. Then a fix or a change of
//! configuration needs none. Then any one reason suffices.

use serde::{Deserialize, Serialize};

use super::architecture::Snapshot;
use super::catalogue::{AdrRules, Catalogue};
use super::words::{Words, is_plural};

/// From this many files on a change is structural.
const MANY_FILES: usize = 10;

/// Whether the caller wants a record whatever the rules say.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AdrPreference {
    #[default]
    ByRule,
    Force,
}

/// What is known when the rules are asked.
#[derive(Debug, Clone, Copy)]
pub struct Evidence<'a> {
    pub intention: &'a str,
    pub preference: AdrPreference,
    /// The decision, once there is one.
    pub patch: Option<&'a Patch>,
    pub architecture: &'a Snapshot,
    /// Paths that the user said would be changed.
    pub named_paths: usize,
}

/// A decision: one category and the values of some of its fields.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Patch {
    pub category: String,
    /// In the order of the catalogue.
    pub fields: Vec<(String, String)>,
}

/// The answer, and the rules that gave it (`keyword:auth`, `migration`, `fix:typo`, …).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    pub record: bool,
    pub because: Vec<String>,
}

pub fn verdict(catalogue: &Catalogue, evidence: &Evidence<'_>) -> Verdict {
    let rules = catalogue.adr_rules();
    let words = Words::of(evidence.intention).without(&catalogue.meaning().not_meant);
    if evidence.preference == AdrPreference::Force {
        return Verdict { record: true, because: vec!["force_adr".to_owned()] };
    }
    if let Some(request) = words.first_of(&rules.requests) {
        return Verdict { record: true, because: vec![format!("explicit:{request}")] };
    }
    if let Some(reason) = exemption(rules, &words) {
        return Verdict { record: false, because: vec![reason] };
    }
    let because: Vec<String> = [
        keyword(catalogue, &words),
        decided_category(catalogue, evidence),
        existing_category(evidence),
        scope(rules, &words),
        file_impact(rules, &words, evidence),
        new_dependency(catalogue, &words, evidence),
        words.first_of(&rules.explicit).map(|phrase| format!("explicit:{phrase}")),
    ]
    .into_iter()
    .flatten()
    .collect();
    Verdict { record: !because.is_empty(), because }
}

/// Whether an intention is plainly a small fix: it says so, and asks for nothing structural.
pub(crate) fn is_small_fix(catalogue: &Catalogue, intention: &str, preference: AdrPreference) -> bool {
    let rules = catalogue.adr_rules();
    let words = Words::of(intention).without(&catalogue.meaning().not_meant);
    let structural =
        [&rules.requests, &rules.explicit, &rules.new_dependency, &rules.migration, &rules.cross_cutting];
    preference == AdrPreference::ByRule
        && exemption(rules, &words).is_some()
        && !structural.iter().any(|phrases| words.first_of(phrases).is_some())
        && counted_files(rules, &words).is_none()
}

/// Whether an intention calls itself a fix or a refactoring.
pub(crate) fn says_fix(catalogue: &Catalogue, intention: &str) -> bool {
    let words = Words::of(intention).without(&catalogue.meaning().not_meant);
    words.first_of(&catalogue.adr_rules().fixes).is_some()
}

fn exemption(rules: &AdrRules, words: &Words<'_>) -> Option<String> {
    let fix = || words.first_of(&rules.fixes).map(|phrase| format!("fix:{phrase}"));
    let config = || words.first_of(&rules.config_only).map(|phrase| format!("config_only:{phrase}"));
    fix().or_else(config)
}

fn keyword(catalogue: &Catalogue, words: &Words<'_>) -> Option<String> {
    let in_category = catalogue.categories().iter().find_map(|category| words.first_of(&category.triggers));
    let found = in_category.or_else(|| words.first_of(&catalogue.adr_rules().keywords));
    found.map(|phrase| format!("keyword:{phrase}"))
}

/// A category that is always recorded, decided whatever the words of the intention were.
fn decided_category(catalogue: &Catalogue, evidence: &Evidence<'_>) -> Option<String> {
    let category = catalogue.category(&evidence.patch?.category)?;
    category.adr.then(|| format!("category:{}", category.name))
}

fn existing_category(evidence: &Evidence<'_>) -> Option<String> {
    let category = &evidence.patch?.category;
    evidence.architecture.has_category(category).then(|| format!("modifies_existing_category:{category}"))
}

fn scope(rules: &AdrRules, words: &Words<'_>) -> Option<String> {
    let migration = || words.first_of(&rules.migration).map(|_| "migration".to_owned());
    let crossing = || words.first_of(&rules.cross_cutting).map(|_| "cross_cutting".to_owned());
    migration().or_else(crossing)
}

fn file_impact(rules: &AdrRules, words: &Words<'_>, evidence: &Evidence<'_>) -> Option<String> {
    let said = counted_files(rules, words);
    let named = (evidence.named_paths >= MANY_FILES).then_some(evidence.named_paths);
    let all = || words.first_of(&rules.many_files).map(|_| "file_impact:all".to_owned());
    said.max(named).map(|count| format!("file_impact:{count}")).or_else(all)
}

/// "touches 12 files": the greatest number of at least ten that stands before a counted noun.
fn counted_files(rules: &AdrRules, words: &Words<'_>) -> Option<usize> {
    let words: Vec<&str> = words.folded().collect();
    let is_counted =
        |word: &&str| rules.counted.iter().any(|noun| *word == noun.as_str() || is_plural(word, noun));
    let numbers = words.iter().enumerate().filter_map(|(at, word)| {
        let count = word.parse::<usize>().ok().filter(|count| *count >= MANY_FILES)?;
        // A word may stand between: "12 source files".
        words.iter().skip(at + 1).take(2).any(is_counted).then_some(count)
    });
    numbers.max()
}

/// A library or service that the repository does not have yet, by the words of the intention or by the decision.
fn new_dependency(catalogue: &Catalogue, words: &Words<'_>, evidence: &Evidence<'_>) -> Option<String> {
    let rules = catalogue.adr_rules();
    let said = words.first_of(&rules.new_dependency).is_some();
    let chosen = || {
        let patch = evidence.patch?;
        let category = catalogue.category(&patch.category)?;
        patch.fields.iter().find(|(field, value)| {
            let names_one = category
                .questions
                .iter()
                .any(|question| question.dependency && question.field.as_deref() == Some(field));
            let is_one = !rules.no_dependency.iter().any(|none| none.eq_ignore_ascii_case(value));
            names_one && is_one && evidence.architecture.value(&patch.category, field) != Some(value)
        })
    };
    (said || chosen().is_some()).then(|| "new_dependencies".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decision::architecture::Decided;
    use crate::decision::uid::Uid;

    fn judge(intention: &str) -> Verdict {
        judge_with(intention, AdrPreference::ByRule, None, 0)
    }

    fn judge_with(
        intention: &str,
        preference: AdrPreference,
        patch: Option<&Patch>,
        named_paths: usize,
    ) -> Verdict {
        let architecture = &Snapshot::default();
        verdict(Catalogue::builtin(), &Evidence { intention, preference, patch, architecture, named_paths })
    }

    fn patch(category: &str, field: &str, value: &str) -> Patch {
        Patch { category: category.into(), fields: vec![(field.into(), value.into())] }
    }

    #[test]
    fn each_reason_has_its_rule() {
        for (intention, reason) in [
            ("Add authentication", "keyword:authentication"),
            ("Add logins", "keyword:login"),
            ("Keep it in storage", "keyword:storage"),
            ("Add a cache", "keyword:cache"),
            ("Choose a framework", "keyword:framework"),
            ("Change the runtime", "keyword:runtime"),
            ("Plan the deployment", "keyword:deployment"),
            ("New infrastructure", "keyword:infrastructure"),
            ("Add a job queue", "keyword:queue"),
            ("Set up messaging", "keyword:messaging"),
            ("Offer a REST interface", "keyword:REST"),
            ("Bring in a new dependency for dates", "new_dependencies"),
            ("Switch to another date library", "new_dependencies"),
            ("Migrate the old records", "migration"),
            ("A cross-cutting rename", "cross_cutting"),
            ("Rename it in 12 files", "file_impact:12"),
            ("Touch 10+ source files", "file_impact:10"),
            ("Add a licence to every file", "file_impact:all"),
            ("Rethink the architecture", "explicit:architecture"),
            ("Find a naming strategy", "explicit:strategy"),
            ("Another approach to names", "explicit:approach"),
            ("Make a design decision", "explicit:design decision"),
            ("Write an ADR on naming", "explicit:adr"),
        ] {
            let verdict = judge(intention);
            assert!(
                verdict.record && verdict.because.contains(&reason.to_owned()),
                "{intention}: {verdict:?}"
            );
        }
    }

    #[test]
    fn words_that_only_look_alike_are_no_reason() {
        for intention in [
            "Write the specific text",
            "Restore the rest of the page",
            "Change 9 files",
            "Collect feedback from authors",
            "Wait 12 days for files",
            "Improve onboarding",
        ] {
            assert_eq!(judge(intention), Verdict { record: false, because: vec![] }, "{intention}");
        }
    }

    #[test]
    fn fixes_and_configuration_need_no_record() {
        for (intention, reason) in [
            ("Fix typo in login button", "fix:typo"),
            ("Fix the database bug", "fix:fix"),
            ("Two bugs in auth", "fix:bug"),
            ("Refactor the api", "fix:refactor"),
            ("Refactoring of auth", "fix:refactoring"),
            ("Bugfix for sessions", "fix:bugfix"),
            ("Add GitHub as OAuth provider", "config_only:oauth provider"),
            ("Config-only change to the cache", "config_only:config only"),
            ("Set an environment variable for the server", "config_only:environment variable"),
        ] {
            assert_eq!(
                judge(intention),
                Verdict { record: false, because: vec![reason.into()] },
                "{intention}"
            );
        }
        for intention in
            ["Add a prefix to the database", "Show debug output of the api", "Add a bug tracker database"]
        {
            assert!(judge(intention).record, "{intention}");
        }
    }

    #[test]
    fn what_was_asked_for_wins() {
        let forced = judge_with("Fix typo", AdrPreference::Force, None, 0);
        assert_eq!(forced, Verdict { record: true, because: vec!["force_adr".into()] });
        assert!(judge("Fix the login and write a decision record").record);
    }

    #[test]
    fn a_category_that_is_already_decided_is_modified() {
        let uid = Uid::parse("20250108T143512.237Z-A001").unwrap();
        let mut architecture = Snapshot::default();
        architecture.set("Frontend", "Styling", Decided { value: "Sass".into(), by: Some(uid) });
        let patch = patch("Frontend", "Styling", "Sass");
        let evidence = Evidence {
            intention: "Improve it",
            preference: AdrPreference::ByRule,
            patch: Some(&patch),
            architecture: &architecture,
            named_paths: 0,
        };
        assert_eq!(
            verdict(Catalogue::builtin(), &evidence).because,
            ["modifies_existing_category:Frontend".to_owned()]
        );
    }

    #[test]
    fn a_decision_can_be_a_reason_of_its_own() {
        let backend = patch("Backend", "API_Style", "REST");
        let react = patch("Frontend", "Framework", "React");
        let plain = patch("Frontend", "Styling", "Plain CSS");
        for (patch, expected) in [
            (&backend, vec!["category:Backend".to_owned()]),
            (&react, vec!["new_dependencies".to_owned()]),
            (&plain, vec![]),
        ] {
            let verdict = judge_with("Improve it", AdrPreference::ByRule, Some(patch), 0);
            assert_eq!(verdict.because, expected);
        }
        let many = judge_with("Improve it", AdrPreference::ByRule, None, 10);
        assert_eq!(many.because, ["file_impact:10".to_owned()]);
    }

    #[test]
    fn a_small_fix_says_so_and_asks_for_nothing_structural() {
        let small = |text: &str| is_small_fix(Catalogue::builtin(), text, AdrPreference::ByRule);
        for text in
            ["Fix typo in login button", "Fix a bug in the Prisma query", "Add GitHub as OAuth provider"]
        {
            assert!(small(text), "{text}");
        }
        for text in [
            "Add authentication",
            "Add a prefix",
            "Fix the auth architecture",
            "Fix it by a migration to Clerk",
            "Fix 30 files",
            "Fix login, with an ADR",
        ] {
            assert!(!small(text), "{text}");
        }
        assert!(!is_small_fix(Catalogue::builtin(), "Fix typo", AdrPreference::Force));
    }
}
