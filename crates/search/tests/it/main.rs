//! The index as its callers see it.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

/// Queries and files that nobody should send or have.
mod bad_input;
mod damage;
/// Documents come, change and go; answers follow.
mod index;
mod meanwhile;
/// The real model, end to end.
#[cfg(feature = "bundled-model")]
mod model;
mod rough;
/// Several handles, threads and processes on one folder.
mod sharing;
mod stand_in;
