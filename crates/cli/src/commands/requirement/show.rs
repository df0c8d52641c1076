//! `hewto requirement show`.

use std::fmt::Write;

use hewto_engine::requirement;
use hewto_engine::view::RequirementInContext;

use crate::failure::{Outcome, Verdict};
use crate::place::{Place, context};
use crate::ui::{DIM, HEADING, Ui, one_line, paint, visible};

/// Show one requirement with its scenarios
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The spec's id
    spec: String,
    /// The requirement's name or id
    name: String,
}

pub(crate) fn run(ui: &mut Ui, place: &Place, args: &Args) -> Outcome {
    let workspace = place.workspace()?;
    let view = requirement::show(&workspace, &context(), &args.spec, &args.name)?;
    ui.answer(&view, render)?;
    Ok(Verdict::Yes)
}

fn render(view: &RequirementInContext) -> String {
    let requirement = &view.requirement;
    let place = format!("{}:{}", view.file, view.line);
    let mut out = format!("{}\n{}\n", paint(HEADING, &one_line(&requirement.name)), paint(DIM, &place));
    let _ = write!(out, "\n{}\n", visible(requirement.text.trim()));
    for scenario in &requirement.scenarios {
        let _ = write!(out, "\n{}\n", paint(HEADING, &one_line(&scenario.name)));
        let mut clause = |keyword: &str, text: &str| {
            let _ = writeln!(out, "  {} {}", paint(DIM, keyword), one_line(text));
        };
        if let Some(given) = &scenario.given {
            clause("given", given);
        }
        if let Some(when) = &scenario.when {
            clause("when ", when);
        }
        for (n, then) in scenario.then.iter().enumerate() {
            clause(if n == 0 { "then " } else { "and  " }, then);
        }
    }
    out
}
