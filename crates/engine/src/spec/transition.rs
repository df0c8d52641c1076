//! `spec_transition`: one move in the lifecycle.

use hewto_core::lifecycle::Lifecycle;
use hewto_store::Context;

use crate::claim;
use crate::error::{Error, Result};
use crate::gate::{self, Door, Passed};
use crate::item::Item;
use crate::text;
use crate::view::SpecTransitioned;
use crate::workspace::Workspace;

/// Moves a spec to another state, if the lifecycle and the gates allow it.
pub fn transition(
    ws: &Workspace,
    ctx: &Context,
    id: &str,
    to: Lifecycle,
    reason: Option<&str>,
) -> Result<SpecTransitioned> {
    let reason = text::optional("reason", reason)?;
    let ws = &ws.foreseeing(|ws| {
        let item = Item::load(ws, ctx, id)?;
        let state = item.state_to_work_on(ws)?;
        door(state.lifecycle, to).map(|door| gate::ask(ws, ctx, &item, &state, door)).transpose()
    });
    let (mut lock, ref ws) = claim::lock(ws, ctx, id, None, Workspace::lock)?;
    let item = Item::load(ws, ctx, id)?;
    let mut state = item.state_to_work_on(ws)?;
    let from = state.lifecycle;
    if !from.may_become(to) {
        return Err(Error::invalid_transition(from, to));
    }
    let passed = match door(from, to) {
        Some(door) => gate::ask(ws, ctx, &item, &state, door)?,
        None => Passed::default(),
    };
    let mut open = passed.open;
    open.extend(passed.unproven);
    open.extend(lock.remark.clone());
    state.lifecycle = to;
    // A reason speaks of one move; the next move without one does not inherit it.
    state.reason = reason;
    state.updated_at = ctx.now_rfc3339();
    item.save_state(ctx, &lock, &state)?;
    if to == Lifecycle::Archived {
        lock.end_claims(ws);
    }
    Ok(SpecTransitioned {
        spec_id: item.id.to_string(),
        from_state: from.to_string(),
        to_state: to.to_string(),
        transitioned: true,
        open,
    })
}

/// The door that a move goes through.
fn door(from: Lifecycle, to: Lifecycle) -> Option<Door<'static>> {
    match (from, to) {
        (_, Lifecycle::Active) => Some(Door::Start { asserted: false }),
        (_, Lifecycle::Done) => Some(Door::Finish { dropped: &[] }),
        // What was given up needs nobody's word, and no proof, to be put away.
        (Lifecycle::Cancelled, Lifecycle::Archived) => None,
        (_, Lifecycle::Archived) => Some(Door::Archive),
        _ => None,
    }
}
