//! `hewto ops`: the operation log, newest first, across rotated files.

use hewto_engine::PageRequest;
use hewto_engine::operations::{self, OperationQuery};
use hewto_engine::view::OperationList;

use super::log::{status, what, who};
use crate::failure::{Outcome, Verdict};
use crate::place::{Place, context};
use crate::ui::{Cell, DIM, NAME, Table, Ui, count};

/// Show the operations of all sessions, newest first
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Only operations of this session
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Only calls of this tool, in either spelling, or of this command
    #[arg(long, value_name = "NAME")]
    tool: Option<String>,
    /// Only operations with this status
    #[arg(long, value_name = "STATUS")]
    status: Option<String>,
    /// Only operations since this time or day, such as 2026-01-24, or this long ago, such as 2h or 7d
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Only operations until this time or day
    #[arg(long, value_name = "TIME")]
    until: Option<String>,
    /// Show at most N
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=1000))]
    limit: u32,
    /// Go on where the last page ended
    #[arg(long, value_name = "CURSOR")]
    cursor: Option<String>,
}

pub(crate) fn run(ui: &mut Ui, place: &Place, args: Args) -> Outcome {
    let query = OperationQuery {
        session_id: args.session,
        capability_id: args.tool,
        status: args.status,
        since: args.since,
        until: args.until,
    };
    let page =
        PageRequest { limit: Some(args.limit as usize), cursor: args.cursor, max_chars: Some(usize::MAX) };
    let view = operations::inspect(&place.logged()?, &context(), &query, &page)?;
    ui.answer(&view, render)?;
    Ok(Verdict::Yes)
}

fn render(view: &OperationList) -> String {
    if view.operations.is_empty() {
        return "no operations".to_owned();
    }
    let mut table = Table::with_header(["STARTED", "WHO", "CAPABILITY", "STATUS", "SESSION", "WHAT"]);
    for operation in &view.operations {
        let error = operation.error.as_ref().and_then(|error| error["message"].as_str());
        let touched = operation.artifacts.iter().map(|touched| (&*touched.action, &*touched.path));
        table.row([
            Cell::styled(&operation.started_at, DIM),
            who(operation.principal.as_deref(), None),
            Cell::styled(&operation.capability_id, NAME),
            status(&operation.status),
            Cell::styled(operation.session_id.get(..8).unwrap_or(&operation.session_id), DIM),
            Cell::plain(what(error, touched)),
        ]);
    }
    let more = match &view.page.next_cursor {
        Some(cursor) => format!("{} more: --cursor {cursor}\n", count(view.page.remaining, "operation")),
        None => String::new(),
    };
    format!("{}{more}", table.render())
}
