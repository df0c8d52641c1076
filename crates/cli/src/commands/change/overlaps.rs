//! `hewto change overlaps`.

use std::fmt::Write;

use hewto_engine::change;
use hewto_engine::view::OverlapView;

use crate::failure::{Outcome, Verdict};
use crate::place::{Place, context};
use crate::ui::{Ui, WARN, one_line, paint};

/// List requirements that several open changes touch
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(ui: &mut Ui, place: &Place, _: &Args) -> Outcome {
    let workspace = place.workspace()?;
    let view = change::overlaps(&workspace, &context())?;
    ui.answer(&view, |view| {
        if view.overlaps.is_empty() { "no overlaps".to_owned() } else { lines(&view.overlaps) }
    })?;
    Ok(Verdict::Yes)
}

pub(super) fn lines(overlaps: &[OverlapView]) -> String {
    let mut out = String::new();
    for overlap in overlaps {
        let _ = writeln!(
            out,
            "{} {} / {}: {}",
            paint(WARN, "overlap:"),
            one_line(&overlap.capability),
            one_line(&overlap.requirement),
            overlap.changes.join(", ")
        );
        for risk in &overlap.at_risk {
            let _ = writeln!(out, "    scenario {}", one_line(risk));
        }
    }
    out
}
