//! The engine's use cases on real workspaces in temporary folders.

mod support;

// Starting, reporting on and completing builds.
mod build;
// What `validate` finds and `--fix` mends.
mod check;
// Making workspaces of every layout.
mod init;
// Creating, changing and ticking plans.
mod plan;
// Creating, editing, moving, listing specs and their dependencies.
mod spec;
