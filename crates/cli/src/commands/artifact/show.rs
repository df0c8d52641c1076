//! `hewto artifact show`.

use std::fmt::Write;

use hewto_engine::metadata;
use hewto_engine::view::MetadataView;

use crate::failure::{Outcome, Verdict};
use crate::place::{Place, context, locator};
use crate::ui::{DIM, HEADING, NAME, Ui, WARN, one_line, paint};

/// Show what the front matter of an artifact says
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A handle such as impl://name, a path, or an https address
    handle: String,
}

pub(crate) fn run(ui: &mut Ui, place: &Place, args: &Args) -> Outcome {
    let workspace = place.workspace()?;
    let view = metadata::describe(&workspace, &context(), &locator(&workspace, &args.handle)?)?;
    ui.answer(&view, render)?;
    Ok(Verdict::Yes)
}

fn render(view: &MetadataView) -> String {
    let mut out = format!(
        "{}\n{} {}\n",
        paint(HEADING, &one_line(&view.id.name)),
        view.kind,
        paint(NAME, &one_line(&view.handle))
    );
    let copy = view.remote.as_ref().map(|remote| &remote.cache_path);
    if let Some(path) = view.path.as_ref().or(copy) {
        let _ = writeln!(out, "{}", paint(DIM, path));
    }
    if let Some(problem) = view.remote.as_ref().and_then(|remote| remote.problem.as_ref()) {
        let _ = writeln!(out, "{}", paint(WARN, &one_line(problem)));
    }
    for (key, value) in &view.front_matter {
        let shown = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let _ = writeln!(out, "  {} {}", paint(DIM, &one_line(key)), one_line(&shown));
    }
    out
}
