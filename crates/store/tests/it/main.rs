//! The store as its users see it.

#![expect(clippy::disallowed_methods, reason = "tests write files and start themselves as child processes")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod support;

// Commits: what they do, refuse and leave behind.
mod commit;
// Crashes and faults at every call that writes.
mod crash;
mod suspicions;
// Freshness of snapshots and entries, watched and scanned.
mod churn;
mod fresh;
mod fresh_names;
mod traced;
// Git repositories that are no workspace.
mod repository;
// Many processes on one workspace.
mod processes;
mod prove;
// Threads that share a record.
mod together;
