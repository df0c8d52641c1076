//! Clarifying and deciding.

mod support;

// What is written, where, and what is not.
mod artifacts;
// Branches, merges, lost projections.
mod architecture;
// Files that are in the way, broken, or not there.
mod bad_ground;
// What the repository says, and what an agent asks.
mod informed;
// The command line's interview, kept in a file.
mod kept;
// A model that asks, and one that fails.
mod model;
// Turns, answers, expiry, other repositories.
mod sessions;
