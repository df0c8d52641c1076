//! `hewto why`: what governs a file.

use std::fmt::Write;

use hewto_engine::view::WhyView;
use hewto_engine::{graph, hub};

use crate::commands::hub::show;
use crate::failure::{Outcome, Verdict};
use crate::place::{Place, absolute, context};
use crate::ui::{DIM, NAME, Ui, one_line, paint};

/// Name what governs a file: specs, requirements, decisions, changes
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The file; of one that does not exist the command tells what would govern it, and exits with 1
    path: std::path::PathBuf,
    /// Ask the hub too: what else touches that, and what depends on it in other repositories
    #[arg(long)]
    hub: bool,
}

pub(crate) fn run(ui: &mut Ui, place: &Place, args: &Args) -> Outcome {
    let workspace = place.workspace()?;
    // As it is typed, it is seen from the current folder; a path inside the workspace counts from its root too.
    let here = absolute(&args.path)?;
    let path = if here.starts_with(workspace.root()) { &here } else { &args.path };
    let view = graph::why(&workspace, &context(), &path.to_string_lossy())?;
    if args.hub {
        let elsewhere = hub::touching(&workspace, &context(), &view)?;
        let mut both = serde_json::to_value(&view).unwrap_or_default();
        both["hub"] = elsewhere.clone();
        ui.answer(&both, |_| {
            format!("{}{}{}", render(&view), show::overlaps(&elsewhere), show::edges(&elsewhere))
        })?;
    } else {
        ui.answer(&view, render)?;
    }
    Ok(if view.exists { Verdict::Yes } else { Verdict::No })
}

fn render(view: &WhyView) -> String {
    let mut out = String::new();
    if !view.exists {
        let _ = writeln!(out, "there is no {}", one_line(&view.path));
    }
    if view.governed_by.is_empty() && view.promises.is_empty() {
        let _ = writeln!(out, "nothing governs {}", one_line(&view.path));
    }
    for governor in &view.governed_by {
        let handle = paint(NAME, &one_line(&governor.artifact.handle));
        let _ = writeln!(out, "{handle}  {}", paint(DIM, &one_line(&governor.reason)));
        for requirement in &governor.requirements {
            let _ = writeln!(out, "  {}", one_line(requirement));
        }
    }
    for change in &view.archived_changes {
        let name = paint(NAME, &one_line(&change.id));
        let _ = writeln!(out, "{name}  {}", paint(DIM, &format!("archived: {}", one_line(&change.title))));
    }
    for link in &view.promises {
        let name = link.place.name.as_deref().unwrap_or("the file");
        let place = format!("{} at line {}: {}", link.kind.as_str(), link.place.line, one_line(name));
        let _ = writeln!(out, "{}  {}", paint(NAME, &link.reference.to_string()), paint(DIM, &place));
    }
    out
}
