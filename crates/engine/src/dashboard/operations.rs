//! What goes on in a workspace, and what was done.

use hewto_core::near::near;
use hewto_store::Context;
use serde_json::json;

use super::live::running;
use crate::artifact::envelope_view;
use crate::claim;
use crate::error::{Error, Key, Kind, Result};
use crate::log;
use crate::operations::OperationQuery;
use crate::view::{EnvelopeView, OperationsPage};
use crate::workspace::Workspace;

/// How many operations a page tells.
const MOST: usize = 100;
/// How many records are passed before the clock is looked at.
const LOOK_EVERY: usize = 1024;

/// Calls under way, claims, and the latest operations that match.
pub fn operations(ws: &Workspace, ctx: &Context, query: &OperationQuery) -> Result<OperationsPage> {
    let mut operations = log::read(ws.layout(), ctx, query, MOST)?.operations;
    operations.reverse();
    let claims = claim::who(ws, ctx).map(|who| who.claims).unwrap_or_default();
    Ok(OperationsPage { running: running(ws), claims, operations })
}

/// One operation, whole.
pub fn operation(ws: &Workspace, ctx: &Context, id: &str) -> Result<EnvelopeView> {
    let filter = OperationQuery::default().filter(ctx)?;
    let log = ws.operation_log()?;
    let everything = log.len();
    let mut latest = Vec::new();
    for (at, (_, envelope)) in log.below(everything, filter).enumerate() {
        if at % LOOK_EVERY == 0 {
            ctx.check()?;
        }
        if envelope.operation_id == id {
            return Ok(envelope_view(&envelope));
        }
        if latest.len() < MOST {
            latest.push(envelope.operation_id);
        }
    }
    let shown: String = id.chars().take(80).collect();
    let message = format!("no operation `{}` is in the log", shown.escape_debug());
    let near = near(id, latest.iter().map(String::as_str), 3);
    Err(Error::new(Kind::Refused, Key::ArtifactNotFound, message)
        .hint("choose one of the list")
        .detail("near", json!(near)))
}
