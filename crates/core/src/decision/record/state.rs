//! `ARCHITECTURE_STATE.md`: the snapshot alone, generated from the records and safe to delete.

use super::head::{Head, comment};
use super::{Malformed, snapshot};
use crate::decision::architecture::Snapshot;
use crate::decision::uid::Uid;
use crate::document::Document;

/// The projection of the architecture into one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchitectureState {
    /// The decision that it was generated after.
    pub uid: Uid,
    pub snapshot: Snapshot,
}

impl ArchitectureState {
    pub fn render(&self) -> String {
        let mut out = comment("UID", self.uid.as_str());
        out.push_str(&comment("Schema", "v1"));
        out.push_str("\n# Architecture State\n\n");
        out.push_str("Generated from the latest decision record; edit nothing here, and delete it whenever you like.\n\n");
        out.push_str("## Categories\n\n");
        out.push_str(&snapshot::render(&self.snapshot));
        out
    }

    pub fn read(text: &str) -> Result<Self, Malformed> {
        let uid = Head::of(text).own_uid()?;
        let document = Document::parse(text);
        let section = document
            .section(2, "Categories")
            .ok_or_else(|| Malformed::new(1, "there is no section `## Categories`"))?;
        Ok(Self { uid, snapshot: snapshot::read(&document, section)? })
    }
}
