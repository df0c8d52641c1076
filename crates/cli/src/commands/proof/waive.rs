//! `hewto proof waive`: a person lets a promise pass.

use std::fmt::Write as _;

use hewto_engine::proof::{self, Concession, Query};
use hewto_engine::view::PersonRecordView;
use hewto_engine::{Result, Workspace};
use serde_json::json;

use crate::act;
use crate::failure::{Outcome, Verdict};
use crate::person::Decider;
use crate::place::{Place, context};
use crate::ui::{Cell, NAME, Ui, facts};

/// Let an unproven promise pass until a given day
#[derive(Debug, clap::Args)]
#[command(
    after_help = "It shows how the promise stands and asks for a code, on a terminal; where an agent's variables are set it refuses. \
                  Where a gate wants a signature or names reviewers, so does this."
)]
pub(crate) struct Args {
    /// The promise: capability#requirement/scenario, or a whole requirement
    #[arg(value_name = "REF")]
    reference: String,
    /// Why
    #[arg(long, value_name = "TEXT")]
    reason: String,
    /// The last day, such as 2026-12-31
    #[arg(long, value_name = "DATE")]
    until: String,
    #[command(flatten)]
    decider: Decider,
}

pub(crate) fn run(ui: &mut Ui, place: &Place, args: &Args) -> Outcome {
    let workspace = place.workspace()?;
    proof::last_day(&context(), &args.until)?;
    let command = format!("hewto proof waive {} --reason … --until {}", args.reference, args.until);
    let concession =
        Concession::Waiver { reference: &args.reference, reason: &args.reason, until: &args.until };
    let told = format!(
        "{}Let `{}` pass until {}, because: {}",
        standing(&workspace, &args.reference)?,
        args.reference,
        args.until,
        args.reason
    );
    let person = args.decider.confirm(&workspace, ("a waiver", &command), &told, &concession)?;
    let inputs = json!({ "ref": args.reference, "reason": args.reason, "until": args.until });
    let view = act::in_workspace(&workspace, "proof waive", inputs, |ctx| {
        proof::waive(&workspace, ctx, &args.reference, &args.reason, &args.until, &person)
    })?;
    ui.answer(&view, shown)?;
    Ok(Verdict::Yes)
}

/// How the promises stand that somebody is about to let pass, a line each.
pub(crate) fn standing(workspace: &Workspace, target: &str) -> Result<String> {
    let query = Query { target: Some(target.to_owned()), ..Query::default() };
    let mut text = String::new();
    for row in proof::matrix(workspace, &context(), &query)?.rows {
        let why = if row.reason.is_empty() { String::new() } else { format!(": {}", row.reason) };
        let _ = writeln!(text, "{}  {}{why}  ({}:{})", row.reference, row.state.as_str(), row.file, row.line);
    }
    Ok(text)
}

pub(crate) fn shown(view: &PersonRecordView) -> String {
    let mut text = facts([
        ("ref", Cell::styled(view.reference.to_string(), NAME)),
        ("by", Cell::plain(format!("{}, {}", view.by, view.channel))),
        ("reason", Cell::plain(&view.reason)),
        ("record", Cell::plain(&view.file)),
    ]);
    if let Some(until) = &view.until {
        text.push_str(&facts([("until", Cell::plain(until))]));
    }
    text
}
