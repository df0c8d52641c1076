//! The end of a clarification: everything is written in one commit, or nothing (D-8).
//!
//! The old task is archived under its own UID, the record is created and never touched again, the state is
//! projected anew, and the task comes last.

use hewto_core::decision::architecture::Snapshot;
use hewto_core::decision::compose::{DecisionInputs, Documents, compose, summary};
use hewto_core::decision::interview::Outcome;
use hewto_core::decision::record::AgentPrompt;
use hewto_core::decision::scenario::is_own;
use hewto_core::decision::uid::Uid;
use hewto_store::{Context, DocKey, Expect, Own, ReadError, Transaction};
use serde_json::json;

use super::failure;
use super::pending;
use super::records::{Current, Records, current_task, greatest_uid};
use super::repository::Repository;
use crate::error::{Error, Result};
use crate::view::ArtifactCreated;

/// Which documents the end of a clarification writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Writes {
    /// Record, state and task.
    Decision,
    /// The prompt for an agent too; the command line's alone (seed 003, 1.3).
    DecisionAndPrompt,
}

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Done {
    pub(super) adr: Option<(String, Uid)>,
    pub(super) task: String,
    pub(super) state: Option<String>,
    /// The path of the prompt's page, unless a page of somebody's own stands there, and the prompt itself.
    pub(super) prompt: Option<(Option<String>, String)>,
    pub(super) summary: String,
    /// How one knows that it is done, as far as somebody said so, and what it is called.
    pub(super) criteria: Vec<String>,
    pub(super) title: String,
}

impl Done {
    /// The seed's list, in the seed's order.
    pub(super) fn artifacts(&self) -> Vec<ArtifactCreated> {
        let artifact = |path: &str, kind: &str, uid: Option<&Uid>| ArtifactCreated {
            path: path.to_owned(),
            kind: kind.to_owned(),
            uid: uid.map(Uid::to_string),
        };
        let adr = self.adr.iter().map(|(path, uid)| artifact(path, "adr", Some(uid)));
        let task = std::iter::once(artifact(&self.task, "task", None));
        let state = self.state.iter().map(|path| artifact(path, "projection", None));
        adr.chain(task).chain(state).collect()
    }
}

/// Decides under the lock, on what the repository says now, and commits.
pub(super) fn complete(
    repository: &Repository,
    ctx: &Context,
    writes: Writes,
    decide: impl FnOnce(&Snapshot) -> Result<Outcome>,
) -> Result<Done> {
    let ws = pending::foreseen(repository, ctx);
    let (lock, ref repository) = repository.lock(ctx)?;
    let places = repository.places();
    let records = Records::read(repository, ctx)?;
    require_complete(&records)?;
    let current = current_task(repository, ctx)?;
    let outcome = decide(&records.architecture.snapshot)?;

    let greatest = greatest_uid(repository, ctx, &records, current.as_ref())?;
    let (adr_uid, task_uid) = two_uids(ctx, greatest.as_ref())?;
    let inputs = DecisionInputs {
        architecture: &records.architecture,
        previous_file: records.latest_file(),
        adr_uid,
        task_uid,
        supersedes: None,
        created: ctx.now_rfc3339(),
    };
    let Documents { adr, state, task } = compose(&outcome, &inputs);
    if adr.is_some()
        && let Some(waiting) = pending::ask(ws.as_ref(), ctx, &outcome)?
    {
        drop(lock);
        return Err(waiting.put(ctx)?);
    }

    let mut transaction = Transaction::new();
    if let Some(current) = &current {
        archive(repository, ctx, current, &mut transaction)?;
    }
    let adr_key = adr
        .as_ref()
        .map(|adr| places.decisions.document(&adr.file_name()))
        .transpose()
        .map_err(|error| no_path(&error))?;
    if let (Some(adr), Some(key)) = (&adr, &adr_key) {
        pending::spend(ws.as_ref(), ctx, &outcome, &adr.uid, &mut transaction)?;
        transaction.put(key.clone(), adr.render(), Expect::Absent);
    }
    if let Some(state) = &state {
        transaction.put(DocKey::Own(Own::ArchitectureState), state.render(), Expect::Any);
    }
    let prompt = AgentPrompt {
        state: state.as_ref().map(|_| Own::ArchitectureState.path().to_owned()),
        task: Own::CurrentTask.path().to_owned(),
        adr: adr_key.as_ref().map(ToString::to_string),
    };
    let page = match writes {
        Writes::DecisionAndPrompt => page_of_prompt(repository, ctx)?,
        Writes::Decision => None,
    };
    if let Some(expect) = page {
        transaction.put(DocKey::Own(Own::AgentPrompt), prompt.render(), expect);
    }
    let expected = current.as_ref().map_or(Expect::Absent, |current| Expect::Hash(current.doc.hash));
    transaction.put(DocKey::Own(Own::CurrentTask), task.render(), expected);
    lock.commit(ctx, transaction).map_err(failure::uncommitted)?;
    Ok(Done {
        adr: adr_key.zip(adr).map(|(path, adr)| (path.to_string(), adr.uid)),
        task: Own::CurrentTask.path().to_owned(),
        state: state.map(|_| Own::ArchitectureState.path().to_owned()),
        prompt: (writes == Writes::DecisionAndPrompt)
            .then(|| (page.map(|_| Own::AgentPrompt.path().to_owned()), prompt.prompt())),
        summary: summary(&outcome),
        criteria: outcome.criteria.iter().filter(|one| is_own(one, &outcome.title)).cloned().collect(),
        title: outcome.title.clone(),
    })
}

/// What has to stand in the place of the prompt's page; `None` when it is a page of somebody's own, which stays.
fn page_of_prompt(repository: &Repository, ctx: &Context) -> Result<Option<Expect>> {
    let key = DocKey::Own(Own::AgentPrompt);
    Ok(match repository.store().read(ctx, &key) {
        Ok(None) => Some(Expect::Absent),
        Ok(Some(doc)) => AgentPrompt::is_own(&doc.text).then_some(Expect::Hash(doc.hash)),
        Err(ReadError::NotUtf8 { .. } | ReadError::File(_)) => None,
        Err(error) => return Err(error.into()),
    })
}

/// A record that lost what its own predecessors had decided is somebody's mistake, and not to be built upon.
pub(super) fn require_complete(records: &Records) -> Result<()> {
    let dropped = &records.architecture.dropped_keys;
    if dropped.is_empty() {
        return Ok(());
    }
    Err(failure::validation_failed("DROPPED_KEYS", "ADR snapshot validation failed")
        .detail("missing_keys", json!(dropped))
        .hint("Review the previous ADR: it lost what an earlier one decided; restore it from git and retry"))
}

/// Two UIDs above everything the repository knows, the second above the first.
pub(super) fn two_uids(ctx: &Context, greatest: Option<&Uid>) -> Result<(Uid, Uid)> {
    let chance = || {
        let bytes = ctx.uuid().into_bytes();
        u16::from_be_bytes([bytes[14], bytes[15]])
    };
    let mint = |above: Option<&Uid>| {
        Uid::mint(ctx.now(), chance(), above).ok_or_else(|| {
            failure::validation_failed("INVALID_UID_FORMAT", "there is no UID above the last one")
                .hint("find the decision record that is named by the end of the calendar, `99991231…`, and move it away")
        })
    };
    let first = mint(greatest)?;
    let second = mint(Some(&first))?;
    Ok((first, second))
}

/// Copies the task that is about to be replaced, byte for byte, under its own UID.
fn archive(
    repository: &Repository,
    ctx: &Context,
    current: &Current,
    transaction: &mut Transaction,
) -> Result<()> {
    let folder = &repository.places().task_archive;
    let key = folder.document(&current.task.file_name()).map_err(|error| no_path(&error))?;
    let there = repository.read(ctx, &key)?;
    // Two branches may have archived the same task.
    if there.is_some_and(|doc| doc.hash == current.doc.hash) {
        return Ok(());
    }
    transaction.put(key, current.doc.text.as_str(), Expect::Absent);
    Ok(())
}

fn no_path(error: &hewto_store::NotInside) -> Error {
    failure::validation_failed("INVALID_PATH", error.to_string())
}
