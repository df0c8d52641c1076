//! `fs_write`: a whole file, there at once or not at all.

use std::io::{Read as _, Write as _};
use std::os::fd::AsFd as _;

use rustix::fs::{Access, AtFlags, FileType, Stat};
use rustix::io::Errno;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::stage::Staged;
use super::text::{BOM, LineEnds, without_bom};
use crate::call::Call;
use crate::confine::{Last, Missing, OpenFile, Spot, open_child_regular, real_files_only};
use crate::error::{Error, Key, Result};
use crate::station::Workstation;

/// How much of a file is looked at to learn its line ends.
const STYLE_BYTES: u64 = 1 << 20;

/// What to write.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Write {
    pub path: String,
    pub content: String,
}

/// A written file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct WriteView {
    pub path: String,
    /// Bytes in the file now
    pub size: u64,
    /// Whether the file is new
    pub created: bool,
    /// The line ends that were kept or written
    pub line_ends: LineEnds,
    /// Whether a byte order mark was kept
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schemars(default)]
    pub bom: bool,
}

/// Writes a file. Folders on the way are made; an existing file keeps its mode, byte order mark and line ends.
pub fn write(station: &Workstation, call: &Call<'_>, request: &Write) -> Result<WriteView> {
    let spot = spot_to_write(station, &request.path)?;
    let _turn = station.turns().take(&[&spot], call)?;
    let spot = spot.seen_again()?;
    let old = match spot.stat {
        Some(_) => Some(open_child_regular(&spot.folder, spot.name()?, &spot.shown)?),
        None => None,
    };
    let style = old.as_ref().map(|old| Style::of(old, &spot.shown)).transpose()?.unwrap_or_default();
    let bytes = style.apply(request.content.as_bytes());
    replace(&spot, &bytes, None, call)?;
    Ok(WriteView {
        path: spot.shown,
        size: bytes.len() as u64,
        created: old.is_none(),
        line_ends: LineEnds::of(&bytes),
        bom: bytes.starts_with(BOM),
    })
}

/// Where a path ends that is to be written: a regular file or nothing, not below a protected name.
pub(super) fn spot_to_write(station: &Workstation, path: &str) -> Result<Spot> {
    let roots = station.roots();
    let wanted = roots.wanted("path", path)?;
    let spot = roots.locate_to_change(&wanted, Last::Follow, Missing::Make)?;
    roots.protected().refuse_files(roots, &spot)?;
    if let Some(kind) = spot.kind() {
        real_files_only(kind, &spot.shown)?;
        refuse_read_only(&spot)?;
    }
    spot.name()?;
    Ok(spot)
}

/// A file that its owner made read-only is not replaced, although the folder would allow it.
fn refuse_read_only(spot: &Spot) -> Result<()> {
    let name = spot.name()?;
    rustix::fs::accessat(&spot.folder, name, Access::WRITE_OK, AtFlags::EACCESS)
        .map_err(|error| Error::io("write", &spot.shown, error))
}

/// Puts new contents in place of what is at a spot, unless somebody was faster: what was seen there, and what was read of it
/// where the new contents were made from that, has to be there still.
pub(super) fn replace(spot: &Spot, bytes: &[u8], read: Option<&[u8]>, call: &Call<'_>) -> Result<()> {
    let fail = |error: std::io::Error| Error::io("write", &spot.shown, error);
    let mut staged = Staged::new(spot.folder.as_fd()).map_err(|error| fail(error.into()))?;
    staged.file.write_all(bytes).map_err(fail)?;
    let name = spot.name()?;
    let published = match &spot.stat {
        Some(old) if FileType::from_raw_mode(old.st_mode) == FileType::RegularFile => {
            staged.keep_mode(old).and_then(|()| staged.sync()).map_err(|error| fail(error.into()))?;
            call.commit()?;
            refuse_change(spot, old, read)?;
            staged.publish_over(name)
        }
        _ => {
            staged.sync().map_err(|error| fail(error.into()))?;
            call.commit()?;
            staged.publish_new(name)
        }
    };
    match published {
        Err(Errno::EXIST) => Err(changed(&spot.shown)),
        published => published.map_err(|error| fail(error.into())),
    }
}

/// Refuses to replace a file that is not what it was when it was looked at.
pub(super) fn refuse_change(spot: &Spot, old: &Stat, read: Option<&[u8]>) -> Result<()> {
    let Ok(now) = rustix::fs::statat(&spot.folder, spot.name()?, AtFlags::SYMLINK_NOFOLLOW) else {
        return Err(changed(&spot.shown));
    };
    let is_the_same = (now.st_dev, now.st_ino, now.st_size, now.st_mtime, now.st_mtime_nsec)
        == (old.st_dev, old.st_ino, old.st_size, old.st_mtime, old.st_mtime_nsec);
    if !is_the_same {
        return Err(changed(&spot.shown));
    }
    // Two changes within one tick of the clock look alike from outside.
    if let Some(read) = read {
        let mut open = open_child_regular(&spot.folder, spot.name()?, &spot.shown)?;
        let mut bytes = Vec::with_capacity(read.len());
        let most = read.len() as u64 + 1;
        (&mut open.file)
            .take(most)
            .read_to_end(&mut bytes)
            .map_err(|error| Error::io("read", &spot.shown, error))?;
        if bytes != read {
            return Err(changed(&spot.shown));
        }
    }
    Ok(())
}

/// The refusal of a change that would undo somebody else's.
pub(super) fn changed(shown: &str) -> Error {
    Error::refused(Key::Changed, format!("somebody else changed the file meanwhile: `{shown}`"))
        .hint("nothing was written; read the file again, then call again")
        .detail("path", shown)
}

/// What an existing file keeps.
#[derive(Debug, Clone, Copy)]
pub(super) struct Style {
    bom: bool,
    ends: LineEnds,
}

impl Default for Style {
    fn default() -> Self {
        Self { bom: false, ends: LineEnds::None }
    }
}

impl Style {
    pub(super) fn of(open: &OpenFile, shown: &str) -> Result<Self> {
        let mut bytes = Vec::new();
        (&open.file)
            .take(STYLE_BYTES)
            .read_to_end(&mut bytes)
            .map_err(|error| Error::io("read", shown, error))?;
        let (text, bom) = without_bom(&bytes);
        Ok(Self { bom, ends: LineEnds::of(text) })
    }

    /// The contents as this file would have them.
    pub(super) fn apply(self, content: &[u8]) -> Vec<u8> {
        let (text, had_bom) = without_bom(content);
        let mut bytes = Vec::with_capacity(text.len() + BOM.len());
        if self.bom || had_bom {
            bytes.extend_from_slice(BOM);
        }
        bytes.extend_from_slice(&self.ends.apply(text));
        bytes
    }

    /// The same for text that is added at the end.
    pub(super) fn apply_to_addition(self, content: &[u8]) -> Vec<u8> {
        self.ends.apply(content).into_owned()
    }
}
