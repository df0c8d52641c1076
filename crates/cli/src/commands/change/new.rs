//! `hewto change new`.

use std::collections::BTreeMap;

use hewto_engine::change::{self, NewChange};
use hewto_engine::view::ChangeCreated;
use serde_json::json;

use super::overlaps;
use crate::act;
use crate::failure::{Outcome, Verdict};
use crate::place::Place;
use crate::ui::{Cell, Ui, facts};

/// What a proposal says until somebody writes it.
const WHY: &str = "TBD: say which problem this solves, and for whom, in two or three sentences.";
const WHAT: &str = "- TBD: list what will be different";

/// Propose a change: a folder with a proposal and tasks, ready for deltas
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Write the deltas into specs/<capability>/spec.md of the change, then run `hewto change validate ID`."
)]
pub(crate) struct Args {
    /// The change's id, verb-led kebab-case such as add-two-factor
    id: String,
    /// Why it is wanted
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    why: Option<String>,
    /// What will be different
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    what: Option<String>,
    /// The title of a task; may be given several times
    #[arg(long = "task", value_name = "TITLE", allow_hyphen_values = true)]
    tasks: Vec<String>,
    /// Name the decision that it follows from
    #[arg(long, value_name = "UID")]
    decision: Option<String>,
}

pub(crate) fn run(ui: &mut Ui, place: &Place, args: Args) -> Outcome {
    let workspace = place.workspace()?;
    let mut text = |given: Option<String>, question: &str, default: &str| match given {
        Some(text) => Ok(text),
        None if ui.can_ask() => ui.ask(question, default),
        None => Ok(default.to_owned()),
    };
    let new = NewChange {
        change_id: args.id,
        why: text(args.why, "Why is it wanted?", WHY)?,
        what_changes: text(args.what, "What will be different?", WHAT)?,
        tasks: args.tasks,
        deltas: BTreeMap::new(),
        decision: args.decision,
    };
    let inputs = json!({ "id": new.change_id, "tasks": new.tasks, "decision": new.decision });
    let created =
        act::in_workspace(&workspace, "change new", inputs, |ctx| change::create(&workspace, ctx, &new))?;
    ui.answer(&created, render)?;
    Ok(Verdict::Yes)
}

fn render(created: &ChangeCreated) -> String {
    let next = format!("write the deltas, then run `hewto change validate {}`", created.change_id);
    let mut out = facts([
        ("change", Cell::plain(&created.change_id)),
        ("folder", Cell::plain(&created.path)),
        ("next", Cell::plain(&next)),
    ]);
    if !created.overlaps.is_empty() {
        out.push_str(&overlaps::lines(&created.overlaps));
    }
    out
}
