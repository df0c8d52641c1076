//! `hewto why`: what governs a file.

use std::fmt::Write;

use hewto_engine::graph;
use hewto_engine::view::WhyView;

use crate::failure::{Outcome, Verdict};
use crate::place::{Place, absolute, context};
use crate::ui::{DIM, NAME, Ui, one_line, paint};

/// Name what governs a file: specs, requirements, decisions, changes
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The file, which does not have to exist yet
    path: std::path::PathBuf,
}

pub(crate) fn run(ui: &mut Ui, place: &Place, args: &Args) -> Outcome {
    let workspace = place.workspace()?;
    // As it is typed, it is seen from the current folder; a path inside the workspace counts from its root too.
    let here = absolute(&args.path)?;
    let path = if here.starts_with(workspace.root()) { &here } else { &args.path };
    let view = graph::why(&workspace, &context(), &path.to_string_lossy())?;
    ui.answer(&view, render)?;
    Ok(Verdict::Yes)
}

fn render(view: &WhyView) -> String {
    if view.governed_by.is_empty() {
        return format!("nothing governs {}", one_line(&view.path));
    }
    let mut out = String::new();
    for governor in &view.governed_by {
        let handle = paint(NAME, &one_line(&governor.artifact.handle));
        let _ = writeln!(out, "{handle}  {}", paint(DIM, &one_line(&governor.reason)));
        for requirement in &governor.requirements {
            let _ = writeln!(out, "  {}", one_line(requirement));
        }
    }
    out
}
