//! The folders of artifacts that are no specs but stand like them: `<root>/<name>/<document>`.

use hewto_core::id::SpecId;
use hewto_core::template::Pointer;

use super::{DocFolder, Layout, LayoutKind, SpecRoot};
use crate::path::RelPath;

/// What stands in a folder of its own beside the specs (seed 002).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Shelf {
    Implementations,
    ScratchPads,
}

impl Shelf {
    pub const ALL: [Self; 2] = [Self::Implementations, Self::ScratchPads];

    /// The name of the document in each folder.
    pub fn document(self) -> &'static str {
        match self {
            Self::Implementations => "impl.md",
            Self::ScratchPads => "scratch.md",
        }
    }
}

/// A scratch pad's list of tasks, beside its document.
pub(super) const SCRATCH_TASKS: &str = "tasks.md";

impl Layout {
    pub(crate) fn shelf(&self, shelf: Shelf) -> &DocFolder {
        match shelf {
            Shelf::Implementations => &self.places.implementations,
            Shelf::ScratchPads => &self.places.scratchpad,
        }
    }

    /// The document of an artifact on a shelf.
    pub(crate) fn shelf_document(&self, shelf: Shelf, name: &SpecId) -> Option<RelPath> {
        self.shelf(shelf).path().join(name.as_str()).ok()?.join(shelf.document()).ok()
    }

    /// The list of tasks of a scratch pad.
    pub(crate) fn scratch_tasks(&self, name: &SpecId) -> Option<RelPath> {
        self.places.scratchpad.path().join(name.as_str()).ok()?.join(SCRATCH_TASKS).ok()
    }

    /// A layout whose only root is this shelf, so that it is kept fresh like specs are.
    pub(crate) fn of_shelf(&self, shelf: Shelf) -> Self {
        let root = SpecRoot {
            path: self.shelf(shelf).path().clone(),
            owners: vec![LayoutKind::Specman],
            skipped: Vec::new(),
            document: shelf.document(),
        };
        Self { spec_roots: vec![root], findings: Vec::new(), ..self.clone() }
    }
}

impl Layout {
    /// The file that names a template.
    pub(crate) fn template_pointer(&self, pointer: Pointer) -> RelPath {
        self.places.templates.path().join(pointer.as_str()).expect("the name of a pointer is a plain word")
    }
}
