//! `validate --fix`: mends what needs no judgement, and reports what is left.
//!
//! A state that cannot be read is set aside under another name before a new one takes its place, so nothing that
//! was there is lost. Whatever a person has to decide stays as it is.

use std::collections::BTreeMap;

use hewto_core::check::{Edit, Issue, apply_edits};
use hewto_core::id::WorkItem;
use hewto_core::lifecycle::{Lifecycle, Phase};
use hewto_core::spec::{self, SpecEdit};
use hewto_core::state::WorkflowState;
use hewto_store::{Context, Doc, DocKey, Expect, LayoutKind, SpecEntry, StateRead, Transaction, WriteGuard};

use super::{Strictness, change, validate, verdict};
use crate::change::{ChangeFolder, GitBases};
use crate::claim;
use crate::error::{Error, Result};
use crate::view::ReportView;
use crate::workspace::Workspace;

/// How many names are tried for a file that is set aside.
const MOST_SET_ASIDE: usize = 1000;

/// Mends what can be mended, then looks at everything.
pub fn fix(ws: &Workspace, ctx: &Context, strictness: Strictness) -> Result<ReportView> {
    let fixed = mend(ws, ctx)?;
    Ok(ReportView { fixed, ..validate(ws, ctx, strictness)? })
}

fn mend(ws: &Workspace, ctx: &Context) -> Result<Vec<String>> {
    // Git may take seconds: it is asked before anybody has to wait for the lock.
    let written = GitBases::find(ws, ctx, &ChangeFolder::load_all(ws, ctx)?);
    let (mut lock, ref ws) = claim::lock_for_all(ws, ctx)?;
    let mut fixed = Vec::new();
    for folder in ws.store().missing_folders() {
        lock.create_folder(&folder)?;
        fixed.push(format!("created `{folder}/`"));
    }
    for entry in &ws.store().snapshot(ctx)?.specs {
        ctx.check()?;
        if !lock.may_write(ws, ctx, entry.id.as_str()) {
            continue;
        }
        match &entry.state {
            StateRead::Broken(_) => {
                let item = WorkItem::Spec(entry.id.clone());
                fixed.push(rebuild_state(ws, ctx, &lock, &item, from_scratch(entry))?);
            }
            StateRead::Valid(state) if entry.head.state.is_some_and(|shown| shown != state.lifecycle) => {
                fixed.push(correct_copy(ws, ctx, &lock, entry, state.lifecycle)?);
            }
            StateRead::Absent if entry.head.state.is_some_and(|shown| shown != Lifecycle::Draft) => {
                fixed.push(correct_copy(ws, ctx, &lock, entry, Lifecycle::Draft)?);
            }
            StateRead::Absent | StateRead::Valid(_) => {}
        }
        fixed.extend(mend_spec(ws, ctx, &lock, entry)?);
    }
    let folders = ChangeFolder::load_all(ws, ctx)?;
    for folder in &folders {
        ctx.check()?;
        if !lock.may_write(ws, ctx, &format!("change:{}", folder.id())) {
            continue;
        }
        fixed.extend(mend_state(ws, ctx, &lock, folder)?);
        fixed.extend(mend_change(ws, ctx, &lock, folder, &written)?);
    }
    Ok(fixed)
}

/// Mends what the rules on requirements know a cure for.
fn mend_spec(ws: &Workspace, ctx: &Context, lock: &WriteGuard, entry: &SpecEntry) -> Result<Option<String>> {
    let key = DocKey::Spec(entry.id.clone());
    // A document that is no text cannot be mended; `validate` says so.
    let Ok(Some(doc)) = ws.store().read(ctx, &key) else { return Ok(None) };
    let issues = verdict::spec_issues(ws, entry, &doc);
    put_cures(ctx, lock, key, &doc, issues.iter())
}

fn mend_change(
    ws: &Workspace,
    ctx: &Context,
    lock: &WriteGuard,
    folder: &ChangeFolder,
    written: &GitBases,
) -> Result<Vec<String>> {
    let issues = change::judge(ws, ctx, folder, written, &[])?.issues;
    let mut by_file: BTreeMap<&str, Vec<&Issue>> = BTreeMap::new();
    for issue in &issues {
        by_file.entry(issue.file.as_str()).or_default().push(&issue.issue);
    }
    let mut fixed = Vec::new();
    for (file, issues) in by_file {
        let Some(key) = folder.entry.file(file) else { continue };
        if let Some(doc) = ws.store().read(ctx, &key)? {
            fixed.extend(put_cures(ctx, lock, key, &doc, issues.into_iter())?);
        }
    }
    Ok(fixed)
}

/// Applies the cures of some issues to the document they were found in.
fn put_cures<'i>(
    ctx: &Context,
    lock: &WriteGuard,
    key: DocKey,
    doc: &Doc,
    issues: impl Iterator<Item = &'i Issue>,
) -> Result<Option<String>> {
    let cures: Vec<(&'static str, &Edit)> =
        issues.filter_map(|issue| Some((issue.diagnostic.code, issue.fix.as_ref()?))).collect();
    let text = apply_edits(&doc.text, cures.iter().map(|(_, edit)| *edit));
    if text == doc.text {
        return Ok(None);
    }
    let mut transaction = Transaction::new();
    transaction.put(key, text, Expect::Hash(doc.hash));
    lock.commit(ctx, transaction)?;
    let mut codes: Vec<&str> = cures.iter().map(|(code, _)| *code).collect();
    codes.sort_unstable();
    codes.dedup();
    Ok(Some(format!("mended `{}` ({})", doc.path, codes.join(", "))))
}

/// Rebuilds the state of a change if it is there and cannot be read.
fn mend_state(
    ws: &Workspace,
    ctx: &Context,
    lock: &WriteGuard,
    folder: &ChangeFolder,
) -> Result<Option<String>> {
    let item = WorkItem::Change(folder.entry.id.clone());
    // What is no file at all is for a person to clear away.
    let Ok(Some(bytes)) = ws.store().read_bytes(ctx, &DocKey::State(item.clone())) else { return Ok(None) };
    if std::str::from_utf8(&bytes).is_ok_and(|text| WorkflowState::read(text).is_ok()) {
        return Ok(None);
    }
    let mut state = WorkflowState::draft(&item.to_string(), "");
    if folder.planned_tasks().is_some() {
        state.phase = Phase::Plan;
    }
    rebuild_state(ws, ctx, lock, &item, state).map(Some)
}

/// Sets a broken state aside and writes one from what is left of it, else the one that the other documents speak for.
fn rebuild_state(
    ws: &Workspace,
    ctx: &Context,
    lock: &WriteGuard,
    item: &WorkItem,
    otherwise: WorkflowState,
) -> Result<String> {
    let key = DocKey::State(item.clone());
    let bytes = ws.store().read_bytes(ctx, &key)?.unwrap_or_default();
    let path = ws.store().path(&key, LayoutKind::Native).map(|path| path.to_string()).unwrap_or_default();
    let aside = free_name(ws, ctx, &path)?;
    let mut state = salvage(&String::from_utf8_lossy(&bytes)).unwrap_or(otherwise);
    state.spec_id = item.to_string();
    state.updated_at = ctx.now_rfc3339();
    let mut transaction = Transaction::new();
    transaction.put(aside.clone(), bytes.clone(), Expect::Absent);
    transaction.put(key, state.render(), Expect::Hash(hewto_store::ContentHash::of(&bytes)));
    lock.commit(ctx, transaction)?;
    Ok(format!("rebuilt `{path}` as `{}`; the old file is `{aside}`", state.lifecycle))
}

/// The longest beginning of a torn state that can be read by itself.
fn salvage(text: &str) -> Option<WorkflowState> {
    let mut ends: Vec<usize> = text.match_indices('\n').map(|(at, _)| at + 1).collect();
    ends.reverse();
    ends.into_iter().find_map(|end| WorkflowState::read(&text[..end]).ok())
}

/// The state that the other documents of the spec speak for.
fn from_scratch(entry: &SpecEntry) -> WorkflowState {
    let mut state = WorkflowState::draft(entry.id.as_str(), "");
    state.lifecycle = entry.head.state.unwrap_or(Lifecycle::Draft);
    state.phase = match (entry.has_plan(), state.lifecycle) {
        (false, _) => Phase::Spec,
        (true, Lifecycle::Draft) => Phase::Plan,
        (true, _) => Phase::Build,
    };
    state
}

fn free_name(ws: &Workspace, ctx: &Context, path: &str) -> Result<DocKey> {
    for n in 1..=MOST_SET_ASIDE {
        let key = DocKey::named(&format!("{path}.broken-{n}")).expect("a suffix keeps a path inside");
        if ws.store().read_bytes(ctx, &key)?.is_none() {
            return Ok(key);
        }
    }
    Err(Error::validation(format!("too many broken states beside `{path}`"))
        .hint("delete the ones you do not need"))
}

fn correct_copy(
    ws: &Workspace,
    ctx: &Context,
    lock: &WriteGuard,
    entry: &SpecEntry,
    lifecycle: Lifecycle,
) -> Result<String> {
    let key = DocKey::Spec(entry.id.clone());
    let Some(doc) = ws.store().read(ctx, &key)? else { return Ok(String::new()) };
    let edit = SpecEdit { state: Some(lifecycle), ..SpecEdit::default() };
    let text =
        spec::edit_spec(&doc.text, &edit).map_err(|error| Error::cannot_edit(doc.path.as_str(), error))?;
    let mut transaction = Transaction::new();
    transaction.put(key, text, Expect::Hash(doc.hash));
    lock.commit(ctx, transaction)?;
    Ok(format!("set `state: {lifecycle}` in `{}`", doc.path))
}
