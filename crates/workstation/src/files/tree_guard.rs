//! Looks through a folder before it is moved, copied or deleted whole.

use std::ffi::OsStr;
use std::os::fd::AsFd;

use rustix::fs::FileType;

use crate::call::Call;
use crate::confine::{MAX_DEPTH, Protected, Spot, entries, open_child_folder, too_deep};
use crate::error::{Error, Result};

/// Refuses a folder that has a protected name anywhere in it.
pub(super) fn refuse_protected_inside(
    folder: impl AsFd,
    protected: &Protected,
    shown: &str,
    call: &Call<'_>,
) -> Result<()> {
    look(folder.as_fd(), protected, shown, call, 0)
}

/// Refuses a folder that would lie too deep at a place so many folders below its root.
pub(super) fn refuse_deep_inside(source: &Spot, depth: usize, call: &Call<'_>) -> Result<()> {
    let fd = open_child_folder(&source.folder, source.name()?)
        .map_err(|error| Error::io("open", &source.shown, error))?;
    look(&fd, &Protected::default(), &source.shown, call, depth)
}

fn look(folder: impl AsFd, protected: &Protected, shown: &str, call: &Call<'_>, depth: usize) -> Result<()> {
    call.check()?;
    refuse_depth(depth, shown)?;
    for entry in entries(&folder).map_err(|error| Error::io("list", shown, error))? {
        let (name, kind) = entry.map_err(|error| Error::io("list", shown, error))?;
        protected.refuse_name(&name, &inside(shown, &name))?;
        if kind == FileType::Directory {
            let inner = inside(shown, &name);
            let fd = open_child_folder(&folder, &name).map_err(|error| Error::io("open", &inner, error))?;
            look(&fd, protected, &inner, call, depth + 1)?;
        }
    }
    Ok(())
}

pub(super) fn refuse_depth(depth: usize, shown: &str) -> Result<()> {
    if depth > MAX_DEPTH { Err(too_deep(shown)) } else { Ok(()) }
}

pub(super) fn inside(shown: &str, name: &OsStr) -> String {
    format!("{shown}/{}", name.to_string_lossy())
}
