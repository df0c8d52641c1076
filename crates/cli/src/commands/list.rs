//! `hewto list`: everything of every kind in one list.

use std::fmt::Write;

use hewto_core::lifecycle::Lifecycle;
use hewto_engine::PageRequest;
use hewto_engine::spec::{self, ItemKind, SpecFilter};
use hewto_engine::view::SpecListView;

use crate::failure::{Outcome, Verdict};
use crate::place::{Place, context};
use crate::ui::{self, Cell, NAME, Table, Ui, count};
use crate::values;

/// List specs and changes of all kinds
#[derive(Debug, clap::Args)]
#[command(after_help = "A living spec is a promise that holds; work is a spec with a lifecycle.")]
pub(crate) struct Args {
    /// Only this kind
    #[arg(long, value_name = "KIND", value_parser = values::item_kind())]
    kind: Option<ItemKind>,
    /// Only what is in this state
    #[arg(long, value_parser = values::lifecycle())]
    state: Option<Lifecycle>,
    /// Archived changes too
    #[arg(long)]
    archived: bool,
}

pub(crate) fn run(ui: &mut Ui, place: &Place, args: &Args) -> Outcome {
    let workspace = place.workspace()?;
    let ctx = context();
    let filter = SpecFilter {
        state: args.state,
        category: None,
        kind: args.kind,
        changes: args.kind.is_none(),
        archived: args.archived,
    };
    let mut specs = Vec::new();
    let mut cursor = None;
    let list = loop {
        let page =
            PageRequest { limit: Some(usize::MAX), cursor: cursor.take(), max_chars: Some(usize::MAX) };
        let list = spec::list(&workspace, &ctx, &filter, &page)?;
        specs.extend(list.specs);
        match list.page.next_cursor {
            Some(next) => cursor = Some(next),
            None => break SpecListView { specs, page: list.page },
        }
    };
    ui.answer(&list, render)?;
    Ok(Verdict::Yes)
}

fn render(list: &SpecListView) -> String {
    if list.specs.is_empty() {
        return "nothing matches".to_owned();
    }
    let mut table = Table::with_header(["ID", "KIND", "STATE", "TITLE"]);
    for item in &list.specs {
        // What is promised has no state to speak of.
        let state =
            if item.kind == ItemKind::Living { "-" } else { item.state.as_deref().unwrap_or("unreadable") };
        table.row([
            Cell::styled(&item.id, NAME),
            Cell::plain(item.kind.as_str()),
            Cell::styled(state, ui::state(state)),
            Cell::plain(&item.title),
        ]);
    }
    let mut out = table.render();
    let _ = writeln!(out, "{}", count(list.specs.len(), "item"));
    out
}
