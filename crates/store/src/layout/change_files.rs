//! What the files inside a change's folder are called; all paths are relative to it.

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

/// The folder of deltas.
const DELTAS: &str = "specs/";
/// A delta, inside the folder of its capability.
const DELTA: &str = "/spec.md";

/// What follows the folder of deltas in a path below it.
pub fn below_deltas(file: &str) -> Option<&str> {
    file.strip_prefix(DELTAS)
}

/// The name of the spec that a file is a delta to.
pub fn delta_target(file: &str) -> Option<&str> {
    below_deltas(file)?.strip_suffix(DELTA)
}
