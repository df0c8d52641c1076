//! `workspace_status`: where things stand, for whoever begins to work, within a few thousand characters.

use hewto_store::Context;

use super::status;
use crate::error::{Action, Result};
use crate::view::{NextView, OverlapView, OverviewView, ReadyView, WaitingView, WorkspaceStatusView};
use crate::workspace::Workspace;

/// The most that the answer may have, as JSON.
pub const MOST_CHARS: usize = 4_000;
/// The most of each list that is told even where there is room.
const MOST_OF_A_KIND: usize = 8;
/// The most of a title or a reason.
const MOST_OF_A_TEXT: usize = 120;

/// What `status` tells, cut to what an agent needs at the start of work.
pub fn brief(ws: &Workspace, ctx: &Context) -> Result<WorkspaceStatusView> {
    Ok(fitted(ctx, &status(ws, ctx)?))
}

fn fitted(ctx: &Context, all: &OverviewView) -> WorkspaceStatusView {
    let mut most = MOST_OF_A_KIND;
    loop {
        let view = cut(ctx, all, most);
        let chars = serde_json::to_string(&view).map_or(0, |text| text.chars().count());
        if chars <= MOST_CHARS || most == 0 {
            return view;
        }
        most -= 1;
    }
}

fn cut(ctx: &Context, all: &OverviewView, most: usize) -> WorkspaceStatusView {
    let (waiting, ready): (Vec<&ReadyView>, Vec<&ReadyView>) =
        all.ready.iter().partition(|ready| ready.waits_for_person);
    let mut left_out = Vec::new();
    let mut rest = |what: &str, total: usize, how: &str| {
        if total > most {
            left_out.push(format!("{} more {what}: {how}", total - most));
        }
    };
    let specs = ctx.call(&Action::ListSpecs, "");
    let in_state = |state: &str| ctx.call(&Action::ListSpecs, &format!("{{\"state\": \"{state}\"}}"));
    rest("ready", ready.len(), &format!("{specs}, {}", ctx.call(&Action::ListChanges, "")));
    rest("waiting for a person", waiting.len(), &specs);
    rest("blocked", all.blocked.len(), &in_state("blocked"));
    rest("builds", all.building.len(), &in_state("active"));
    rest("overlaps", all.overlaps.len(), &ctx.call(&Action::ListOverlaps, ""));
    let each = Action::AwaitApproval { item: "…".to_owned() };
    rest("reviews", all.reviews.len(), &format!("{} for each", ctx.call(&each, "")));
    let mut blocked: Vec<_> = all.blocked.iter().take(most).cloned().collect();
    for one in &mut blocked {
        one.title = short(&one.title);
        one.by.truncate(3);
        one.by.iter_mut().for_each(|by| *by = short(by));
    }
    let mut building: Vec<_> = all.building.iter().take(most).cloned().collect();
    for one in &mut building {
        one.title = short(&one.title);
        one.current_step = one.current_step.as_deref().map(short);
    }
    WorkspaceStatusView {
        valid: all.health.errors == 0,
        errors: all.health.errors,
        warnings: all.health.warnings,
        specs: all.specs.clone(),
        open_changes: all.changes.len(),
        next: next(ctx, all, &ready, &waiting),
        ready: ready.into_iter().take(most).map(shown).collect(),
        waits_for_person: waiting.into_iter().take(most).map(shown).collect(),
        blocked,
        building,
        overlaps: all.overlaps.iter().take(most).map(overlap).collect(),
        reviews: all.reviews.iter().take(most).map(|waiting| reviewed(waiting, most)).collect(),
        left_out,
    }
}

/// The call that comes next, whatever there is.
fn next(ctx: &Context, all: &OverviewView, ready: &[&ReadyView], waiting: &[&ReadyView]) -> String {
    match (ready.first(), waiting.first()) {
        // A call that is cut is no call.
        (Some(ready), _) => ready.call.clone(),
        (None, Some(waiting)) => format!("ask the user about the plan, then {}", waiting.call),
        (None, None) if all.specs.total == 0 && all.changes.is_empty() => {
            let (spec, change) = (ctx.call(&Action::CreateSpec, ""), ctx.call(&Action::CreateChange, ""));
            format!("{spec} or {change}: nothing is written down yet")
        }
        (None, None) => {
            let change = ctx.call(&Action::CreateChange, "{\"change_id\": …}");
            format!("{change}: nothing is under way")
        }
    }
}

/// A review with as many comments as fit, each in short.
fn reviewed(waiting: &WaitingView, most: usize) -> WaitingView {
    let mut waiting = waiting.clone();
    waiting.comments.truncate(most);
    for comment in &mut waiting.comments {
        comment.text = short(&comment.text);
        comment.quote = comment.quote.as_deref().map(short);
        comment.place = comment.place.as_deref().map(short);
    }
    waiting
}

fn shown(ready: &ReadyView) -> NextView {
    NextView {
        item: ready.item.clone(),
        title: short(&ready.title),
        why: short(&ready.why),
        call: ready.call.clone(),
    }
}

fn overlap(overlap: &OverlapView) -> String {
    let changes = overlap.changes.join(", ");
    short(&format!("{} / {}: {changes}", overlap.capability, overlap.requirement))
}

fn short(text: &str) -> String {
    match text.char_indices().nth(MOST_OF_A_TEXT) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}
