//! How promises stand, for those who read requirements before they start.

use std::collections::BTreeMap;

use hewto_core::proof::settings::Policy;
use hewto_store::Context;

use super::settings::policy;
use super::standing::{Query, matrix};
use crate::view::{ContextItem, PromiseView};
use crate::workspace::Workspace;

/// Puts to each requirement how its scenarios stand, where the project asks for proof.
pub(crate) fn tell_states<'a>(
    ws: &Workspace,
    ctx: &Context,
    items: impl Iterator<Item = &'a mut ContextItem>,
) {
    if matches!(policy(ws, ctx), Err(_) | Ok(Policy::Off)) {
        return;
    }
    let mut known: BTreeMap<String, Vec<PromiseView>> = BTreeMap::new();
    for item in items.filter(|item| item.kind == "requirement") {
        let Some((spec, requirement)) =
            item.handle.strip_prefix("spec://").and_then(|handle| handle.split_once('#'))
        else {
            continue;
        };
        if !known.contains_key(spec) {
            let query = Query { target: Some(spec.to_owned()), ..Query::default() };
            // A spec that is gone, or whose tree cannot be read, is told by whoever reads it.
            let rows = matrix(ws, ctx, &query).map(|view| view.rows).unwrap_or_default();
            known.insert(spec.to_owned(), rows);
        }
        let own = known[spec].iter().filter(|promise| promise.reference.requirement() == requirement);
        item.states = own.map(|row| format!("{}: {}", row.reference, row.state.as_str())).collect();
    }
}
