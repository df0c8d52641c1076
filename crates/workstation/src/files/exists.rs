//! `fs_exists`: whether something is there. A path outside the roots is refused, not denied to exist.

use hewto_core::schema::{one_of, unstated};
use rustix::fs::FileType;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

use super::list::EntryKind;
use crate::call::Call;
use crate::confine::{Last, Missing};
use crate::error::{Key, Result};
use crate::station::Workstation;

/// What to look for.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Exists {
    pub path: String,
    /// Default any
    #[serde(default)]
    #[schemars(schema_with = "WantedKind::schema", skip_serializing_if = "unstated")]
    pub kind: WantedKind,
}

/// What counts as being there.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WantedKind {
    #[default]
    Any,
    File,
    Directory,
}

impl WantedKind {
    pub(super) fn schema(_: &mut SchemaGenerator) -> Schema {
        one_of(["any", "file", "directory"])
    }
}

/// Whether something is there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ExistsView {
    pub path: String,
    pub exists: bool,
    /// What is there, whether or not it was looked for
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub kind: Option<EntryKind>,
}

/// Looks whether something is there.
pub fn exists(station: &Workstation, call: &Call<'_>, request: &Exists) -> Result<ExistsView> {
    call.check()?;
    let wanted = station.roots().wanted("path", &request.path)?;
    let found = match station.roots().locate(&wanted, Last::Follow, Missing::Report) {
        Ok(spot) => spot.kind(),
        // A folder on the way is missing, so this is too.
        Err(error) if matches!(error.key, Key::NotFound | Key::NotADirectory) => None,
        Err(error) => return Err(error),
    };
    let exists = match request.kind {
        WantedKind::Any => found.is_some(),
        WantedKind::File => found == Some(FileType::RegularFile),
        WantedKind::Directory => found == Some(FileType::Directory),
    };
    Ok(ExistsView { path: wanted.shown, exists, kind: found.map(EntryKind::from) })
}
