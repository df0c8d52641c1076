//! The engine's use cases on real workspaces in temporary folders.

#![allow(clippy::disallowed_methods, reason = "tests write files and start programs")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod support;
mod trust;

// What the code shows and nobody has described.
mod adopt;
mod archived;
// Starting, reporting on and completing builds.
mod bounded;
mod build;
// Proposing, showing, archiving changes, and their journey as work items.
mod change;
// What `validate` finds and `--fix` mends.
mod check;
// One configuration with one policy.
mod configuration;
// Whether a page is different, and what its address may have meant.
mod dashboard;
// Who works on what.
mod claim;
// Clarifying and deciding, in memory and in files.
mod decision;
// Nobody waits for git who waits for the lock.
mod git_and_lock;
// The workspace graph: edges, plans, templates, patches.
mod graph;
// What git knows about when deltas were written.
mod history;
mod import;
mod import_lossless;
// Making workspaces of every layout.
mod init;
// Random use cases against a small model.
mod living; // what is promised now, and no work
mod model;
// What keeps a change from being archived beside its deltas.
mod obstacles;
// Creating, changing and ticking plans.
mod plan;
// Runs of declared checks, and what never counts as one.
mod proof;
// The index of specs, requirements and scenarios.
mod requirement;
// Verdicts, comments and the gate.
mod review;
// The search index and what is asked of it.
mod search;
mod search_context;
mod search_noted;
mod search_without_index;
// Creating, editing, moving, listing specs and their dependencies.
mod spec;
