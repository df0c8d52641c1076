//! `hewto requirement list`.

use hewto_engine::view::{AllRequirements, RequirementCards};
use hewto_engine::{PageRequest, requirement};

use crate::failure::{Outcome, Verdict};
use crate::place::{Place, context};
use crate::ui::{Cell, NAME, Table, Ui, count, one_line};

/// List the requirements of a spec, or of all specs
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The spec's id; all specs when absent
    spec: Option<String>,
}

pub(crate) fn run(ui: &mut Ui, place: &Place, args: &Args) -> Outcome {
    let workspace = place.workspace()?;
    let ctx = context();
    let Some(spec) = &args.spec else {
        let all = requirement::of_all(&workspace, &ctx)?;
        ui.answer(&all, render_all)?;
        return Ok(Verdict::Yes);
    };
    let mut requirements = Vec::new();
    let mut cursor = None;
    let cards = loop {
        let page =
            PageRequest { limit: Some(usize::MAX), cursor: cursor.take(), max_chars: Some(usize::MAX) };
        let mut cards = requirement::of_spec(&workspace, &ctx, spec, &page)?;
        requirements.append(&mut cards.requirements);
        match cards.page.next_cursor.take() {
            Some(next) => cursor = Some(next),
            None => break RequirementCards { requirements, ..cards },
        }
    };
    ui.answer(&cards, render)?;
    Ok(Verdict::Yes)
}

fn render_all(all: &AllRequirements) -> String {
    if all.requirements.is_empty() {
        return "no spec states a requirement".to_owned();
    }
    let mut table = Table::with_header(["SPEC", "ID", "SCENARIOS", "REQUIREMENT"]);
    for one in &all.requirements {
        table.row([
            Cell::styled(&one.spec_id, NAME),
            Cell::plain(&one.card.id),
            Cell::plain(one.card.scenario_count.to_string()),
            Cell::plain(one_line(&one.card.name)),
        ]);
    }
    let requirements = count(all.requirements.len(), "requirement");
    format!("{}{requirements} in {}\n", table.render(), count(all.specs, "spec"))
}

fn render(cards: &RequirementCards) -> String {
    if cards.requirements.is_empty() {
        return format!("`{}` states no requirements", cards.spec_id);
    }
    let mut table = Table::with_header(["ID", "SCENARIOS", "REQUIREMENT"]);
    for card in &cards.requirements {
        table.row([
            Cell::styled(&card.id, NAME),
            Cell::plain(card.scenario_count.to_string()),
            Cell::plain(one_line(&card.name)),
        ]);
    }
    format!("{}{}\n", table.render(), count(cards.requirements.len(), "requirement"))
}
