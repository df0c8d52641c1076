//! The name of a promise: `capability#requirement` or `capability#requirement/scenario`.
//!
//! Requirement and scenario are the slugs of their headings, or the ids that `<!-- spec-id: … -->` pins. Names compare in
//! lower case and in composed form (NFC), so that a tag typed on another machine still finds its heading.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;
use unicode_normalization::UnicodeNormalization;

use crate::id::bare_spec;

/// Longest reference, in bytes; headings are cut long before.
const MAX_BYTES: usize = 1024;

/// A requirement or one of its scenarios. A copy costs nothing: there are tables of a hundred thousand of them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Ref {
    capability: Arc<str>,
    requirement: Arc<str>,
    scenario: Option<Arc<str>>,
}

/// Why a text names no promise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RefError {
    #[error("it has no `#` between the capability and the requirement")]
    NoRequirement,
    #[error("the capability before the `#` is missing")]
    EmptyCapability,
    #[error("the requirement after the `#` is missing")]
    EmptyRequirement,
    #[error("the scenario after the `/` is missing")]
    EmptyScenario,
    #[error("it contains a space or an invisible character")]
    Invisible,
    #[error("it is longer than {MAX_BYTES} bytes")]
    TooLong,
}

impl Ref {
    /// A reference from ids that are known to be good: those of a spec, a requirement and a scenario.
    pub fn new(capability: &str, requirement: &str, scenario: Option<&str>) -> Self {
        Self {
            capability: composed(capability),
            requirement: folded(requirement),
            scenario: scenario.map(folded),
        }
    }

    /// Another requirement of the same capability.
    #[must_use]
    pub(crate) fn beside(&self, requirement: &str) -> Self {
        Self { capability: Arc::clone(&self.capability), requirement: folded(requirement), scenario: None }
    }

    /// A scenario of the same requirement.
    #[must_use]
    pub(crate) fn with_scenario(&self, scenario: &str) -> Self {
        Self { scenario: Some(folded(scenario)), ..self.clone() }
    }

    pub fn parse(text: &str) -> Result<Self, RefError> {
        let text = text.trim();
        if text.len() > MAX_BYTES {
            return Err(RefError::TooLong);
        }
        if text.chars().any(is_invisible) {
            return Err(RefError::Invisible);
        }
        let (capability, rest) = text.split_once('#').ok_or(RefError::NoRequirement)?;
        let (requirement, scenario) = match rest.split_once('/') {
            Some((requirement, scenario)) => (requirement, Some(scenario)),
            None => (rest, None),
        };
        if capability.is_empty() {
            return Err(RefError::EmptyCapability);
        }
        if requirement.is_empty() {
            return Err(RefError::EmptyRequirement);
        }
        if scenario == Some("") {
            return Err(RefError::EmptyScenario);
        }
        Ok(Self::new(capability, requirement, scenario))
    }

    /// The same as people and lists name it: with the kind of what it is, or as a handle, before it.
    pub fn named(text: &str) -> Result<Self, RefError> {
        let kinds = ["requirement:", "scenario:"];
        let text = text.trim();
        Self::parse(&bare_spec(kinds.into_iter().find_map(|kind| text.strip_prefix(kind)).unwrap_or(text)))
    }

    pub fn capability(&self) -> &str {
        &self.capability
    }

    pub fn requirement(&self) -> &str {
        &self.requirement
    }

    pub fn scenario(&self) -> Option<&str> {
        self.scenario.as_deref()
    }

    /// The requirement that this is, or is a scenario of.
    #[must_use]
    pub fn whole_requirement(&self) -> Self {
        Self {
            capability: Arc::clone(&self.capability),
            requirement: Arc::clone(&self.requirement),
            scenario: None,
        }
    }

    /// By requirement, then by scenario: the order of names within one capability.
    pub fn cmp_within(&self, other: &Self) -> std::cmp::Ordering {
        (&self.requirement, &self.scenario).cmp(&(&other.requirement, &other.scenario))
    }

    /// Whether a link to this is also one to `other`: the same, or the requirement of that scenario.
    pub fn covers(&self, other: &Self) -> bool {
        self.capability == other.capability
            && self.requirement == other.requirement
            && (self.scenario.is_none() || self.scenario == other.scenario)
    }

    /// The part after the `#`.
    pub fn within_capability(&self) -> String {
        match &self.scenario {
            Some(scenario) => format!("{}/{scenario}", self.requirement),
            None => self.requirement.to_string(),
        }
    }
}

impl fmt::Display for Ref {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}#{}", self.capability, self.requirement)?;
        match &self.scenario {
            Some(scenario) => write!(f, "/{scenario}"),
            None => Ok(()),
        }
    }
}

impl FromStr for Ref {
    type Err = RefError;

    fn from_str(text: &str) -> Result<Self, RefError> {
        Self::parse(text)
    }
}

impl TryFrom<String> for Ref {
    type Error = RefError;

    fn try_from(text: String) -> Result<Self, RefError> {
        Self::parse(&text)
    }
}

impl From<Ref> for String {
    fn from(reference: Ref) -> Self {
        reference.to_string()
    }
}

impl JsonSchema for Ref {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Ref".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        String::json_schema(generator)
    }
}

fn composed(text: &str) -> Arc<str> {
    if text.is_ascii() { text.into() } else { text.nfc().collect::<String>().into() }
}

fn folded(text: &str) -> Arc<str> {
    if !text.is_ascii() {
        return text.nfc().flat_map(char::to_lowercase).nfc().collect::<String>().into();
    }
    // Slugs are in lower case already.
    if text.bytes().any(|byte| byte.is_ascii_uppercase()) {
        text.to_ascii_lowercase().into()
    } else {
        text.into()
    }
}

/// Blanks, control characters and those that only steer how others are shown.
fn is_invisible(ch: char) -> bool {
    ch.is_whitespace()
        || ch.is_control()
        || matches!(ch, '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_reference_has_two_or_three_parts() {
        let parsed = Ref::parse("accounts#sign-in/known-customer").unwrap();
        assert_eq!(
            (parsed.capability(), parsed.requirement(), parsed.scenario()),
            ("accounts", "sign-in", Some("known-customer"))
        );
        assert_eq!(parsed.whole_requirement().to_string(), "accounts#sign-in");
        assert!(parsed.whole_requirement().covers(&parsed));
        assert!(!parsed.covers(&parsed.whole_requirement()));
    }

    #[test]
    fn a_nested_capability_keeps_its_folders() {
        let parsed = Ref::parse("shop/cart#add").unwrap();
        assert_eq!((parsed.capability(), parsed.requirement()), ("shop/cart", "add"));
    }

    #[test]
    fn what_is_missing_is_said() {
        for (text, error) in [
            ("accounts", RefError::NoRequirement),
            ("#x", RefError::EmptyCapability),
            ("a#", RefError::EmptyRequirement),
            ("a#/b", RefError::EmptyRequirement),
            ("a#b/", RefError::EmptyScenario),
            ("a#b\u{202e}c", RefError::Invisible),
            ("a#b c", RefError::Invisible),
        ] {
            assert_eq!(Ref::parse(text), Err(error), "{text:?}");
        }
        assert_eq!(Ref::parse(&format!("a#{}", "x".repeat(2000))), Err(RefError::TooLong));
    }

    #[test]
    fn case_and_composition_do_not_matter() {
        assert_eq!(Ref::parse("a#Caf\u{e9}/X").unwrap(), Ref::parse("a#cafe\u{301}/x").unwrap());
    }

    proptest! {
        #[test]
        fn what_is_shown_is_read_back(text in "\\PC{0,12}#\\PC{0,12}(/\\PC{0,12})?") {
            if let Ok(parsed) = Ref::parse(&text) {
                prop_assert_eq!(Ref::parse(&parsed.to_string()), Ok(parsed));
            }
        }
    }
}
