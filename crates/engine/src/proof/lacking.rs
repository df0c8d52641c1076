//! What a step, the end of a build or an archive still lacks. Whether that is refused is the gate's to say (`gate/evidence.rs`).
//!
//! A step needs what it says it proves to be *fresh*: text, code and tests are what they were when the tests passed. The end
//! of the work needs *exact*: the whole tree is, which also catches what no link names.

use hewto_core::id::WorkItem;
use hewto_core::plan::{StepStatus, proves};
use hewto_core::proof::Ref;
use hewto_core::proof::settings::Policy;
use hewto_store::Context;

use super::run::{is_green, tree};
use super::settings::load;
use super::standing::{Query, matrix};
use crate::error::{Action, Hint, Key, Result};
use crate::gate;
use crate::plan::ItemPlan;
use crate::view::{LackView, PromiseView};
use crate::workspace::Workspace;

/// How far proof has come, as a gate asks for it.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::struct_field_names, reason = "what lacks is called so everywhere")]
pub(crate) struct Lacks {
    pub(crate) policy: Policy,
    /// What lacks, worst first; nothing where everything is proven.
    pub(crate) lacks: Vec<LackView>,
    /// Something was proven, and is no more what it was.
    pub(crate) stale: bool,
    /// Something passes only because a person let it.
    pub(crate) waived: bool,
    /// No check is declared, so nothing can be proven here yet.
    pub(crate) unchecked: bool,
}

impl Lacks {
    fn off() -> Self {
        Self { policy: Policy::Off, lacks: Vec::new(), stale: false, waived: false, unchecked: false }
    }

    pub(crate) fn message(&self, what: &str) -> String {
        let names: Vec<String> = self.lacks.iter().take(5).map(LackView::told).collect();
        let more = self.lacks.len().saturating_sub(5);
        let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("{what} is not proven: {}{rest}", names.join("; "))
    }

    pub(crate) fn hint(&self) -> Hint {
        let begin = if self.unchecked { "declare the checks with `hewto proof init`, " } else { "" };
        match self.lacks.iter().find_map(|lack| lack.tag.as_deref().filter(|_| lack.needs_a_test())) {
            Some(tag) => Hint::from(format!("{begin}write the test with the line `{tag}` above it, then "))
                .action(Action::RunProof),
            None => Hint::from(if self.unchecked { format!("{begin}then ") } else { String::new() })
                .action(Action::RunProof)
                .text(", and fix what fails"),
        }
    }
}

/// What a step lacks that says in its title or its description what it proves; `None` where nobody asks or it names nothing.
pub(crate) fn lacks_of_step(
    ws: &Workspace,
    ctx: &Context,
    item: &WorkItem,
    (title, description): (&str, &str),
) -> Result<Option<Lacks>> {
    let policy = gate::Policy::at_the_door(ws, ctx)?.proof();
    let named = proves(title, description);
    if policy == Policy::Off || named.is_empty() {
        return Ok(None);
    }
    let rows = rows_of(ws, ctx, item, &named)?.rows;
    let unchecked = load(ws, ctx)?.settings.checks.is_empty();
    let mut standing = Lacks { policy, unchecked, ..Lacks::off() };
    for reference in &named {
        let meant: Vec<&PromiseView> = rows.iter().filter(|row| reference.covers(&row.reference)).collect();
        if meant.is_empty() {
            standing.lacks.push(unknown(reference));
        }
        standing.waived |= meant.iter().any(|row| is_waived(row) && !row.state.is_proven());
        standing.lacks.extend(meant.into_iter().filter(|row| !is_kept(row, Needs::Fresh)).map(lack));
    }
    // A step that was never proven is missing evidence, even where another of its promises went stale.
    standing.stale = false;
    Ok(Some(standing))
}

/// What an item lacks at the end of its work.
pub(crate) fn lacks_of_item(ws: &Workspace, ctx: &Context, item: &WorkItem) -> Result<Lacks> {
    let policy = gate::Policy::at_the_door(ws, ctx)?.proof();
    if policy == Policy::Off {
        return Ok(Lacks::off());
    }
    let named = proven_by_plan(ws, ctx, item)?;
    let Rows { rows, failures } = rows_of(ws, ctx, item, &named)?;
    let loaded = load(ws, ctx)?;
    let unchecked = loaded.settings.checks.is_empty();
    let mut standing = Lacks { policy, unchecked, ..Lacks::off() };
    standing.lacks = rows.iter().filter(|row| !is_kept(row, Needs::Exact)).map(lack).collect();
    let is_unknown = |name: &&Ref| !rows.iter().any(|row| name.covers(&row.reference));
    standing.lacks.extend(named.iter().filter(is_unknown).map(unknown));
    standing.stale = !standing.lacks.is_empty()
        && standing.lacks.iter().all(|lack| matches!(lack.state.as_str(), "stale" | "verified"));
    standing.lacks.extend(failures.into_iter().map(|test| LackView {
        reference: None,
        state: "failed".to_owned(),
        reason: format!("the test `{test}` fails, and is not known debt"),
        tag: None,
        similar: Vec::new(),
    }));
    if rows.is_empty() {
        let tree = tree::hex(&tree::read(ws, ctx, &loaded)?);
        if !is_green(ws, ctx, &loaded, &tree)? {
            standing.lacks.push(LackView {
                reference: None,
                state: "not_run".to_owned(),
                reason: if unchecked {
                    "no check is declared; `hewto proof init` declares those that fit".to_owned()
                } else {
                    "no run of all checks has passed on exactly this tree".to_owned()
                },
                tag: None,
                similar: Vec::new(),
            });
        }
    }
    Ok(standing)
}

/// What the steps of a plan say they prove: whoever ticks them by hand has shown nothing.
fn proven_by_plan(ws: &Workspace, ctx: &Context, item: &WorkItem) -> Result<Vec<Ref>> {
    let Some(plan) = ItemPlan::find(ws, ctx, item)? else { return Ok(Vec::new()) };
    let steps = plan.plan.steps.iter().filter(|step| step.status == StepStatus::Completed);
    let mut named: Vec<Ref> = steps.flat_map(|step| proves(&step.title, &step.description)).collect();
    named.sort();
    named.dedup();
    Ok(named)
}

/// Whether the promises of finished work are still kept: others wait for it, on a tree that has moved on.
pub(crate) fn is_proven(ws: &Workspace, ctx: &Context, item: &WorkItem) -> Result<bool> {
    let rows = rows_of(ws, ctx, item, &[])?.rows;
    Ok(rows.iter().all(|row| row.debt.is_some() || is_kept(row, Needs::Fresh)))
}

/// Promises, and the tests that fail on exactly this tree without being known debt.
struct Rows {
    rows: Vec<PromiseView>,
    failures: Vec<String>,
}

/// The promises of an item, and of whatever else a step names.
fn rows_of(ws: &Workspace, ctx: &Context, item: &WorkItem, named: &[Ref]) -> Result<Rows> {
    let of = |target: String| {
        matrix(ws, ctx, &Query { target: Some(target), at_a_gate: true, ..Query::default() })
    };
    let own = of(item.to_string())?;
    let (mut rows, failures) = (own.rows, own.failures);
    for reference in named {
        if rows.iter().any(|row| reference.covers(&row.reference)) {
            continue;
        }
        match of(reference.to_string()) {
            Ok(found) => rows.extend(found.rows),
            // Nobody promises it: the step lacks it.
            Err(error) if matches!(error.key, Key::PromiseNotFound | Key::SpecNotFound) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(Rows { rows, failures })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Needs {
    Fresh,
    Exact,
}

/// Whether a promise is kept as far as a gate wants it, or a person let it pass.
fn is_kept(row: &PromiseView, needs: Needs) -> bool {
    if is_waived(row) {
        return true;
    }
    // Known debt keeps nobody from ending other work, but nobody proves a step by it.
    if row.debt.is_some() {
        return needs == Needs::Exact;
    }
    row.state.is_proven()
        && match needs {
            Needs::Fresh => row.fresh,
            Needs::Exact => row.exact,
        }
}

fn is_waived(row: &PromiseView) -> bool {
    row.debt.as_deref().is_some_and(|debt| debt.starts_with("waived"))
}

fn lack(row: &PromiseView) -> LackView {
    let is_proven = row.state.is_proven();
    LackView {
        reference: Some(row.reference.to_string()),
        state: if is_proven { "stale".to_owned() } else { row.state.as_str().to_owned() },
        reason: if is_proven {
            "the tree has changed since its test passed".to_owned()
        } else {
            row.reason.clone()
        },
        tag: Some(row.tag.clone()).filter(|tag| !tag.is_empty()),
        similar: row.similar.clone(),
    }
}

fn unknown(reference: &Ref) -> LackView {
    LackView {
        reference: Some(reference.to_string()),
        state: "unknown".to_owned(),
        reason: "neither the change nor its specs promise this".to_owned(),
        tag: None,
        similar: Vec::new(),
    }
}
