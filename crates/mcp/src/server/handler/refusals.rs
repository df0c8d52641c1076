//! What the protocol refuses before a tool is asked.

use hewto_engine::concept;
use rmcp::model::{ErrorData, PaginatedRequestParams};
use serde_json::{Value, json};

/// Seed 002 wants to know which concept a failed handshake offends.
pub(super) fn without_legacy_version(mut error: ErrorData) -> ErrorData {
    let mut data = match error.data.take() {
        Some(Value::Object(data)) => data,
        _ => serde_json::Map::new(),
    };
    data.insert("error".into(), "unsupported_protocol_version".into());
    data.insert("concept_ref".into(), concept::TRANSPORT_COMPLIANCE.into());
    data.insert("hint".into(), "allow a version with a handshake in SPECMAN_MCP_PROTOCOLS".into());
    error.data = Some(Value::Object(data));
    error
}

/// Lists that are given whole hand out no cursor, so none can be theirs.
pub(super) fn refuse_cursor(request: Option<PaginatedRequestParams>) -> Result<(), ErrorData> {
    if request.is_none_or(|request| request.cursor.is_none()) {
        return Ok(());
    }
    let data =
        json!({ "error": "invalid_params", "code": -32602, "field": "cursor", "expected": "no cursor" });
    Err(ErrorData::invalid_params("this list has one page and takes no cursor", Some(data)))
}
