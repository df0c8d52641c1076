//! `hewto change new`.

use std::collections::BTreeMap;

use hewto_engine::change::{self, NewChange};
use hewto_engine::view::ChangeCreated;
use hewto_engine::{Result, Workspace};
use serde_json::json;

use super::overlaps;
use super::validate::findings;
use super::written::{Page, Promises, SAMPLE};
use crate::act;
use crate::editor;
use crate::failure::{Outcome, Verdict};
use crate::place::{Place, context};
use crate::ui::{Cell, Ui, facts};

/// What a proposal says until somebody writes it.
const WHY: &str = "TBD: say which problem this solves, and for whom, in two or three sentences.";
const WHAT: &str = "- TBD: list what will be different";

/// Propose a change: why, what, tasks, and what the specs will promise
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Without texts, on a terminal with an editor (EDITOR), opens one page for the whole change. It is checked when it is \
saved, and opened again with what is wrong as comments; what was written is never lost.

  hewto change new add-rate-limit --why \"Clients flood us.\" --what \"- a limit for each key\" \\
    --task \"Add it\" --spec api \\
    --requirement \"Rate limit: The API SHALL refuse more than 100 requests a minute.\" \\
    --scenario \"Too many: WHEN a key sends 101 requests in a minute THEN the last one is refused\"")]
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
    #[command(flatten)]
    promises: Promises,
    /// Write everything in an editor, whatever else is given
    #[arg(long)]
    edit: bool,
    /// Name the decision that it follows from
    #[arg(long, value_name = "UID")]
    decision: Option<String>,
}

pub(crate) fn run(ui: &mut Ui, place: &Place, args: Args) -> Outcome {
    let workspace = place.workspace()?;
    let ctx = context();
    let says_nothing =
        args.why.is_none() && args.what.is_none() && args.tasks.is_empty() && args.promises.is_empty();
    if args.edit || (says_nothing && ui.can_ask() && editor::is_there()) {
        let created = editor::write("change", SAMPLE, |text| {
            let page = Page::read(text)?;
            let new = NewChange {
                change_id: args.id.clone(),
                deltas: page.new_deltas(),
                why: page.why,
                what_changes: page.what_changes,
                tasks: page.tasks,
                purpose: args.promises.purpose.clone(),
                decision: args.decision.clone(),
            };
            write(&workspace, &new)
        })?;
        return tell(ui, &created);
    }
    let mut text = |given: Option<String>, question: &str, default: &str| match given {
        Some(text) => Ok(text),
        None if ui.can_ask() => ui.ask(question, default),
        None => Ok(default.to_owned()),
    };
    let deltas =
        if args.promises.is_empty() { BTreeMap::new() } else { args.promises.deltas(&workspace, &ctx)? };
    let new = NewChange {
        change_id: args.id,
        why: text(args.why, "Why is it wanted?", WHY)?,
        what_changes: text(args.what, "What will be different?", WHAT)?,
        tasks: args.tasks,
        deltas,
        purpose: args.promises.purpose,
        decision: args.decision,
    };
    let created = write(&workspace, &new)?;
    tell(ui, &created)
}

fn write(workspace: &Workspace, new: &NewChange) -> Result<ChangeCreated> {
    let capabilities: Vec<&String> = new.deltas.keys().collect();
    let inputs = json!({
        "id": new.change_id, "tasks": new.tasks, "deltas": capabilities, "decision": new.decision,
    });
    act::in_workspace(workspace, "change new", inputs, |ctx| change::create(workspace, ctx, new))
}

fn tell(ui: &mut Ui, created: &ChangeCreated) -> Outcome {
    ui.answer(created, render)?;
    Ok(Verdict::Yes)
}

fn render(created: &ChangeCreated) -> String {
    let id = &created.change_id;
    let has_deltas = created.files.iter().any(|file| file.contains("/specs/"));
    // It has been validated: what is wrong stands below.
    let next = if has_deltas || created.validation.valid {
        created.next.clone()
    } else {
        format!("write the deltas, then run `hewto change validate {id}`")
    };
    let mut out = facts([
        ("change", Cell::plain(id)),
        ("folder", Cell::plain(&created.path)),
        ("next", Cell::plain(&next)),
    ]);
    if has_deltas {
        out.push_str(&findings(&created.validation));
    }
    if !created.overlaps.is_empty() {
        out.push_str(&overlaps::lines(&created.overlaps));
    }
    out
}
