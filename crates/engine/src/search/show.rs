//! One thing that should be read, in full, as it stands in the files now.

use hewto_core::change::Proposal;
use hewto_core::decision::uid::record_id;
use hewto_core::delta::DeltaDoc;
use hewto_core::document::Document;
use hewto_core::id::SpecId;
use hewto_core::requirement::{Match, SpecDoc, find_requirement};
use hewto_search::{Hit, Kind as EntryKind};
use hewto_store::Context;
use hewto_store::change_files::PROPOSAL;

use super::pack::{Piece, Shorter};
use crate::change::{ChangeFolder, DeltaFile};
use crate::error::{Action, Result};
use crate::item::{SpecText, parse_change_id};
use crate::view::ContextItem;
use crate::workspace::Workspace;

/// Something that can be read.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Subject {
    Requirement { spec: String, name: String },
    Decision(String),
    Change(String),
    Spec(String),
}

impl Subject {
    pub(super) fn of(hit: Hit) -> Option<Self> {
        let id = hit.document.id;
        match (hit.document.kind, hit.requirement) {
            (EntryKind::Spec, Some(name)) => Some(Self::Requirement { spec: id, name }),
            (EntryKind::Decision, _) => Some(Self::Decision(id)),
            (EntryKind::Change, _) => Some(Self::Change(id)),
            _ => None,
        }
    }
}

/// What there is to read of a subject; nothing when it has vanished.
pub(super) fn show(ws: &Workspace, ctx: &Context, subject: &Subject) -> Result<Option<Piece>> {
    let item = match subject {
        Subject::Requirement { spec, name } => requirement(ws, ctx, spec, name)?,
        Subject::Decision(id) => decision(ws, ctx, id)?,
        Subject::Change(id) => return change(ws, ctx, id),
        Subject::Spec(id) => spec(ws, ctx, id)?,
    };
    Ok(item.map(|item| Piece { item, shorter: Vec::new() }))
}

/// The id of the decision in a file, if it is one.
pub(super) fn decision_id(ws: &Workspace, file: &str) -> Option<String> {
    record_id(ws.places().decisions.below(file)?)
}

fn requirement(ws: &Workspace, ctx: &Context, spec: &str, name: &str) -> Result<Option<ContextItem>> {
    let Ok(id) = SpecId::parse(spec) else { return Ok(None) };
    let Some(spec) = SpecText::find(ws, ctx, &id)? else { return Ok(None) };
    let document = Document::parse(&spec.document.text);
    let doc = SpecDoc::read(&document);
    let Match::Found(found) = find_requirement(&doc.requirements, name) else { return Ok(None) };
    Ok(Some(ContextItem {
        kind: "requirement".to_owned(),
        handle: format!("spec://{}#{}", id.to_segment(), found.id),
        title: format!("{}: {}", spec.title(), found.name),
        file: spec.document.path.to_string(),
        score: 0.0,
        why: String::new(),
        text: found.raw.trim().to_owned(),
        left_out: None,
        states: Vec::new(),
    }))
}

/// What a spec is for, and the names of what it asks.
fn spec(ws: &Workspace, ctx: &Context, id: &str) -> Result<Option<ContextItem>> {
    let Ok(id) = SpecId::parse(id) else { return Ok(None) };
    let Some(spec) = SpecText::find(ws, ctx, &id)? else { return Ok(None) };
    let document = Document::parse(&spec.document.text);
    let doc = SpecDoc::read(&document);
    let names = doc.requirements.iter().map(|requirement| format!("- {}", requirement.name));
    Ok(Some(ContextItem {
        kind: "spec".to_owned(),
        handle: format!("spec://{}", id.to_segment()),
        title: spec.title().clone(),
        file: spec.document.path.to_string(),
        score: 0.0,
        why: String::new(),
        text: names.collect::<Vec<_>>().join("\n"),
        left_out: None,
        states: Vec::new(),
    }))
}

fn decision(ws: &Workspace, ctx: &Context, id: &str) -> Result<Option<ContextItem>> {
    let folder = &ws.places().decisions;
    let names = ws.store().file_names(ctx, folder)?;
    let own = names.iter().find(|name| record_id(name).as_deref() == Some(id));
    let Some(key) = own.and_then(|name| folder.document(name).ok()) else { return Ok(None) };
    let Some(doc) = ws.store().read(ctx, &key)? else { return Ok(None) };
    let document = Document::parse(&doc.text);
    Ok(Some(ContextItem {
        kind: "decision".to_owned(),
        handle: format!("decision:{id}"),
        title: SpecDoc::read(&document).title.unwrap_or(id).to_owned(),
        file: doc.path.to_string(),
        score: 0.0,
        why: String::new(),
        text: document.slice(document.body_start()..doc.text.len()).trim().to_owned(),
        left_out: None,
        states: Vec::new(),
    }))
}

/// A proposal may be of any length, so a change can be shown without it, or by its name alone.
fn change(ws: &Workspace, ctx: &Context, id: &str) -> Result<Option<Piece>> {
    let Some(entry) = ws.store().change(ctx, &parse_change_id(id)?)? else { return Ok(None) };
    let change = ChangeFolder::read(ws, ctx, entry)?;
    let mut prose = Vec::new();
    if let Some(proposal) = &change.proposal {
        let document = Document::parse(&proposal.text);
        let proposal = Proposal::read(&document);
        let section = |name: &str, text: &str| format!("## {name}\n\n{}", text.trim());
        prose.extend(proposal.why.map(|why| section("Why", why.text)));
        prose.extend(proposal.what_changes.map(|what| section("What Changes", what.text)));
    }
    let mut facts: Vec<String> = change.deltas.iter().map(altered).collect();
    let proposal = change.entry.file(PROPOSAL);
    let progress = change.task_progress();
    if progress.total > 0 {
        facts.push(format!("{} of {} tasks done", progress.completed, progress.total));
    }
    let action = Action::ShowChange { change: id.to_owned() };
    let call = ctx.call(&action, &format!("{{\"change_id\": \"{id}\"}}"));
    let shorter = vec![
        Shorter {
            text: facts.join("\n\n"),
            left_out: format!("why it is wanted and what it changes: {call}"),
        },
        Shorter { text: String::new(), left_out: format!("all of it: {call}") },
    ];
    prose.extend(facts);
    let item = ContextItem {
        kind: "change".to_owned(),
        handle: format!("change:{id}"),
        title: change.title(),
        file: proposal.map_or_else(|| change.entry.folder.to_string(), |key| key.to_string()),
        score: 0.0,
        why: String::new(),
        text: prose.join("\n\n"),
        left_out: None,
        states: Vec::new(),
    };
    Ok(Some(Piece { item, shorter }))
}

/// Which requirements of a spec a change alters, and how.
fn altered(delta: &DeltaFile) -> String {
    let document = Document::parse(&delta.document.text);
    let doc = DeltaDoc::read(&document);
    let mut lines = vec![format!("Alters `{}`:", delta.capability)];
    lines.extend(doc.added.iter().map(|added| format!("- adds {}", added.name)));
    lines.extend(doc.modified.iter().map(|modified| format!("- modifies {}", modified.name)));
    lines.extend(doc.removed.iter().map(|removed| format!("- removes {}", removed.name)));
    lines.extend(doc.renamed.iter().map(|renamed| format!("- renames {} to {}", renamed.from, renamed.to)));
    lines.join("\n")
}
