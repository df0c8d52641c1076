//! Rules about a workspace, its specs as work items, their plans and their states.

use super::Rule;

pub const ROOT_MISSING: Rule = Rule::error("spec-root-missing", "a workspace has its folder of specs");
pub const CONFIG_INVALID: Rule =
    Rule::error("config-invalid", "the configuration is valid TOML with its required keys");
pub const CONFIG_MISSING: Rule = Rule::error("config-missing", "the configuration file is there");
pub const LOGS_MISSING: Rule = Rule::warning("logs-missing", "the folder for logs is there");
pub const UNREADABLE: Rule = Rule::error("file-unreadable", "every document can be read as UTF-8 text");
pub const ID_STYLE: Rule =
    Rule::warning("id-style", "an id is made of lower-case letters, digits, `.`, `_` and `-`");
pub const SPEC_LINKED: Rule = Rule::warning("spec-linked", "the folder of a spec lies inside the workspace");
pub const ID_DUPLICATE: Rule = Rule::error("id-duplicate", "an id stands in one spec root only");
pub const TITLE_EMPTY: Rule = Rule::error("title-empty", "a spec has a title");
pub const TITLE_LONG: Rule = Rule::warning("title-long", "a title has at most 200 characters");
pub const TITLE_PADDED: Rule = Rule::warning("title-padded", "a title neither begins nor ends with blanks");
pub const DESCRIPTION_EMPTY: Rule = Rule::warning("description-empty", "a spec says why it is needed");
pub const CONTENT_EMPTY: Rule = Rule::warning("content-empty", "a spec has a body");
pub const DEPENDENCY_INVALID: Rule = Rule::error("dependency-invalid", "a dependency names a spec");
pub const DEPENDENCY_SELF: Rule = Rule::error("dependency-self", "a spec does not depend on itself");
pub const DEPENDENCY_MISSING: Rule = Rule::error("dependency-missing", "what a spec depends on is there");
pub const DEPENDENCY_CYCLE: Rule = Rule::error("dependency-cycle", "dependencies form no circle");
pub const DEPENDENCY_DUPLICATE: Rule = Rule::warning("dependency-duplicate", "a dependency is named once");
pub const DEPENDENCY_CANCELLED: Rule =
    Rule::warning("dependency-cancelled", "a spec does not wait for a cancelled one");
pub const STATE_INVALID: Rule = Rule::error("state-invalid", "`state.toon` is valid");
pub const STATE_MISMATCH: Rule =
    Rule::warning("state-mismatch", "the front matter's `state` repeats what `state.toon` says");
pub const STATE_OWNER: Rule =
    Rule::warning("state-owner", "`state.toon` names the item in whose folder it stands");
pub const BUILD_WITHOUT_PLAN: Rule = Rule::warning("build-without-plan", "what is being built has a plan");
pub const BLOCKED_WITHOUT_CAUSE: Rule =
    Rule::warning("blocked-without-cause", "a blocked spec has a dependency or a reason");
pub const PLAN_EMPTY: Rule = Rule::warning("plan-empty", "a plan has steps");
pub const PLAN_APPROACH_EMPTY: Rule = Rule::warning("plan-approach-empty", "a plan has an approach");
pub const PLAN_OWNER: Rule = Rule::warning("plan-owner", "a plan names the spec in whose folder it stands");
pub const STEP_TITLE_EMPTY: Rule = Rule::error("step-title-empty", "a step has a title");
pub const STEP_TITLE_LONG: Rule =
    Rule::warning("step-title-long", "a step's title has at most 100 characters");
pub const STEP_DESCRIPTION_EMPTY: Rule =
    Rule::info("step-description-empty", "a step says what is to be done");
pub const WRITE_STRANDED: Rule =
    Rule::error("write-stranded", "no interrupted write waits for a file that somebody else changed");

/// All of them, in the order of the reference.
pub const ALL: &[&Rule] = &[
    &ROOT_MISSING,
    &CONFIG_MISSING,
    &CONFIG_INVALID,
    &LOGS_MISSING,
    &UNREADABLE,
    &ID_STYLE,
    &SPEC_LINKED,
    &ID_DUPLICATE,
    &TITLE_EMPTY,
    &TITLE_LONG,
    &TITLE_PADDED,
    &DESCRIPTION_EMPTY,
    &CONTENT_EMPTY,
    &DEPENDENCY_INVALID,
    &DEPENDENCY_SELF,
    &DEPENDENCY_MISSING,
    &DEPENDENCY_CYCLE,
    &DEPENDENCY_DUPLICATE,
    &DEPENDENCY_CANCELLED,
    &STATE_INVALID,
    &STATE_MISMATCH,
    &STATE_OWNER,
    &BUILD_WITHOUT_PLAN,
    &BLOCKED_WITHOUT_CAUSE,
    &PLAN_EMPTY,
    &PLAN_APPROACH_EMPTY,
    &PLAN_OWNER,
    &STEP_TITLE_EMPTY,
    &STEP_TITLE_LONG,
    &STEP_DESCRIPTION_EMPTY,
    &WRITE_STRANDED,
];
