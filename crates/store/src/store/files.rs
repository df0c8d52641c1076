//! Documents, files and folders of a workspace, each as it is now.

use hewto_core::id::{ChangeId, SpecId, WorkItem};
use rustix::fs::FileType;

use super::{Extent, Store};
use crate::beneath::Root;
use crate::changes::{self, ChangeEntry, ChangeList};
use crate::context::Context;
use crate::doc::{self, Doc, ReadError};
use crate::error::FileError;
use crate::layout::{ChangeRoot, DocKey, LayoutKind, SpecRoot};
use crate::locate::Locator;
use crate::manifest::{self, Manifest};
use crate::path::RelPath;
use crate::stamp::Stamp;
use crate::tree::{self, Survey};

/// Where a path leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Located {
    Inside(RelPath),
    Folder(RelPath),
    /// A link on the way leads out of the workspace.
    Outside,
    Nowhere,
}

impl Store {
    /// Where a path really leads, links resolved.
    pub fn locate(&self, path: &RelPath) -> Located {
        let Ok(real) = fs_err::canonicalize(path.under(self.inner.root.path())) else {
            return Located::Nowhere;
        };
        let inside = real.strip_prefix(self.inner.root.path()).ok().and_then(std::path::Path::to_str);
        match inside.map(RelPath::parse) {
            Some(Ok(inside)) if real.is_dir() => Located::Folder(inside),
            Some(Ok(inside)) => Located::Inside(inside),
            Some(Err(_)) | None => Located::Outside,
        }
    }

    /// Everything that a folder holds; `None` when there is no such folder.
    pub fn manifest(&self, context: &Context, folder: &RelPath) -> Result<Option<Manifest>, ReadError> {
        self.settled(context, &Extent::Everything, |root| {
            Ok(manifest::read(root, folder).map_err(FileError::at("read", folder))?)
        })
    }

    /// The names of the files in a folder with their stamps, sorted.
    pub fn stamped_files(
        &self,
        context: &Context,
        folder: &RelPath,
    ) -> Result<Vec<(String, Stamp)>, ReadError> {
        self.settled(context, &Extent::Everything, |root| tree::stamped_files(root, folder))
    }

    /// One document, as it is now; `None` when it is not there.
    pub fn read(&self, context: &Context, key: &DocKey) -> Result<Option<Doc>, ReadError> {
        self.settled(context, &self.inner.extent(key), |root| self.inner.read(root, key))
    }

    /// The bytes of a document that may be no text.
    pub fn read_bytes(&self, context: &Context, key: &DocKey) -> Result<Option<Vec<u8>>, ReadError> {
        self.settled(context, &self.inner.extent(key), |root| {
            match (Locator { layout: &self.inner.layout, root }).existing(key) {
                Some(path) => doc::read_bytes(root, &path),
                None => Ok(None),
            }
        })
    }

    /// All open changes, as they are now.
    pub fn changes(&self, context: &Context) -> Result<ChangeList, ReadError> {
        self.settled(context, &Extent::Everything, |root| changes::list(context, &self.inner.layout, root))
    }

    /// One open change, as it is now.
    pub fn change(&self, context: &Context, id: &ChangeId) -> Result<Option<ChangeEntry>, ReadError> {
        self.settled(context, &Extent::Everything, |root| changes::find(&self.inner.layout, root, id))
    }

    /// The names of the archived changes of a root.
    pub fn archived(&self, context: &Context, root: &ChangeRoot) -> Result<Vec<String>, ReadError> {
        let archive = &root.archive;
        self.settled(context, &Extent::Everything, |root| changes::archived(root, archive))
    }

    /// All archived changes, under the names of their folders.
    pub fn archived_changes(&self, context: &Context) -> Result<Vec<ChangeEntry>, ReadError> {
        self.settled(context, &Extent::Everything, |root| {
            changes::list_archived(context, &self.inner.layout, root)
        })
    }

    /// The names of the project's own kinds of changes.
    pub fn schemas(&self, context: &Context, root: &ChangeRoot) -> Result<Vec<String>, ReadError> {
        context.check()?;
        changes::schemas(&self.inner.root, root)
    }

    /// The files of the tree, as far as the survey goes.
    pub fn survey(&self, context: &Context, survey: Survey<'_>) -> Result<Vec<String>, ReadError> {
        tree::survey(context, &self.inner.root, survey)
    }

    /// The names of the files in a folder, sorted; none when there is no such folder.
    pub fn file_names(&self, context: &Context, folder: &RelPath) -> Result<Vec<String>, ReadError> {
        self.settled(context, &Extent::Everything, |root| tree::file_names(root, folder))
    }

    /// Every file below a folder, hidden ones included, sorted; none when there is no such folder. Links are left out.
    pub fn tree(&self, context: &Context, folder: &RelPath) -> Result<Vec<RelPath>, ReadError> {
        self.settled(context, &Extent::Everything, |root| tree::all_files(context, root, folder))
    }

    /// What the file system tells of a file now; `None` when there is no regular file.
    pub fn stamp(&self, context: &Context, path: &RelPath) -> Result<Option<Stamp>, ReadError> {
        let look = |root: &Root| Ok(root.look(path).map_err(FileError::at("read", path))?);
        let stat = self.settled(context, &Extent::Everything, look)?;
        let stat = stat.filter(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile);
        Ok(stat.as_ref().map(Stamp::of))
    }

    /// Where a document is or, when its work item does not exist yet, where it belongs; `None` when it has no place.
    pub fn path(&self, key: &DocKey, home: LayoutKind) -> Option<RelPath> {
        self.inner.locate(|locator| locator.place(key, home))
    }

    /// Whether anything stands at a path, a link that leads nowhere included.
    pub fn stands(&self, path: &RelPath) -> bool {
        self.inner.locate(|locator| locator.stands(path))
    }

    /// The path that a link stands for, if it stays in the workspace; the path itself if it is no link.
    pub fn resolve(&self, path: &RelPath) -> Result<RelPath, FileError> {
        self.inner.root.resolve_link(path).map_err(FileError::at("follow", path))
    }

    /// The root that a spec stands in.
    pub fn spec_root(&self, id: &SpecId) -> Option<&SpecRoot> {
        let (index, _) = self.inner.locate(|locator| locator.spec_folder(id))?;
        Some(&self.inner.layout.spec_roots()[index])
    }

    /// Whether any root has a folder for this id, with or without a spec in it.
    pub fn is_taken(&self, id: &SpecId) -> bool {
        let mut folders = self.inner.layout.spec_folders(id);
        self.inner.locate(|locator| folders.any(|(_, folder)| locator.stands(&folder)))
    }
}

impl super::Inner {
    /// Where a document can stand.
    fn extent(&self, key: &DocKey) -> Extent {
        let of = |item: &WorkItem| match item {
            WorkItem::Spec(id) => Extent::of(self.layout.spec_folders(id).map(|(_, folder)| folder)),
            WorkItem::Change(id) => Extent::of(self.layout.change_folders(id)),
        };
        match key {
            DocKey::Spec(id) => Extent::of(self.layout.spec_folders(id).map(|(_, folder)| folder)),
            DocKey::Plan(item) | DocKey::State(item) => of(item),
            DocKey::Config | DocKey::File(_) => Extent::Everything,
        }
    }
}
