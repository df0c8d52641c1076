//! `evidence.json`: what was shown when a change was archived. It is a receipt for people, and opens no gate.

use hewto_core::id::WorkItem;
use hewto_core::proof::settings::Policy;
use hewto_store::Context;
use serde_json::json;

use super::settings::policy;
use super::standing::{Query, matrix};
use crate::error::Result;
use crate::workspace::Workspace;

/// The name of the file in the folder of the change.
pub(crate) const RECEIPT: &str = "evidence.json";

/// The text of the receipt; nothing where nobody asks for proof, or no run is known.
pub(crate) fn receipt(ws: &Workspace, ctx: &Context, item: &WorkItem) -> Result<Option<String>> {
    if policy(ws, ctx)? == Policy::Off {
        return Ok(None);
    }
    let view = matrix(ws, ctx, &Query { target: Some(item.to_string()), ..Query::default() })?;
    if view.runs.is_empty() {
        return Ok(None);
    }
    let scenarios: Vec<_> = view
        .rows
        .iter()
        .map(|row| json!({"ref": row.reference, "state": row.state, "run": row.run, "debt": row.debt}))
        .collect();
    let told = json!({
        "item": item.to_string(),
        "at": ctx.now_rfc3339(),
        "policy": view.policy,
        "runs": view.runs,
        "scenarios": scenarios,
    });
    Ok(serde_json::to_string_pretty(&told).ok().map(|text| format!("{text}\n")))
}
