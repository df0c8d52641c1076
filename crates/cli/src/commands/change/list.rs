//! `hewto change list`.

use std::fmt::Write;

use hewto_engine::PageRequest;
use hewto_engine::change::{self, Archived};
use hewto_engine::view::ChangeCards;

use crate::failure::{Outcome, Verdict};
use crate::place::{Place, context};
use crate::ui::{Cell, NAME, Table, Ui, WARN, count, one_line, paint};

/// List the open changes
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Archived changes too
    #[arg(long)]
    archived: bool,
}

pub(crate) fn run(ui: &mut Ui, place: &Place, args: &Args) -> Outcome {
    let workspace = place.workspace()?;
    let ctx = context();
    let archived = if args.archived { Archived::Included } else { Archived::LeftOut };
    let mut changes = Vec::new();
    let mut cursor = None;
    let cards = loop {
        let page =
            PageRequest { limit: Some(usize::MAX), cursor: cursor.take(), max_chars: Some(usize::MAX) };
        let cards = change::list(&workspace, &ctx, archived, &page)?;
        changes.extend(cards.changes);
        match cards.page.next_cursor {
            Some(next) => cursor = Some(next),
            None => break ChangeCards { changes, ..cards },
        }
    };
    ui.answer(&cards, render)?;
    Ok(Verdict::Yes)
}

fn render(cards: &ChangeCards) -> String {
    let mut odd = String::new();
    for one in &cards.not_listed {
        let _ = writeln!(odd, "{} {}", paint(WARN, "not listed:"), one_line(one));
    }
    if cards.changes.is_empty() {
        return format!("no open changes\n{odd}");
    }
    let mut table = Table::with_header(["ID", "TASKS", "SPECS", "TITLE"]);
    for card in &cards.changes {
        let progress = card.task_progress;
        table.row([
            Cell::styled(&card.id, NAME),
            Cell::plain(format!("{}/{}", progress.completed, progress.total)),
            Cell::plain(card.capabilities.join(", ")),
            Cell::plain(one_line(&card.title)),
        ]);
    }
    let archived = cards.changes.iter().filter(|card| card.archived).count();
    let open = count(cards.changes.len() - archived, "open change");
    let total = if archived > 0 { format!("{open}, {archived} archived") } else { open };
    format!("{}{total}\n{odd}", table.render())
}
