//! `trust.json`: for each repository, by its real path, what was trusted and when.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use hewto_store::ContentHash;
use serde::{Deserialize, Serialize};

use super::Subject;

/// The whole file.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Records {
    version: u32,
    repositories: BTreeMap<String, Record>,
}

/// What is trusted in one repository.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Record {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) workstation: Option<Kept>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) proof: Option<Kept>,
    /// Origins such as `https://example.org`.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub(super) hosts: BTreeSet<String>,
}

/// A text that was trusted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Kept {
    pub(super) digest: ContentHash,
    pub(super) at: String,
    /// Kept so that gates never fall below it, and to show what changed.
    pub(super) text: String,
    /// Taken back: it allows nothing any more, and holds its gates.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) revoked: bool,
}

/// Why the file says nothing.
#[derive(Debug, thiserror::Error)]
pub(super) enum RecordError {
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    #[error("it was written by a newer hewto (version {0})")]
    Newer(u32),
}

const VERSION: u32 = 1;

impl Records {
    pub(super) fn read(text: Option<&str>) -> Result<Self, RecordError> {
        let Some(text) = text else { return Ok(Self::default()) };
        let records: Self = serde_json::from_str(text)?;
        if records.version > VERSION { Err(RecordError::Newer(records.version)) } else { Ok(records) }
    }

    pub(super) fn write(mut self) -> String {
        self.version = VERSION;
        let mut text = serde_json::to_string_pretty(&self).expect("records are plain data");
        text.push('\n');
        text
    }

    pub(super) fn at(&self, root: &Path) -> Option<&Record> {
        self.repositories.get(&key(root)?)
    }

    /// The record of a root, made when there is none; `None` for a path that cannot be named.
    pub(super) fn at_mut(&mut self, root: &Path) -> Option<&mut Record> {
        Some(self.repositories.entry(key(root)?).or_default())
    }
}

impl Record {
    pub(super) fn subject(&self, subject: Subject) -> Option<&Kept> {
        match subject {
            Subject::Workstation => self.workstation.as_ref(),
            Subject::Proof => self.proof.as_ref(),
        }
    }

    pub(super) fn subject_mut(&mut self, subject: Subject) -> &mut Option<Kept> {
        match subject {
            Subject::Workstation => &mut self.workstation,
            Subject::Proof => &mut self.proof,
        }
    }
}

/// A repository goes by its real path.
fn key(root: &Path) -> Option<String> {
    let real = fs_err::canonicalize(root).ok()?;
    real.to_str().map(str::to_owned)
}
