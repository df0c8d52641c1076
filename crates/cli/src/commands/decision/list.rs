//! `hewto decision list`.

use hewto_engine::view::DecisionList;
use hewto_engine::{PageRequest, decision};

use crate::commands::clarify::RepoArgs;
use crate::failure::{Outcome, Verdict};
use crate::place::{Place, context};
use crate::ui::{Cell, NAME, Table, Ui, count};

/// List the decisions, oldest first
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    repo: RepoArgs,
}

pub(crate) fn run(ui: &mut Ui, place: &Place, args: &Args) -> Outcome {
    let repository = args.repo.open(place)?;
    let ctx = context();
    let mut decisions = Vec::new();
    let mut cursor = None;
    let list = loop {
        let page =
            PageRequest { limit: Some(usize::MAX), cursor: cursor.take(), max_chars: Some(usize::MAX) };
        let list = decision::list(&repository, &ctx, &page)?;
        decisions.extend(list.decisions);
        match list.page.next_cursor {
            Some(next) => cursor = Some(next),
            None => break DecisionList { decisions, page: list.page },
        }
    };
    ui.answer(&list, render)?;
    Ok(Verdict::Yes)
}

fn render(list: &DecisionList) -> String {
    if list.decisions.is_empty() {
        return "no decisions yet".to_owned();
    }
    let mut table = Table::with_header(["UID", "DATE", "CATEGORY", "TITLE"]);
    for card in &list.decisions {
        table.row([
            Cell::styled(&card.uid, NAME),
            Cell::plain(&card.date),
            Cell::plain(&card.category),
            Cell::plain(&card.title),
        ]);
    }
    format!("{}{}\n", table.render(), count(list.decisions.len(), "decision"))
}
