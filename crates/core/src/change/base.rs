//! `.base.json`: the requirements that a change touches, as they stood when its deltas were written.
//!
//! Archiving merges this base, the current spec and the delta. A base that was taken when the delta was already there
//! cannot tell whether a scenario that the delta lacks was left out on purpose; such scenarios are remembered as
//! unconfirmed, and leaving them out stays refused.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::check::{Edit, apply_edits};
use crate::delta::DeltaDoc;
use crate::document::{Document, EolStyle};
use crate::requirement::{Requirement, SpecDoc};

const VERSION: u32 = 1;

/// All bases of one change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BaseRecord {
    version: u32,
    /// By capability.
    pub capabilities: BTreeMap<String, CapabilityBase>,
}

/// The bases of one delta, by the name that the requirement had in the spec.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CapabilityBase {
    pub requirements: BTreeMap<String, RequirementBase>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequirementBase {
    /// The requirement with its heading, with line feeds.
    pub text: String,
    sha256: String,
    #[serde(default)]
    origin: Origin,
    /// Scenarios that the delta did not have when this base was taken.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub unconfirmed: BTreeSet<String>,
}

/// When a base was taken.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// With the delta: what it leaves out, it leaves out on purpose. Also the spec at the delta's first commit.
    Written,
    /// Some time after the delta was written.
    #[default]
    Observed,
    /// When somebody had taken over into the delta what had changed in the spec.
    Rebased,
}

impl Origin {
    /// Whether a base of this origin takes the place of one that is known.
    fn is_better_than(self, known: Self) -> bool {
        match self {
            Self::Rebased => true,
            Self::Written => known == Self::Observed,
            Self::Observed => false,
        }
    }
}

impl Default for BaseRecord {
    fn default() -> Self {
        Self { version: VERSION, capabilities: BTreeMap::new() }
    }
}

impl BaseRecord {
    /// Reads the file. One that cannot be read, or is of a later version, is no base.
    pub fn from_json(json: &str) -> Option<Self> {
        let json = json.strip_prefix('\u{feff}').unwrap_or(json);
        serde_json::from_str::<Self>(json).ok().filter(|record| record.version == VERSION)
    }

    /// The file, ended by a line feed.
    pub fn to_json(&self) -> String {
        let mut json = serde_json::to_string_pretty(self).expect("a map of texts is always JSON");
        json.push('\n');
        json
    }

    pub fn get(&self, capability: &str) -> Option<&CapabilityBase> {
        self.capabilities.get(capability)
    }

    /// Takes the base of what a delta touches where there is none yet or a worse one, and forgets what it no longer
    /// touches. Says whether anything changed.
    pub fn record(
        &mut self,
        capability: &str,
        delta: &DeltaDoc<'_>,
        current: Option<&str>,
        origin: Origin,
    ) -> bool {
        let before = self.capabilities.get(capability).cloned().unwrap_or_default();
        let mut base = CapabilityBase::take(delta, current, origin);
        for (name, known) in &before.requirements {
            if let Some(entry) = base.requirements.get_mut(name) {
                if !origin.is_better_than(known.origin) {
                    entry.clone_from(known);
                } else if origin == Origin::Rebased
                    && let Some(proposed) =
                        touched(delta).find_map(|(touched, proposed)| proposed.filter(|_| touched == name))
                {
                    entry.forget_unseen(known, proposed);
                }
            } else if origin != Origin::Rebased && touched(delta).any(|(touched, _)| touched == name) {
                base.requirements.insert(name.clone(), known.clone());
            }
        }
        if base == before {
            return false;
        }
        if base.requirements.is_empty() {
            self.capabilities.remove(capability);
        } else {
            self.capabilities.insert(capability.to_owned(), base);
        }
        true
    }

    /// Forgets capabilities that the change no longer has a delta for. Says whether there were any.
    pub fn retain(&mut self, keep: impl Fn(&str) -> bool) -> bool {
        let before = self.capabilities.len();
        self.capabilities.retain(|capability, _| keep(capability));
        self.capabilities.len() != before
    }
}

impl CapabilityBase {
    /// The base of everything that a delta touches, from the text of a spec.
    pub fn take(delta: &DeltaDoc<'_>, spec: Option<&str>, origin: Origin) -> Self {
        let Some(spec) = spec else { return Self::default() };
        let document = Document::parse(spec);
        let spec = SpecDoc::read(&document);
        let requirements = touched(delta).filter_map(|(name, proposed)| {
            let current = spec.requirements.iter().find(|requirement| requirement.name == name)?;
            let unconfirmed = match origin {
                Origin::Written | Origin::Rebased => BTreeSet::new(),
                Origin::Observed => proposed.map(|proposed| left_out(current, proposed)).unwrap_or_default(),
            };
            Some((name.to_owned(), RequirementBase::new(current.raw, origin, unconfirmed)))
        });
        Self { requirements: requirements.collect() }
    }

    /// Whether something that a delta touches has no base, or none that is as good as one taken with the delta.
    pub fn could_be_better(&self, delta: &DeltaDoc<'_>) -> bool {
        touched(delta).any(|(name, _)| self.get(name).is_none_or(|base| base.origin == Origin::Observed))
    }

    /// The base of a requirement; one whose text was tampered with is none.
    pub fn get(&self, name: &str) -> Option<&RequirementBase> {
        self.requirements.get(name).filter(|base| base.sha256 == fingerprint(&base.text))
    }
}

impl RequirementBase {
    fn new(text: &str, origin: Origin, unconfirmed: BTreeSet<String>) -> Self {
        let text = EolStyle::Lf.applied_to(text);
        Self { sha256: fingerprint(&text), text, origin, unconfirmed }
    }

    /// Leaves out the scenarios that neither the base before nor the delta knows. Nobody has decided about them, so
    /// they stay in the spec as what others brought.
    fn forget_unseen(&mut self, before: &Self, proposed: &Requirement<'_>) {
        let knew = Document::parse(&before.text);
        let knew = SpecDoc::read(&knew);
        let knew = knew.requirements.first();
        let document = Document::parse(&self.text);
        let spec = SpecDoc::read(&document);
        let Some(requirement) = spec.requirements.first() else { return };
        let starts = requirement.scenarios.iter().map(|scenario| scenario.span.start);
        let ends = starts.skip(1).chain([requirement.span.end]);
        let is_unseen = |nth: usize| {
            requirement.is_beyond(nth, proposed) && knew.is_none_or(|knew| requirement.is_beyond(nth, knew))
        };
        let scenarios = requirement.scenarios.iter().zip(ends).enumerate();
        let unseen: Vec<Edit> = scenarios
            .filter(|(nth, _)| is_unseen(*nth))
            .map(|(_, (scenario, end))| Edit { span: scenario.span.start..end, text: String::new() })
            .collect();
        if !unseen.is_empty() {
            let text = apply_edits(&self.text, &unseen);
            *self = Self::new(text.trim_end(), self.origin, BTreeSet::new());
        }
    }
}

/// The requirements that need a base, by their name in the spec, with the text that is to replace them.
fn touched<'d, 't>(delta: &'d DeltaDoc<'t>) -> impl Iterator<Item = (&'t str, Option<&'d Requirement<'t>>)> {
    let modified =
        delta.modified.iter().map(|requirement| (delta.name_before(requirement.name), Some(requirement)));
    let removed = delta.removed.iter().map(|removal| (removal.name, None));
    let renamed = delta.renamed.iter().map(|rename| (rename.from, None));
    // What is modified comes last, so that it wins over the rename of the same requirement.
    renamed.chain(removed).chain(modified)
}

fn left_out(current: &Requirement<'_>, proposed: &Requirement<'_>) -> BTreeSet<String> {
    let missing = current.scenarios.iter().enumerate().filter(|(nth, _)| current.is_beyond(*nth, proposed));
    missing.map(|(_, scenario)| scenario.name.to_owned()).collect()
}

fn fingerprint(text: &str) -> String {
    let mut hex = String::with_capacity(64);
    for byte in Sha256::digest(text) {
        let _ = write!(hex, "{byte:02x}");
    }
    hex
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPEC: &str = "## Requirements\r\n### Requirement: A\r\nIt SHALL.\r\n#### Scenario: One\r\n- x\r\n\
                        #### Scenario: Two\r\n- y\r\n### Requirement: B\r\nIt MUST.\r\n";
    const DELTA: &str = "## RENAMED Requirements\n### Requirement: A -> C\n## MODIFIED Requirements\n\
                         ### Requirement: C\nIt SHALL.\n#### Scenario: One\n- z\n## REMOVED Requirements\n- ### Requirement: B\n";

    #[test]
    fn a_base_holds_what_the_delta_touches() {
        let document = Document::parse(DELTA);
        let delta = DeltaDoc::read(&document);
        let mut record = BaseRecord::default();
        assert!(record.record("auth", &delta, Some(SPEC), Origin::Observed));
        assert!(
            !record.record("auth", &delta, Some("## Requirements\n"), Origin::Observed),
            "the first base stays"
        );
        let base = record.get("auth").unwrap();
        assert_eq!(base.requirements.keys().collect::<Vec<_>>(), ["A", "B"]);
        assert_eq!(base.get("B").unwrap().text, "### Requirement: B\nIt MUST.");
        assert_eq!(base.get("A").unwrap().unconfirmed.iter().collect::<Vec<_>>(), ["Two"]);
        assert!(
            CapabilityBase::take(&delta, Some(SPEC), Origin::Written)
                .get("A")
                .unwrap()
                .unconfirmed
                .is_empty()
        );
        assert_eq!(BaseRecord::from_json(&record.to_json()), Some(record.clone()));

        let other = Document::parse("## REMOVED Requirements\n- ### Requirement: B\n");
        assert!(record.record("auth", &DeltaDoc::read(&other), Some(SPEC), Origin::Observed));
        assert_eq!(record.get("auth").unwrap().requirements.keys().collect::<Vec<_>>(), ["B"]);
        assert!(record.retain(|_| false) && record.capabilities.is_empty());
    }

    #[test]
    fn a_better_base_takes_the_place_of_a_worse_one() {
        let document = Document::parse(DELTA);
        let delta = DeltaDoc::read(&document);
        let later = SPEC.replace("It MUST.", "It MUST, now.");
        let text = |record: &BaseRecord| record.get("auth").unwrap().get("B").unwrap().text.clone();
        let mut record = BaseRecord::default();
        assert!(CapabilityBase::default().could_be_better(&delta));
        record.record("auth", &delta, Some(&later), Origin::Observed);
        assert!(record.get("auth").unwrap().could_be_better(&delta));
        assert!(record.record("auth", &delta, Some(SPEC), Origin::Written), "git knows better");
        assert!(text(&record).ends_with("It MUST."));
        assert!(!record.get("auth").unwrap().could_be_better(&delta));
        assert!(!record.record("auth", &delta, Some(&later), Origin::Observed));
        assert!(record.record("auth", &delta, Some(&later), Origin::Rebased), "a person knows best");
        assert!(!record.record("auth", &delta, Some(SPEC), Origin::Written));
        assert!(text(&record).ends_with("It MUST, now."));
        assert_eq!(BaseRecord::from_json(&record.to_json()), Some(record));
    }

    #[test]
    fn a_rebase_decides_nothing_about_scenarios_that_nobody_has_seen() {
        let document = Document::parse(DELTA);
        let delta = DeltaDoc::read(&document);
        let mut record = BaseRecord::default();
        record.record("auth", &delta, Some(SPEC), Origin::Written);
        let later = SPEC.replace("#### Scenario: Two", "#### Scenario: Three\r\n- w\r\n#### Scenario: Two");
        record.record("auth", &delta, Some(&later), Origin::Rebased);
        let text = &record.get("auth").unwrap().get("A").unwrap().text;
        assert!(text.contains("Scenario: Two") && !text.contains("Scenario: Three"), "{text}");
    }

    #[test]
    fn the_second_scenario_of_a_name_is_not_taken_for_the_first() {
        let document = Document::parse(DELTA);
        let delta = DeltaDoc::read(&document);
        let twice = SPEC.replace("#### Scenario: Two", "#### Scenario: One\r\n- again\r\n#### Scenario: Two");
        let mut record = BaseRecord::default();
        record.record("auth", &delta, Some(&twice), Origin::Observed);
        let base = record.get("auth").unwrap().get("A").unwrap();
        assert!(base.unconfirmed.contains("One"), "{base:?}");

        let mut record = BaseRecord::default();
        record.record("auth", &delta, Some(SPEC), Origin::Written);
        record.record("auth", &delta, Some(&twice), Origin::Rebased);
        let text = &record.get("auth").unwrap().get("A").unwrap().text;
        assert!(text.contains("- x") && !text.contains("again"), "{text}");
    }

    #[test]
    fn a_base_that_was_tampered_with_is_none() {
        let document = Document::parse(DELTA);
        let mut record = BaseRecord::default();
        record.record("auth", &DeltaDoc::read(&document), Some(SPEC), Origin::Written);
        let json = record.to_json().replace("It MUST.", "It may.");
        assert!(BaseRecord::from_json(&json).unwrap().get("auth").unwrap().get("B").is_none());
        for broken in ["", "{}", "[]", "{\"version\": 2, \"capabilities\": {}}"] {
            assert_eq!(BaseRecord::from_json(broken), None, "{broken:?}");
        }
    }
}
