//! Child processes: found outside the roots, started without a shell, ended whole.
//!
//! A child has no input, an environment of a few names, a confined working folder and a group of its own. Its output
//! is bounded while it runs. When it ends, runs out of time or is cancelled, everything that it started ends too.

mod capture;
mod environment;
mod program;
mod reap;
mod run;

pub(crate) use capture::{Captured, Keep, plain_text};
pub(crate) use environment::{BUILD_NAMES, USER_NAMES, child_environment};
pub(crate) use program::{find_program, search_path};
pub use reap::shut_down;
pub(crate) use run::{Child, Ended, Finished, Stream, Sweep, run};
