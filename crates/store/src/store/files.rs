//! Documents, files and folders of a workspace, each as it is now.

use hewto_core::id::{ChangeId, SpecId, WorkItem};
use rustix::fs::FileType;

use super::{Extent, Store};
use crate::beneath::Root;
use crate::changes::{self, ChangeEntry, ChangeList};
use crate::context::Context;
use crate::doc::{self, Doc, ReadError};
use crate::error::FileError;
use crate::layout::{DocFolder, DocKey, LayoutKind};
use crate::locate::Locator;
use crate::manifest::{self, Manifest};
use crate::path::RelPath;
use crate::stamp::Stamp;
use crate::tree::{self, Survey};

/// Where a path leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Located {
    Inside(DocKey),
    Folder(DocFolder),
    /// A link on the way leads out of the workspace.
    Outside,
    Nowhere,
}

impl Store {
    /// Where a path that somebody wrote really leads, links resolved. One that climbs leads nowhere.
    pub fn locate(&self, path: &str) -> Located {
        let Ok(path) = RelPath::parse(path) else { return Located::Nowhere };
        let Ok(real) = fs_err::canonicalize(path.under(self.inner.root.path())) else {
            return Located::Nowhere;
        };
        let inside = real.strip_prefix(self.inner.root.path()).ok().and_then(std::path::Path::to_str);
        match inside.map(RelPath::parse) {
            Some(Ok(inside)) if real.is_dir() => Located::Folder(inside.into()),
            Some(Ok(inside)) => Located::Inside(DocKey::File(inside)),
            Some(Err(_)) | None => Located::Outside,
        }
    }

    /// Everything that a folder holds; `None` when there is no such folder.
    pub fn manifest(&self, context: &Context, folder: &DocFolder) -> Result<Option<Manifest>, ReadError> {
        let folder = folder.path();
        self.settled(context, &Extent::Everything, |root| {
            Ok(manifest::read(root, folder).map_err(FileError::at("read", folder))?)
        })
    }

    /// The names of the files in a folder with their stamps, sorted.
    pub fn stamped_files(
        &self,
        context: &Context,
        folder: &DocFolder,
    ) -> Result<Vec<(String, Stamp)>, ReadError> {
        self.settled(context, &Extent::Everything, |root| tree::stamped_files(root, folder.path()))
    }

    /// One document, as it is now; `None` when it is not there.
    pub fn read(&self, context: &Context, key: &DocKey) -> Result<Option<Doc>, ReadError> {
        self.settled(context, &self.inner.extent(key), |root| {
            let locator = Locator { layout: &self.inner.layout, root };
            let Some(path) = locator.readable(key) else { return Ok(None) };
            let doc = doc::read(root, path.clone())?;
            if let Some(reads) = self.reads.upgrade() {
                reads.note(path, doc.as_ref());
            }
            Ok(doc)
        })
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

    /// A change as it will stand in its home once it is made; `None` when nothing there can be called so.
    pub fn new_change(&self, id: &ChangeId, home: LayoutKind) -> Option<ChangeEntry> {
        changes::unmade(&self.inner.layout, id, home)
    }

    /// The names of the folders of archived changes.
    pub fn archived(&self, context: &Context) -> Result<Vec<String>, ReadError> {
        self.settled(context, &Extent::Everything, |root| changes::archived_names(&self.inner.layout, root))
    }

    /// All archived changes, under the names of their folders.
    pub fn archived_changes(&self, context: &Context) -> Result<Vec<ChangeEntry>, ReadError> {
        self.settled(context, &Extent::Everything, |root| {
            changes::list_archived(context, &self.inner.layout, root)
        })
    }

    /// The folders of all archived changes; what is in them is not looked at.
    pub fn archived_folders(&self, context: &Context) -> Result<Vec<DocFolder>, ReadError> {
        self.settled(context, &Extent::Everything, |root| changes::archived_folders(&self.inner.layout, root))
    }

    /// The names of the project's own kinds of changes, where this one stands.
    pub fn schemas(&self, context: &Context, change: &ChangeEntry) -> Result<Vec<String>, ReadError> {
        context.check()?;
        changes::schemas(&self.inner.root, change)
    }

    /// The files of the tree, as far as the survey goes.
    pub fn survey(&self, context: &Context, survey: Survey<'_>) -> Result<Vec<String>, ReadError> {
        tree::survey(context, &self.inner.root, survey)
    }

    /// The names of the files in a folder, sorted; none when there is no such folder.
    pub fn file_names(&self, context: &Context, folder: &DocFolder) -> Result<Vec<String>, ReadError> {
        self.settled(context, &Extent::Everything, |root| tree::file_names(root, folder.path()))
    }

    /// The names in a folder, sorted: those of its files, and those of folders, links and whatever else stands there.
    pub fn names(
        &self,
        context: &Context,
        folder: &DocFolder,
    ) -> Result<(Vec<String>, Vec<String>), ReadError> {
        self.settled(context, &Extent::Everything, |root| tree::names(root, folder.path()))
    }

    /// Every file below a folder by its path from there, hidden ones included, sorted; none when there is no such folder. Links
    /// are left out.
    pub fn tree(&self, context: &Context, folder: &DocFolder) -> Result<Vec<String>, ReadError> {
        let all = |root: &Root| tree::all_files(context, root, folder.path());
        let files = self.settled(context, &Extent::Everything, all)?;
        Ok(files.iter().filter_map(|file| folder.below(file)).map(str::to_owned).collect())
    }

    /// What the file system tells of a file now; `None` when there is no regular file.
    pub fn stamp(&self, context: &Context, key: &DocKey) -> Result<Option<Stamp>, ReadError> {
        let look = |root: &Root| {
            let locator = Locator { layout: &self.inner.layout, root };
            let Some(path) = locator.readable(key) else { return Ok(None) };
            Ok(root.look(&path).map_err(FileError::at("read", &path))?)
        };
        let stat = self.settled(context, &self.inner.extent(key), look)?;
        let stat = stat.filter(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile);
        Ok(stat.as_ref().map(Stamp::of))
    }

    /// Where a document is or, when its work item does not exist yet, where it belongs; `None` when it has no place.
    pub fn path(&self, key: &DocKey, home: LayoutKind) -> Option<RelPath> {
        self.ask(|locator| locator.place(key, home))
    }

    /// Whether anything stands in the place of a document, a link that leads nowhere included.
    pub fn stands(&self, key: &DocKey) -> bool {
        self.ask(|locator| locator.readable(key).is_some_and(|path| locator.stands(&path)))
    }

    /// The same in the place of a folder.
    pub fn has_folder(&self, folder: &DocFolder) -> bool {
        self.ask(|locator| locator.stands(folder.path()))
    }

    /// The path that a link stands for, if it stays in the workspace; the path itself if it is no link.
    pub fn resolve(&self, path: &RelPath) -> Result<RelPath, FileError> {
        self.inner.root.resolve_link(path).map_err(FileError::at("follow", path))
    }

    /// Whether any root has a folder for this id, with or without a spec in it.
    pub fn is_taken(&self, id: &SpecId) -> bool {
        let mut folders = self.inner.layout.spec_folders(id);
        self.ask(|locator| folders.any(|(_, folder)| locator.stands(&folder)))
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
            DocKey::Config
            | DocKey::Own(_)
            | DocKey::TemplatePointer(_)
            | DocKey::Shelved(..)
            | DocKey::ScratchTasks(_)
            | DocKey::File(_) => Extent::Everything,
        }
    }
}
