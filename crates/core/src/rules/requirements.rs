//! Rules about a spec as a list of requirements, and about requirements and scenarios wherever they stand.
//!
//! The three letters are the severities in a native workspace, under `.spox/` and under `openspec/`.

use super::dialect::{DialectRule, E, I, NO, W};

/// A spec says what it is for under `## Purpose`.
pub const PURPOSE_MISSING: DialectRule = DialectRule::new("purpose-missing", [E, E, E]);
/// `## Purpose` is not empty.
pub const PURPOSE_EMPTY: DialectRule = DialectRule::new("purpose-empty", [E, W, E]);
/// A purpose has at least 50 characters.
pub const PURPOSE_SHORT: DialectRule = DialectRule::new("purpose-short", [W, W, W]);
/// A purpose was written by somebody.
pub const PURPOSE_PLACEHOLDER: DialectRule = DialectRule::new("purpose-placeholder", [W, I, W]);
/// A spec has the section `## Requirements`.
pub const REQUIREMENTS_MISSING: DialectRule = DialectRule::new("requirements-missing", [E, E, E]);
/// A spec has at least one requirement.
pub const REQUIREMENTS_EMPTY: DialectRule = DialectRule::new("requirements-empty", [E, W, E]);
/// A spec tells its requirements and scenarios.
pub const REQUIREMENTS_ABSENT: DialectRule = DialectRule::new("requirements-absent", [I, NO, NO]);
/// Requirements stand under the first `## Requirements`.
pub const REQUIREMENT_OUTSIDE: DialectRule = DialectRule::new("requirement-outside", [E, W, E]);
/// A requirement's name is its own.
pub const REQUIREMENT_DUPLICATE: DialectRule = DialectRule::new("requirement-duplicate", [E, W, E]);
/// An id that is pinned belongs to one requirement of a spec, or to one scenario of a requirement.
pub const SPEC_ID_DUPLICATE: DialectRule = DialectRule::new("spec-id-duplicate", [E, NO, NO]);
/// A requirement has a name.
pub const REQUIREMENT_NAME: DialectRule = DialectRule::new("requirement-name", [E, W, I]);
/// A level-3 heading under `## Requirements` is a requirement.
pub const REQUIREMENT_HEADING: DialectRule = DialectRule::new("requirement-heading", [W, I, I]);
/// A requirement is a level-3 heading.
pub const REQUIREMENT_LEVEL: DialectRule = DialectRule::new("requirement-level", [W, I, I]);
/// A blank stands between `###` and `Requirement:`.
pub const REQUIREMENT_BLANK: DialectRule = DialectRule::new("requirement-blank", [W, W, I]);
/// A requirement says what is required.
pub const REQUIREMENT_TEXT: DialectRule = DialectRule::new("requirement-text", [E, E, E]);
/// A requirement says SHALL or MUST.
pub const REQUIREMENT_KEYWORD: DialectRule = DialectRule::new("requirement-keyword", [W, W, W]);
/// A requirement has at most 500 characters.
pub const REQUIREMENT_LONG: DialectRule = DialectRule::new("requirement-long", [I, NO, I]);
/// A requirement has at least one scenario.
pub const SCENARIO_MISSING: DialectRule = DialectRule::new("scenario-missing", [E, W, E]);
/// A scenario is not empty.
pub const SCENARIO_EMPTY: DialectRule = DialectRule::new("scenario-empty", [E, E, I]);
/// A scenario says WHEN.
pub const SCENARIO_WHEN: DialectRule = DialectRule::new("scenario-when", [E, E, NO]);
/// A scenario says THEN.
pub const SCENARIO_THEN: DialectRule = DialectRule::new("scenario-then", [E, E, NO]);
/// A level-4 heading below a requirement begins with `Scenario:`.
pub const SCENARIO_LABEL: DialectRule = DialectRule::new("scenario-label", [W, I, NO]);
/// A scenario is a level-4 heading.
pub const SCENARIO_LEVEL: DialectRule = DialectRule::new("scenario-level", [W, W, I]);
/// Headings of deltas stand in changes only.
pub const DELTA_IN_SPEC: DialectRule = DialectRule::new("delta-in-spec", [E, W, E]);
/// Hewto and OpenSpec find the same requirements.
pub const READ_DIFFERENTLY: DialectRule = DialectRule::new("openspec-reads-differently", [I, NO, I]);

/// All of them, for whoever has to tell them from the rules that no dialect has.
pub const ALL: &[&DialectRule] = &[
    &PURPOSE_MISSING,
    &PURPOSE_EMPTY,
    &PURPOSE_SHORT,
    &PURPOSE_PLACEHOLDER,
    &REQUIREMENTS_MISSING,
    &REQUIREMENTS_EMPTY,
    &REQUIREMENTS_ABSENT,
    &REQUIREMENT_OUTSIDE,
    &REQUIREMENT_DUPLICATE,
    &SPEC_ID_DUPLICATE,
    &REQUIREMENT_NAME,
    &REQUIREMENT_HEADING,
    &REQUIREMENT_LEVEL,
    &REQUIREMENT_BLANK,
    &REQUIREMENT_TEXT,
    &REQUIREMENT_KEYWORD,
    &REQUIREMENT_LONG,
    &SCENARIO_MISSING,
    &SCENARIO_EMPTY,
    &SCENARIO_WHEN,
    &SCENARIO_THEN,
    &SCENARIO_LABEL,
    &SCENARIO_LEVEL,
    &DELTA_IN_SPEC,
    &READ_DIFFERENTLY,
];
