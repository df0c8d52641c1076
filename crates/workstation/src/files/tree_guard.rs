//! Looks through a folder before it is moved, copied or deleted whole.

use std::ffi::OsStr;
use std::os::fd::AsFd;

use rustix::fs::FileType;

use crate::call::Call;
use crate::confine::{Protected, entries, open_child_folder};
use crate::error::{Error, Result};

/// Deeper folders are refused: each level holds a descriptor.
pub(super) const MAX_DEPTH: usize = 200;

/// Refuses a folder that has a protected name anywhere in it.
pub(super) fn refuse_protected_inside(
    folder: impl AsFd,
    protected: &Protected,
    shown: &str,
    call: &Call<'_>,
) -> Result<()> {
    look(folder.as_fd(), protected, shown, call, 0)
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
    if depth > MAX_DEPTH {
        return Err(Error::refused(
            "too_deep",
            format!("more than {MAX_DEPTH} folders in each other: `{shown}`"),
        ));
    }
    Ok(())
}

pub(super) fn inside(shown: &str, name: &OsStr) -> String {
    format!("{shown}/{}", name.to_string_lossy())
}
