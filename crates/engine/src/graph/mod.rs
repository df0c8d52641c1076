//! The workspace graph (seed 002): every artifact hewto knows, and how they hang together.
//!
//! `load` makes the graph from what the store sees and keeps it for as long as nothing changes; the use cases here
//! only read it. What points at an artifact is resolved by `locate`.

mod around;
mod decisions;
mod describe;
mod linked;
mod list;
mod load;
mod locate;
mod read;
mod remote;
mod show;
mod sources;
mod tree;
mod why;

pub use describe::describe;
pub use list::{ArtifactFilter, list_artifacts, names};
pub use locate::ArtifactRef;
pub(crate) use locate::handle_of;
pub use read::{document, generation, list_mark};
pub use tree::{Direction, TreeRequest, slice, tree, whole};
pub use why::why;

pub(crate) use around::{Member, Surroundings};
pub(crate) use load::{GraphMemory, load, load_with_changes, planned, preview};
pub(crate) use locate::{
    Target, bad_locator, immutable, locate, not_found, outside_workspace, refuse_derived, resolve_ref,
};
pub(crate) use remote::with_document;
pub(crate) use show::{edge_view, summary};
pub(crate) use tree::{partial_tree, tree_of};
