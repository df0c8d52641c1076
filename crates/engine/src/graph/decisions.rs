//! Decisions, the current task and what follows from decisions, as far as the graph needs them. A file is read again
//! only when it changed.

use std::collections::HashMap;
use std::sync::Arc;

use hewto_core::decision::link::decision_of;
use hewto_core::decision::record::{Adr, Task};
use hewto_core::decision::uid::{Uid, record_id};
use hewto_core::import::adr_brief;
use hewto_store::change_files::PROPOSAL;
use hewto_store::{ChangeEntry, ChangeList, Context, DocKey, Own, ReadError, Stamp};

use crate::error::Result;
use crate::workspace::Workspace;

/// What stands in the folder of decisions, the current task, and what the proposals of changes name.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Records {
    pub(super) decisions: Vec<Arc<Record>>,
    pub(super) task: Option<CurrentTask>,
    proposals: HashMap<DocKey, Proposal>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Proposal {
    stamp: Stamp,
    decision: Option<Uid>,
}

/// One decision; of a record of another tool only the title is known.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Record {
    stamp: Stamp,
    pub(super) path: String,
    /// The UID, else the name of the file.
    pub(super) slug: String,
    pub(super) title: Option<String>,
    /// The records it was written after.
    pub(super) previous: Vec<String>,
    /// The records whose fields it decided anew.
    pub(super) supersedes: Vec<String>,
    pub(super) fault: Option<String>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct CurrentTask {
    pub(super) path: &'static str,
    pub(super) title: String,
    pub(super) related_adr: Option<String>,
    pub(super) fault: Option<String>,
}

impl Records {
    pub(super) fn read(
        ws: &Workspace,
        ctx: &Context,
        changes: &ChangeList,
        known: Option<&Self>,
    ) -> Result<Self> {
        let folder = &ws.places().decisions;
        let before: HashMap<&str, &Arc<Record>> = known
            .iter()
            .flat_map(|known| &known.decisions)
            .map(|record| (record.path.as_str(), record))
            .collect();
        let mut decisions = Vec::new();
        for (name, stamp) in ws.store().stamped_files(ctx, folder)? {
            let Some((slug, key)) = record_id(&name).zip(folder.document(&name).ok()) else { continue };
            decisions.push(match before.get(key.to_string().as_str()) {
                Some(record) if record.stamp == stamp => Arc::clone(record),
                _ => Arc::new(Record::read(ws, ctx, (slug, &name), &key, stamp)?),
            });
        }
        let mut proposals = HashMap::new();
        for key in changes.changes.iter().filter_map(proposal) {
            let Some(stamp) = ws.store().stamp(ctx, &key)? else { continue };
            let before = known.and_then(|known| known.proposals.get(&key));
            let proposal = if let Some(same) = before.filter(|before| before.stamp == stamp) {
                same.clone()
            } else {
                let text = text(ws, ctx, &key)?.unwrap_or_default();
                Proposal { stamp, decision: text.as_deref().and_then(decision_of) }
            };
            proposals.insert(key, proposal);
        }
        Ok(Self { decisions, task: CurrentTask::read(ws, ctx)?, proposals })
    }

    /// The decision that a change follows from.
    pub(super) fn of_change(&self, entry: &ChangeEntry) -> Option<&Uid> {
        self.proposals.get(&proposal(entry)?)?.decision.as_ref()
    }
}

/// The document that a change is known by.
pub(super) fn proposal(entry: &ChangeEntry) -> Option<DocKey> {
    entry.file(PROPOSAL)
}

impl Record {
    fn read(
        ws: &Workspace,
        ctx: &Context,
        (slug, name): (String, &str),
        key: &DocKey,
        stamp: Stamp,
    ) -> Result<Self> {
        ctx.check()?;
        let is_foreign = Uid::of_file_name(name).is_none();
        let mut record = Self {
            stamp,
            slug,
            title: None,
            previous: Vec::new(),
            supersedes: Vec::new(),
            fault: None,
            path: key.to_string(),
        };
        match text(ws, ctx, key)? {
            Ok(None) => {}
            Ok(Some(text)) if is_foreign => {
                record.title = Some(adr_brief(record.path.as_str(), &text).title);
            }
            Ok(Some(text)) => match Adr::read(&text) {
                Ok(adr) => {
                    let older = adr.previous.iter().chain(&adr.merged);
                    record.previous = older.map(ToString::to_string).collect();
                    record.supersedes = adr.superseded().iter().map(ToString::to_string).collect();
                    record.title = Some(adr.title);
                }
                Err(fault) => record.fault = Some(fault.to_string()),
            },
            Err(fault) => record.fault = Some(fault),
        }
        Ok(record)
    }
}

impl CurrentTask {
    fn read(ws: &Workspace, ctx: &Context) -> Result<Option<Self>> {
        let (key, path) = (DocKey::Own(Own::CurrentTask), Own::CurrentTask.path());
        let broken = |fault| Self { path, title: String::new(), related_adr: None, fault: Some(fault) };
        Ok(match text(ws, ctx, &key)? {
            Ok(None) => None,
            Ok(Some(text)) => Some(match Task::read(&text) {
                Ok(task) => Self {
                    path,
                    title: task.title,
                    related_adr: task.related_adr.map(|uid| uid.to_string()),
                    fault: None,
                },
                Err(fault) => broken(fault.to_string()),
            }),
            Err(fault) => Some(broken(fault)),
        })
    }
}

/// The text of a document, or what keeps it from being read: one bad file must not hide the graph (D-9).
fn text(ws: &Workspace, ctx: &Context, key: &DocKey) -> Result<Result<Option<String>, String>> {
    match ws.store().read(ctx, key) {
        Ok(doc) => Ok(Ok(doc.map(|doc| doc.text))),
        Err(error @ (ReadError::NotUtf8 { .. } | ReadError::File(_))) => Ok(Err(error.to_string())),
        Err(error) => Err(error.into()),
    }
}
