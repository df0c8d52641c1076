//! `fs_move`: a file, link or folder under another name. An existing destination is refused.

use rustix::fs::FileType;
use rustix::io::Errno;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::copy::{copy_spot, new_spot, refuse_inside_itself};
use super::delete::{delete_tree, unlink};
use super::list::EntryKind;
use super::stage::rename_new;
use super::tree_guard::{refuse_deep_inside, refuse_protected_inside};
use crate::call::Call;
use crate::confine::{Last, Missing, open_child_folder, special_file};
use crate::error::{Error, Result};
use crate::station::Workstation;

/// What to move where.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Move {
    pub source: String,
    pub destination: String,
}

/// What was moved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MoveView {
    pub source: String,
    pub destination: String,
    #[serde(rename = "type")]
    pub kind: EntryKind,
}

/// Moves. A link is moved itself, never what it leads to.
pub fn relocate(station: &Workstation, call: &Call<'_>, request: &Move) -> Result<MoveView> {
    let roots = station.roots();
    let wanted = roots.wanted("source", &request.source)?;
    let source = roots.locate_to_change(&wanted, Last::Keep, Missing::Report)?;
    let Some(kind) = source.kind() else { return Err(roots.missing(&wanted)) };
    roots.protected().refuse_files(roots, &source)?;
    let name = source.name()?;
    if !matches!(kind, FileType::RegularFile | FileType::Symlink | FileType::Directory) {
        return Err(special_file(&source.shown));
    }
    if kind == FileType::Directory {
        let fd = open_child_folder(&source.folder, name)
            .map_err(|error| Error::io("open", &source.shown, error))?;
        refuse_protected_inside(&fd, roots.protected(), &source.shown, call)?;
    }
    let destination = new_spot(station, &request.destination)?;
    if kind == FileType::Directory {
        refuse_inside_itself(&source.place, &destination)?;
        refuse_deep_inside(&source, destination.place.parts.len(), call)?;
    }
    let _turn = station.turns().take(&[&source, &destination], call)?;
    call.commit()?;
    match rename_new(&source.folder, name, &destination.folder, destination.name()?) {
        Ok(()) => {}
        // Another file system: copied whole first, so that nothing is ever in neither place.
        Err(Errno::XDEV) => {
            copy_spot(&source, &destination, call)?;
            if kind == FileType::Directory {
                delete_tree(&source, &Call::unbounded())?;
            } else {
                unlink(&source)?;
            }
        }
        Err(error) => return Err(Error::io("move to", &destination.shown, error)),
    }
    Ok(MoveView { source: source.shown, destination: destination.shown, kind: kind.into() })
}
