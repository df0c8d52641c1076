//! Acts on the machine, under guard: files beneath the allowed folders, git, and the programs that build and test.
//!
//! Knows nothing of specs. Every path a client names is resolved by descriptor beneath a root; nothing in a
//! repository's own configuration is executed; child processes have no input, a scrubbed environment and a group that
//! ends with them. Synchronous: a [`Call`] brings the deadline and the cancellation along.

mod call;
pub mod ci;
mod confine;
mod error;
pub mod files;
pub mod git;
mod page;
mod process;
mod rate;
mod settings;
mod show;
mod station;
pub mod tree;
mod turns;

pub use call::Call;
pub use confine::{Protected, Roots};
pub use error::{Error, Result};
pub use hewto_core::page::PageRequest;
pub use process::shut_down;
pub use rate::{RateLimiter, Rates, ToolClass};
pub use settings::{CommitHooks, Limits, RunPlace, RunRefusal, Settings};
pub use station::Workstation;
