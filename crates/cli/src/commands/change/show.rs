//! `hewto change show`.

use std::fmt::Write;

use hewto_engine::change::{self, ShowOptions};
use hewto_engine::view::{ChangeView, DeltaView, RequirementView};

use crate::failure::{Outcome, Verdict};
use crate::place::{Place, context};
use crate::ui::{BAD, DIM, GOOD, HEADING, NAME, Ui, WARN, count, one_line, paint, visible};

/// Show a change: why, what, tasks and deltas
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The change's id
    id: String,
    /// Only one part: proposal, tasks, design or deltas
    #[arg(long, value_name = "PART", value_parser = ["proposal", "tasks", "design", "deltas"])]
    section: Option<String>,
}

pub(crate) fn run(ui: &mut Ui, place: &Place, args: &Args) -> Outcome {
    let workspace = place.workspace()?;
    let options = ShowOptions {
        section: args.section.as_deref().map(str::parse).transpose()?,
        capability: None,
        max_chars: Some(usize::MAX),
    };
    let view = change::show(&workspace, &context(), &args.id, &options)?;
    ui.answer(&view, render)?;
    Ok(Verdict::Yes)
}

fn render(view: &ChangeView) -> String {
    let mut out = format!("{}\n{}\n", paint(HEADING, &one_line(&view.title)), paint(NAME, &view.id));
    if let Some(folder) = &view.archived {
        let _ = writeln!(out, "{}", paint(DIM, &format!("archived: {}", one_line(folder))));
    }
    if let Some(proposal) = &view.proposal {
        for (heading, text) in [("why", &proposal.why), ("what changes", &proposal.what_changes)] {
            if let Some(text) = text {
                let _ = write!(out, "\n{}\n{}\n", paint(DIM, heading), visible(text.trim()));
            }
        }
    }
    if let Some(tasks) = &view.tasks {
        let _ = write!(out, "\n{} {}/{}\n", paint(DIM, "tasks"), tasks.completed, tasks.total);
        for task in tasks.groups.iter().flat_map(|group| &group.tasks) {
            let mark = if task.done { paint(GOOD, "[x]") } else { "[ ]".to_owned() };
            let number = task.number.as_deref().map(|number| format!("{number} ")).unwrap_or_default();
            let _ = writeln!(out, "  {mark} {number}{}", one_line(&task.title));
        }
    }
    if let Some(design) = &view.design {
        let _ = write!(out, "\n{}\n{}\n", paint(DIM, "design"), visible(design.trim()));
    }
    for (capability, delta) in view.deltas.iter().flatten() {
        let _ = write!(out, "\n{} {}\n", paint(DIM, "delta for"), paint(NAME, capability));
        render_delta(&mut out, delta);
    }
    out
}

fn render_delta(out: &mut String, delta: &DeltaView) {
    let mut each = |sign: String, requirements: &mut dyn Iterator<Item = &RequirementView>| {
        for requirement in requirements {
            let scenarios = count(requirement.scenarios.len(), "scenario");
            let _ = writeln!(out, "  {sign} {} {}", one_line(&requirement.name), paint(DIM, &scenarios));
        }
    };
    each(paint(GOOD, "+"), &mut delta.added.iter().map(|one| &one.requirement));
    each(paint(WARN, "~"), &mut delta.modified.iter().map(|one| &one.requirement));
    each(paint(BAD, "-"), &mut delta.removed.iter());
    for rename in &delta.renamed {
        let _ = writeln!(out, "  {} {} → {}", paint(WARN, ">"), one_line(&rename.from), one_line(&rename.to));
    }
}
