//! Rules about a workspace, its specs as work items, their plans and their states.

use super::Rule;

/// A workspace has its folder of specs.
pub const ROOT_MISSING: Rule = Rule::error("spec-root-missing");
/// The configuration is valid TOML with its required keys.
pub const CONFIG_INVALID: Rule = Rule::error("config-invalid");
/// The configuration has only keys that hewto knows.
pub const CONFIG_KEY_UNKNOWN: Rule = Rule::warning("config-key-unknown");
/// `proof.toml` is valid TOML, and every value in it is of its kind.
pub const PROOF_SETTINGS_INVALID: Rule = Rule::error("proof-settings-invalid");
/// Every key of `proof.toml` is a known one.
pub const PROOF_KEY_UNKNOWN: Rule = Rule::warning("proof-key-unknown");
/// What people let pass, and what runs have shown, reads as hewto wrote it and is vouched for.
pub const PROOF_RECORD: Rule = Rule::warning("proof-record");
/// The folder for logs is there.
pub const LOGS_MISSING: Rule = Rule::warning("logs-missing");
/// Every document can be read as UTF-8 text.
pub const UNREADABLE: Rule = Rule::error("file-unreadable");
/// An id is made of lower-case letters, digits, `.`, `_` and `-`.
pub const ID_STYLE: Rule = Rule::warning("id-style");
/// The folder of a spec lies inside the workspace.
pub const SPEC_LINKED: Rule = Rule::warning("spec-linked");
/// An id stands in one spec root only.
pub const ID_DUPLICATE: Rule = Rule::error("id-duplicate");
/// A spec has a title.
pub const TITLE_EMPTY: Rule = Rule::error("title-empty");
/// A title has at most 200 characters.
pub const TITLE_LONG: Rule = Rule::warning("title-long");
/// A title neither begins nor ends with blanks.
pub const TITLE_PADDED: Rule = Rule::warning("title-padded");
/// A spec says why it is needed.
pub const DESCRIPTION_EMPTY: Rule = Rule::warning("description-empty");
/// A spec has a body.
pub const CONTENT_EMPTY: Rule = Rule::warning("content-empty");
/// A dependency names a spec.
pub const DEPENDENCY_INVALID: Rule = Rule::error("dependency-invalid");
/// A spec does not depend on itself.
pub const DEPENDENCY_SELF: Rule = Rule::error("dependency-self");
/// What a spec depends on is there.
pub const DEPENDENCY_MISSING: Rule = Rule::error("dependency-missing");
/// Dependencies form no circle.
pub const DEPENDENCY_CYCLE: Rule = Rule::error("dependency-cycle");
/// A dependency is named once.
pub const DEPENDENCY_DUPLICATE: Rule = Rule::warning("dependency-duplicate");
/// A spec does not wait for a cancelled one.
pub const DEPENDENCY_CANCELLED: Rule = Rule::warning("dependency-cancelled");
/// `state.toon` is valid.
pub const STATE_INVALID: Rule = Rule::error("state-invalid");
/// The front matter's `state` repeats what `state.toon` says.
pub const STATE_MISMATCH: Rule = Rule::warning("state-mismatch");
/// `state.toon` names the item in whose folder it stands.
pub const STATE_OWNER: Rule = Rule::warning("state-owner");
/// What is being built has a plan.
pub const BUILD_WITHOUT_PLAN: Rule = Rule::warning("build-without-plan");
/// A blocked spec has a dependency or a reason.
pub const BLOCKED_WITHOUT_CAUSE: Rule = Rule::warning("blocked-without-cause");
/// A plan has steps.
pub const PLAN_EMPTY: Rule = Rule::warning("plan-empty");
/// A plan has an approach.
pub const PLAN_APPROACH_EMPTY: Rule = Rule::warning("plan-approach-empty");
/// A plan names the spec in whose folder it stands.
pub const PLAN_OWNER: Rule = Rule::warning("plan-owner");
/// A step has a title.
pub const STEP_TITLE_EMPTY: Rule = Rule::error("step-title-empty");
/// A step's title has at most 100 characters.
pub const STEP_TITLE_LONG: Rule = Rule::warning("step-title-long");
/// A step says what is to be done.
pub const STEP_DESCRIPTION_EMPTY: Rule = Rule::info("step-description-empty");
/// No interrupted write waits for a file that somebody else changed.
pub const WRITE_STRANDED: Rule = Rule::error("write-stranded");
/// Every record in the journal was written by this machine.
pub const RECORD_DISTRUSTED: Rule = Rule::warning("record-distrusted");
/// The claims of agents can be read.
pub const CLAIMS_UNREADABLE: Rule = Rule::error("claims-unreadable");

/// Whether a finding is advice: it is shown as a warning, and `--strict` passes over it.
pub fn is_advice(code: &str) -> bool {
    [CONFIG_KEY_UNKNOWN.code, PROOF_KEY_UNKNOWN.code].contains(&code)
}
/// The state of an item is one that its approvals support.
pub const STATE_UNSUPPORTED: Rule = Rule::error("state-unsupported");
/// What was archived is what a person approved, or what the default branch has.
pub const ARCHIVE_UNSUPPORTED: Rule = Rule::warning("archive-unsupported");
/// What was archived on the word of another machine is told.
pub const ARCHIVE_FOREIGN: Rule = Rule::info("archive-foreign");
/// What was archived without a record and only a branch of this repository speaks for is told.
pub const ARCHIVE_UNRECORDED: Rule = Rule::info("archive-unrecorded");
