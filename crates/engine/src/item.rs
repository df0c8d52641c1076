//! Work items as the workflow use cases see them: what it is, where it stands, and how to save a new standing.
//!
//! The lifecycle is what `state.toon` says. A spec's front matter may carry a visible copy of it, which is written
//! in the same commit (D-1). A state that cannot be read stops every use case that needs it and is never replaced.

use hewto_core::id::{SpecId, WorkItem};
use hewto_core::lifecycle::Lifecycle;
use hewto_core::near;
use hewto_core::spec::{self, SpecEdit, SpecHead};
use hewto_core::state::WorkflowState;
use hewto_store::{Context, Doc, DocKey, Expect, Transaction, WriteGuard};

use crate::error::{Error, Kind, Result};
use crate::workspace::Workspace;

/// How many near names an error offers.
const NEAR: usize = 3;

/// A spec with its documents as they stand now.
#[derive(Debug)]
pub(crate) struct SpecItem {
    pub(crate) id: SpecId,
    pub(crate) document: Doc,
    pub(crate) head: SpecHead,
    state: StateFile,
}

/// What stands in the place of `state.toon`.
#[derive(Debug)]
enum StateFile {
    Absent,
    Present(Doc, Result<WorkflowState, Broken>),
}

/// Where and why a state cannot be read.
#[derive(Debug, Clone)]
struct Broken {
    line: usize,
    message: String,
}

impl SpecItem {
    /// Reads the spec that somebody named.
    pub(crate) fn load(ws: &Workspace, ctx: &Context, name: &str) -> Result<Self> {
        let id = parse_id("spec_id", name)?;
        Self::find(ws, ctx, &id)?.ok_or_else(|| not_found(ws, ctx, name))
    }

    /// Reads a spec, if it is there.
    pub(crate) fn find(ws: &Workspace, ctx: &Context, id: &SpecId) -> Result<Option<Self>> {
        let Some(document) = ws.store().read(ctx, &DocKey::Spec(id.clone()))? else { return Ok(None) };
        let head = SpecHead::read(&document.text);
        let state = match ws.store().read(ctx, &DocKey::State(WorkItem::Spec(id.clone())))? {
            None => StateFile::Absent,
            Some(doc) => {
                let state = WorkflowState::read(&doc.text)
                    .map_err(|diagnostic| Broken { line: diagnostic.line, message: diagnostic.message });
                StateFile::Present(doc, state)
            }
        };
        Ok(Some(Self { id: id.clone(), document, head, state }))
    }

    pub(crate) fn title(&self) -> String {
        self.head.title.clone().unwrap_or_else(|| self.id.to_string())
    }

    /// Where the spec stands, or why nobody can tell.
    pub(crate) fn state(&self) -> Result<WorkflowState> {
        match &self.state {
            StateFile::Absent => Ok(WorkflowState::draft(self.id.as_str(), "")),
            StateFile::Present(_, Ok(state)) => Ok(state.clone()),
            StateFile::Present(doc, Err(broken)) => Err(state_invalid(doc.path.as_str(), broken)),
        }
    }

    /// Where the spec stands, for use cases that move it on.
    ///
    /// A spec without a state in another tool's root is a living capability; work on it goes through a change.
    pub(crate) fn state_to_work_on(&self, ws: &Workspace) -> Result<WorkflowState> {
        if matches!(self.state, StateFile::Absent) && ws.is_living_capability(&self.document.path) {
            return Err(Error::validation(format!("`{}` is a living capability, not a work item", self.id))
                .detail("spec_id", self.id.as_str())
                .hint("propose a change to it and work on the change"));
        }
        self.state()
    }

    /// Adds a new standing to a transaction: `state.toon`, and the front matter's copy where there is one.
    pub(crate) fn put_state(&self, transaction: &mut Transaction, state: &WorkflowState) -> Result<()> {
        let expect = match &self.state {
            StateFile::Absent => Expect::Absent,
            StateFile::Present(doc, _) => Expect::Hash(doc.hash),
        };
        transaction.put(DocKey::State(WorkItem::Spec(self.id.clone())), state.render(), expect);
        if self.head.state.is_none_or(|shown| shown == state.lifecycle) {
            return Ok(());
        }
        let edit = SpecEdit { state: Some(state.lifecycle), ..SpecEdit::default() };
        let text = spec::edit_spec(&self.document.text, &edit)
            .map_err(|error| Error::cannot_edit(self.document.path.as_str(), error))?;
        transaction.put(DocKey::Spec(self.id.clone()), text, Expect::Hash(self.document.hash));
        Ok(())
    }

    /// Commits a new standing and nothing else.
    pub(crate) fn save_state(&self, ctx: &Context, lock: &WriteGuard<'_>, state: &WorkflowState) -> Result<()> {
        let mut transaction = Transaction::new();
        self.put_state(&mut transaction, state)?;
        lock.commit(ctx, transaction)?;
        Ok(())
    }
}

/// Refuses to touch what is archived.
pub(crate) fn refuse_archived(name: &str, state: &WorkflowState) -> Result<()> {
    if state.lifecycle != Lifecycle::Archived {
        return Ok(());
    }
    Err(Error::new(Kind::Refused, "spec_archived", Some(-32003), format!("`{name}` is archived and stays as it is"))
        .detail("spec_id", name)
        .detail("valid_transitions", serde_json::json!([]))
        .hint("create a new spec that takes it up again"))
}

pub(crate) fn parse_id(field: &str, name: &str) -> Result<SpecId> {
    SpecId::parse(name).map_err(|error| Error::invalid_id(field, name, error))
}

pub(crate) fn not_found(ws: &Workspace, ctx: &Context, name: &str) -> Error {
    let near = ws
        .store()
        .snapshot(ctx)
        .map(|snapshot| near::near(name, snapshot.specs.iter().map(|entry| entry.id.as_str()), NEAR))
        .unwrap_or_default();
    Error::spec_not_found(name, &near)
}

fn state_invalid(path: &str, broken: &Broken) -> Error {
    Error::new(
        Kind::Refused,
        "state_invalid",
        Some(-32005),
        format!("cannot read the state at line {}: `{path}`: {}", broken.line, broken.message),
    )
    .detail("file", path)
    .detail("line", broken.line)
    .hint("mend the file by hand, or run `hewto validate --fix` to set it aside and rebuild it")
}
