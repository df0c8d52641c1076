//! What a spec promises, by the names that tags use.

use std::collections::HashSet;
use std::sync::Arc;

use super::Ref;
use super::source::hash_words;
use crate::document::{Document, Span};
use crate::requirement::{Requirement, SpecDoc, pinned_id, requirement_ids, scenario_ids};

/// One scenario, or a requirement that has none.
///
/// It is a place in a text. What is said there is hashed when somebody compares it: of a hundred thousand promises most have
/// nothing to be compared with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Promise {
    pub reference: Ref,
    /// The heading of the requirement.
    pub requirement: Arc<str>,
    /// The heading of the scenario.
    pub scenario: Option<Arc<str>>,
    /// The line of its heading, from 1.
    pub line: u32,
    said: Said,
}

/// Where a promise says what it says.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Said {
    Scenario {
        document: Arc<str>,
        body: Span,
        /// What its requirement says above the scenarios.
        above: Span,
    },
    /// What a requirement without scenarios demands.
    Requirement(Arc<str>),
}

impl Promise {
    /// A scenario with this body, and this above it.
    #[cfg(test)]
    pub(crate) fn of_scenario(reference: Ref, body: &str, above: &str) -> Self {
        let document: Arc<str> = format!("{body}{above}").into();
        Self {
            requirement: reference.requirement().into(),
            scenario: reference.scenario().map(Into::into),
            reference,
            line: 1,
            said: Said::Scenario { body: 0..body.len(), above: body.len()..document.len(), document },
        }
    }

    /// Hash of what it says; rewrapping and bullets do not count.
    pub fn text_hash(&self) -> String {
        match &self.said {
            Said::Scenario { document, body, .. } => hash_words(said(&document[body.clone()])),
            Said::Requirement(text) => hash_words(text.split_whitespace()),
        }
    }

    /// Hash of what its requirement says above the scenarios; empty where the requirement is the promise.
    pub(crate) fn requirement_hash(&self) -> String {
        match &self.said {
            Said::Scenario { document, above, .. } => hash_words(said(&document[above.clone()])),
            Said::Requirement(_) => String::new(),
        }
    }

    /// The words of its THEN clauses that could appear in a test.
    pub fn then_words(&self) -> Vec<String> {
        match &self.said {
            Said::Scenario { document, body, .. } => then_words(&document[body.clone()]),
            Said::Requirement(_) => Vec::new(),
        }
    }

    /// Whether two promises demand the same, each with what stands above it.
    pub fn says_the_same(&self, other: &Self) -> bool {
        self.said == other.said
            || (self.text_hash() == other.text_hash() && self.requirement_hash() == other.requirement_hash())
    }
}

/// The promises of a spec in their order: its scenarios, and requirements without any.
pub fn read_promises(capability: &str, text: &str) -> Vec<Promise> {
    let document = Document::parse(text);
    let spec = SpecDoc::read(&document);
    promises_of(capability, &document, &spec.requirements)
}

/// The promises of some requirements of a document.
pub fn promises_of(
    capability: &str,
    document: &Document<'_>,
    requirements: &[Requirement<'_>],
) -> Vec<Promise> {
    let line = |offset| u32::try_from(document.line_of(offset)).unwrap_or(u32::MAX);
    // Those of a delta have no ids of their own yet: their names give them.
    let by_name = if requirements.iter().any(|requirement| requirement.id.is_empty()) {
        requirement_ids(requirements.iter().map(|requirement| requirement.name))
    } else {
        Vec::new()
    };
    let of_capability = Ref::new(capability, "", None);
    let text: Arc<str> = document.text().into();
    let mut promises =
        Vec::with_capacity(requirements.iter().map(|requirement| requirement.scenarios.len().max(1)).sum());
    for (index, requirement) in requirements.iter().enumerate() {
        let own = if requirement.id.is_empty() { &by_name[index] } else { &requirement.id };
        let whole = of_capability.beside(own);
        let name: Arc<str> = requirement.name.into();
        if requirement.scenarios.is_empty() {
            promises.push(Promise {
                reference: whole,
                requirement: name,
                scenario: None,
                line: line(requirement.heading.start),
                said: Said::Requirement(requirement.text.as_ref().into()),
            });
            continue;
        }
        for (scenario, id) in requirement.scenarios.iter().zip(scenario_ids(requirement)) {
            promises.push(Promise {
                reference: whole.with_scenario(&id),
                requirement: Arc::clone(&name),
                scenario: Some(scenario.name.into()),
                line: line(scenario.heading.start),
                said: Said::Scenario {
                    document: Arc::clone(&text),
                    body: scenario.body.clone(),
                    above: requirement.body.clone(),
                },
            });
        }
    }
    promises
}

/// The words of a scenario, or of what stands above them, without bullets, emphasis and pins.
fn said(body: &str) -> impl Iterator<Item = &str> {
    // A sign in the middle of a line is part of what is said: 10 - 3 is not 10 + 3.
    let bare =
        |word| Some(str::trim_matches(word, ['*', '_'])).filter(|bare| !bare.is_empty()).unwrap_or(word);
    body.lines().filter(|line| pinned_id(line).is_none()).flat_map(move |line| {
        let mut words = line.split_whitespace().peekable();
        words.next_if(|first| matches!(*first, "-" | "*" | "+"));
        words.map(bare)
    })
}

/// What a THEN names exactly: code, quoted texts, numbers.
fn then_words(body: &str) -> Vec<String> {
    let mut in_then = false;
    let mut words = Vec::new();
    let mut seen = HashSet::new();
    for line in body.lines() {
        let bare =
            line.trim_start_matches(|ch: char| ch.is_whitespace() || matches!(ch, '-' | '*' | '+' | '_'));
        let first =
            bare.split(|ch: char| !ch.is_alphabetic()).next().unwrap_or_default().to_ascii_uppercase();
        match first.as_str() {
            "THEN" => in_then = true,
            "GIVEN" | "WHEN" => in_then = false,
            _ => {}
        }
        if !in_then {
            continue;
        }
        let quoted = ['`', '"'].into_iter().flat_map(|mark| line.split(mark).skip(1).step_by(2));
        let numbers = line
            .split(|ch: char| !ch.is_ascii_alphanumeric())
            .filter(|word| word.len() > 1 && word.bytes().all(|byte| byte.is_ascii_digit()));
        for word in quoted.chain(numbers).map(str::trim) {
            if (2..=80).contains(&word.len()) && seen.insert(word.to_owned()) {
                words.push(word.to_owned());
            }
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPEC: &str = "# Accounts\n\n## Requirements\n\n### Requirement: Sign in\nThey SHALL get in.\n\n#### Scenario: Known customer\n- **WHEN** they sign in\n- **THEN** status 200 and `welcome` come back\n\n#### Scenario: Known Customer\n- **THEN** x\n\n### Requirement: Lock out\n<!-- spec-id: lockout -->\nIt SHALL lock.\n\n#### Scenario: Third try\n<!-- spec-id: third -->\n- **THEN** locked\n\n### Requirement: Bare\nIt SHALL be.\n";

    #[test]
    fn scenarios_are_named_by_slugs_and_pins() {
        let promises = read_promises("accounts", SPEC);
        let names: Vec<String> = promises.iter().map(|promise| promise.reference.to_string()).collect();
        assert_eq!(
            names,
            [
                "accounts#sign-in/known-customer",
                "accounts#sign-in/known-customer-2",
                "accounts#lockout/third",
                "accounts#bare"
            ]
        );
        assert_eq!(promises[0].then_words(), ["welcome", "200"]);
        assert_eq!(promises[0].line, 8);
    }

    #[test]
    fn a_sign_between_words_is_part_of_the_promise_and_a_bullet_is_not() {
        let hash = |then: &str| {
            let text = format!(
                "## Requirements\n\n### Requirement: Sum\n\nIt SHALL add.\n\n#### Scenario: Ten\n\n{then}\n"
            );
            read_promises("sum", &text)[0].text_hash()
        };
        assert_ne!(hash("- **THEN** it is 10 + 3"), hash("- **THEN** it is 10 - 3"));
        assert_ne!(hash("- **THEN** it is 10 * 3"), hash("- **THEN** it is 10 3"));
        assert_eq!(hash("- **THEN** it is 10 + 3"), hash("* __THEN__ it is 10 + 3"));
    }

    #[test]
    fn what_a_requirement_says_above_its_scenarios_belongs_to_each_of_them() {
        let hashes = |text: &str| -> Vec<String> {
            read_promises("a", text).into_iter().map(|promise| promise.requirement_hash()).collect()
        };
        let before = hashes(SPEC);
        let turned = hashes(&SPEC.replace("They SHALL get in", "They SHALL stay out"));
        assert!(before[0] != turned[0] && before[1] != turned[1]);
        assert_eq!(before[2..], turned[2..], "those of another requirement stay");
        assert_eq!(before, hashes(&SPEC.replace("They SHALL get in", "They **SHALL**\n  get in")));
        assert_eq!(before, hashes(&SPEC.replace("<!-- spec-id: lockout -->\n", "")));
        assert_eq!(before[3], "", "a requirement without scenarios is the promise itself");
    }

    #[test]
    fn rewrapping_is_no_change_and_a_word_is() {
        let hash = |text: &str| read_promises("accounts", text)[0].text_hash();
        let wrapped = SPEC.replace("- **WHEN** they sign in\n", "* WHEN they\n  sign in\n");
        assert_eq!(hash(SPEC), hash(&wrapped));
        let pinned = SPEC.replace(
            "#### Scenario: Known customer\n",
            "#### Scenario: Known customer\n<!-- spec-id: x -->\n",
        );
        assert_eq!(hash(SPEC), hash(&pinned));
        assert_ne!(hash(SPEC), hash(&SPEC.replace("200", "201")));
    }
}
