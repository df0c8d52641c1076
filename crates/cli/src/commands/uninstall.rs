//! `hewto uninstall`: take back what `init` wrote, to the byte.

use std::fmt::Write;

use hewto_engine::uninstall::{self, Extent, UninstallView};
use serde_json::json;

use crate::act;
use crate::env;
use crate::failure::{Outcome, Verdict, usage};
use crate::interrupt;
use crate::place::{Place, context};
use crate::ui::{BAD, Cell, DIM, Format, Table, Ui, count, one_line, paint};

/// Remove what `init` wrote
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Every file that `hewto init` wrote or added to has its old bytes again, and files and folders it made are gone; so are hewto's \
logs, cache, lock and its memory of imports. Specs, changes, decisions and what was recorded of them (links, waivers, reviews) stay. \
Without a terminal nothing is asked, except that --purge needs --yes. What somebody has edited since is left alone and reported (exit 1).

Examples:
  hewto uninstall --dry-run      print the diff and write nothing
  hewto uninstall --purge --yes  specs, changes and decisions go too")]
pub(crate) struct Args {
    /// Print the diff that would be written, and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Delete specs, changes and decisions too
    #[arg(long)]
    purge: bool,
    /// Ask nothing
    #[arg(long, short)]
    yes: bool,
}

pub(crate) fn run(ui: &mut Ui, place: &Place, args: &Args) -> Outcome {
    let context = context();
    let extent = if args.purge { Extent::Everything } else { Extent::Installation };
    let plan = uninstall::plan(place.start(), &context, extent, env::personal())?;
    if args.dry_run {
        let view = plan.preview(&context)?;
        if ui.format() == Format::Human {
            ui.notes(&left_alone(&view))?;
        }
        ui.answer(&view, |view| view.diff.clone().unwrap_or_default())?;
        return Ok(verdict(&view));
    }
    if !args.yes && ui.can_ask() {
        ui.print(&show(&plan.preview(&context)?, "would be"))?;
        if !ui.confirm("Take this back?")? {
            ui.print("nothing was changed")?;
            return Ok(Verdict::No);
        }
    } else if !args.yes && plan.purged() > 0 {
        let message = format!("this would delete {} for good", count(plan.purged(), "document"));
        return Err(usage(message).hint("look at `--dry-run` first, then say `--yes`").into());
    }
    interrupt::calls_off(&context)?;
    // What was taken back whole has no log any more, and must not get a new one.
    let left = || place.workspace().ok().filter(|left| left.store().machine().stands_state());
    let layout = || left().map(|left| left.layout().clone());
    let inputs = json!({ "purge": args.purge });
    let view = act::noted(context, "uninstall", inputs, layout, |context| plan.carry_out(context))?;
    ui.answer(&view, |view| show(view, "is"))?;
    Ok(verdict(&view))
}

fn verdict(view: &UninstallView) -> Verdict {
    if view.complete { Verdict::Yes } else { Verdict::No }
}

fn show(view: &UninstallView, is: &str) -> String {
    let mut out = left_alone(view);
    let mut table = Table::indented();
    for (word, paths) in
        [("restored", &view.restored), ("deleted", &view.deleted), ("removed", &view.folders)]
    {
        for path in paths {
            table.row([Cell::styled(word, DIM), Cell::plain(path)]);
        }
    }
    let lines = table.render();
    if lines.is_empty() {
        let _ = writeln!(out, "nothing of hewto {is} left to take back: {}", one_line(&view.root));
    } else {
        let _ = write!(out, "{lines}");
        let what = if view.complete { "hewto" } else { "the rest of hewto" };
        let _ = writeln!(out, "{what} {is} gone from: {}", one_line(&view.root));
    }
    out
}

fn left_alone(view: &UninstallView) -> String {
    let mut out = String::new();
    for kept in &view.kept {
        let title = paint(BAD, "left alone:");
        let _ = writeln!(out, "{title} {}: {}", one_line(&kept.file), one_line(&kept.why));
        let _ = writeln!(out, "  hint: {}", one_line(&kept.hint));
    }
    out
}
