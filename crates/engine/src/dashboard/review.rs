//! The page on which somebody decides about a change or a plan.

use std::collections::HashMap;

use hewto_core::change::Proposal;
use hewto_core::document::Document;
use hewto_core::id::WorkItem;
use hewto_core::plan::StepStatus;
use hewto_core::proof::settings::Policy;
use hewto_store::Context;
use hewto_store::change_files::DESIGN;

use super::change_cards::{cards_of_change, cards_of_spec};
use super::commented::{Commented, of_place};
use super::whole::rest;
use crate::change::{self, ChangeFolder, ShowOptions};
use crate::check::{self, Strictness};
use crate::claim;
use crate::error::{Key, Result};
use crate::item::check_named;
use crate::plan::ItemPlan;
use crate::proof;
use crate::review::{Looks, ReviewOptions, Subject, keep_shown, new_since_look, show};
use crate::spec;
use crate::view::{BoardView, PromiseCard, ReviewPage, ReviewStep, ReviewView, VerdictView};
use crate::workspace::Workspace;

/// Texts of a change are shown whole, up to this.
const MOST_CHARS: usize = 4_000_000;

/// A change, or a spec with its plan, as this person sees it.
pub fn review(ws: &Workspace, ctx: &Context, id: &str, person: &str) -> Result<ReviewPage> {
    check_named(ws, ctx, id)?;
    let subject = match Subject::load(ws, ctx, id) {
        Err(error) if error.key == Key::ChangeNotFound => {
            return archived(ws, ctx, id).map_err(|_| error);
        }
        subject => subject?,
    };
    let view = show(ws, ctx, id, ReviewOptions::default())?;
    keep_shown(ws, &subject);
    let looks = Looks::read(ws, person, &subject.name());
    let commented = Commented::new(&subject.meaning, &view.comments);
    let proven = states(ws, ctx, &subject.name());
    let Some(item) = &subject.id else {
        let mut page = blank(subject.name(), subject.title.clone(), "decision");
        page.text = Some(subject.meaning.proposal.clone());
        page.review = view;
        return Ok(page);
    };
    let (mut page, verdict) = match item {
        WorkItem::Change(_) => of_change(ws, ctx, &subject, &commented, &looks)?,
        WorkItem::Spec(_) => of_spec(ws, ctx, &subject, &commented, &looks)?,
    };
    if let Some(states) = &proven {
        for card in &mut page.promises {
            fill_in_proof(card, &states.rows);
        }
    }
    page.proof = proven.map(|states| states.line);
    page.since_look = looks.since(ws, &subject);
    (page.errors, page.warnings) = (verdict.errors, verdict.warnings);
    let claims = claim::who(ws, ctx).map(|who| who.claims).unwrap_or_default();
    page.claims = claims.into_iter().filter(|claim| claim.spec_id == subject.name()).collect();
    page.review = view;
    page.rest = rest(&subject.meaning, &page);
    Ok(page)
}

/// Says on the cards of a board what is new to this person.
pub fn fill_in_looks(ws: &Workspace, ctx: &Context, person: &str, board: &mut BoardView) {
    let columns = [&mut board.needs_you, &mut board.ready, &mut board.building, &mut board.blocked];
    for card in columns.into_iter().flat_map(|column| &mut column.cards) {
        card.new_since_look = new_since_look(ws, ctx, &card.item, person);
    }
}

fn of_change(
    ws: &Workspace,
    ctx: &Context,
    subject: &Subject,
    commented: &Commented<'_>,
    looks: &Looks,
) -> Result<(ReviewPage, VerdictView)> {
    let (folder, rivals) = ChangeFolder::load_with_rivals(ws, ctx, &subject.name())?;
    let mut page = blank(subject.name(), folder.title(), "change");
    if let Some(doc) = &folder.proposal {
        let document = Document::parse(&doc.text);
        let proposal = Proposal::read(&document);
        page.why = proposal.why.map(|section| section.text.trim().to_owned());
        page.what_changes = proposal.what_changes.map(|section| section.text.trim().to_owned());
        if page.why.is_none() && page.what_changes.is_none() {
            page.text = Some(doc.text.clone());
        }
    }
    page.design = folder.entry.file(DESIGN).and_then(|key| {
        let doc = ws.store().read(ctx, &key).ok().flatten();
        doc.map(|doc| doc.text)
    });
    page.promises = cards_of_change(ws, ctx, &folder, commented, looks)?;
    page.steps = steps(ws, ctx, subject, commented);
    let mut all = rivals;
    let id = folder.id().to_owned();
    all.insert(0, folder);
    let overlaps = change::among(&all);
    let verdict = check::verdict_on(ws, ctx, &all[..1], &overlaps, Strictness::Normal)?;
    page.overlaps = overlaps
        .into_iter()
        .filter(|overlap| overlap.changes.contains(&id))
        .map(crate::view::OverlapView::from)
        .collect();
    Ok((page, verdict))
}

fn of_spec(
    ws: &Workspace,
    ctx: &Context,
    subject: &Subject,
    commented: &Commented<'_>,
    looks: &Looks,
) -> Result<(ReviewPage, VerdictView)> {
    let mut page = blank(subject.name(), subject.title.clone(), "spec");
    let text = spec::markdown(ws, ctx, &subject.name())?;
    page.promises = cards_of_spec(&subject.name(), &text, commented, looks);
    if page.promises.is_empty() {
        page.text = Some(spec::bundle(ws, ctx, &subject.name())?.spec.content);
    }
    page.design = Some(subject.meaning.approach.clone()).filter(|approach| !approach.is_empty());
    page.steps = steps(ws, ctx, subject, commented);
    let verdict = check::validate_item(ws, ctx, &subject.name(), Strictness::Normal)?;
    Ok((page, verdict))
}

/// A change that is over: everything is shown, nothing can be decided.
fn archived(ws: &Workspace, ctx: &Context, id: &str) -> Result<ReviewPage> {
    let options = ShowOptions { max_chars: Some(MOST_CHARS), ..ShowOptions::default() };
    let view = change::show(ws, ctx, id.strip_prefix("change:").unwrap_or(id), &options)?;
    let mut page = blank(format!("change:{}", view.id), view.title, "archived");
    let proposal = view.proposal.unwrap_or_default();
    (page.why, page.what_changes) = (proposal.why, proposal.what_changes);
    page.design = view.design;
    page.left_out = view.left_out;
    for (capability, delta) in view.deltas.unwrap_or_default() {
        page.promises.extend(super::change_cards::cards_of_delta(&capability, delta));
    }
    let tasks = view.tasks.unwrap_or_default();
    page.steps = tasks
        .groups
        .into_iter()
        .flat_map(|group| group.tasks)
        .map(|task| ReviewStep {
            title: task.title,
            description: String::new(),
            done: task.done,
            comments: Vec::new(),
        })
        .collect();
    Ok(page)
}

fn blank(spec_id: String, title: String, kind: &str) -> ReviewPage {
    ReviewPage {
        review: ReviewView {
            spec_id,
            title,
            version: 0,
            digest: String::new(),
            standing: kind.to_owned(),
            gate: String::new(),
            reviewers: Vec::new(),
            since_version: None,
            differences: Vec::new(),
            verdicts: Vec::new(),
            comments: Vec::new(),
            problems: Vec::new(),
        },
        kind: kind.to_owned(),
        why: None,
        what_changes: None,
        text: None,
        design: None,
        promises: Vec::new(),
        steps: Vec::new(),
        overlaps: Vec::new(),
        errors: Vec::new(),
        warnings: Vec::new(),
        proof: None,
        since_look: None,
        rest: Vec::new(),
        left_out: Vec::new(),
        claims: Vec::new(),
    }
}

/// The steps of the plan, each with what was said about it. What cannot be read is told by the findings.
fn steps(ws: &Workspace, ctx: &Context, subject: &Subject, commented: &Commented<'_>) -> Vec<ReviewStep> {
    let plan = subject.id.as_ref().and_then(|item| ItemPlan::find(ws, ctx, item).ok().flatten());
    let done: HashMap<String, bool> = plan
        .map(|plan| {
            plan.plan
                .steps
                .iter()
                .map(|step| {
                    (step.title.clone(), matches!(step.status, StepStatus::Completed | StepStatus::Skipped))
                })
                .collect()
        })
        .unwrap_or_default();
    let steps = subject.meaning.steps.iter();
    steps
        .map(|step| ReviewStep {
            title: step.title.clone(),
            description: step.description.clone(),
            done: done.get(&step.title).copied().unwrap_or_default(),
            comments: of_place(commented, None, None, None, Some(&step.title)),
        })
        .collect()
}

/// How promises are proven.
pub(super) struct States {
    /// By requirement and scenario.
    pub(super) rows: HashMap<(String, Option<String>), String>,
    pub(super) line: String,
}

/// The state of every promise of an item; nothing where nobody asks for proof.
pub(super) fn states(ws: &Workspace, ctx: &Context, item: &str) -> Option<States> {
    if matches!(proof::policy(ws, ctx), Ok(Policy::Off)) {
        return None;
    }
    let query = proof::Query { target: Some(item.to_owned()), ..proof::Query::default() };
    let matrix = proof::matrix(ws, ctx, &query).ok()?;
    let rows = matrix.rows.into_iter();
    Some(States {
        rows: rows.map(|row| ((row.requirement, row.scenario), row.state.to_string())).collect(),
        line: matrix.summary.line,
    })
}

pub(super) fn fill_in_proof(card: &mut PromiseCard, rows: &HashMap<(String, Option<String>), String>) {
    for scenario in &mut card.scenarios {
        scenario.proof = rows.get(&(card.name.clone(), Some(scenario.name.clone()))).cloned();
    }
}
