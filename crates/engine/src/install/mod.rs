//! What `init` puts into files that belong to others, and how `uninstall` takes it out again.
//!
//! A `Part` is a server entry in an agent's configuration or the marked section in its instructions. Adding one
//! changes no other byte; the `Manifest` remembers what was there before, so that taking it out restores every byte.
//! What a person has edited since is told apart by comparing it with what was written, and is never overwritten.

mod json;
mod manifest;
mod part;
mod patch;
mod section;
mod splice;
mod toml;

pub(crate) use self::manifest::{Manifest, Record};
pub(crate) use self::part::{Part, ServerEntry, Unreadable, part_of, settings};
pub(crate) use self::patch::{FileChange, unified};
pub(crate) use self::splice::Splice;

/// A server of an agent, as its configuration says.
pub use self::part::ConfiguredServer;
