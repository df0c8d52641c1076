//! `hewto artifact show`.

use std::fmt::Write;

use hewto_engine::metadata;
use hewto_engine::view::MetadataView;

use crate::failure::{Outcome, Verdict};
use crate::place::{Place, context};
use crate::ui::{DIM, HEADING, NAME, Ui, one_line, paint};

/// Show what the front matter of an artifact says
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A handle such as impl://name, or a path
    handle: String,
}

pub(crate) fn run(ui: &mut Ui, place: &Place, args: &Args) -> Outcome {
    let view = metadata::describe(&place.workspace()?, &context(), &args.handle)?;
    ui.answer(&view, render)?;
    Ok(Verdict::Yes)
}

fn render(view: &MetadataView) -> String {
    let mut out = format!(
        "{}\n{} {}\n{}\n",
        paint(HEADING, &one_line(&view.id.name)),
        view.kind,
        paint(NAME, &view.handle),
        paint(DIM, &view.path)
    );
    for (key, value) in &view.front_matter {
        let shown = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let _ = writeln!(out, "  {} {}", paint(DIM, &one_line(key)), one_line(&shown));
    }
    out
}
