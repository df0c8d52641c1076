//! What a caller asks for, as the operation log will show it.

use hewto_engine::Context;
use hewto_store::{LockIntent, OperationEnvelope};
use serde_json::Value;

use crate::lane::Lane;

/// What is asked for: its inputs and what it is going to do. Its name stands in the context.
#[derive(Debug, Clone)]
pub struct Operation {
    pub inputs: Value,
    pub lock_intent: LockIntent,
    pub lane: Lane,
}

impl Operation {
    /// An operation that changes the workspace.
    pub fn write(inputs: Value) -> Self {
        Self { inputs, lock_intent: LockIntent::Write, lane: Lane::Write }
    }

    /// What a call that begins now will be remembered by.
    pub(crate) fn into_envelope(self, context: &Context) -> OperationEnvelope {
        OperationEnvelope::start(context, &context.caller().operation, self.inputs, self.lock_intent)
    }
}
