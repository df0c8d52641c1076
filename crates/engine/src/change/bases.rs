//! The bases of changes: what is recorded, what git knows better, and when they are written down.
//!
//! A base is recorded by `change_create`, by the command `change validate` and, for all open changes, before any
//! archive; never by something that only reads. Where git knows a delta's first commit, the spec at that commit is
//! the better base, for readers too.

use std::collections::HashMap;

use hewto_core::change::{BaseRecord, CapabilityBase, Origin};
use hewto_core::delta::DeltaDoc;
use hewto_core::document::Document;
use hewto_store::{Context, DocKey, Expect, RelPath, Transaction};

use super::ChangeFolder;
use crate::error::Result;
use crate::history::FirstCommitQuery;
use crate::workspace::Workspace;

/// What becomes of bases that are known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Recording {
    /// They stay; what is missing is taken from the specs as they stand.
    #[default]
    Missing,
    /// The specs as they stand are the base, whatever is recorded: somebody has taken over what changed.
    Rebase,
}

/// The specs as they stood when deltas were first committed, as far as git knows and anybody needs it.
#[derive(Debug, Default)]
pub(crate) struct GitBases {
    /// By the path of the delta.
    specs: HashMap<RelPath, String>,
}

impl GitBases {
    /// Asks git about the deltas whose base could be better than what is recorded.
    pub(crate) fn find<'f>(
        ws: &Workspace,
        ctx: &Context,
        folders: impl IntoIterator<Item = &'f ChangeFolder>,
    ) -> Self {
        let mut files = Vec::new();
        for folder in folders {
            let record = folder.recorded_bases();
            let none = CapabilityBase::default();
            for delta in &folder.deltas {
                let document = Document::parse(&delta.document.text);
                let base = record.get(delta.capability.as_str()).unwrap_or(&none);
                if !base.could_be_better(&DeltaDoc::read(&document)) {
                    continue;
                }
                let owner = folder.owner(ws);
                if let Some(wanted) = ws.store().path(&DocKey::Spec(delta.capability.clone()), owner) {
                    files.push(FirstCommitQuery { file: delta.document.path.clone(), wanted });
                }
            }
        }
        let folders: Vec<RelPath> =
            ws.layout().change_roots().iter().map(|root| root.changes.clone()).collect();
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
        let knows = |delta: &super::DeltaFile| self.specs.contains_key(&delta.document.path);
        folder.base.is_none() && folder.deltas.iter().all(|delta| knows(delta) || !touches(delta))
    }
}

impl ChangeFolder {
    /// The bases of this change, as recorded or as git knows them better.
    pub(crate) fn bases(&self, written: &GitBases) -> BaseRecord {
        let mut record = self.recorded_bases();
        for delta in &self.deltas {
            if let Some(spec) = written.specs.get(&delta.document.path) {
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
        self.base.as_ref().and_then(|doc| BaseRecord::from_json(&doc.text)).unwrap_or_default()
    }
}

/// Records the base of a change, or of all open ones. The command `change validate` does this.
pub fn record_bases(ws: &Workspace, ctx: &Context, id: Option<&str>, recording: Recording) -> Result<()> {
    let load = || match id {
        Some(name) => Ok(vec![ChangeFolder::load(ws, ctx, name)?]),
        None => ChangeFolder::load_all(ws, ctx),
    };
    // Git may take seconds: it is asked before anybody has to wait for the lock.
    let written = GitBases::find(ws, ctx, &load()?);
    let lock = ws.store().lock(ctx)?;
    let folders = load()?;
    let mut transaction = Transaction::new();
    put_bases(ws, ctx, &folders, &written, recording, &mut transaction)?;
    lock.commit(ctx, transaction)?;
    Ok(())
}

/// Adds to a transaction the bases of whatever these changes touch.
pub(super) fn put_bases(
    ws: &Workspace,
    ctx: &Context,
    folders: &[ChangeFolder],
    written: &GitBases,
    recording: Recording,
    transaction: &mut Transaction,
) -> Result<()> {
    for folder in folders {
        ctx.check()?;
        if recording == Recording::Missing && written.knows_all_of(folder) {
            continue;
        }
        let record = folder.taken_bases(ws, ctx, written, recording)?;
        if record == folder.recorded_bases() {
            continue;
        }
        let expect = folder.base.as_ref().map_or(Expect::Absent, |doc| Expect::Hash(doc.hash));
        let put = |transaction: &mut Transaction| {
            transaction.put(DocKey::File(folder.base_path()), record.to_json(), expect);
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
