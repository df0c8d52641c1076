//! Finds the place of a document: where it stands, or where it belongs once it is written.

use std::borrow::Cow;

use hewto_core::id::{ChangeId, SpecId, WorkItem};

use crate::beneath::Root;
use crate::layout::{DocKey, Layout, LayoutKind, SPEC_FILE};
use crate::path::RelPath;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Locator<'a> {
    pub(crate) layout: &'a Layout,
    pub(crate) root: &'a Root,
}

/// In whose folder a document stands.
enum Owner<'a> {
    Spec(&'a SpecId),
    Change(&'a ChangeId),
    /// It has one place in the workspace.
    Workspace(Cow<'a, RelPath>),
    /// An id like this cannot stand anywhere.
    Nobody,
}

impl Locator<'_> {
    /// Where a document is or, when its work item does not exist yet, where it belongs.
    pub(crate) fn place(self, key: &DocKey, home: LayoutKind) -> Option<RelPath> {
        self.existing(key).or_else(|| self.future(key, home))
    }

    /// The path of a document in the folder that its work item has; `None` when there is no such work item.
    pub(crate) fn existing(self, key: &DocKey) -> Option<RelPath> {
        let folder = match self.owner(key) {
            Owner::Workspace(path) => return Some(path.into_owned()),
            Owner::Nobody => return None,
            Owner::Spec(id) => self.spec_folder(id)?.1,
            Owner::Change(id) => self.layout.change_folders(id).find(|folder| self.stands(folder))?,
        };
        folder.join(key.name_in_folder()?).ok()
    }

    /// Where a document can be read. One that can stand in a single place is not looked for before it is opened.
    pub(crate) fn readable(self, key: &DocKey) -> Option<RelPath> {
        let only = match self.owner(key) {
            Owner::Workspace(path) => return Some(path.into_owned()),
            Owner::Nobody => return None,
            Owner::Spec(id) => only(self.layout.spec_folders(id).map(|(_, folder)| folder)),
            Owner::Change(id) => only(self.layout.change_folders(id)),
        };
        match only {
            Some(folder) => folder.join(key.name_in_folder()?).ok(),
            None => self.existing(key),
        }
    }

    /// The folder of a spec that exists, with the index of its root.
    pub(crate) fn spec_folder(self, id: &SpecId) -> Option<(usize, RelPath)> {
        let has_spec = |folder: &RelPath| folder.join(SPEC_FILE).is_ok_and(|path| self.stands(&path));
        self.layout.spec_folders(id).find(|(_, folder)| has_spec(folder))
    }

    /// Whether anything stands at a path.
    pub(crate) fn stands(self, path: &RelPath) -> bool {
        self.root.look(path).is_ok_and(|stat| stat.is_some())
    }

    fn future(self, key: &DocKey, home: LayoutKind) -> Option<RelPath> {
        let folder = match self.owner(key) {
            Owner::Workspace(path) => return Some(path.into_owned()),
            Owner::Nobody => return None,
            Owner::Spec(id) => self.layout.spec_home(home).folder(id)?,
            Owner::Change(id) => self.layout.change_home(home).folder(id)?,
        };
        folder.join(key.name_in_folder()?).ok()
    }

    fn owner<'k>(&'k self, key: &'k DocKey) -> Owner<'k> {
        let one =
            |path: Option<RelPath>| path.map_or(Owner::Nobody, |path| Owner::Workspace(Cow::Owned(path)));
        match key {
            DocKey::Spec(id) => Owner::Spec(id),
            DocKey::Plan(item) | DocKey::State(item) => match item {
                WorkItem::Spec(id) => Owner::Spec(id),
                WorkItem::Change(id) => Owner::Change(id),
            },
            DocKey::Config => Owner::Workspace(Cow::Borrowed(&self.layout.places().config)),
            DocKey::Own(own) => Owner::Workspace(Cow::Owned(own.place())),
            DocKey::TemplatePointer(pointer) => {
                Owner::Workspace(Cow::Owned(self.layout.template_pointer(*pointer)))
            }
            DocKey::Shelved(shelf, id) => one(self.layout.shelf_document(*shelf, id)),
            DocKey::ScratchTasks(id) => one(self.layout.scratch_tasks(id)),
            DocKey::File(path) => Owner::Workspace(Cow::Borrowed(path)),
        }
    }
}

fn only<T>(mut items: impl Iterator<Item = T>) -> Option<T> {
    let first = items.next()?;
    items.next().is_none().then_some(first)
}
