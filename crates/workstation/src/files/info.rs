//! `fs_info`: the facts about a file or folder.

use jiff::Timestamp;
use rustix::fs::{AtFlags, FileType, Stat};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::list::EntryKind;
use crate::call::Call;
use crate::confine::{Last, Missing};
use crate::error::Result;
use crate::station::Workstation;

/// What to look at.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Info {
    pub path: String,
}

/// The facts. For a link they are those of what it leads to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct InfoView {
    pub path: String,
    #[serde(rename = "type")]
    pub kind: EntryKind,
    /// Whether the path itself is a symbolic link
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schemars(default)]
    pub link: bool,
    /// Bytes
    pub size: u64,
    /// Octal, such as `644`
    pub permissions: String,
    /// How many names the file has; more than one means hard links
    pub links: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub modified: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub accessed: Option<String>,
    /// When the file was made, where the file system knows
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub created: Option<String>,
}

/// Looks at a file or folder without opening it.
pub fn info(station: &Workstation, call: &Call<'_>, request: &Info) -> Result<InfoView> {
    call.check()?;
    let roots = station.roots();
    let wanted = roots.wanted("path", &request.path)?;
    let itself = roots.locate(&wanted, Last::Keep, Missing::Report)?;
    let link = itself.kind() == Some(FileType::Symlink);
    let spot = if link { roots.locate(&wanted, Last::Follow, Missing::Report)? } else { itself };
    let Some(stat) = &spot.stat else { return Err(roots.missing(&wanted)) };
    let created = match &spot.name {
        Some(name) => born(&spot.folder, name),
        None => None,
    };
    Ok(InfoView {
        path: wanted.shown,
        kind: FileType::from_raw_mode(stat.st_mode).into(),
        link,
        size: u64::try_from(stat.st_size).unwrap_or(0),
        permissions: format!("{:o}", stat.st_mode & 0o7777),
        #[expect(clippy::useless_conversion, reason = "the type differs between systems")]
        links: stat.st_nlink.into(),
        modified: modified(stat),
        accessed: time(stat.st_atime, stat.st_atime_nsec),
        created,
    })
}

fn modified(stat: &Stat) -> Option<String> {
    time(stat.st_mtime, stat.st_mtime_nsec)
}

fn time(seconds: impl TryInto<i64>, nanoseconds: impl TryInto<i32>) -> Option<String> {
    let at = Timestamp::new(seconds.try_into().ok()?, nanoseconds.try_into().ok()?).ok()?;
    Some(format!("{at:.3}"))
}

#[cfg(target_os = "linux")]
fn born(folder: &std::os::fd::OwnedFd, name: &std::ffi::OsStr) -> Option<String> {
    use rustix::fs::StatxFlags;
    let stat = rustix::fs::statx(folder, name, AtFlags::SYMLINK_NOFOLLOW, StatxFlags::BTIME).ok()?;
    let known = stat.stx_mask & StatxFlags::BTIME.bits() != 0;
    known.then(|| time(stat.stx_btime.tv_sec, stat.stx_btime.tv_nsec)).flatten()
}

#[cfg(not(target_os = "linux"))]
fn born(_: &std::os::fd::OwnedFd, _: &std::ffi::OsStr) -> Option<String> {
    None
}
