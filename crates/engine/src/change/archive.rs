//! `change_archive`: applies the deltas of a change to the specs and puts the change away, in one commit or not at all.

use hewto_core::archive::{self as core_archive, PlannedSpec};
use hewto_core::check::{ChangeIssue, IssueSection, check_change};
use hewto_core::id::SpecId;
use hewto_core::lifecycle::Lifecycle;
use hewto_core::merge::{Applied, Outcome};
use hewto_store::{Context, Doc, DocKey, Expect, RelPath, Transaction};
use serde_json::{Value, json};

use super::bases::{Recording, Written, put_bases};
use super::{ChangeFolder, DeltaFile};
use crate::error::{Error, Kind, Result};
use crate::item::Item;
use crate::view::{ArchiveView, ArchivedSpec};
use crate::workspace::Workspace;

/// The key of the error for a change whose name is taken in the archive.
const TARGET_EXISTS: &str = "archive_target_exists";
/// What to do about a link where a delta should stand.
const UNLINK: &str = "put the real file there";

/// How to archive.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ArchiveOptions {
    /// Show what would be written and write nothing.
    pub dry_run: bool,
    /// Archive although tasks are open.
    pub allow_open_tasks: bool,
    /// How much of the diff a dry run shows.
    pub max_chars: Option<usize>,
}

/// Archives a change, or says everything that does not fit.
pub fn archive(ws: &Workspace, ctx: &Context, id: &str, options: ArchiveOptions) -> Result<ArchiveView> {
    if options.dry_run {
        let folder = ChangeFolder::load(ws, ctx, id)?;
        let plan = ArchivePlan::make(ws, ctx, &folder, options)?;
        return Ok(plan.preview(options.max_chars));
    }
    let lock = ws.store().lock(ctx)?;
    let folder = ChangeFolder::load(ws, ctx, id)?;
    let plan = ArchivePlan::make(ws, ctx, &folder, options)?;
    let mut transaction = Transaction::at_home(ws.layout().change_roots()[folder.entry.root].owner);
    plan.put_specs(&mut transaction);
    // What the other open changes were written against, before the specs move under them.
    let mut others = ChangeFolder::load_all(ws, ctx)?;
    others.retain(|other| other.id() != folder.id());
    put_bases(ws, ctx, &others, Recording::Missing, &mut transaction)?;
    put_final_state(ws, ctx, &folder, &mut transaction)?;
    transaction.move_dir(folder.entry.folder.clone(), plan.destination.clone());
    lock.commit(ctx, transaction)?;
    Ok(plan.done())
}

/// What archiving will do.
struct ArchivePlan {
    change_id: String,
    destination: RelPath,
    specs: Vec<SpecChange>,
}

struct SpecChange {
    delta: SpecId,
    current: Option<Doc>,
    applied: Applied,
}

impl ArchivePlan {
    fn make(ws: &Workspace, ctx: &Context, folder: &ChangeFolder, options: ArchiveOptions) -> Result<Self> {
        let progress = folder.task_progress();
        let open = progress.total - progress.completed;
        if open > 0 && !options.allow_open_tasks && !options.dry_run {
            return Err(Error::new(
                Kind::Refused,
                "tasks_open",
                Some(-32005),
                format!("{open} of {} tasks of `{}` are open", progress.total, folder.id()),
            )
            .detail("change_id", folder.id())
            .detail(
                "errors",
                json!([{ "capability": null, "requirement": null, "scenario": null,
                "message": format!("{open} of {} tasks are open", progress.total) }]),
            )
            .hint("finish them, or archive with `allow_open_tasks: true` (`--yes`)"));
        }
        let destination = destination(ws, ctx, folder)?;
        let linked = linked_deltas(folder).into_iter().map(|link| fault(&linked_message(link), UNLINK));
        let unreadable = folder.unreadable.iter().map(|one| fault(&one.message, &one.hint));
        let hidden: Vec<Value> = linked.chain(unreadable).collect();
        if !hidden.is_empty() {
            return Err(refused(folder.id(), &json!(hidden)));
        }
        let written = Written::find(ws, ctx, [folder]);
        let specs = folder.with_files(ws, ctx, &written, |files, currents| {
            let dialect = folder.dialect(ws);
            let planned = core_archive::plan(files, dialect)
                .map_err(|problems| refused(folder.id(), &json!(problems)))?;
            let faults = faults(&check_change(files, &[], dialect));
            if !faults.is_empty() {
                return Err(refused(folder.id(), &json!(faults)));
            }
            Ok(planned.into_iter().zip(&folder.deltas).zip(currents).map(SpecChange::new).collect())
        })??;
        Ok(Self { change_id: folder.id().to_owned(), destination, specs })
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

impl SpecChange {
    fn new(((planned, delta), current): ((PlannedSpec, &DeltaFile), &Option<Doc>)) -> Self {
        Self { delta: delta.capability.clone(), current: current.clone(), applied: planned.applied }
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
        let name = self
            .current
            .as_ref()
            .map_or_else(|| format!("{}/spec.md", self.delta), |doc| doc.path.to_string());
        let old = if self.current.is_some() { format!("a/{name}") } else { "/dev/null".to_owned() };
        let new = if matches!(self.applied.outcome, Outcome::Retired) {
            "/dev/null".to_owned()
        } else {
            format!("b/{name}")
        };
        similar::TextDiff::from_lines(before, after).unified_diff().header(&old, &new).to_string()
    }
}

/// Where the change goes: `YYYY-MM-DD-<id>`, unless the id carries its date already.
fn destination(ws: &Workspace, ctx: &Context, folder: &ChangeFolder) -> Result<RelPath> {
    let root = &ws.layout().change_roots()[folder.entry.root];
    let id = folder.id();
    let name =
        if starts_with_date(id) { id.to_owned() } else { format!("{}-{id}", &ctx.now_rfc3339()[..10]) };
    if ws.store().archived(ctx, root)?.contains(&name) {
        return Err(Error::new(
            Kind::Refused,
            TARGET_EXISTS,
            Some(-32005),
            format!("there is an archived change already: `{}/{name}`", root.archive),
        )
        .detail("change_id", id)
        .detail(
            "errors",
            json!([{ "capability": null, "requirement": null, "scenario": null,
            "message": format!("`{name}` is archived already") }]),
        )
        .hint("rename the change's folder, then archive it again"));
    }
    root.archive.join(&name).map_err(|error| Error::validation(error.to_string()))
}

fn starts_with_date(id: &str) -> bool {
    let bytes = id.as_bytes();
    bytes.len() > 11
        && bytes[10] == b'-'
        && bytes[..10].iter().enumerate().all(|(at, byte)| match at {
            4 | 7 => *byte == b'-',
            _ => byte.is_ascii_digit(),
        })
}

/// A change that was built is archived with its state; one that is being built is not archived.
fn put_final_state(
    ws: &Workspace,
    ctx: &Context,
    folder: &ChangeFolder,
    transaction: &mut Transaction,
) -> Result<()> {
    let name = format!("change:{}", folder.id());
    let item = Item::load(ws, ctx, &name)?;
    if !item.has_state() {
        return Ok(());
    }
    let mut state = item.state()?;
    match state.lifecycle {
        Lifecycle::Archived => return Ok(()),
        Lifecycle::Active | Lifecycle::Blocked => {
            return Err(Error::new(
                Kind::Refused,
                "invalid_transition",
                Some(-32003),
                format!("`{name}` is '{}': its build is not complete", state.lifecycle),
            )
            .detail("valid_transitions", json!(["done", "cancelled"]))
            .hint("finish it with `build_complete`, then archive it"));
        }
        Lifecycle::Draft | Lifecycle::Done | Lifecycle::Cancelled => {}
    }
    state.lifecycle = Lifecycle::Archived;
    state.updated_at = ctx.now_rfc3339();
    item.put_state(transaction, &state)
}

/// What is wrong with the deltas and flags beyond what applying them shows. Proposal and tasks stop no archive.
fn faults(issues: &[ChangeIssue]) -> Vec<Value> {
    let counts = |issue: &&ChangeIssue| {
        core_archive::stops(issue)
            && matches!(issue.issue.section, IssueSection::Deltas | IssueSection::Metadata)
    };
    let tell = |issue: &ChangeIssue| {
        let diagnostic = &issue.issue.diagnostic;
        fault(&format!("{}:{}: {}", issue.file, diagnostic.line, diagnostic.message), &diagnostic.hint)
    };
    issues.iter().filter(counts).map(tell).collect()
}

fn fault(message: &str, hint: &str) -> Value {
    json!({ "capability": null, "requirement": null, "scenario": null, "message": message, "hint": hint })
}

/// Links where deltas should stand: nothing behind them would be applied, so they stop everything.
fn linked_deltas(folder: &ChangeFolder) -> Vec<&str> {
    folder
        .entry
        .links
        .iter()
        .map(String::as_str)
        .filter(|link| *link == "specs" || link.starts_with("specs/"))
        .collect()
}

fn linked_message(link: &str) -> String {
    format!("`{link}` is a link, and links are not followed")
}

/// What stands in the way of archiving a change beside its documents: `(file, message, hint)`.
pub(crate) fn obstacles(
    ws: &Workspace,
    ctx: &Context,
    folder: &ChangeFolder,
) -> Result<Vec<(String, String, String)>> {
    let mut found: Vec<(String, String, String)> = linked_deltas(folder)
        .into_iter()
        .map(|link| (link.to_owned(), linked_message(link), UNLINK.to_owned()))
        .collect();
    match destination(ws, ctx, folder) {
        Ok(_) => {}
        Err(error) if error.key == TARGET_EXISTS => {
            found.push((String::new(), error.message.clone(), error.hint.unwrap_or_default()));
        }
        Err(error) => return Err(error),
    }
    Ok(found)
}

fn refused(id: &str, problems: &Value) -> Error {
    let problems = problems.as_array().map(Vec::as_slice).unwrap_or_default();
    let of_first = |key: &str| problems.first().and_then(|problem| problem[key].as_str()).unwrap_or_default();
    let first = of_first("message");
    let (more, hint) = match problems.len() {
        0 | 1 => (String::new(), format!("{}; nothing was written", of_first("hint"))),
        n => (format!(" (and {} more)", n - 1), "correct all of them; nothing was written".to_owned()),
    };
    Error::new(
        Kind::Refused,
        "archive_refused",
        Some(-32005),
        format!("`{id}` cannot be archived: {first}{more}"),
    )
    .detail("change_id", id)
    .detail("errors", json!(problems))
    .hint(hint)
}
