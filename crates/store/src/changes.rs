//! The changes of a workspace: which folders there are, and which files stand in them.
//!
//! A change is a real folder directly below a change root; hidden ones, the archive and links do not count. What its
//! files say is for others to read, through [`ChangeEntry::file`].

use hewto_core::id::{ChangeId, IdError};
use rustix::fs::FileType;

use crate::beneath::Root;
use crate::context::Context;
use crate::doc::ReadError;
use crate::error::FileError;
use crate::layout::{ChangeRoot, DocFolder, DocKey, Layout, LayoutKind};
use crate::path::RelPath;
use crate::tree::entries;

/// How deep files inside a change are looked for.
const MAX_DEPTH: usize = 12;
/// What describes a kind of change, inside its folder.
const SCHEMA: &str = "schema.yaml";

/// An open change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeEntry {
    pub id: ChangeId,
    /// Whose folder of changes it is in.
    pub owner: LayoutKind,
    /// Where it goes when it is done.
    pub archive: DocFolder,
    /// Where the kinds of such changes are described.
    schemas: Option<RelPath>,
    pub folder: DocFolder,
    /// Its files, relative to its folder, sorted.
    pub files: Vec<String>,
    /// The folders inside it, also those without a file, sorted.
    pub folders: Vec<String>,
    /// Links in its folder, which are not followed.
    pub links: Vec<String>,
}

/// All open changes, and what looked like one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChangeList {
    /// Sorted by id.
    pub changes: Vec<ChangeEntry>,
    /// What stands in the place of a change and is none.
    pub odd: Vec<OddFolder>,
}

/// Something in the place of a change that is not taken for one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OddFolder {
    /// Whose folder of changes it is in.
    pub owner: LayoutKind,
    /// Relative to the workspace, as far as it can be shown.
    pub path: String,
    pub oddity: Oddity,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Oddity {
    /// A link, which is not followed.
    Link,
    /// The name cannot be an id.
    Name(IdError),
}

impl ChangeEntry {
    /// One of its files, if it is there.
    pub fn file(&self, below: &str) -> Option<DocKey> {
        self.files.iter().any(|file| file == below).then(|| self.folder.document(below).ok())?
    }
}

/// Looks at all change roots.
pub(crate) fn list(context: &Context, layout: &Layout, root: &Root) -> Result<ChangeList, ReadError> {
    let mut list = ChangeList::default();
    for change_root in layout.change_roots() {
        for (name, kind) in entries(root, Some(&change_root.changes))? {
            context.check()?;
            let odd = |oddity| OddFolder {
                owner: change_root.owner,
                path: format!("{}/{name}", change_root.changes),
                oddity,
            };
            let is_folder = kind == FileType::Directory;
            match ChangeId::parse(&name) {
                Err(error) if is_folder => list.odd.push(odd(Oddity::Name(error))),
                Err(_) => {}
                Ok(id) => match (kind, change_root.folder(&id)) {
                    (FileType::Directory, Some(folder)) => {
                        list.changes.push(entry(root, change_root, id, folder)?);
                    }
                    (FileType::Symlink, Some(_)) => list.odd.push(odd(Oddity::Link)),
                    _ => {}
                },
            }
        }
    }
    list.changes.sort_by(|a, b| a.id.cmp(&b.id));
    list.changes.dedup_by(|b, a| a.id == b.id);
    list.odd.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(list)
}

/// Looks at one change only.
pub(crate) fn find(layout: &Layout, root: &Root, id: &ChangeId) -> Result<Option<ChangeEntry>, ReadError> {
    for change_root in layout.change_roots() {
        let Some(folder) = change_root.folder(id) else { continue };
        let stat = root.look(&folder).map_err(FileError::at("read", &folder))?;
        if stat.is_some_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Directory) {
            return entry(root, change_root, id.clone(), folder).map(Some);
        }
    }
    Ok(None)
}

/// A change as it will stand at home once it is made; it has no files yet.
pub(crate) fn unmade(layout: &Layout, id: &ChangeId, home: LayoutKind) -> Option<ChangeEntry> {
    let ChangeRoot { archive, schemas, owner, .. } = layout.change_home(home).clone();
    let folder = layout.change_home(home).folder(id)?.into();
    let (id, archive) = (id.clone(), archive.into());
    let (files, folders, links) = (Vec::new(), Vec::new(), Vec::new());
    Some(ChangeEntry { id, owner, archive, schemas, folder, files, folders, links })
}

/// The names of archived changes of one root.
fn archived(root: &Root, archive: &RelPath) -> Result<Vec<String>, ReadError> {
    let mut names: Vec<String> = entries(root, Some(archive))?
        .into_iter()
        .filter(|(name, kind)| *kind == FileType::Directory && !name.starts_with('.'))
        .map(|(name, _)| name)
        .collect();
    names.sort();
    Ok(names)
}

/// The names of the archived changes of all roots.
pub(crate) fn archived_names(layout: &Layout, root: &Root) -> Result<Vec<String>, ReadError> {
    let mut names = Vec::new();
    for change_root in layout.change_roots() {
        names.extend(archived(root, &change_root.archive)?);
    }
    Ok(names)
}

/// The folders of the archived changes of all roots.
pub(crate) fn archived_folders(layout: &Layout, root: &Root) -> Result<Vec<DocFolder>, ReadError> {
    let mut folders = Vec::new();
    for change_root in layout.change_roots() {
        let archive = DocFolder::from(change_root.archive.clone());
        let names = archived(root, &change_root.archive)?;
        folders.extend(names.iter().filter_map(|name| archive.folder(name).ok()));
    }
    Ok(folders)
}

/// The archived changes of all roots, each under the name of its folder, sorted by it.
pub(crate) fn list_archived(
    context: &Context,
    layout: &Layout,
    root: &Root,
) -> Result<Vec<ChangeEntry>, ReadError> {
    let mut found = Vec::new();
    for change_root in layout.change_roots() {
        for name in archived(root, &change_root.archive)? {
            context.check()?;
            let Ok(id) = ChangeId::parse(&name) else { continue };
            let Ok(folder) = change_root.archive.join(&name) else { continue };
            found.push(entry(root, change_root, id, folder)?);
        }
    }
    found.sort_by(|a, b| a.id.cmp(&b.id));
    found.dedup_by(|b, a| a.id == b.id);
    Ok(found)
}

/// The names of the project's own kinds of changes.
pub(crate) fn schemas(root: &Root, change: &ChangeEntry) -> Result<Vec<String>, ReadError> {
    let Some(folder) = &change.schemas else { return Ok(Vec::new()) };
    let mut names = Vec::new();
    for (name, kind) in entries(root, Some(folder))? {
        let file = folder.join(&name).and_then(|own| own.join(SCHEMA));
        let is_there = |file: &RelPath| root.look(file).is_ok_and(|stat| stat.is_some());
        if kind == FileType::Directory && file.is_ok_and(|file| is_there(&file)) {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

fn entry(
    root: &Root,
    change_root: &ChangeRoot,
    id: ChangeId,
    folder: RelPath,
) -> Result<ChangeEntry, ReadError> {
    let mut found = Contents::default();
    collect(root, &folder, "", MAX_DEPTH, &mut found)?;
    let Contents { mut files, mut folders, mut links } = found;
    for names in [&mut files, &mut folders, &mut links] {
        names.sort();
    }
    let ChangeRoot { archive, schemas, owner, .. } = change_root.clone();
    let (archive, folder) = (archive.into(), folder.into());
    Ok(ChangeEntry { id, owner, archive, schemas, folder, files, folders, links })
}

/// What stands in the folder of a change, and in the folders below it.
#[derive(Debug, Default)]
struct Contents {
    files: Vec<String>,
    folders: Vec<String>,
    links: Vec<String>,
}

fn collect(
    root: &Root,
    folder: &RelPath,
    below: &str,
    depth: usize,
    found: &mut Contents,
) -> Result<(), ReadError> {
    for (name, kind) in entries(root, Some(folder))? {
        let path = format!("{below}{name}");
        match kind {
            FileType::RegularFile => found.files.push(path),
            FileType::Symlink => found.links.push(path),
            FileType::Directory if depth > 0 => {
                if let Ok(inner) = folder.join(&name) {
                    collect(root, &inner, &format!("{path}/"), depth - 1, found)?;
                    found.folders.push(path);
                }
            }
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::{Start, discover};

    #[test]
    fn changes_are_real_folders_outside_the_archive() {
        let dir = tempfile::tempdir().unwrap();
        for file in [
            "openspec/changes/b/proposal.md",
            "openspec/changes/a/specs/auth/login/spec.md",
            "openspec/changes/a/.openspec.yaml",
            "openspec/changes/archive/2026-01-01-old/proposal.md",
            "openspec/changes/.hidden/proposal.md",
            "openspec/changes/note.md",
            "openspec/changes/a\\b/proposal.md",
            "openspec/schemas/own/schema.yaml",
            "openspec/schemas/empty/README.md",
        ] {
            let path = dir.path().join(file);
            fs_err::create_dir_all(path.parent().unwrap()).unwrap();
            fs_err::write(path, "x").unwrap();
        }
        std::os::unix::fs::symlink("b", dir.path().join("openspec/changes/link")).unwrap();
        std::os::unix::fs::symlink("proposal.md", dir.path().join("openspec/changes/b/design.md")).unwrap();
        let layout = discover(Start::Here(dir.path())).unwrap();
        let root = Root::open(layout.root()).unwrap();
        let list = list(&Context::background(), &layout, &root).unwrap();
        let shown: Vec<(&str, Vec<&str>)> = list
            .changes
            .iter()
            .map(|change| (change.id.as_str(), change.files.iter().map(String::as_str).collect()))
            .collect();
        assert_eq!(
            shown,
            [("a", vec![".openspec.yaml", "specs/auth/login/spec.md"]), ("b", vec!["proposal.md"])]
        );
        assert_eq!(list.changes[1].links, ["design.md"]);
        let odd: Vec<_> = list.odd.iter().map(|odd| (odd.path.as_str(), odd.oddity)).collect();
        assert_eq!(
            odd,
            [
                ("openspec/changes/a\\b", Oddity::Name(IdError::Character)),
                ("openspec/changes/link", Oddity::Link)
            ]
        );
        assert_eq!(schemas(&root, &list.changes[0]).unwrap(), ["own"]);
        let found = find(&layout, &root, &ChangeId::parse("b").unwrap()).unwrap().unwrap();
        assert_eq!(found, list.changes[1]);
        for missing in ["archive", "link", "nothing", ".hidden"] {
            assert_eq!(find(&layout, &root, &ChangeId::parse(missing).unwrap()).unwrap(), None, "{missing}");
        }
        assert_eq!(archived(&root, &layout.change_roots()[0].archive).unwrap(), ["2026-01-01-old"]);
        let old = list_archived(&Context::background(), &layout, &root).unwrap();
        assert_eq!(
            old.iter().map(|entry| (entry.id.as_str(), entry.files.len())).collect::<Vec<_>>(),
            [("2026-01-01-old", 1)]
        );
    }
}
