//! `hewto architecture`: what holds now, computed from the decision records.

use std::fmt::Write;

use hewto_engine::decision;
use hewto_engine::view::ArchitectureView;

use super::clarify::RepoArgs;
use crate::failure::{Outcome, Verdict};
use crate::place::{Place, context};
use crate::ui::{Cell, DIM, HEADING, Table, Ui, WARN, one_line, paint};

/// Show what has been decided, by category
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    repo: RepoArgs,
}

pub(crate) fn run(ui: &mut Ui, place: &Place, args: &Args) -> Outcome {
    let view = decision::read_architecture(&args.repo.open(place)?, &context())?;
    ui.answer(&view, render)?;
    Ok(Verdict::Yes)
}

fn render(view: &ArchitectureView) -> String {
    let Some(uid) = &view.architecture.uid else {
        return "nothing has been decided yet; begin with `hewto clarify \"INTENTION\"`".to_owned();
    };
    let mut out = format!("{}\n", paint(DIM, &format!("as of {uid}")));
    if let Some(message) = &view.message {
        let missing =
            view.details.as_ref().map(|details| details.missing_keys.join(", ")).unwrap_or_default();
        let _ = writeln!(out, "{}", paint(WARN, &one_line(&format!("{message}: {missing}"))));
    }
    for (category, fields) in &view.architecture.categories {
        let _ = writeln!(out, "\n{}", paint(HEADING, &one_line(category)));
        let mut table = Table::indented();
        for (field, value) in fields {
            table.row([Cell::styled(field, DIM), Cell::plain(value)]);
        }
        out.push_str(&table.render());
    }
    out
}
