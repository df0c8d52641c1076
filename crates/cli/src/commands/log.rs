//! `hewto log`: what agents and people did here, from the operation log.

use hewto_engine::log::{self, LogView};
use hewto_engine::operations::OperationQuery;

use crate::failure::{Outcome, Verdict};
use crate::place::{Place, context};
use crate::ui::{BAD, Cell, DIM, GOOD, NAME, Table, Ui, WARN};

/// Show what agents and people did recently, newest last
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Show at most N
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    limit: u32,
    /// Only operations of this session
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Only calls of this tool or command
    #[arg(long, value_name = "NAME")]
    tool: Option<String>,
}

pub(crate) fn run(ui: &mut Ui, place: &Place, args: Args) -> Outcome {
    let query =
        OperationQuery { session_id: args.session, capability_id: args.tool, ..OperationQuery::default() };
    let view = log::read(&place.logged()?, &context(), &query, args.limit as usize)?;
    ui.answer(&view, render)?;
    Ok(Verdict::Yes)
}

fn render(view: &LogView) -> String {
    if view.operations.is_empty() {
        return "no operations".to_owned();
    }
    let mut table = Table::with_header(["STARTED", "WHO", "OPERATION", "STATUS", "TOOK", "WHAT"]);
    for operation in &view.operations {
        let touched = operation.artifacts.iter().map(|touched| (&*touched.action, &*touched.path));
        table.row([
            Cell::styled(&operation.started_at, DIM),
            who(operation.principal.as_deref(), operation.channel.as_deref()),
            Cell::styled(&operation.tool, NAME),
            status(&operation.status),
            Cell::plain(operation.duration_ms.map(|ms| format!("{ms} ms")).unwrap_or_default()),
            Cell::plain(what(operation.error.as_deref(), touched)),
        ]);
    }
    table.render()
}

/// Who did something: whoever is named, else the way by which they came.
pub(super) fn who(principal: Option<&str>, channel: Option<&str>) -> Cell {
    Cell::plain(principal.or(channel).unwrap_or_default())
}

/// How an operation ended, in its colour.
pub(super) fn status(name: &str) -> Cell {
    let style = match name {
        "succeeded" => GOOD,
        "in_progress" => NAME,
        "cancelled" => WARN,
        _ => BAD,
    };
    Cell::styled(name, style)
}

/// Why it failed, else what it did to which files.
pub(super) fn what<'a>(error: Option<&str>, touched: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    if let Some(error) = error {
        return error.to_owned();
    }
    let touched: Vec<String> = touched.map(|(action, path)| format!("{action} {path}")).collect();
    touched.join(", ")
}
