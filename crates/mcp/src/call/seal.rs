//! The state of a form that is out with a client of the new era: sealed, bound to its caller and its call, good once.
//!
//! What comes back is whatever a client makes of it. A state that this server did not issue, that belongs to another
//! caller or another call, or that was used before, opens nothing.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use hewto_engine::{Context, Error, Key, Kind, Result};
use rmcp::model::{RequestStateCodec, RequestStateError, SealOptions};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// As long as a session lives unused.
const LIFETIME: Duration = Duration::from_mins(30);
/// The most forms that are out at once; beyond that the oldest are forgotten.
const MOST: usize = 10_000;

/// The seal of one server, and the forms that are out.
#[derive(Debug)]
pub(crate) struct Seals {
    codec: RequestStateCodec,
    /// When each form was sent.
    out: Mutex<HashMap<String, Instant>>,
}

#[derive(Serialize, Deserialize)]
struct State {
    session_id: String,
    /// Which form; each is answered once.
    form: String,
}

impl Seals {
    /// A seal that no other process has.
    pub(crate) fn new(ground: &Context) -> Self {
        let key: Vec<u8> = (0..3).flat_map(|_| ground.uuid().into_bytes()).collect();
        let codec = RequestStateCodec::try_new(key).expect("48 bytes are enough");
        Self { codec, out: Mutex::default() }
    }

    /// The state of a form about this session, for whoever made this call.
    pub(crate) fn seal(&self, context: &Context, arguments: &Value, session_id: &str) -> Result<String> {
        let state = State { session_id: session_id.to_owned(), form: context.uuid().simple().to_string() };
        let binding = binding(context, arguments);
        let options = SealOptions::new().associated_data(&binding).ttl(LIFETIME);
        let sealed = self.codec.seal_json_with(&state, &options).map_err(unsealable)?;
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        out.retain(|_, sent| sent.elapsed() < LIFETIME);
        if out.len() >= MOST
            && let Some(oldest) = out.iter().min_by_key(|(_, sent)| **sent).map(|(form, _)| form.clone())
        {
            out.remove(&oldest);
        }
        out.insert(state.form, Instant::now());
        Ok(sealed)
    }

    /// The session that a state speaks of; afterwards the state is worth nothing.
    pub(crate) fn open(&self, context: &Context, arguments: &Value, sealed: &str) -> Result<String> {
        let binding = binding(context, arguments);
        let state: State = self.codec.open_json_with(sealed, &binding).map_err(|error| match error {
            RequestStateError::Expired => {
                refused(Key::SessionExpired, "the form has expired after 30 minutes")
            }
            _ => refused(Key::SessionNotFound, "this `requestState` was not issued for this call"),
        })?;
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        match out.remove(&state.form) {
            Some(_) => Ok(state.session_id),
            None => Err(refused(Key::SessionNotFound, "this `requestState` was used already")),
        }
    }
}

/// Who calls, and with which arguments, whatever their order.
fn binding(context: &Context, arguments: &Value) -> Vec<u8> {
    let mut arguments = arguments.clone();
    arguments.sort_all_objects();
    let caller = context.caller();
    serde_json::json!([caller.operation, caller.principal, arguments]).to_string().into_bytes()
}

fn refused(key: Key, message: &str) -> Error {
    Error::new(Kind::Refused, key, message)
        .hint("start a new session: call again without `requestState` and `session_id`")
}

fn unsealable(error: RequestStateError) -> Error {
    Error::new(Kind::Machine, Key::InternalError, "the form cannot be sealed").caused_by(error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hewto_engine::Caller;
    use serde_json::json;

    fn context(principal: Option<&str>) -> Context {
        let ground = Context::background();
        let caller = Caller { principal: principal.map(str::to_owned), ..ground.caller().clone() };
        ground.with_caller(caller)
    }

    fn key(outcome: Result<String>) -> &'static str {
        outcome.unwrap_err().key.as_str()
    }

    #[test]
    fn a_state_opens_once_for_its_own_caller_and_call() {
        let (seals, ctx) = (Seals::new(&context(None)), context(Some("ann")));
        let call = json!({"user_intention": "x", "repo_path": "y"});
        let sealed = seals.seal(&ctx, &call, "sess-1").unwrap();
        assert_eq!(key(seals.open(&context(Some("bob")), &call, &sealed)), "session_not_found");
        assert_eq!(key(seals.open(&ctx, &json!({"user_intention": "z"}), &sealed)), "session_not_found");
        assert_eq!(key(Seals::new(&ctx).open(&ctx, &call, &sealed)), "session_not_found");
        let same = json!({"repo_path": "y", "user_intention": "x"});
        assert_eq!(seals.open(&ctx, &same, &sealed).unwrap(), "sess-1");
        assert_eq!(key(seals.open(&ctx, &call, &sealed)), "session_not_found");
    }

    #[test]
    fn what_was_not_sealed_here_opens_nothing() {
        let (seals, ctx) = (Seals::new(&context(None)), context(None));
        let call = json!({});
        let sealed = seals.seal(&ctx, &call, "sess-1").unwrap();
        let mut bent = sealed.clone();
        let last = if bent.pop() == Some('A') { 'B' } else { 'A' };
        bent.push(last);
        for forged in ["", "sess-1", "rs1.x.y", bent.as_str()] {
            assert_eq!(key(seals.open(&ctx, &call, forged)), "session_not_found", "{forged}");
        }
        assert_eq!(seals.open(&ctx, &call, &sealed).unwrap(), "sess-1");
    }
}
