//! A change as its folder holds it.

use hewto_core::change::{BaseRecord, ChangeFlags, CapabilityBase, change_title};
use hewto_core::document::Document;
use hewto_core::id::SpecId;
use hewto_core::tasks::{Progress, TasksDoc};
use hewto_store::{ChangeEntry, Context, Doc, DocKey, RelPath};

use crate::error::Result;
use crate::item::{change_not_found, parse_change_id};
use crate::workspace::Workspace;

pub(super) const PROPOSAL: &str = "proposal.md";
pub(super) const TASKS: &str = "tasks.md";
pub(super) const DESIGN: &str = "design.md";
pub(super) const BASE: &str = ".base.json";
const FLAGS: &str = ".openspec.yaml";
const DELTAS: &str = "specs/";
const DELTA: &str = "/spec.md";

/// A change with the documents it consists of.
#[derive(Debug)]
pub(crate) struct ChangeFolder {
    pub(crate) entry: ChangeEntry,
    pub(crate) proposal: Option<Doc>,
    pub(crate) tasks: Option<Doc>,
    pub(crate) flags: ChangeFlags,
    /// Sorted by capability.
    pub(crate) deltas: Vec<DeltaFile>,
    pub(crate) base: Option<Doc>,
}

/// What a change does to one spec.
#[derive(Debug)]
pub(crate) struct DeltaFile {
    pub(crate) capability: SpecId,
    pub(crate) document: Doc,
}

impl ChangeFolder {
    /// Reads the change that somebody named.
    pub(crate) fn load(ws: &Workspace, ctx: &Context, name: &str) -> Result<Self> {
        let id = parse_change_id(name)?;
        let entry = ws.store().change(ctx, &id)?.ok_or_else(|| change_not_found(ws, ctx, &id))?;
        Self::read(ws, ctx, entry)
    }

    /// Reads all open changes.
    pub(crate) fn load_all(ws: &Workspace, ctx: &Context) -> Result<Vec<Self>> {
        let list = ws.store().changes(ctx)?;
        list.changes.into_iter().map(|entry| Self::read(ws, ctx, entry)).collect()
    }

    pub(crate) fn read(ws: &Workspace, ctx: &Context, entry: ChangeEntry) -> Result<Self> {
        let read = |name: &str| read_file(ws, ctx, entry.file(name));
        let flags = read(FLAGS)?.map(|doc| ChangeFlags::read(&doc.text, &[])).unwrap_or_default();
        let mut deltas = Vec::new();
        for file in &entry.files {
            let capability = file.strip_prefix(DELTAS).and_then(|rest| rest.strip_suffix(DELTA));
            let Some(capability) = capability.and_then(|name| SpecId::parse(name).ok()) else { continue };
            if let Some(document) = read(file)? {
                deltas.push(DeltaFile { capability, document });
            }
        }
        Ok(Self {
            proposal: read(PROPOSAL)?,
            tasks: read(TASKS)?,
            base: read(BASE)?,
            flags,
            deltas,
            entry,
        })
    }

    pub(crate) fn id(&self) -> &str {
        self.entry.id.as_str()
    }

    pub(crate) fn title(&self) -> String {
        let document = self.proposal.as_ref().map(|doc| Document::parse(&doc.text));
        change_title(self.id(), document.as_ref())
    }

    pub(crate) fn task_progress(&self) -> Progress {
        match &self.tasks {
            Some(doc) => TasksDoc::read(&Document::parse(&doc.text)).progress(),
            None => Progress { completed: 0, total: 0 },
        }
    }

    /// The bases that were recorded for this change; none where the record is missing or torn.
    pub(crate) fn base_record(&self) -> BaseRecord {
        self.base.as_ref().and_then(|doc| BaseRecord::from_json(&doc.text)).unwrap_or_default()
    }

    pub(crate) fn base_path(&self) -> RelPath {
        self.entry.folder.join(BASE).expect("a plain name stays inside")
    }
}

impl DeltaFile {
    /// The spec that the delta is for, as it stands now.
    pub(crate) fn current(&self, ws: &Workspace, ctx: &Context) -> Result<Option<Doc>> {
        Ok(ws.store().read(ctx, &DocKey::Spec(self.capability.clone()))?)
    }

    pub(crate) fn base<'b>(&self, record: &'b BaseRecord) -> Option<&'b CapabilityBase> {
        record.get(self.capability.as_str())
    }
}

pub(super) fn read_file(ws: &Workspace, ctx: &Context, path: Option<RelPath>) -> Result<Option<Doc>> {
    match path {
        Some(path) => Ok(ws.store().read(ctx, &DocKey::File(path))?),
        None => Ok(None),
    }
}
