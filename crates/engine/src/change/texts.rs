//! The texts of an open change, for somebody who edits it as a whole.

use std::collections::BTreeMap;

use hewto_core::change::Proposal;
use hewto_core::document::Document;
use hewto_core::tasks::TasksDoc;
use hewto_store::Context;
use hewto_store::change_files::DESIGN;

use super::ChangeFolder;
use super::folder::read_file;
use crate::error::Result;
use crate::workspace::Workspace;

/// What a change says, part by part.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChangeTexts {
    pub why: String,
    pub what_changes: String,
    /// Titles.
    pub tasks: Vec<String>,
    pub design: Option<String>,
    /// The Markdown of each delta, by capability.
    pub deltas: BTreeMap<String, String>,
}

/// The texts of an open change as they stand.
pub fn texts(ws: &Workspace, ctx: &Context, id: &str) -> Result<ChangeTexts> {
    let folder = ChangeFolder::load(ws, ctx, id)?;
    let mut texts = ChangeTexts {
        design: read_file(ws, ctx, folder.entry.file(DESIGN))?.map(|doc| doc.text),
        ..ChangeTexts::default()
    };
    if let Some(doc) = &folder.proposal {
        let document = Document::parse(&doc.text);
        let proposal = Proposal::read(&document);
        texts.why = proposal.why.map(|section| section.text.to_owned()).unwrap_or_default();
        texts.what_changes = proposal.what_changes.map(|section| section.text.to_owned()).unwrap_or_default();
    }
    if let Some(doc) = folder.planned_tasks() {
        let document = Document::parse(&doc.text);
        texts.tasks = TasksDoc::read(&document).tasks().map(|task| task.title.to_owned()).collect();
    }
    for delta in &folder.deltas {
        texts.deltas.insert(delta.capability.to_string(), delta.document.text.clone());
    }
    Ok(texts)
}
