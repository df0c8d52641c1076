//! `hewto proof show`: the record of one run.

use std::fmt::Write as _;

use hewto_engine::proof::run;

use super::run::check_shown;
use crate::failure::{Outcome, Verdict};
use crate::place::{self, Place};
use crate::ui::{Cell, Ui, facts};

/// Show the record of a run
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The id of the run, or its beginning
    run: String,
}

pub(crate) fn run(ui: &mut Ui, place: &Place, args: &Args) -> Outcome {
    let workspace = place.workspace()?;
    let shown = run::show(&workspace, &place::context(), &args.run)?;
    ui.answer(&shown.record, |record| {
        let mut lines = facts([
            ("run", Cell::plain(record.run.clone())),
            ("check", Cell::plain(record.check.clone())),
            ("command", Cell::plain(record.argv.join(" "))),
            ("at", Cell::plain(record.at.clone())),
            ("by", Cell::plain(record.by.clone())),
            ("tree", Cell::plain(record.tree.clone())),
            ("commit", Cell::plain(record.head.clone().unwrap_or_default())),
        ]);
        lines.push_str(&check_shown(&shown.view));
        for (reference, hashes) in &record.links {
            let tested = if hashes.test.is_empty() { "no test" } else { "tested" };
            let _ = writeln!(lines, "  {reference}  {tested}");
        }
        lines
    })?;
    Ok(Verdict::Yes)
}
