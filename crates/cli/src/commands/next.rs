//! `hewto next`: the one thing to do now.

use std::fmt::Write;

use hewto_engine::overview;
use hewto_engine::view::{OverviewView, ReadyView};
use serde::Serialize;

use crate::actions::{here, typed};
use crate::failure::{Outcome, Verdict};
use crate::place::{Place, context};
use crate::ui::{DIM, NAME, Ui, count, one_line, paint};

/// Show what to do next, and why
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

/// What `--json` says.
#[derive(Debug, Serialize)]
struct NextView {
    /// Null when nothing is ready
    next: Option<ReadyView>,
    /// How much more is ready
    more: usize,
    /// How much waits for something else
    blocked: usize,
}

pub(crate) fn run(ui: &mut Ui, place: &Place, _: &Args) -> Outcome {
    let OverviewView { ready, blocked, .. } = overview::status(&place.workspace()?, &context())?;
    let more = ready.len().saturating_sub(1);
    let view = NextView { next: ready.into_iter().next(), more, blocked: blocked.len() };
    ui.answer(&view, render)?;
    Ok(Verdict::Yes)
}

fn render(view: &NextView) -> String {
    let Some(next) = &view.next else {
        return match view.blocked {
            0 => format!("nothing is under way: {}, or {}", typed("change new"), typed("spec new")),
            blocked => format!("nothing is ready; {} waiting: {}", count(blocked, "item"), typed("status")),
        };
    };
    let mut out = String::new();
    let _ = writeln!(out, "{}  {}", paint(NAME, &one_line(&next.item)), one_line(&next.title));
    let _ = writeln!(out, "{}", one_line(&here(&next.next)));
    let command = next.next.rfind("hewto ").map(|at| &next.next[at..]);
    let has_more = command.is_some_and(|command| next.call.starts_with(command) && next.call != command);
    if has_more || !next.next.contains(&next.item) {
        let _ = writeln!(out, "  {}", one_line(&next.call));
    }
    let _ = writeln!(out, "{}", paint(DIM, &one_line(&next.why)));
    if view.more > 0 {
        let _ =
            writeln!(out, "{}", paint(DIM, &format!("and {} more ready: {}", view.more, typed("status"))));
    }
    out
}
