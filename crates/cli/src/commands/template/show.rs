//! `hewto template show`.

use hewto_engine::template;
use hewto_engine::view::TemplateText;

use crate::failure::{Outcome, Verdict};
use crate::place::{Place, context};
use crate::ui::{DIM, Ui, paint, visible};

/// Show the text of a template
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// spec, impl, scratch, or a kind of work such as feat
    scenario: String,
}

pub(crate) fn run(ui: &mut Ui, place: &Place, args: &Args) -> Outcome {
    let view = template::show(&place.workspace()?, &context(), &args.scenario)?;
    ui.answer(&view, render)?;
    Ok(Verdict::Yes)
}

fn render(view: &TemplateText) -> String {
    let source = format!("{} {}", view.template.tier, view.template.locator);
    format!("{}\n{}", paint(DIM, &source), visible(&view.text))
}
