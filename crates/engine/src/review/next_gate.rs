//! The gate that an item comes to next, and how its verdicts weigh there.

use hewto_core::proof::settings::{Gate, GateSet};
use hewto_core::review::{Standing, Weighed};
use hewto_store::Context;

use super::records::Records;
use super::refusals;
use super::subject::Subject;
use crate::gate::Policy;
use crate::workspace::Workspace;

/// An item before its next gate.
pub(crate) struct AtNextGate {
    pub(crate) gate: Gate,
    pub(crate) gates: GateSet,
    pub(crate) weighed: Weighed,
}

impl AtNextGate {
    /// What is built waits for its archive, everything else for its plan.
    pub(crate) fn of(
        ws: &Workspace,
        ctx: &Context,
        policy: &Policy,
        subject: &Subject,
        records: &Records,
    ) -> Self {
        let gates = policy.gates_of(subject);
        let gate = if subject.is_built { gates.archive().stricter(gates.plan()) } else { gates.plan() };
        let name = subject.name();
        let mut weighed = records.weigh(ctx, &name, subject.digest, gate, &gates);
        if let Standing::Approved { uid, .. } = &weighed.standing
            && let Some(voice) = records.voice(uid)
            && refusals::known(ws, ctx, &name, &subject.digest)
                .is_some_and(|refusal| refusal.outlasts(uid, voice.record.head.at))
        {
            // The file of a later refusal is gone; what it said is not.
            weighed.standing = Standing::Pending;
        }
        Self { gate, gates, weighed }
    }
}
