//! `change_archive`: applies the deltas of a change to the specs and puts the change away, in one commit or not at all.

use std::collections::BTreeMap;

use hewto_core::archive::{self as core_archive, PlannedSpec};
use hewto_core::check::apply_change;
use hewto_core::id::{SpecId, WorkItem};
use hewto_core::merge::{Applied, Outcome};
use hewto_core::schema::unstated;
use hewto_core::state::WorkflowState;
use hewto_store::{Context, Doc, DocFolder, DocKey, Expect, LayoutKind, Transaction};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::archive_refusal::{fault, faults, hindered, refused, tasks_open};
use super::bases::{self, GitBases, Keeping, Recording, put_bases};
use super::close::{close_task, put_final_state};
use super::folder::{Target, Texts};
use super::obstacles::{ObstacleKind, destination, obstacles, standing};
use super::{ChangeFolder, item_name};
use crate::build;
use crate::claim;
use crate::error::Result;
use crate::gate::{self, Door, Passed};
use crate::item::Item;
use crate::proof::{self, Renamed, put_aliases};
use crate::view::{ArchiveView, ArchivedSpec};
use crate::workspace::Workspace;

/// How to archive.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct ArchiveOptions {
    /// Show what would be written and write nothing.
    #[serde(default)]
    #[schemars(description = "", skip_serializing_if = "unstated")]
    pub dry_run: bool,
    /// Archive although tasks are open.
    #[serde(default)]
    #[schemars(description = "", skip_serializing_if = "unstated")]
    pub allow_open_tasks: bool,
    // What the change is taken to be written against.
    /// It took over what changed in the specs
    #[serde(default, rename = "rebase")]
    #[schemars(with = "bool", skip_serializing_if = "unstated")]
    pub bases: Recording,
    /// How much of the diff a dry run shows.
    #[schemars(range(min = 1000, max = 1_000_000), description = "")]
    pub max_chars: Option<usize>,
}

/// Archives a change, or says everything that does not fit.
pub fn archive(ws: &Workspace, ctx: &Context, id: &str, options: ArchiveOptions) -> Result<ArchiveView> {
    if options.dry_run {
        let folder = ChangeFolder::load(ws, ctx, id)?;
        let written = GitBases::find(ws, ctx, [&folder]);
        let plan = ArchivePlan::make(ws, ctx, &folder, &written, options)?;
        return Ok(plan.preview(options.max_chars));
    }
    // Git may take seconds: it is asked before anybody has to wait for the lock.
    let written = GitBases::find_beyond_the_machine(ws, ctx, &ChangeFolder::load_all(ws, ctx)?);
    let in_git = bases::is_in_git(ws, ctx);
    let ws = &ws.foreseeing(|ws| {
        let folder = ChangeFolder::load(ws, ctx, id)?;
        proof::receipt(ws, ctx, &WorkItem::Change(folder.entry.id.clone()))?;
        ask_gate(ws, ctx, &folder, options, &[])
    });
    let (mut lock, ref ws) = claim::lock(ws, ctx, &item_name(id), None, Workspace::lock)?;
    let (folder, others) = ChangeFolder::load_with_others(ws, ctx, id)?;
    let plan = ArchivePlan::make(ws, ctx, &folder, &written, options)?;
    let Passed { mut open, unproven, .. } = ask_gate(ws, ctx, &folder, options, &plan.unwritten(&folder))?;
    open.extend(unproven);
    open.extend(lock.remark.clone());
    let mut transaction = Transaction::at_home(folder.owner());
    plan.put_specs(&mut transaction);
    plan.put_aliases(ws, ctx, &folder, &mut transaction)?;
    let item = WorkItem::Change(folder.entry.id.clone());
    if let Some(text) = proof::receipt(ws, ctx, &item)?
        && let Ok(key) = folder.entry.folder.document(proof::RECEIPT)
    {
        let expect = ws.store().read(ctx, &key)?.map_or(Expect::Absent, |doc| Expect::Hash(doc.hash));
        transaction.put(key, text, expect);
    }
    // What the other open changes were written against, before the specs move under them.
    let keeping = Keeping { in_git, moved: plan.moved(), ..Keeping::default() };
    put_bases(ws, ctx, &others, &written, &keeping, &mut transaction)?;
    put_final_state(ws, ctx, &folder, &mut transaction)?;
    let closed_task = close_task(ws, ctx, &folder, &mut transaction)?;
    transaction.move_dir(&folder.entry.folder, &plan.destination);
    lock.commit(ctx, transaction)?;
    lock.end_claims(ws);
    bases::forget(ws, folder.id());
    // The specs are gone and the change is put away: a folder that stays is only untidy.
    let _ = lock.remove_empty(&plan.emptied(ws));
    Ok(ArchiveView { closed_task, open, ..plan.done() })
}

/// Whether people let it go, with the tasks that are open.
fn ask_gate(
    ws: &Workspace,
    ctx: &Context,
    folder: &ChangeFolder,
    options: ArchiveOptions,
    unwritten: &[String],
) -> Result<Passed> {
    let item = Item::load(ws, ctx, &format!("change:{}", folder.id()))?;
    let state = item.state()?;
    let open_tasks = open_tasks(&state, folder);
    let door = Door::ArchiveChange { open_tasks, allow_open: options.allow_open_tasks, unwritten };
    gate::ask(ws, ctx, &item, &state, door)
}

/// The tasks that are neither done nor were dropped with a reason.
fn open_tasks(state: &WorkflowState, folder: &ChangeFolder) -> usize {
    let dropped = build::dropped_titles(state);
    folder.open_tasks().iter().filter(|title| !dropped.contains(title)).count()
}

/// What archiving will do.
struct ArchivePlan {
    change_id: String,
    destination: DocFolder,
    specs: Vec<SpecChange>,
}

struct SpecChange {
    delta: SpecId,
    /// Where the spec is or will be, relative to the workspace.
    path: String,
    current: Option<Doc>,
    applied: Applied,
}

impl ArchivePlan {
    fn make(
        ws: &Workspace,
        ctx: &Context,
        folder: &ChangeFolder,
        written: &GitBases,
        options: ArchiveOptions,
    ) -> Result<Self> {
        let progress = folder.task_progress();
        let open = match standing(ws, ctx, folder)? {
            Ok(Some(state)) => open_tasks(&state, folder),
            Ok(None) | Err(_) => progress.total - progress.completed,
        };
        if open > 0 && !options.allow_open_tasks && !options.dry_run {
            return Err(tasks_open(ws, ctx, folder.id(), open, progress.total));
        }
        let mut obstacles = obstacles(ws, ctx, folder)?;
        obstacles.retain(|one| one.kind != ObstacleKind::Build || !options.dry_run);
        if !obstacles.is_empty() {
            return Err(hindered(folder.id(), &obstacles));
        }
        let bases = match options.bases {
            Recording::Missing => folder.bases(written),
            Recording::Rebase => folder.taken_bases(ws, ctx, written, Recording::Rebase)?,
        };
        let specs = folder.with_texts(ws, ctx, &bases, |texts| plan(ws, folder, texts))??;
        Ok(Self { change_id: folder.id().to_owned(), destination: destination(ctx, folder)?, specs })
    }

    fn put_specs(&self, transaction: &mut Transaction) {
        for spec in &self.specs {
            let expect = spec.current.as_ref().map_or(Expect::Absent, |doc| Expect::Hash(doc.hash));
            match &spec.applied.outcome {
                Outcome::Written(text) => {
                    transaction.put(DocKey::Spec(spec.delta.clone()), text.as_str(), expect);
                }
                Outcome::Retired => {
                    transaction.delete(DocKey::Spec(spec.delta.clone()), expect);
                }
                Outcome::Unchanged => {}
            }
        }
    }

    /// Of which requirements the change speaks in vain.
    fn unwritten(&self, folder: &ChangeFolder) -> Vec<String> {
        let of_spec = |spec: &SpecChange| {
            let delta = folder.deltas.iter().find(|delta| delta.capability == spec.delta);
            let before = spec.current.as_ref().map_or("", |doc| doc.text.as_str());
            let after = match &spec.applied.outcome {
                Outcome::Written(text) => text.as_str(),
                Outcome::Unchanged => before,
                Outcome::Retired => "",
            };
            let delta = delta.map(|delta| delta.document.text.as_str());
            delta.map(|delta| hewto_core::change::unwritten(delta, before, after)).unwrap_or_default()
        };
        self.specs.iter().flat_map(of_spec).collect()
    }

    /// The specs as they will be, where they change.
    fn moved(&self) -> BTreeMap<String, Option<String>> {
        let after = |spec: &SpecChange| match &spec.applied.outcome {
            Outcome::Written(text) => Some((spec.delta.to_string(), Some(text.clone()))),
            Outcome::Retired => Some((spec.delta.to_string(), None)),
            Outcome::Unchanged => None,
        };
        self.specs.iter().filter_map(after).collect()
    }

    /// The folders of specs that were retired, and those above them that held nothing else, below the roots of specs.
    fn emptied(&self, ws: &Workspace) -> Vec<DocFolder> {
        let is_inside = |folder: &DocFolder| !ws.owners_of(folder.as_str()).is_empty();
        let retired = self.specs.iter().filter(|spec| spec.applied.outcome == Outcome::Retired);
        let folders = retired.filter_map(|spec| spec.current.as_ref()?.folder());
        let mut emptied: Vec<DocFolder> = folders
            .flat_map(|folder| std::iter::successors(Some(folder), DocFolder::above))
            .filter(is_inside)
            .collect();
        emptied.sort();
        emptied.dedup();
        emptied
    }

    /// Old tags stay valid: what the change renames goes into the ledger.
    fn put_aliases(
        &self,
        ws: &Workspace,
        ctx: &Context,
        folder: &ChangeFolder,
        transaction: &mut Transaction,
    ) -> Result<()> {
        let mut renamed = Vec::new();
        for spec in &self.specs {
            let (Outcome::Written(new), Some(current)) = (&spec.applied.outcome, &spec.current) else {
                continue;
            };
            let delta = folder.deltas.iter().find(|delta| delta.capability == spec.delta);
            let delta = delta.map_or("", |delta| delta.document.text.as_str());
            renamed.push(Renamed { capability: spec.delta.as_str(), old: &current.text, new, delta });
        }
        put_aliases(ws, ctx, &self.change_id, &renamed, transaction)
    }

    fn done(&self) -> ArchiveView {
        ArchiveView {
            archived: true,
            path: Some(format!("{}/", self.destination)),
            specs: self.specs.iter().map(SpecChange::view).collect(),
            ..self.preview_without_diff()
        }
    }

    fn preview(&self, max_chars: Option<usize>) -> ArchiveView {
        let mut diff: String = self.specs.iter().map(SpecChange::diff).collect();
        let cut = max_chars.and_then(|most| diff.char_indices().nth(most)).map(|(at, _)| at);
        let left_out = cut.map(|at| {
            let rest = diff.split_off(at).chars().count();
            format!("{rest} more characters: ask with a larger `max_chars`")
        });
        ArchiveView {
            left_out,
            specs: self.specs.iter().map(SpecChange::view).collect(),
            diff: Some(diff),
            ..self.preview_without_diff()
        }
    }

    fn preview_without_diff(&self) -> ArchiveView {
        let notes = self.specs.iter().flat_map(|spec| {
            spec.applied.notes.iter().map(move |note| format!("{}: {}", spec.delta, note.message))
        });
        ArchiveView { change_id: self.change_id.clone(), warnings: notes.collect(), ..ArchiveView::default() }
    }
}

/// What becomes of each spec, or everything that does not fit.
fn plan(ws: &Workspace, folder: &ChangeFolder, texts: &Texts<'_>) -> Result<Vec<SpecChange>> {
    let refused = |problems: &Value| refused(folder.id(), problems);
    let unreadable: Vec<Value> = texts.unreadable.iter().map(|one| fault(&one.message, &one.hint)).collect();
    if !unreadable.is_empty() {
        return Err(refused(&json!(unreadable)));
    }
    let dialect = folder.dialect();
    let checked = apply_change(texts.files, &[], dialect);
    let faults = faults(&checked.issues);
    let planned = core_archive::plan(texts.files, checked).map_err(|problems| refused(&json!(problems)))?;
    if !faults.is_empty() {
        return Err(refused(&json!(faults)));
    }
    let owner = folder.owner();
    let changes = planned.into_iter().zip(texts.targets);
    Ok(changes.map(|(planned, target)| SpecChange::new(ws, owner, planned, target)).collect())
}

impl SpecChange {
    fn new(ws: &Workspace, owner: LayoutKind, planned: PlannedSpec, target: &Target<'_>) -> Self {
        let place = ws.store().path(&target.delta.key(), owner);
        Self {
            delta: target.delta.capability.clone(),
            path: place.map(|path| path.to_string()).unwrap_or_default(),
            current: target.current.clone(),
            applied: planned.applied,
        }
    }

    fn view(&self) -> ArchivedSpec {
        let counts = self.applied.counts;
        let outcome = match (&self.applied.outcome, &self.current) {
            (Outcome::Written(_), None) => "created",
            (Outcome::Written(_), Some(_)) => "updated",
            (Outcome::Unchanged, _) => "unchanged",
            (Outcome::Retired, _) => "retired",
        };
        ArchivedSpec {
            capability: self.delta.to_string(),
            outcome: outcome.to_owned(),
            added: counts.added,
            modified: counts.modified,
            removed: counts.removed,
            renamed: counts.renamed,
        }
    }

    fn diff(&self) -> String {
        let before = self.current.as_ref().map_or("", |doc| doc.text.as_str());
        let after = match &self.applied.outcome {
            Outcome::Written(text) => text.as_str(),
            Outcome::Retired => "",
            Outcome::Unchanged => return String::new(),
        };
        let nothing = || "/dev/null".to_owned();
        let old = self.current.as_ref().map_or_else(nothing, |doc| format!("a/{}", doc.path));
        let new = match self.applied.outcome {
            Outcome::Retired => nothing(),
            Outcome::Written(_) | Outcome::Unchanged => format!("b/{}", self.path),
        };
        similar::TextDiff::from_lines(before, after).unified_diff().header(&old, &new).to_string()
    }
}
