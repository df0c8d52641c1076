//! `hewto upgrade`: bring what an earlier version wrote to this one, and touch nothing that a person has edited.

use std::fmt::Write;

use hewto_engine::init::{self, Action, InitView};
use serde_json::json;

use super::init::{left_alone, preview, word};
use crate::act;
use crate::env;
use crate::failure::{Outcome, Verdict};
use crate::interrupt;
use crate::place::{Place, context};
use crate::ui::{Cell, NAME, Table, Ui, count};

/// Bring sections, skills and agents' configuration to this version
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Goes by the manifest of `hewto init`. What is as hewto wrote it is renewed. What somebody has edited is not touched: the new text is \
put beside it, as FILE.new, and the exit code is 3.

Examples:
  hewto upgrade --dry-run    print the diff and write nothing
  hewto upgrade --json       for scripts")]
pub(crate) struct Args {
    /// Print the diff that would be written, and write nothing
    #[arg(long)]
    dry_run: bool,
}

pub(crate) fn run(ui: &mut Ui, place: &Place, args: &Args) -> Outcome {
    let context = context();
    let personal = env::personal();
    let plan = init::plan_upgrade(place.start(), &context, &env::program()?, personal.as_ref())?;
    if args.dry_run {
        let view = plan.preview();
        preview(ui, &view)?;
        return Ok(verdict(&view));
    }
    interrupt::calls_off(&context)?;
    let wrote = !plan.is_empty();
    let layout = || place.workspace().ok().filter(|_| wrote).map(|found| found.layout().clone());
    let view = act::noted(context, "upgrade", json!({}), layout, |context| plan.carry_out(context))?;
    ui.answer(&view, |view| show(view, wrote))?;
    Ok(verdict(&view))
}

fn verdict(view: &InitView) -> Verdict {
    let is = |action| view.plan.iter().any(|line| line.action == action);
    if is(Action::Beside) {
        Verdict::Beside
    } else if is(Action::LeftAlone) {
        Verdict::No
    } else {
        Verdict::Yes
    }
}

fn show(view: &InitView, wrote: bool) -> String {
    let mut table = Table::indented();
    for line in
        view.plan.iter().filter(|line| matches!(line.action, Action::Create | Action::Merge | Action::Update))
    {
        let (word, style) = word(line.action);
        table.row([Cell::styled(word, style), Cell::styled(&line.file, NAME), Cell::plain(&line.why)]);
    }
    let mut out = table.render();
    out.push_str(&left_alone(view));
    if wrote {
        let _ = writeln!(out, "wrote {}", count(view.files.len(), "file"));
    } else {
        let _ = writeln!(out, "everything that hewto wrote is up to date: {}", view.root);
    }
    out
}
