//! What `init` puts into files that belong to others, and how `uninstall` takes it out again.
//!
//! A `Part` is a server entry in an agent's configuration or the marked section in its instructions. Adding one
//! changes no other byte; the `Manifest` remembers what was there before, so that taking it out restores every byte.
//! What a person has edited since is told apart by comparing it with what was written, and is never overwritten.

mod decide;
mod json;
mod manifest;
mod own;
mod part;
mod patch;
mod personal;
mod section;
mod splice;
mod toml;
mod undo;
mod yaml;

pub(crate) use self::decide::{Decision, OWN_ENTRY, decide};
pub(crate) use self::manifest::{Manifest, Record};
pub(crate) use self::own::note_edit;
pub(crate) use self::part::{Part, ServerEntry, Unreadable, part_of, yaml_document};
pub(crate) use self::patch::{FileChange, unified, unified_personal, unified_text};
pub(crate) use self::personal::{PersonalChange, PersonalPlan};
pub(crate) use self::splice::Splice;
pub(crate) use self::undo::{Before, before};

/// A server of an agent, as its configuration says.
pub use self::part::ConfiguredServer;
/// Where a person's own files are.
pub use self::personal::Personal;

/// The hash by which a manifest knows a text.
pub fn text_hash(text: &str) -> String {
    hewto_store::ContentHash::of(text.as_bytes()).to_string()
}
