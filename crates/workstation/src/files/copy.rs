//! `fs_copy`: a file or a folder, copied beside its place and moved there when it is complete.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Read as _;
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{AtFlags, FileType, Mode, OFlags};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::delete::delete_tree;
use super::list::EntryKind;
use super::stage::{Staged, rename_new, with_fresh_name};
use super::tree_guard::{inside, refuse_deep_inside, refuse_depth, refuse_protected_inside};
use crate::call::Call;
use crate::confine::{
    Last, Missing, Spot, WalkPlace, entries, open_child_folder, open_child_regular, special_file,
};
use crate::error::{Error, Key, Result};
use crate::station::Workstation;

/// Between parts of this size the call can be interrupted.
const PART: u64 = 64 << 20;

/// What to copy.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Copy {
    pub source: String,
    pub destination: String,
    /// Needed for folders
    #[serde(default)]
    pub recursive: bool,
}

/// What was copied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CopyView {
    pub source: String,
    pub destination: String,
    #[serde(rename = "type")]
    pub kind: EntryKind,
    /// How many files, links and folders were made
    pub copied: u64,
}

/// Copies. An existing destination is refused; links in a folder stay links.
pub fn copy(station: &Workstation, call: &Call<'_>, request: &Copy) -> Result<CopyView> {
    let roots = station.roots();
    let wanted = roots.wanted("source", &request.source)?;
    let source = roots.locate(&wanted, Last::Follow, Missing::Report)?;
    let Some(kind) = source.kind() else { return Err(roots.missing(&wanted)) };
    match kind {
        FileType::RegularFile => {}
        FileType::Directory if request.recursive => {}
        FileType::Directory => {
            return Err(Error::refused(Key::IsADirectory, format!("`{}` is a folder", wanted.shown))
                .hint("pass `recursive: true` to copy it with everything in it")
                .detail("path", wanted.shown.as_str()));
        }
        _ => return Err(special_file(&wanted.shown)),
    }
    if let Some(stat) = &source.stat {
        roots.protected().refuse_secret(stat, &source.shown)?;
    }
    let destination = new_spot(station, &request.destination)?;
    if kind == FileType::Directory {
        roots.protected().refuse_secrets_inside(roots, &source)?;
        refuse_inside_itself(&source.place, &destination)?;
        let fd = open_source(&source)?;
        refuse_protected_inside(&fd, roots.protected(), &source.shown, call)?;
        refuse_deep_inside(&source, destination.place.parts.len(), call)?;
    }
    let copied = copy_spot(&source, &destination, call)?;
    Ok(CopyView { source: source.shown, destination: destination.shown, kind: kind.into(), copied })
}

/// A spot where something new may be put.
pub(super) fn new_spot(station: &Workstation, destination: &str) -> Result<Spot> {
    let roots = station.roots();
    let wanted = roots.wanted("destination", destination)?;
    let spot = roots.locate_to_change(&wanted, Last::Keep, Missing::Make)?;
    roots.protected().refuse_files(roots, &spot)?;
    if spot.stat.is_some() {
        return Err(Error::exists(&spot.shown));
    }
    spot.name()?;
    Ok(spot)
}

pub(super) fn refuse_inside_itself(source: &WalkPlace, destination: &Spot) -> Result<()> {
    let place = &destination.place;
    if place.root == source.root && place.parts.starts_with(&source.parts) {
        let message = format!("a folder cannot go into itself: `{}`", destination.shown);
        return Err(Error::invalid_argument("destination", "a place outside the source", message));
    }
    Ok(())
}

/// Copies what is at one spot to another where nothing is.
pub(super) fn copy_spot(source: &Spot, destination: &Spot, call: &Call<'_>) -> Result<u64> {
    let fail = |error: rustix::io::Errno| Error::io("copy to", &destination.shown, error);
    let name = destination.name()?;
    match source.kind() {
        Some(FileType::Symlink) => {
            let target = rustix::fs::readlinkat(&source.folder, source.name()?, Vec::new()).map_err(fail)?;
            rustix::fs::symlinkat(target, &destination.folder, name).map_err(fail)?;
            Ok(1)
        }
        Some(FileType::Directory) => {
            let from = open_source(source)?;
            let (staged_name, ()) = with_fresh_name(|name| {
                rustix::fs::mkdirat(&destination.folder, name, Mode::from_raw_mode(0o777))
            })
            .map_err(fail)?;
            let staged = Spot {
                folder: destination
                    .folder
                    .try_clone()
                    .map_err(|error| Error::io("open", &destination.shown, error))?,
                name: Some(staged_name.clone()),
                place: destination.place.clone(),
                stat: None,
                shown: destination.shown.clone(),
            };
            let copied = open_child_folder(&destination.folder, &staged_name)
                .map_err(fail)
                .and_then(|to| fill(&from, &to, &source.shown, call, 0))
                .and_then(|copied| {
                    rename_new(&destination.folder, &staged_name, &destination.folder, name).map_err(fail)?;
                    Ok(copied + 1)
                });
            if copied.is_err() {
                // Nothing half copied stays behind, also when the call was cancelled.
                let _ = delete_tree(&staged, &Call::unbounded());
            }
            copied
        }
        _ => {
            let open = open_child_regular(&source.folder, source.name()?, &source.shown)?;
            let staged = Staged::new(destination.folder.as_fd()).map_err(fail)?;
            copy_bytes(&open.file, &staged.file, &source.shown, call)?;
            staged
                .keep_mode(&open.stat)
                .and_then(|()| staged.sync())
                .and_then(|()| staged.publish_new(name))
                .map_err(fail)?;
            Ok(1)
        }
    }
}

fn open_source(source: &Spot) -> Result<OwnedFd> {
    let name = source.name.as_deref().unwrap_or_else(|| OsStr::new("."));
    open_child_folder(&source.folder, name).map_err(|error| Error::io("open", &source.shown, error))
}

fn fill(from: &OwnedFd, to: &OwnedFd, shown: &str, call: &Call<'_>, depth: usize) -> Result<u64> {
    refuse_depth(depth, shown)?;
    let mut copied = 0;
    for entry in entries(from).map_err(|error| Error::io("list", shown, error))? {
        call.check()?;
        let (name, kind) = entry.map_err(|error| Error::io("list", shown, error))?;
        let inner = inside(shown, &name);
        let fail = |error: rustix::io::Errno| Error::io("copy", &inner, error);
        match kind {
            FileType::Directory => {
                let stat = rustix::fs::statat(from, &name, AtFlags::SYMLINK_NOFOLLOW).map_err(fail)?;
                rustix::fs::mkdirat(to, &name, Mode::from_raw_mode(0o777)).map_err(fail)?;
                let child = open_child_folder(from, &name).map_err(fail)?;
                let target = open_child_folder(to, &name).map_err(fail)?;
                copied += fill(&child, &target, &inner, call, depth + 1)?;
                let mode = Mode::from_raw_mode(stat.st_mode) & Mode::from_raw_mode(0o1777);
                rustix::fs::fchmod(&target, mode).map_err(fail)?;
            }
            FileType::Symlink => {
                let target = rustix::fs::readlinkat(from, &name, Vec::new()).map_err(fail)?;
                rustix::fs::symlinkat(target, to, &name).map_err(fail)?;
            }
            FileType::RegularFile => {
                let open = open_child_regular(from, &name, &inner)?;
                let flags =
                    OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
                let mode = Mode::from_raw_mode(open.stat.st_mode) & Mode::from_raw_mode(0o777);
                let target = rustix::fs::openat(to, &name, flags, mode).map_err(fail)?;
                copy_bytes(&open.file, &File::from(target), &inner, call)?;
            }
            _ => return Err(special_file(&inner)),
        }
        copied += 1;
    }
    Ok(copied)
}

/// Copies bytes in parts; the kernel does it where it can.
pub(super) fn copy_bytes(from: &File, to: &File, shown: &str, call: &Call<'_>) -> Result<()> {
    let mut to = to;
    loop {
        call.check()?;
        let copied =
            std::io::copy(&mut from.take(PART), &mut to).map_err(|error| Error::io("copy", shown, error))?;
        if copied < PART {
            return Ok(());
        }
    }
}
