//! The bases of changes: what is recorded, what git knows better, and when they are written down.
//!
//! A base is recorded by `change_create`, by the command `change validate` and, for all open changes, before any
//! archive; never by something that only reads. Where git knows a delta's first commit, the spec at that commit is
//! the better base, for readers too.
//!
//! In a git repository the record stays with the machine: once the delta is committed, history has the base. Only where an
//! archive moves a requirement under a delta that nobody has committed yet, and one commit may take in both, it lies
//! beside the delta, for others to have.

use std::collections::{BTreeMap, HashMap};

use hewto_core::change::{BaseRecord, CapabilityBase, Origin};
use hewto_core::delta::DeltaDoc;
use hewto_core::document::Document;
use hewto_store::{Context, DocKey, Expect, LocalKey, Transaction};
use serde::Deserialize;

use super::ChangeFolder;
use crate::claim;
use crate::error::Result;
use crate::history::FirstCommitQuery;
use crate::workspace::Workspace;

/// What becomes of bases that are known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(from = "bool")]
pub enum Recording {
    /// They stay; what is missing is taken from the specs as they stand.
    #[default]
    Missing,
    /// The specs as they stand are the base, whatever is recorded: somebody has taken over what changed.
    Rebase,
}

impl From<bool> for Recording {
    fn from(rebase: bool) -> Self {
        if rebase { Self::Rebase } else { Self::Missing }
    }
}

/// The specs as they stood when deltas were first committed, as far as git knows and anybody needs it.
#[derive(Debug, Default)]
pub(crate) struct GitBases {
    /// By the path of the delta.
    specs: HashMap<String, String>,
}

impl GitBases {
    /// Asks git about the deltas whose base could be better than what is recorded.
    pub(crate) fn find<'f>(
        ws: &Workspace,
        ctx: &Context,
        folders: impl IntoIterator<Item = &'f ChangeFolder>,
    ) -> Self {
        Self::ask(ws, ctx, folders, ChangeFolder::recorded_bases)
    }

    /// The same, for whoever would have to write down what the machine alone keeps: nothing of it that history has.
    pub(super) fn find_beyond_the_machine<'f>(
        ws: &Workspace,
        ctx: &Context,
        folders: impl IntoIterator<Item = &'f ChangeFolder>,
    ) -> Self {
        Self::ask(ws, ctx, folders, ChangeFolder::written_bases)
    }

    fn ask<'f>(
        ws: &Workspace,
        ctx: &Context,
        folders: impl IntoIterator<Item = &'f ChangeFolder>,
        known: impl Fn(&ChangeFolder) -> BaseRecord,
    ) -> Self {
        let mut files = Vec::new();
        for folder in folders {
            let record = known(folder);
            let none = CapabilityBase::default();
            for delta in &folder.deltas {
                let document = Document::parse(&delta.document.text);
                let base = record.get(delta.capability.as_str()).unwrap_or(&none);
                if !base.could_be_better(&DeltaDoc::read(&document)) {
                    continue;
                }
                let owner = folder.owner();
                if let Some(wanted) = ws.store().path(&DocKey::Spec(delta.capability.clone()), owner) {
                    files.push(FirstCommitQuery {
                        file: delta.document.path.to_string(),
                        wanted: wanted.to_string(),
                    });
                }
            }
        }
        let roots = ws.layout().change_roots().iter();
        let folders: Vec<String> = roots.map(|root| root.changes.to_string()).collect();
        Self { specs: ws.git().texts_at_first_commit(ctx, ws.root(), &files, &folders) }
    }
}

impl GitBases {
    /// Whether git has the base of everything that a change touches, so that nothing has to be kept for it.
    fn knows_all_of(&self, folder: &ChangeFolder) -> bool {
        let touches = |delta: &super::DeltaFile| {
            let document = Document::parse(&delta.document.text);
            CapabilityBase::default().could_be_better(&DeltaDoc::read(&document))
        };
        let kept = folder.kept.clone().unwrap_or_default();
        let knows = |delta: &super::DeltaFile| {
            let Some(spec) = self.specs.get(delta.document.path.as_str()) else { return false };
            let Some(kept) = kept.get(delta.capability.as_str()) else { return true };
            let document = Document::parse(&delta.document.text);
            is_same(kept, &CapabilityBase::take(&DeltaDoc::read(&document), Some(spec), Origin::Written))
        };
        folder.base.is_none() && folder.deltas.iter().all(|delta| knows(delta) || !touches(delta))
    }
}

/// Whether the requirements of one base read the same in another.
fn is_same(base: &CapabilityBase, other: &CapabilityBase) -> bool {
    let reads = |name: &str| other.requirements.get(name).map(|base| base.text.as_str());
    base.requirements.iter().all(|(name, base)| reads(name) == Some(base.text.as_str()))
}

/// The base that the machine keeps of a change.
pub(super) fn kept(ws: &Workspace, id: &str) -> Option<BaseRecord> {
    let bytes = ws.store().machine().read_local(&LocalKey::Base(id.to_owned())).ok()??;
    BaseRecord::from_json(std::str::from_utf8(&bytes).ok()?)
}

/// Keeps the base of a change on this machine. Says whether that could be done.
pub(super) fn keep(ws: &Workspace, id: &str, record: &BaseRecord) -> bool {
    if record.capabilities.is_empty() {
        forget(ws, id);
        return true;
    }
    ws.store().machine().write_local(&LocalKey::Base(id.to_owned()), record.to_json().as_bytes()).is_ok()
}

/// Forgets the base of a change that is over. One that stays is found by nobody, but for a change of the same name.
pub(super) fn forget(ws: &Workspace, id: &str) {
    let _ = ws.store().machine().remove_local(&LocalKey::Base(id.to_owned()));
}

/// Whether the workspace is in a git repository that has a commit, so that history will know what deltas were written
/// against.
pub(super) fn is_in_git(ws: &Workspace, ctx: &Context) -> bool {
    ws.git().head(ctx, ws.root()).is_some()
}

/// How bases are put down.
#[derive(Debug, Default)]
pub(super) struct Keeping {
    pub(super) recording: Recording,
    pub(super) in_git: bool,
    /// The specs that move in the same commit, by capability; nothing where one goes.
    pub(super) moved: BTreeMap<String, Option<String>>,
}

impl Keeping {
    /// Whether the record can stay with the machine: it says what the specs say after this commit, too.
    fn is_local(&self, folder: &ChangeFolder, record: &BaseRecord) -> bool {
        let stands = |delta: &super::DeltaFile| {
            let capability = delta.capability.as_str();
            let (Some(base), Some(text)) = (record.get(capability), self.moved.get(capability)) else {
                return true;
            };
            let document = Document::parse(&delta.document.text);
            let after = CapabilityBase::take(&DeltaDoc::read(&document), text.as_deref(), Origin::Written);
            is_same(base, &after)
        };
        self.in_git
            && self.recording == Recording::Missing
            && folder.base.is_none()
            && folder.deltas.iter().all(stands)
    }
}

impl ChangeFolder {
    /// The bases of this change, as recorded or as git knows them better.
    pub(crate) fn bases(&self, written: &GitBases) -> BaseRecord {
        let mut record = self.recorded_bases();
        for delta in &self.deltas {
            if let Some(spec) = written.specs.get(delta.document.path.as_str()) {
                let document = Document::parse(&delta.document.text);
                let read = DeltaDoc::read(&document);
                record.record(delta.capability.as_str(), &read, Some(spec), Origin::Written);
            }
        }
        record
    }

    /// The bases of this change once those that are missing, or all of them, have been taken from the specs.
    pub(super) fn taken_bases(
        &self,
        ws: &Workspace,
        ctx: &Context,
        written: &GitBases,
        recording: Recording,
    ) -> Result<BaseRecord> {
        let origin = match recording {
            Recording::Missing => Origin::Observed,
            Recording::Rebase => Origin::Rebased,
        };
        let mut record = self.bases(written);
        record.retain(|capability| self.deltas.iter().any(|delta| delta.capability.as_str() == capability));
        for delta in &self.deltas {
            // Of a spec that cannot be read nothing is taken.
            let Ok(current) = delta.target(ws, ctx)? else { continue };
            let document = Document::parse(&delta.document.text);
            let text = current.as_ref().map(|doc| doc.text.as_str());
            record.record(delta.capability.as_str(), &DeltaDoc::read(&document), text, origin);
        }
        Ok(record)
    }

    /// The bases that were recorded for this change; none where the record is missing or torn.
    pub(super) fn recorded_bases(&self) -> BaseRecord {
        match &self.base {
            Some(_) => self.written_bases(),
            None => self.kept.clone().unwrap_or_default(),
        }
    }

    /// Those that lie beside its deltas, for others to have.
    fn written_bases(&self) -> BaseRecord {
        self.base.as_ref().and_then(|doc| BaseRecord::from_json(&doc.text)).unwrap_or_default()
    }
}

/// Records the base of a change, or of all open ones. The command `change validate` does this.
pub fn record_bases(ws: &Workspace, ctx: &Context, id: Option<&str>, recording: Recording) -> Result<()> {
    let load = |ws: &Workspace| match id {
        Some(name) => Ok(vec![ChangeFolder::load(ws, ctx, name)?]),
        None => ChangeFolder::load_all(ws, ctx),
    };
    // Git may take seconds: it is asked before anybody has to wait for the lock.
    let written = GitBases::find(ws, ctx, &load(ws)?);
    let keeping = Keeping { recording, in_git: is_in_git(ws, ctx), ..Keeping::default() };
    let (mut lock, ref ws) = claim::lock_for_all(ws, ctx)?;
    let mut folders = load(ws)?;
    folders.retain(|folder| lock.may_write(ws, ctx, &format!("change:{}", folder.id())));
    let mut transaction = Transaction::new();
    put_bases(ws, ctx, &folders, &written, &keeping, &mut transaction)?;
    lock.commit(ctx, transaction)?;
    Ok(())
}

/// Adds to a transaction the bases of whatever these changes touch.
pub(super) fn put_bases(
    ws: &Workspace,
    ctx: &Context,
    folders: &[ChangeFolder],
    written: &GitBases,
    keeping: &Keeping,
    transaction: &mut Transaction,
) -> Result<()> {
    for folder in folders {
        ctx.check()?;
        if keeping.recording == Recording::Missing && written.knows_all_of(folder) {
            continue;
        }
        let record = folder.taken_bases(ws, ctx, written, keeping.recording)?;
        let is_local = keeping.is_local(folder, &record);
        let is_known = record == folder.recorded_bases();
        if record.capabilities.is_empty() && folder.base.is_none() && folder.kept.is_none() {
            continue;
        }
        if is_known && (is_local || folder.base.is_some()) || is_local && keep(ws, folder.id(), &record) {
            continue;
        }
        let expect = folder.base.as_ref().map_or(Expect::Absent, |doc| Expect::Hash(doc.hash));
        let put = |transaction: &mut Transaction| {
            transaction.put(folder.base_key(), record.to_json(), expect);
        };
        let mut alone = Transaction::new();
        put(&mut alone);
        // A record that cannot be written keeps nothing else from being written: the change has no base then.
        if ws.store().rehearse(ctx, alone).is_ok() {
            put(transaction);
        }
    }
    Ok(())
}
