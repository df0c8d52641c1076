//! What the files inside a change's folder are called; all paths are relative to it.

use hewto_core::check::ChangeNames;

use super::shelf::{SCRATCH_TASKS, Shelf};

/// Why and what.
pub const PROPOSAL: &str = "proposal.md";
/// What is to be done.
pub const TASKS: &str = "tasks.md";
/// How, where that needs saying.
pub const DESIGN: &str = "design.md";
/// The requirements that the deltas were written against.
pub const BASE: &str = ".base.json";
/// Settings of OpenSpec.
pub const METADATA: &str = ".openspec.yaml";

/// The folder of what people said about it; specs have one too.
pub const REVIEW: &str = "review";

/// The folder of deltas.
const DELTAS: &str = "specs";
/// A delta, inside the folder of its capability.
const DELTA: &str = "spec.md";

/// All of them, for whoever checks a change.
pub const NAMES: ChangeNames = ChangeNames {
    proposal: PROPOSAL,
    tasks: TASKS,
    design: DESIGN,
    metadata: METADATA,
    deltas: DELTAS,
    delta: DELTA,
};

/// What follows the folder of deltas in a path below it.
pub fn below_deltas(file: &str) -> Option<&str> {
    file.strip_prefix(DELTAS)?.strip_prefix('/')
}

/// The name of the spec that a file is a delta to.
pub fn delta_target(file: &str) -> Option<&str> {
    below_deltas(file)?.strip_suffix(DELTA)?.strip_suffix('/')
}

/// The delta to the spec of this name.
pub fn delta_to(target: &str) -> String {
    format!("{DELTAS}/{target}/{DELTA}")
}

/// Whether this is the folder of deltas, or stands in it.
pub fn is_of_deltas(path: &str) -> bool {
    path == DELTAS || below_deltas(path).is_some()
}

/// Whether a file, by its path below the folder of specs, is one that belongs to a spec.
pub fn is_of_spec(below: &str) -> bool {
    let name = below.rsplit_once('/').map(|(_, name)| name);
    matches!(name, Some(super::SPEC_FILE | super::PLAN_FILE | super::STATE_FILE))
}

/// Whether a file, by its name in a scratch pad, is one that belongs to it.
pub fn is_of_scratch_pad(name: &str) -> bool {
    name == Shelf::ScratchPads.document() || name == SCRATCH_TASKS
}

/// Whether a file, by its path below the folder of changes, is one that belongs to a change.
pub fn is_of_change(below: &str) -> bool {
    let Some((_, file)) = below.split_once('/') else { return false };
    matches!(file, PROPOSAL | TASKS | DESIGN | BASE | METADATA | super::STATE_FILE)
        || delta_target(file).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_delta_stands_in_the_folder_of_its_target() {
        assert_eq!(delta_target(&delta_to("auth/login")), Some("auth/login"));
        for other in ["specs/spec.md", "specs/auth/notes.md", "specsauth/spec.md", "auth/spec.md", "specs"] {
            assert_eq!(delta_target(other), None, "{other}");
        }
        assert!(
            is_of_spec("auth/login/plan.md") && !is_of_spec("spec.md") && !is_of_spec("auth/openapi.yaml")
        );
        assert!(is_of_change("c1/.base.json") && is_of_change("c1/specs/auth/spec.md"));
        assert!(
            !is_of_change("12.bugfix") && !is_of_change("c1/notes.txt") && !is_of_change("c1/deep/tasks.md")
        );
        assert!(is_of_deltas("specs") && is_of_deltas("specs/notes.md") && !is_of_deltas("specs.md"));
    }
}
