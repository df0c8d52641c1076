//! What `init` wrote: for every file its hash before and after, and the edit between; and the folders it made.
//!
//! It holds no times and no names of machines, so that two people who run the same `init` write the same manifest.

use std::collections::BTreeMap;

use hewto_store::{ContentHash, Own, RelPath};
use serde::{Deserialize, Serialize};

use super::Splice;
use crate::error::{Error, Key, Kind, Result};

const VERSION: u32 = 1;

/// The manifest in `.hewto/`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Manifest {
    version: u32,
    /// By path relative to the root.
    pub(crate) files: BTreeMap<RelPath, Record>,
    /// Folders that were not there before.
    pub(crate) folders: Vec<RelPath>,
    /// Files that stood in the folders of specs and changes before hewto came: `uninstall --purge` leaves them.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub(crate) found: Vec<RelPath>,
    /// Agents were connected without skills, and `upgrade` brings none.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub(crate) no_skills: bool,
}

/// What happened to one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Record {
    /// `None` when there was no file.
    pub(crate) before: Option<ContentHash>,
    pub(crate) after: ContentHash,
    /// The edit that led from one to the other, in a file that hewto shares with others.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) edit: Option<Splice>,
    /// What was added, in the form in which it is compared.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) part: Option<String>,
}

impl Manifest {
    /// Reads a manifest; an absent one is empty.
    pub(crate) fn read(text: Option<&str>) -> Result<Self> {
        let Some(text) = text else { return Ok(Self::default()) };
        match serde_json::from_str::<Self>(text) {
            Ok(manifest) if manifest.version == VERSION => Ok(manifest),
            Ok(manifest) => Err(damaged(format!("its version is {}", manifest.version))),
            Err(error) => Err(damaged(error.to_string())),
        }
    }

    pub(crate) fn render(&self) -> String {
        serde_json::to_string_pretty(self).expect("a manifest is plain data") + "\n"
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.files.is_empty() && self.folders.is_empty()
    }

    /// Adds a folder that was made.
    pub(crate) fn add_folder(&mut self, folder: RelPath) {
        if !self.folders.contains(&folder) {
            self.folders.push(folder);
            self.folders.sort();
        }
    }
}

impl Default for Manifest {
    fn default() -> Self {
        Self {
            version: VERSION,
            files: BTreeMap::new(),
            folders: Vec::new(),
            found: Vec::new(),
            no_skills: false,
        }
    }
}

fn damaged(why: String) -> Error {
    let path = Own::Manifest.path();
    Error::new(Kind::Refused, Key::ManifestInvalid, format!("the manifest cannot be read: `{path}`"))
        .detail("file", path)
        .hint("restore the file from git, or remove hewto's parts by hand and delete it")
        .caused_by(why)
}
