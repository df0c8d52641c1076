//! One call for all that `adopt` does, as an agent makes it.

use hewto_core::schema::unstated;
use hewto_store::Context;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{AdoptView, InventoryView, adopt, backlog, inventory, promote};
use crate::error::Result;
use crate::view::ObservedView;
use crate::workspace::Workspace;

/// So many things are shown where nobody says.
const SHOWN: usize = 100;

/// What is wanted.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AdoptRequest {
    /// The inventory alone; writes nothing
    #[serde(default)]
    #[schemars(skip_serializing_if = "unstated")]
    pub list: bool,
    /// Only this kind of the inventory: route, command, flag, function, table, variable, job, test
    pub kind: Option<String>,
    /// At most so many of the inventory (100)
    #[schemars(range(min = 1, max = 1000))]
    pub limit: Option<usize>,
    /// Observed requirements that are described now, as `capability#requirement`
    #[serde(default)]
    pub promote: Vec<String>,
}

/// What was found, drafted or promoted.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct AdoptReply {
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub inventory: Option<InventoryView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub drafted: Option<AdoptView>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub promoted: Vec<ObservedView>,
    /// How many observed requirements nobody has described yet
    pub backlog: usize,
    /// Some of them
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub next: Vec<ObservedView>,
}

/// Lists, promotes or drafts.
pub fn answer(ws: &Workspace, ctx: &Context, request: &AdoptRequest) -> Result<AdoptReply> {
    let mut reply = AdoptReply::default();
    let limit = request.limit.unwrap_or(SHOWN);
    if request.list {
        let mut view = inventory(ws.root(), ctx)?;
        if let Some(kind) = &request.kind {
            view.keep(|known| known.as_str() == kind);
        }
        view.items.truncate(limit);
        reply.inventory = Some(view);
    } else if request.promote.is_empty() {
        reply.drafted = Some(adopt(ws, ctx)?);
    } else {
        reply.promoted = promote(ws, ctx, &request.promote)?;
    }
    let mut left = backlog(ws, ctx)?;
    reply.backlog = left.len();
    left.truncate(limit.min(10));
    reply.next = left;
    Ok(reply)
}
