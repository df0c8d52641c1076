//! Log messages for the client, and only for one that asked for them.
//!
//! In the old era a session asks with `logging/setLevel`; in the new one each request asks for itself. Nothing is sent
//! to a client that did neither. The protocol is going to drop this; what matters is in the operation log too.
#![expect(
    deprecated,
    reason = "the protocol has deprecated its log messages, and clients still ask for them"
)]

use hewto_engine::{Context, Error};
use rmcp::RoleServer;
use rmcp::model::{LoggingLevel, LoggingMessageNotificationParam};
use rmcp::service::RequestContext;
use serde_json::{Value, json};

use crate::handler::is_modern;

/// Under which name messages are sent.
const LOGGER: &str = "hewto";

/// The level that a session asked for, as its requests carry it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SessionLevel(pub(crate) LoggingLevel);

/// Tells the client how an operation ended.
pub(crate) async fn tell_end(cx: &RequestContext<RoleServer>, context: &Context, error: Option<&Error>) {
    let caller = context.caller();
    let (level, status) = match error {
        None => (LoggingLevel::Info, "succeeded"),
        Some(error) => (LoggingLevel::Warning, error.key.as_str()),
    };
    let data = || {
        json!({
            "message": format!("{} {status}", caller.operation),
            "operation": caller.operation,
            "operation_id": caller.operation_id,
            "status": status,
        })
    };
    tell(cx, level, data).await;
}

/// Warns the client that a call is still at work and has not been heard of for a while.
pub(crate) async fn warn_of_silence(cx: &RequestContext<RoleServer>, operation: &str, seconds: u64) {
    let data = || {
        json!({
            "message": format!("{operation} has been silent for {seconds} s and is still at work"),
            "operation": operation,
            "silent_s": seconds,
        })
    };
    tell(cx, LoggingLevel::Warning, data).await;
}

/// Whether the client wants any messages at all.
pub(crate) fn is_wanted(cx: &RequestContext<RoleServer>) -> bool {
    asked_for(cx).is_some()
}

async fn tell(cx: &RequestContext<RoleServer>, level: LoggingLevel, data: impl FnOnce() -> Value) {
    if asked_for(cx).is_some_and(|least| level as u8 >= least as u8) {
        let message = LoggingMessageNotificationParam::new(level, data()).with_logger(LOGGER);
        unless_cancelled(cx, cx.peer.notify_logging_message(message)).await;
    }
}

/// Sends something about a request, which nobody wants to hear of once it is cancelled: rmcp may not even be there to
/// take it any more. Whether the client is still there does not matter.
pub(crate) async fn unless_cancelled<T>(cx: &RequestContext<RoleServer>, sending: impl Future<Output = T>) {
    tokio::select! {
        biased;
        () = cx.ct.cancelled() => {}
        _ = sending => {}
    }
}

/// The least level that the client wants to hear of.
fn asked_for(cx: &RequestContext<RoleServer>) -> Option<LoggingLevel> {
    if is_modern(cx) {
        return cx.meta.log_level();
    }
    cx.extensions.get::<SessionLevel>().map(|level| level.0)
}
