//! `fs_delete`: a file, a link, or a folder that is empty or meant to go with everything in it.

use std::os::fd::AsFd;

use hewto_core::schema::unstated;
use rustix::fs::{AtFlags, FileType};
use rustix::io::Errno;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::exists::WantedKind;
use super::list::EntryKind;
use super::tree_guard::{inside, refuse_depth, refuse_protected_inside};
use crate::call::Call;
use crate::confine::{Last, Missing, Spot, entries, open_child_folder, special_file};
use crate::error::{Error, Key, Result};
use crate::station::Workstation;

/// What to delete.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Delete {
    pub path: String,
    /// Needed for folders that are not empty
    #[serde(default)]
    #[schemars(skip_serializing_if = "unstated")]
    pub recursive: bool,
    // A link counts as a file.
    /// Refuse what is not this; default any
    #[serde(default)]
    #[schemars(schema_with = "WantedKind::schema", skip_serializing_if = "unstated")]
    pub kind: WantedKind,
}

/// What was deleted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DeleteView {
    pub path: String,
    #[serde(rename = "type")]
    pub kind: EntryKind,
    /// How many files, links and folders are gone
    pub deleted: u64,
}

/// Deletes. A link is deleted itself, never what it leads to.
pub fn delete(station: &Workstation, call: &Call<'_>, request: &Delete) -> Result<DeleteView> {
    let roots = station.roots();
    let wanted = roots.wanted("path", &request.path)?;
    let spot = roots.locate_to_change(&wanted, Last::Keep, Missing::Report)?;
    let Some(kind) = spot.kind() else { return Err(roots.missing(&wanted)) };
    roots.protected().refuse_files(roots, &spot)?;
    spot.name()?;
    match (request.kind, kind == FileType::Directory) {
        (WantedKind::File, true) => {
            let message = format!("`{}` is a folder", spot.shown);
            return Err(Error::refused(Key::IsADirectory, message).detail("path", spot.shown.as_str()));
        }
        (WantedKind::Directory, false) => {
            let message = format!("`{}` is not a folder", spot.shown);
            return Err(Error::refused(Key::NotADirectory, message).detail("path", spot.shown.as_str()));
        }
        _ => {}
    }
    let _turn = station.turns().take(&[&spot], call)?;
    let deleted = match kind {
        FileType::RegularFile | FileType::Symlink => {
            call.commit()?;
            unlink(&spot)?;
            1
        }
        FileType::Directory if request.recursive => {
            let fd = open(&spot)?;
            refuse_protected_inside(&fd, roots.protected(), &spot.shown, call)?;
            delete_tree(&spot, call)?
        }
        FileType::Directory => {
            call.commit()?;
            remove_empty(&spot)?;
            1
        }
        _ => return Err(special_file(&spot.shown)),
    };
    Ok(DeleteView { path: wanted.shown, kind: kind.into(), deleted })
}

/// Deletes a folder with everything in it.
pub(super) fn delete_tree(spot: &Spot, call: &Call<'_>) -> Result<u64> {
    let deleted = empty(open(spot)?, &spot.shown, call, 0)?;
    remove_empty(spot)?;
    Ok(deleted + 1)
}

pub(super) fn unlink(spot: &Spot) -> Result<()> {
    rustix::fs::unlinkat(&spot.folder, spot.name()?, AtFlags::empty())
        .map_err(|error| Error::io("delete", &spot.shown, error))
}

fn remove_empty(spot: &Spot) -> Result<()> {
    match rustix::fs::unlinkat(&spot.folder, spot.name()?, AtFlags::REMOVEDIR) {
        Ok(()) => Ok(()),
        Err(Errno::NOTEMPTY | Errno::EXIST) => {
            Err(Error::refused(Key::DirectoryNotEmpty, format!("the folder is not empty: `{}`", spot.shown))
                .hint("pass `recursive: true` to delete it with everything in it")
                .detail("path", spot.shown.as_str()))
        }
        Err(error) => Err(Error::io("delete", &spot.shown, error)),
    }
}

fn open(spot: &Spot) -> Result<std::os::fd::OwnedFd> {
    open_child_folder(&spot.folder, spot.name()?).map_err(|error| Error::io("open", &spot.shown, error))
}

fn empty(folder: impl AsFd, shown: &str, call: &Call<'_>, depth: usize) -> Result<u64> {
    refuse_depth(depth, shown)?;
    let mut deleted = 0;
    // Read before anything is deleted: some file systems lose their place otherwise.
    let names: Vec<_> =
        entries(&folder).and_then(Iterator::collect).map_err(|error| Error::io("list", shown, error))?;
    for (name, kind) in names {
        call.check()?;
        let inner = inside(shown, &name);
        let fail = |error: Errno| Error::io("delete", &inner, error);
        if kind == FileType::Directory {
            let fd = open_child_folder(&folder, &name).map_err(fail)?;
            deleted += empty(&fd, &inner, call, depth + 1)?;
            rustix::fs::unlinkat(&folder, &name, AtFlags::REMOVEDIR).map_err(fail)?;
        } else {
            rustix::fs::unlinkat(&folder, &name, AtFlags::empty()).map_err(fail)?;
        }
        deleted += 1;
    }
    Ok(deleted)
}
