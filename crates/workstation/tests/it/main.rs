//! The workstation on a real machine: real files, real repositories, real processes.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

// Several changes of one file at once.
mod at_once;
// Builds, tests and commands.
mod ci;
// What files can do, and what they keep.
mod files;
// Trees, names and contents.
mod finding;
// What git can do.
mod git;
// The holes that stay closed: files.
mod holes_files;
// The holes that stay closed: git.
mod holes_git;
// The holes that stay closed: processes.
mod holes_processes;
// A folder of roots and a place outside of them.
mod yard;
