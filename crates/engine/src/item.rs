//! Work items as the use cases see them: what it is, where it stands, and how to save a new standing.
//!
//! A work item is a spec or a change. Its lifecycle is what its `state.toon` says. A spec's front matter may carry a
//! visible copy of it, which is written in the same commit (D-1). A state that cannot be read stops every use case
//! that needs it and is never replaced.

mod missing;

use hewto_core::change::change_title;
use hewto_core::document::Document;
use hewto_core::id::{ChangeId, SpecId, WorkItem, bare_change, bare_spec};
use hewto_core::lifecycle::Lifecycle;
use hewto_core::spec::{self, SpecEdit, SpecHead};
use hewto_core::state::WorkflowState;
use hewto_store::change_files::PROPOSAL;
use hewto_store::{Context, Doc, DocKey, Expect, Transaction, WriteGuard};
use serde_json::json;

use self::missing::change_named;
pub(crate) use self::missing::{change_meant, change_not_found, check_named, spec_not_found};
use crate::error::{Action, Error, Hint, Key, Kind, Result};
use crate::spec::living;
use crate::workspace::Workspace;

/// A work item as it stands now.
#[derive(Debug)]
pub(crate) struct Item {
    pub(crate) id: WorkItem,
    pub(crate) title: String,
    /// The document of a spec; a change has none of its own.
    spec: Option<SpecText>,
    state: StateFile,
}

/// The `spec.md` of a spec.
#[derive(Debug)]
pub(crate) struct SpecText {
    pub(crate) id: SpecId,
    pub(crate) document: Doc,
    pub(crate) head: SpecHead,
}

/// What stands in the place of `state.toon`.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "one is made for each call, and not kept")]
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

impl Item {
    /// Reads the spec or the change (`change:<id>`) that somebody named.
    pub(crate) fn load(ws: &Workspace, ctx: &Context, name: &str) -> Result<Self> {
        let (id, title, spec) = match item_named(name)? {
            WorkItem::Spec(spec_id) => {
                if let Some(spec) = SpecText::find(ws, ctx, &spec_id)? {
                    (WorkItem::Spec(spec_id), spec.title(), Some(spec))
                } else {
                    // Where no spec has the name, it means the change that has it, unless it says that it is a spec.
                    let change = change_named(ws, ctx, name)?.ok_or_else(|| spec_not_found(ws, ctx, name))?;
                    let title = title_of_change(ws, ctx, &change)?;
                    (WorkItem::Change(change), title, None)
                }
            }
            WorkItem::Change(change_id) => {
                let title = title_of_change(ws, ctx, &change_id)?;
                (WorkItem::Change(change_id), title, None)
            }
        };
        let state = match ws.store().read(ctx, &DocKey::State(id.clone()))? {
            None => StateFile::Absent,
            Some(doc) => {
                let state = WorkflowState::read(&doc.text)
                    .map_err(|diagnostic| Broken { line: diagnostic.line, message: diagnostic.message });
                StateFile::Present(doc, state)
            }
        };
        Ok(Self { id, title, spec, state })
    }

    /// The same for use cases that know specs only.
    pub(crate) fn load_spec(ws: &Workspace, ctx: &Context, name: &str) -> Result<(Self, SpecText)> {
        let mut item = Self::load(ws, ctx, name)?;
        if let Some(spec) = item.spec.take() {
            return Ok((item, spec));
        }
        let change = bare_change(name).into_owned();
        let hint = Hint::from(Action::UpdateChange { change: change.clone() })
            .text(", or ")
            .action(Action::ShowChange { change });
        Err(Error::invalid_argument("spec_id", "the id of a spec", format!("`{name}` is a change"))
            .hint(hint))
    }

    pub(crate) fn spec(&self) -> Option<&SpecText> {
        self.spec.as_ref()
    }

    /// Whether anybody has ever worked on it.
    pub(crate) fn has_state(&self) -> bool {
        matches!(self.state, StateFile::Present(..))
    }

    /// Where the item stands, or why nobody can tell.
    pub(crate) fn state(&self) -> Result<WorkflowState> {
        match &self.state {
            StateFile::Absent => Ok(WorkflowState::draft(&self.id.to_string(), "")),
            StateFile::Present(_, Ok(state)) => Ok(state.clone()),
            StateFile::Present(doc, Err(broken)) => Err(state_invalid(doc.path.as_str(), broken)),
        }
    }

    /// Where the item stands, for use cases that move it on.
    ///
    /// A living capability of another tool changes through a change, and never becomes work of its own.
    pub(crate) fn state_to_work_on(&self, ws: &Workspace) -> Result<WorkflowState> {
        if let Some(spec) = &self.spec
            && matches!(self.state, StateFile::Absent)
        {
            living::refuse(ws, spec)?;
        }
        self.state()
    }

    /// Adds a new standing to a transaction: `state.toon`, and the front matter's copy where there is one.
    pub(crate) fn put_state(&self, transaction: &mut Transaction, state: &WorkflowState) -> Result<()> {
        let expect = match &self.state {
            StateFile::Absent => Expect::Absent,
            StateFile::Present(doc, _) => Expect::Hash(doc.hash),
        };
        transaction.put(DocKey::State(self.id.clone()), state.render(), expect);
        match &self.spec {
            Some(spec) if spec.head.state.is_some_and(|shown| shown != state.lifecycle) => {
                let edit = SpecEdit { state: Some(state.lifecycle), ..SpecEdit::default() };
                spec.put_edited(transaction, &edit)
            }
            _ => Ok(()),
        }
    }

    /// Commits a new standing and nothing else.
    pub(crate) fn save_state(&self, ctx: &Context, lock: &WriteGuard, state: &WorkflowState) -> Result<()> {
        let mut transaction = Transaction::new();
        self.put_state(&mut transaction, state)?;
        lock.commit(ctx, transaction)?;
        Ok(())
    }
}

impl SpecText {
    /// Reads the spec that somebody named.
    pub(crate) fn load(ws: &Workspace, ctx: &Context, name: &str) -> Result<Self> {
        Self::find(ws, ctx, &parse_spec_id("spec_id", name)?)?.ok_or_else(|| spec_not_found(ws, ctx, name))
    }

    /// Reads a spec, if it is there.
    pub(crate) fn find(ws: &Workspace, ctx: &Context, id: &SpecId) -> Result<Option<Self>> {
        let Some(document) = ws.store().read(ctx, &DocKey::Spec(id.clone()))? else { return Ok(None) };
        let head = SpecHead::read(&document.text);
        Ok(Some(Self { id: id.clone(), document, head }))
    }

    pub(crate) fn title(&self) -> String {
        self.head.title.clone().unwrap_or_else(|| self.id.to_string())
    }

    /// Adds an edit of the document to a transaction.
    pub(crate) fn put_edited(&self, transaction: &mut Transaction, edit: &SpecEdit) -> Result<()> {
        let text = spec::edit_spec(&self.document.text, edit)
            .map_err(|error| Error::cannot_edit(self.document.path.as_str(), error))?;
        transaction.put(DocKey::Spec(self.id.clone()), text, Expect::Hash(self.document.hash));
        Ok(())
    }
}

/// Refuses to touch what is archived.
pub(crate) fn refuse_archived(name: &str, state: &WorkflowState) -> Result<()> {
    if state.lifecycle != Lifecycle::Archived {
        return Ok(());
    }
    Err(Error::new(Kind::Refused, Key::SpecArchived, format!("`{name}` is archived and stays as it is"))
        .detail("spec_id", name)
        .detail("valid_transitions", json!([]))
        .hint("create a new spec that takes it up again"))
}

/// The spec or change that a name says, in any of the forms that names have.
pub(crate) fn item_named(name: &str) -> Result<WorkItem> {
    let id = if name.starts_with("change:") {
        ChangeId::parse(&bare_change(name)).map(WorkItem::Change)
    } else {
        SpecId::parse(&bare_spec(name)).map(WorkItem::Spec)
    };
    id.map_err(|error| Error::invalid_id("spec_id", name, error))
}

pub(crate) fn parse_spec_id(field: &str, name: &str) -> Result<SpecId> {
    SpecId::parse(&bare_spec(name)).map_err(|error| Error::invalid_id(field, name, error))
}

pub(crate) fn parse_change_id(name: &str) -> Result<ChangeId> {
    // Where only changes are meant, their prefix is welcome and not needed.
    ChangeId::parse(&bare_change(name)).map_err(|error| {
        Error::invalid_argument(
            "change_id",
            "the id of a change",
            format!("`{}` is not an id: {error}", name.escape_debug()),
        )
        .hint(Action::ListChanges.to("see the ids"))
    })
}

fn title_of_change(ws: &Workspace, ctx: &Context, id: &ChangeId) -> Result<String> {
    let entry = ws.store().change(ctx, id)?.ok_or_else(|| change_not_found(ws, ctx, id))?;
    let proposal = match entry.file(PROPOSAL) {
        Some(key) => ws.store().read(ctx, &key)?,
        None => None,
    };
    let document = proposal.as_ref().map(|doc| Document::parse(&doc.text));
    Ok(change_title(id.as_str(), document.as_ref()))
}

fn state_invalid(path: &str, broken: &Broken) -> Error {
    Error::new(
        Kind::Refused,
        Key::StateInvalid,
        format!("cannot read the state at line {}: `{path}`: {}", broken.line, broken.message),
    )
    .detail("file", path)
    .detail("line", broken.line)
    .hint(
        Hint::from("correct the file by hand, or ")
            .action(Action::ValidateAndFix)
            .text(", which sets it aside and rebuilds it"),
    )
}
