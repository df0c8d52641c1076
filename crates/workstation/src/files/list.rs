//! `fs_list`: what is in one folder, page by page.

use std::borrow::Cow;
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt as _;

use hewto_core::page::{Page, PageRequest};
use rustix::fs::{AtFlags, FileType};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::call::Call;
use crate::confine::entries;
use crate::error::{Error, Result};
use crate::page::{paginate, path_order};
use crate::show::show_bytes;
use crate::station::Workstation;

/// What to list.
#[derive(Debug, Clone)]
pub struct List {
    pub path: String,
    pub order: ListOrder,
    pub page: PageRequest,
}

/// In which order.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ListOrder {
    #[default]
    Name,
    /// The largest first
    Size,
}

/// What stands at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum EntryKind {
    File,
    Directory,
    /// A symbolic link, wherever it leads
    Symlink,
    /// A pipe, socket, device or the like, which no tool opens
    Special,
}

/// One name in a folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct EntryView {
    /// Bytes that are no UTF-8 are written as `\xNN`
    pub name: String,
    #[serde(rename = "type")]
    pub kind: EntryKind,
    /// Bytes, for files
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub size: Option<u64>,
}

/// A folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ListView {
    pub path: String,
    pub entries: Vec<EntryView>,
    #[serde(flatten)]
    pub page: Page,
}

impl From<FileType> for EntryKind {
    fn from(kind: FileType) -> Self {
        match kind {
            FileType::RegularFile => Self::File,
            FileType::Directory => Self::Directory,
            FileType::Symlink => Self::Symlink,
            _ => Self::Special,
        }
    }
}

struct Listed {
    name: OsString,
    kind: FileType,
    size: Option<u64>,
    key: Vec<u8>,
}

/// Lists a folder.
pub fn list(station: &Workstation, call: &Call<'_>, request: &List) -> Result<ListView> {
    let wanted = station.roots().wanted("path", &request.path)?;
    let folder = station.roots().open_folder(&wanted)?;
    let fail = |error: rustix::io::Errno| Error::io("list", &wanted.shown, error);
    let size_of = |name: &OsString, kind: FileType| {
        (kind == FileType::RegularFile)
            .then(|| rustix::fs::statat(&folder.fd, name, AtFlags::SYMLINK_NOFOLLOW).ok())
            .flatten()
            .filter(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile)
            .and_then(|stat| u64::try_from(stat.st_size).ok())
    };
    let mut listed = Vec::new();
    for entry in entries(&folder.fd).map_err(fail)? {
        if listed.len() % 1024 == 0 {
            call.check()?;
        }
        let (name, kind) = entry.map_err(fail)?;
        let (size, key) = match request.order {
            ListOrder::Name => (None, name.as_bytes().to_vec()),
            ListOrder::Size => {
                let size = size_of(&name, kind);
                // Larger comes first, then the name.
                let rank = format!("{:020}/", u64::MAX - size.unwrap_or(0));
                (size, [rank.as_bytes(), name.as_bytes()].concat())
            }
        };
        listed.push(Listed { name, kind, size, key });
    }
    listed.sort_unstable_by(|a, b| path_order(&a.key, &b.key));
    let (entries, page) = paginate(
        &listed,
        &request.page,
        &("list", &folder.place.path(station.roots()), request.order),
        |entry| Cow::Borrowed(&entry.key),
        |entry| EntryView {
            name: show_bytes(entry.name.as_bytes()).text,
            kind: entry.kind.into(),
            size: entry.size.or_else(|| size_of(&entry.name, entry.kind)),
        },
    )?;
    Ok(ListView { path: wanted.shown, entries, page })
}
