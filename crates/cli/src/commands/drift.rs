//! `hewto drift`: what has moved since it was last recorded.

use std::fmt::Write as _;

use hewto_engine::proof::{self, Concession, Query};
use hewto_engine::view::DriftView;
use serde_json::json;

use super::proof::waive::{shown, standing};
use crate::act;
use crate::actions::typed;
use crate::failure::{Outcome, Verdict};
use crate::person::Decider;
use crate::place::{Place, context};
use crate::ui::{BAD, Cell, GOOD, NAME, Table, Ui, paint};

/// Show which promises, code and tests have moved apart
#[derive(Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
Reformatting, moving and renaming are not drift. A passing linked test clears changed code; a changed promise with an unchanged \
test is suspect until the test changes or a person accepts.

Examples:
  hewto drift                                    everything that moved
  hewto drift accounts --since main              of one capability, on this branch
  hewto drift accept accounts#sign-in/known --reason \"only a typo\""
)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    /// A capability, a change (change:ID) or a reference
    #[arg(value_name = "CAPABILITY|CHANGE|REF")]
    target: Option<String>,
    /// Only what this branch moved since it left a revision
    #[arg(long, value_name = "REV")]
    since: Option<String>,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Accept what moved as it is; the next change reopens it
    Accept(Accept),
}

#[derive(Debug, clap::Args)]
struct Accept {
    /// The promise: capability#requirement/scenario, or a whole requirement
    #[arg(value_name = "REF")]
    reference: String,
    /// Why
    #[arg(long, value_name = "TEXT")]
    reason: String,
    #[command(flatten)]
    decider: Decider,
}

pub(crate) fn run(ui: &mut Ui, place: &Place, args: Args) -> Outcome {
    let workspace = place.workspace()?;
    if let Some(Command::Accept(accept)) = args.command {
        let command = typed(&format!("drift accept {} --reason …", accept.reference));
        let concession = Concession::Drift { reference: &accept.reference, reason: &accept.reason };
        let told = format!(
            "{}Accept `{}` as it stands, because: {}",
            standing(&workspace, &accept.reference)?,
            accept.reference,
            accept.reason
        );
        let what = ("accepting drift", command.as_str());
        let person = accept.decider.confirm(&workspace, what, &told, &concession)?;
        let inputs = json!({ "ref": accept.reference, "reason": accept.reason });
        let view = act::in_workspace(&workspace, "drift accept", inputs, |ctx| {
            proof::accept(&workspace, ctx, &accept.reference, &accept.reason, &person)
        })?;
        ui.answer(&view, shown)?;
        return Ok(Verdict::Yes);
    }
    let query = Query { target: args.target, since: args.since, ..Query::default() };
    let view = proof::drift(&workspace, &context(), &query)?;
    ui.answer(&view, render)?;
    Ok(if view.green { Verdict::Yes } else { Verdict::No })
}

fn render(view: &DriftView) -> String {
    let mut out = String::new();
    if !view.drifted.is_empty() {
        let mut table = Table::with_header(["REF", "STATE", "WHAT", "SINCE", "BY COMMIT"]);
        for row in &view.drifted {
            let style = if row.red { BAD } else { GOOD };
            table.row([
                Cell::styled(row.reference.to_string(), NAME),
                Cell::styled(row.state.as_str().replace('_', " "), style),
                Cell::plain(&row.what),
                Cell::plain(row.since.as_deref().unwrap_or("–")),
                Cell::plain(row.commit.as_deref().unwrap_or("–")),
            ]);
        }
        out.push_str(&table.render());
    }
    let _ = writeln!(out, "{}", paint(if view.green { GOOD } else { BAD }, &view.line));
    out
}
