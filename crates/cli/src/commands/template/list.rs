//! `hewto template list`.

use hewto_engine::view::TemplateList;
use hewto_engine::{PageRequest, template};

use crate::failure::{Outcome, Verdict};
use crate::place::{Place, context};
use crate::ui::{Cell, DIM, NAME, Table, Ui};

/// List the template of each scenario
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Only this one: spec, impl, scratch, or a kind of work such as feat
    scenario: Option<String>,
}

pub(crate) fn run(ui: &mut Ui, place: &Place, args: &Args) -> Outcome {
    let page = PageRequest { max_chars: Some(usize::MAX), ..PageRequest::default() };
    let view = template::catalog(&place.workspace()?, &context(), args.scenario.as_deref(), None, &page)?;
    ui.answer(&view, render)?;
    Ok(Verdict::Yes)
}

fn render(view: &TemplateList) -> String {
    let mut table = Table::with_header(["SCENARIO", "TIER", "LOCATOR", "TOKENS"]);
    for template in &view.templates {
        table.row([
            Cell::styled(&template.scenario, NAME),
            Cell::plain(&template.tier),
            Cell::styled(&template.locator, DIM),
            Cell::plain(template.required_tokens.join(", ")),
        ]);
    }
    table.render()
}
