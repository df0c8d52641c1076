//! `fs_list`: what is in one folder, page by page.

use std::borrow::Cow;
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt as _;

use hewto_core::page::{Page, PageRequest};
use hewto_core::schema::{one_of, unstated};
use rustix::fs::{AtFlags, FileType};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

use crate::call::Call;
use crate::confine::{entries, first_root};
use crate::error::{Error, Result};
use crate::page::paginate;
use crate::show::show_bytes;
use crate::station::Workstation;

/// What to list.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(extend("additionalProperties" = false))]
pub struct List {
    /// Default the first root
    #[serde(default = "first_root")]
    #[schemars(skip_serializing_if = "unstated")]
    pub path: String,
    /// Default name; size: the largest first
    #[serde(default)]
    #[schemars(schema_with = "orders", skip_serializing_if = "unstated")]
    pub order: ListOrder,
    /// Default true; false: names and types only
    #[serde(default = "told")]
    #[schemars(skip_serializing_if = "unstated")]
    pub sizes: bool,
    #[serde(flatten)]
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

fn orders(_: &mut SchemaGenerator) -> Schema {
    one_of(["name", "size"])
}

fn told() -> bool {
    true
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
    /// Bytes, for files, unless the call did without
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
    /// Known before the page is cut where the order depends on it.
    size: Option<u64>,
}

impl Listed {
    /// By what the list is sorted, and where a cursor goes on.
    fn key(&self, order: ListOrder) -> Cow<'_, [u8]> {
        match order {
            ListOrder::Name => Cow::Borrowed(self.name.as_bytes()),
            // Larger comes first, then the name.
            ListOrder::Size => {
                let rank = format!("{:020}/", u64::MAX - self.size.unwrap_or(0));
                Cow::Owned([rank.as_bytes(), self.name.as_bytes()].concat())
            }
        }
    }
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
        let size = if request.order == ListOrder::Size { size_of(&name, kind) } else { None };
        listed.push(Listed { name, kind, size });
    }
    match request.order {
        // A name has no slash in it, so a tree reads them in the order of their bytes.
        ListOrder::Name => listed.sort_unstable_by(|a, b| a.name.cmp(&b.name)),
        ListOrder::Size => listed.sort_by_cached_key(|entry| entry.key(ListOrder::Size).into_owned()),
    }
    let (entries, page) = paginate(
        &listed,
        &request.page,
        &("list", &folder.place.path(station.roots()), request.order),
        |entry| entry.key(request.order),
        |entry| EntryView {
            name: show_bytes(entry.name.as_bytes()).text,
            kind: entry.kind.into(),
            size: if request.sizes { entry.size.or_else(|| size_of(&entry.name, entry.kind)) } else { None },
        },
    )?;
    Ok(ListView { path: wanted.shown, entries, page })
}
