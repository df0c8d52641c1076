//! `hewto spec list`.

use std::fmt::Write;

use hewto_core::lifecycle::Lifecycle;
use hewto_core::spec::Category;
use hewto_engine::spec::{self, ItemKind, SpecFilter};
use hewto_engine::view::{SpecListEntry, SpecListView};
use hewto_engine::{Context, PageRequest, Result, Workspace};

use crate::failure::{Outcome, Verdict};
use crate::place::{Place, context};
use crate::ui::{self, Cell, NAME, Table, Ui, WARN, count, paint};
use crate::values;

/// List the specs
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Only specs in this state
    #[arg(long, value_parser = values::lifecycle())]
    state: Option<Lifecycle>,
    /// Only specs of this kind
    #[arg(long, value_parser = values::category())]
    category: Option<Category>,
    /// Show at most N [default: all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    limit: Option<u32>,
}

pub(crate) fn run(ui: &mut Ui, place: &Place, args: &Args) -> Outcome {
    let workspace = place.workspace()?;
    let filter = SpecFilter { state: args.state, category: args.category, ..SpecFilter::default() };
    let limit = args.limit.map_or(usize::MAX, |limit| limit as usize);
    let list = collect(&workspace, &context(), &filter, limit)?;
    ui.answer(&list, render)?;
    Ok(Verdict::Yes)
}

/// The first `limit` specs as one list, however the engine pages them.
fn collect(workspace: &Workspace, ctx: &Context, filter: &SpecFilter, limit: usize) -> Result<SpecListView> {
    let mut specs = Vec::new();
    let mut cursor = None;
    loop {
        let request = PageRequest {
            limit: Some(limit - specs.len()),
            cursor: cursor.take(),
            max_chars: Some(usize::MAX),
        };
        let list = spec::list(workspace, ctx, filter, &request)?;
        specs.extend(list.specs);
        match list.page.next_cursor {
            Some(next) if specs.len() < limit => cursor = Some(next),
            _ => return Ok(SpecListView { specs, page: list.page }),
        }
    }
}

fn render(list: &SpecListView) -> String {
    if list.page.total == 0 {
        return "no specs".to_owned();
    }
    let mut table = Table::with_header(["ID", "STATE", "CATEGORY", "TITLE"]);
    for spec in &list.specs {
        table.row([
            Cell::styled(&spec.id, NAME),
            if is_living(spec) { Cell::plain(spec.kind.as_str()) } else { state_cell(spec.state.as_deref()) },
            Cell::plain(spec.category.as_deref().unwrap_or("-")),
            Cell::plain(&spec.title),
        ]);
    }
    let mut out = table.render();
    let total = count(list.page.total, "spec");
    let _ = match list.specs.len() {
        shown if shown < list.page.total => writeln!(out, "{shown} of {total}"),
        _ => writeln!(out, "{total}"),
    };
    let troubled = list.specs.iter().filter(|spec| has_problems(spec)).count();
    if troubled > 0 {
        let verb = if troubled == 1 { "has" } else { "have" };
        let remark = format!("{} {verb} problems: run `hewto validate`", count(troubled, "spec"));
        let _ = writeln!(out, "{}", paint(WARN, &remark));
    }
    out
}

/// What is promised has no state to speak of.
fn is_living(spec: &SpecListEntry) -> bool {
    spec.state.is_none() && spec.kind == ItemKind::Living
}

fn has_problems(spec: &SpecListEntry) -> bool {
    (spec.state.is_none() && !is_living(spec)) || !spec.diagnostics.is_empty()
}

/// A state in its colour; a state that cannot be read says so.
pub(super) fn state_cell(state: Option<&str>) -> Cell {
    let name = state.unwrap_or("unreadable");
    Cell::styled(name, ui::state(name))
}
