//! Rules about a change: its proposal, its tasks, its deltas, and whether it can be archived.
//!
//! The three letters are the severities in a native workspace, under `.spox/` and under `openspec/`. What archive
//! would refuse is an error; under `openspec/`, where OpenSpec itself would let it pass, a warning.

use super::dialect::{DialectRule, E, I, NO, W};

/// A change has a `proposal.md`.
pub const PROPOSAL_MISSING: DialectRule = DialectRule::new("proposal-missing", [E, E, NO]);
/// A proposal says why under `## Why`.
pub const WHY_MISSING: DialectRule = DialectRule::new("why-missing", [E, E, I]);
/// The reason has at least 50 characters.
pub const WHY_SHORT: DialectRule = DialectRule::new("why-short", [W, W, I]);
/// The reason has at most 1,000 characters.
pub const WHY_LONG: DialectRule = DialectRule::new("why-long", [I, NO, I]);
/// A proposal says what changes under `## What Changes`.
pub const WHAT_MISSING: DialectRule = DialectRule::new("what-changes-missing", [E, E, I]);
/// `## What Changes` is not empty.
pub const WHAT_EMPTY: DialectRule = DialectRule::new("what-changes-empty", [W, I, I]);
/// A change has a `tasks.md`.
pub const TASKS_MISSING: DialectRule = DialectRule::new("tasks-missing", [E, E, NO]);
/// `tasks.md` has at least one checkbox.
pub const TASKS_EMPTY: DialectRule = DialectRule::new("tasks-empty", [E, E, I]);
/// What `tasks.md` lists can be ticked.
pub const TASKS_UNCHECKABLE: DialectRule = DialectRule::new("tasks-uncheckable", [E, E, W]);
/// A task has a number such as `1.1`.
pub const TASK_NUMBER: DialectRule = DialectRule::new("task-number", [W, W, NO]);
/// A task's number is its own.
pub const TASK_DUPLICATE: DialectRule = DialectRule::new("task-duplicate", [W, I, W]);
/// A task's number begins with that of its group.
pub const TASK_GROUP: DialectRule = DialectRule::new("task-group", [W, I, W]);
/// A change has at least one delta, or says that it needs none.
pub const DELTA_MISSING: DialectRule = DialectRule::new("delta-missing", [E, E, E]);
/// A delta is a `spec.md` in the folder of its capability.
pub const DELTA_MISPLACED: DialectRule = DialectRule::new("delta-misplaced", [E, E, E]);
/// A delta has a section such as `## ADDED Requirements`.
pub const DELTA_SECTIONS: DialectRule = DialectRule::new("delta-sections", [E, E, E]);
/// A delta names requirements under its sections.
pub const DELTA_EMPTY: DialectRule = DialectRule::new("delta-empty", [E, E, E]);
/// A section of a delta is `## ADDED Requirements`, `## MODIFIED Requirements`, `## REMOVED Requirements` or `##
/// RENAMED Requirements`.
pub const DELTA_SECTION: DialectRule = DialectRule::new("delta-section", [W, W, I]);
/// Level-3 headings in a delta are requirements.
pub const DELTA_HEADING: DialectRule = DialectRule::new("delta-heading", [I, I, I]);
/// Requirements of a delta stand under its sections.
pub const DELTA_OUTSIDE: DialectRule = DialectRule::new("delta-outside", [W, W, W]);
/// A delta names a requirement once in a section.
pub const DELTA_DUPLICATE: DialectRule = DialectRule::new("delta-duplicate", [E, E, E]);
/// A delta does one thing to a requirement.
pub const DELTA_CONFLICT: DialectRule = DialectRule::new("delta-conflict", [E, E, E]);
/// A rename has an old and a new name.
pub const RENAME_UNPAIRED: DialectRule = DialectRule::new("rename-unpaired", [E, E, E]);
/// A heading under RENAMED has an arrow.
pub const RENAME_HEADING: DialectRule = DialectRule::new("rename-heading", [E, E, I]);
/// A rename is written as `FROM:` and `TO:`, which OpenSpec reads.
pub const RENAME_ARROW: DialectRule = DialectRule::new("rename-arrow", [I, NO, W]);
/// What a delta removes is in the spec.
pub const REMOVAL_ABSENT: DialectRule = DialectRule::new("removal-absent", [W, W, W]);
/// A modified requirement keeps the scenarios of the spec.
pub const SCENARIO_DROPPED: DialectRule = DialectRule::new("scenario-dropped", [E, E, E]);
/// A scenario is left out only on purpose.
pub const SCENARIO_LEFT_OUT: DialectRule = DialectRule::new("scenario-left-out", [W, W, W]);
/// The change can be archived.
pub const ARCHIVE_REFUSED: DialectRule = DialectRule::new("archive-refused", [E, E, E]);
/// A change that is being built is finished before it is archived.
pub const BUILD_OPEN: DialectRule = DialectRule::new("build-open", [E, E, W]);
/// Open changes touch different requirements.
pub const CHANGE_OVERLAP: DialectRule = DialectRule::new("change-overlap", [W, W, W]);
/// A change is a real folder with a name that can be an id.
pub const CHANGE_FOLDER: DialectRule = DialectRule::new("change-folder", [E, E, W]);
/// A change with `skip_specs` has no files under `specs/`.
pub const SKIP_SPECS_CONFLICT: DialectRule = DialectRule::new("skip-specs-conflict", [E, E, E]);
/// A flag stands in a valid `.openspec.yaml`.
pub const METADATA_INVALID: DialectRule = DialectRule::new("metadata-invalid", [E, E, E]);

/// All of them, for whoever has to tell them from the rules that no dialect has.
pub const ALL: &[&DialectRule] = &[
    &PROPOSAL_MISSING,
    &WHY_MISSING,
    &WHY_SHORT,
    &WHY_LONG,
    &WHAT_MISSING,
    &WHAT_EMPTY,
    &TASKS_MISSING,
    &TASKS_EMPTY,
    &TASKS_UNCHECKABLE,
    &TASK_NUMBER,
    &TASK_DUPLICATE,
    &TASK_GROUP,
    &DELTA_MISSING,
    &DELTA_MISPLACED,
    &DELTA_SECTIONS,
    &DELTA_EMPTY,
    &DELTA_SECTION,
    &DELTA_HEADING,
    &DELTA_OUTSIDE,
    &DELTA_DUPLICATE,
    &DELTA_CONFLICT,
    &RENAME_UNPAIRED,
    &RENAME_HEADING,
    &RENAME_ARROW,
    &REMOVAL_ABSENT,
    &SCENARIO_DROPPED,
    &SCENARIO_LEFT_OUT,
    &ARCHIVE_REFUSED,
    &BUILD_OPEN,
    &CHANGE_OVERLAP,
    &CHANGE_FOLDER,
    &SKIP_SPECS_CONFLICT,
    &METADATA_INVALID,
];

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::super::requirements;

    #[test]
    fn codes_are_kebab_case_and_stand_once() {
        let mut seen = HashSet::new();
        for rule in super::ALL.iter().chain(requirements::ALL) {
            let is_kebab =
                rule.code.split('-').all(|part| part.bytes().all(|byte| byte.is_ascii_lowercase()));
            assert!(is_kebab && !rule.code.contains("--"), "{}", rule.code);
            assert!(seen.insert(rule.code), "{} appears twice", rule.code);
        }
    }
}
