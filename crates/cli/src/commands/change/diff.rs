//! `hewto change diff`.

use std::fmt::Write;

use hewto_engine::change;
use hewto_engine::view::DiffView;

use crate::failure::{Outcome, Verdict};
use crate::place::{Place, context};
use crate::ui::{NAME, Ui, one_line, paint};

/// Show what a change does, in requirements and scenarios
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The change's id
    id: String,
}

pub(crate) fn run(ui: &mut Ui, place: &Place, args: &Args) -> Outcome {
    let workspace = place.workspace()?;
    let diff = change::diff(&workspace, &context(), &args.id, usize::MAX)?;
    ui.answer(&diff, render)?;
    Ok(Verdict::Yes)
}

fn render(diff: &DiffView) -> String {
    if diff.differences.is_empty() {
        return "nothing would be different".to_owned();
    }
    let mut out = String::new();
    let mut capability = "";
    for difference in &diff.differences {
        if difference.capability != capability {
            capability = &difference.capability;
            let _ = writeln!(out, "{}", paint(NAME, &one_line(capability)));
        }
        let _ = writeln!(out, "  {}", one_line(&difference.text));
    }
    out
}
