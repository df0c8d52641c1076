//! Errors of the protocol as the server turns requests away with them.

use hewto_http::Refusal;
use hyper::StatusCode;
use rmcp::model::{ErrorData, RequestId};
use serde_json::{Map, Value, json};

/// A request turned away with an error of the protocol.
pub(super) fn refusal(status: StatusCode, error: ErrorData) -> Refusal {
    let data = match error.data {
        Some(Value::Object(data)) => data,
        _ => Map::new(),
    };
    Refusal::of(status, error.code.0, error.message, data)
}

/// The id of a request as a refusal names it.
pub(super) fn named(id: Option<&RequestId>) -> Value {
    json!(id)
}
