//! A change as its folder holds it.

use std::collections::HashSet;

use hewto_core::change::{BaseRecord, change_title};
use hewto_core::check::{self, ChangeFiles, OtherFile};
use hewto_core::document::Document;
use hewto_core::id::{ChangeId, SpecId};
use hewto_core::rules::dialect::Dialect;
use hewto_core::tasks::{PLACEHOLDER, Progress, TaskStatus, TasksDoc};
use hewto_store::change_files::{BASE, METADATA, NAMES, PROPOSAL, TASKS, below_deltas, delta_target};
use hewto_store::{ChangeEntry, Context, Doc, DocKey, LayoutKind, ReadError};

use super::bases;
use crate::error::{Action, Error, Result};
use crate::item::{change_not_found, parse_change_id};
use crate::workspace::Workspace;

/// The spec that a file of a change is a delta to; the path is below the change's folder.
pub(crate) fn delta_capability(file: &str) -> Option<SpecId> {
    SpecId::parse(delta_target(file)?).ok()
}

/// A change with the documents it consists of.
#[derive(Debug)]
pub(crate) struct ChangeFolder {
    pub(crate) entry: ChangeEntry,
    pub(crate) proposal: Option<Doc>,
    pub(crate) tasks: Option<Doc>,
    metadata: Option<Doc>,
    /// Sorted by capability.
    pub(crate) deltas: Vec<DeltaFile>,
    /// The record of its bases that lies with it.
    pub(crate) base: Option<Doc>,
    /// The one that the machine keeps in its place.
    pub(super) kept: Option<BaseRecord>,
    /// Files below `specs/` that are no deltas.
    others: Vec<(String, Option<Doc>)>,
    /// Files that are there and cannot be read.
    pub(crate) unreadable: Vec<Unreadable>,
}

/// Whether a change is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing {
    Open,
    Archived,
}

/// The id that an archived change had: the name of its folder without the date.
pub(crate) fn archived_id(folder: &str) -> &str {
    if super::obstacles::starts_with_date(folder) { &folder[11..] } else { folder }
}

/// The latest archived change of this name.
fn archived_entry(ws: &Workspace, ctx: &Context, id: &ChangeId) -> Result<Option<ChangeEntry>> {
    let is_meant = |entry: &ChangeEntry| {
        let folder = entry.id.as_str();
        folder == id.as_str() || archived_id(folder) == id.as_str()
    };
    Ok(ws.store().archived_changes(ctx)?.into_iter().rev().find(is_meant))
}

/// A file that cannot be read. It hides neither its change nor the others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unreadable {
    /// The file of the change that it concerns, relative to the workspace.
    pub(crate) file: String,
    pub(crate) message: String,
    pub(crate) hint: String,
}

/// What a change does to one spec.
#[derive(Debug)]
pub(crate) struct DeltaFile {
    pub(crate) capability: SpecId,
    pub(crate) document: Doc,
}

/// The texts of a change, and of the specs it touches, as far as they can be read.
pub(crate) struct Texts<'a> {
    pub(crate) files: &'a ChangeFiles<'a>,
    /// What each of the deltas in `files` is for, in the same order.
    pub(crate) targets: &'a [Target<'a>],
    pub(crate) unreadable: &'a [Unreadable],
}

/// The spec that a delta is for.
pub(crate) struct Target<'a> {
    pub(crate) delta: &'a DeltaFile,
    /// As it stands; `None` when there is none.
    pub(crate) current: Option<Doc>,
}

impl Unreadable {
    /// What a read came to, unless the call itself is over.
    pub(crate) fn or(file: &str, read: Result<Option<Doc>, ReadError>) -> Result<Result<Option<Doc>, Self>> {
        match read {
            Ok(doc) => Ok(Ok(doc)),
            Err(error @ (ReadError::NotUtf8 { .. } | ReadError::File(_))) => {
                let hint = error.hint().to_owned();
                Ok(Err(Self { file: file.to_owned(), message: Error::from(error).to_string(), hint }))
            }
            Err(error) => Err(error.into()),
        }
    }
}

impl ChangeFolder {
    /// Reads the change that somebody named.
    pub(crate) fn load(ws: &Workspace, ctx: &Context, name: &str) -> Result<Self> {
        let id = parse_change_id(name)?;
        let entry = ws.store().change(ctx, &id)?.ok_or_else(|| change_not_found(ws, ctx, &id))?;
        Self::read(ws, ctx, entry)
    }

    /// Reads the change that somebody named, and all others that are open, each once.
    pub(crate) fn load_with_others(ws: &Workspace, ctx: &Context, name: &str) -> Result<(Self, Vec<Self>)> {
        let id = parse_change_id(name)?;
        let mut all = Self::load_all(ws, ctx)?;
        let at = all.iter().position(|folder| folder.entry.id == id);
        let named = all.remove(at.ok_or_else(|| change_not_found(ws, ctx, &id))?);
        Ok((named, all))
    }

    /// Reads the change that somebody named, and of the others that are open those that touch a spec which it touches.
    /// Of the rest only the names of their files are looked at.
    pub(crate) fn load_with_rivals(ws: &Workspace, ctx: &Context, name: &str) -> Result<(Self, Vec<Self>)> {
        let named = Self::load(ws, ctx, name)?;
        let touched: HashSet<&SpecId> = named.deltas.iter().map(|delta| &delta.capability).collect();
        let is_rival = |entry: &ChangeEntry| {
            let mut capabilities = entry.files.iter().filter_map(|file| delta_capability(file));
            entry.id != named.entry.id && capabilities.any(|capability| touched.contains(&capability))
        };
        let entries = ws.store().changes(ctx)?.changes.into_iter().filter(is_rival);
        let rivals = entries.map(|entry| Self::read(ws, ctx, entry)).collect::<Result<_>>()?;
        Ok((named, rivals))
    }

    /// Reads all open changes.
    pub(crate) fn load_all(ws: &Workspace, ctx: &Context) -> Result<Vec<Self>> {
        let list = ws.store().changes(ctx)?;
        list.changes.into_iter().map(|entry| Self::read(ws, ctx, entry)).collect()
    }

    /// Reads all archived changes; their ids are the names of their folders.
    pub(crate) fn load_archived(ws: &Workspace, ctx: &Context) -> Result<Vec<Self>> {
        let list = ws.store().archived_changes(ctx)?;
        list.into_iter().map(|entry| Self::read(ws, ctx, entry)).collect()
    }

    /// Reads the change that somebody named: an open one, else the latest archived one of that name.
    pub(crate) fn load_any(ws: &Workspace, ctx: &Context, name: &str) -> Result<(Self, Standing)> {
        let id = parse_change_id(name)?;
        if let Some(entry) = ws.store().change(ctx, &id)? {
            return Ok((Self::read(ws, ctx, entry)?, Standing::Open));
        }
        match archived_entry(ws, ctx, &id)? {
            Some(entry) => Ok((Self::read(ws, ctx, entry)?, Standing::Archived)),
            None => Err(change_not_found(ws, ctx, &id)),
        }
    }

    /// The folder in which the latest change of this name was put away.
    pub(crate) fn archived_as(ws: &Workspace, ctx: &Context, id: &ChangeId) -> Option<String> {
        let entry = archived_entry(ws, ctx, id).ok().flatten()?;
        Some(entry.folder.to_string())
    }

    pub(crate) fn read(ws: &Workspace, ctx: &Context, entry: ChangeEntry) -> Result<Self> {
        let mut unreadable = Vec::new();
        let mut read = |name: &str| -> Result<Option<Doc>> {
            let Some(key) = entry.file(name) else { return Ok(None) };
            let doc = Unreadable::or(&key.to_string(), ws.store().read(ctx, &key))?;
            Ok(doc.unwrap_or_else(|one| {
                unreadable.push(one);
                None
            }))
        };
        let (mut deltas, mut others) = (Vec::new(), Vec::new());
        for file in &entry.files {
            let Some(below) = below_deltas(file) else { continue };
            match (delta_capability(file), is_markdown(below)) {
                (Some(capability), _) => {
                    if let Some(document) = read(file)? {
                        deltas.push(DeltaFile { capability, document });
                    }
                }
                (None, true) => others.push((below.to_owned(), read(file)?)),
                (None, false) => others.push((below.to_owned(), None)),
            }
        }
        let [proposal, tasks, base, metadata] = [read(PROPOSAL)?, read(TASKS)?, read(BASE)?, read(METADATA)?];
        let kept = if base.is_none() { bases::kept(ws, entry.id.as_str()) } else { None };
        Ok(Self { entry, proposal, tasks, metadata, deltas, base, kept, others, unreadable })
    }

    pub(crate) fn id(&self) -> &str {
        self.entry.id.as_str()
    }

    pub(crate) fn title(&self) -> String {
        let document = self.proposal.as_ref().map(|doc| Document::parse(&doc.text));
        change_title(self.id(), document.as_ref())
    }

    /// Its tasks, once somebody has written some.
    pub(crate) fn planned_tasks(&self) -> Option<&Doc> {
        self.tasks.as_ref().filter(|doc| doc.text != PLACEHOLDER)
    }

    pub(crate) fn task_progress(&self) -> Progress {
        match self.planned_tasks() {
            Some(doc) => TasksDoc::read(&Document::parse(&doc.text)).progress(),
            None => Progress { completed: 0, total: 0 },
        }
    }

    /// The titles of the tasks that are open.
    pub(crate) fn open_tasks(&self) -> Vec<String> {
        let Some(doc) = self.planned_tasks() else { return Vec::new() };
        let document = Document::parse(&doc.text);
        let tasks = TasksDoc::read(&document);
        let open = tasks.tasks().filter(|task| task.status == TaskStatus::Open);
        open.map(|task| task.title.to_owned()).collect()
    }

    /// The first task that is open, with its place counted from 0.
    pub(crate) fn next_task(&self) -> Option<(usize, String)> {
        let document = Document::parse(&self.planned_tasks()?.text);
        let tasks = TasksDoc::read(&document);
        let open = tasks.tasks().find(|task| task.status == TaskStatus::Open)?;
        Some((open.index, open.title.to_owned()))
    }

    /// Whose folder of changes it is in.
    pub(crate) fn owner(&self) -> LayoutKind {
        self.entry.owner
    }

    pub(crate) fn dialect(&self) -> Dialect {
        dialect(self.owner())
    }

    /// Hands the texts of the change, and of the specs it touches, to whoever judges or applies them.
    pub(crate) fn with_texts<T>(
        &self,
        ws: &Workspace,
        ctx: &Context,
        bases: &BaseRecord,
        work: impl FnOnce(&Texts<'_>) -> T,
    ) -> Result<T> {
        let schemas = self.schemas(ws, ctx)?;
        let schemas: Vec<&str> = schemas.iter().map(String::as_str).collect();
        let mut unreadable = self.unreadable.clone();
        let mut targets = Vec::new();
        for delta in &self.deltas {
            match delta.target(ws, ctx)? {
                Ok(current) => targets.push(Target { delta, current }),
                Err(one) => unreadable.push(one),
            }
        }
        let deltas: Vec<check::DeltaFile<'_>> = targets
            .iter()
            .map(|Target { delta, current }| check::DeltaFile {
                capability: delta.capability.as_str(),
                text: &delta.document.text,
                current: text_of(current.as_ref()),
                base: bases.get(delta.capability.as_str()),
            })
            .collect();
        let others: Vec<OtherFile<'_>> =
            self.others.iter().map(|(path, doc)| OtherFile { path, text: text_of(doc.as_ref()) }).collect();
        let rebase = ctx.say(Action::RebaseChange { change: self.id().to_owned() });
        let files = ChangeFiles {
            id: self.id(),
            names: NAMES,
            rebase: &rebase,
            proposal: text_of(self.proposal.as_ref()),
            tasks: text_of(self.tasks.as_ref()),
            metadata: text_of(self.metadata.as_ref()),
            schemas: &schemas,
            deltas: &deltas,
            others: &others,
        };
        Ok(work(&Texts { files: &files, targets: &targets, unreadable: &unreadable }))
    }

    /// The project's own kinds of changes, where the change names its kind.
    fn schemas(&self, ws: &Workspace, ctx: &Context) -> Result<Vec<String>> {
        match &self.metadata {
            Some(_) => Ok(ws.store().schemas(ctx, &self.entry)?),
            None => Ok(Vec::new()),
        }
    }

    pub(crate) fn base_key(&self) -> DocKey {
        self.entry.folder.document(BASE).expect("a plain name stays inside")
    }
}

impl DeltaFile {
    /// The spec that the delta is for, as it stands now, or why it cannot be read.
    pub(crate) fn target(&self, ws: &Workspace, ctx: &Context) -> Result<Result<Option<Doc>, Unreadable>> {
        Unreadable::or(self.document.path.as_str(), ws.store().read(ctx, &self.key()))
    }

    pub(crate) fn key(&self) -> DocKey {
        DocKey::Spec(self.capability.clone())
    }
}

/// Whose verdicts count in a root of this owner.
pub(crate) fn dialect(owner: LayoutKind) -> Dialect {
    match owner {
        LayoutKind::Spox => Dialect::Spox,
        LayoutKind::Openspec => Dialect::OpenSpec,
        LayoutKind::Native | LayoutKind::Airsspec | LayoutKind::Specman => Dialect::Native,
    }
}

fn text_of(doc: Option<&Doc>) -> Option<&str> {
    doc.map(|doc| doc.text.as_str())
}

fn is_markdown(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, extension)| extension.eq_ignore_ascii_case("md"))
}

pub(super) fn read_file(ws: &Workspace, ctx: &Context, key: Option<DocKey>) -> Result<Option<Doc>> {
    match key {
        Some(key) => Ok(ws.store().read(ctx, &key)?),
        None => Ok(None),
    }
}

#[cfg(test)]
mod tests;
