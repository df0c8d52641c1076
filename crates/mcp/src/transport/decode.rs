//! From one line of JSON to a message for rmcp, or to the error that answers it.
//!
//! rmcp reads messages as an untagged union and calls a malformed `tools/call` an unknown method. Here each method
//! that is served is decoded by name, so the caller learns what is wrong. Nothing is read or written here.

use rmcp::RoleServer;
use rmcp::model::{
    CancelledNotification, CancelledNotificationParam, ClientJsonRpcMessage, ClientNotification,
    ClientRequest, DiscoverRequest, DiscoverRequestParams, ErrorCode, ErrorData, Extensions, GetExtensions,
    JsonObject, JsonRpcMessage, MetaObject, PaginatedRequestParams, PingRequest, PingRequestMethod,
    ProtocolVersion, Request, RequestId, RequestMetaObject, RequestOptionalParam,
    RootsListChangedNotification,
};
use rmcp::service::RxJsonRpcMessage;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

pub(crate) const PROTOCOL_VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";

/// What the new era has dropped, and what it has brought.
const ONLY_LEGACY: [&str; 5] =
    ["initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"];
const ONLY_MODERN: [&str; 1] = ["subscriptions/listen"];
const LOG_LEVEL_KEY: &str = "io.modelcontextprotocol/logLevel";
const LOG_LEVELS: [&str; 8] =
    ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/// Whether this connection has seen `initialize`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Handshake {
    Awaited,
    Done,
}

/// What a line turned out to be.
#[derive(Debug)]
pub(crate) enum Decoded {
    /// Hand it to rmcp.
    Message(Box<RxJsonRpcMessage<RoleServer>>),
    /// Answer it with this error; `None` is `id: null`.
    Refused { id: Option<RequestId>, error: ErrorData },
    /// Nothing to do and nothing to say.
    Ignored,
}

/// Decodes one JSON value that arrived as a line of its own.
pub(crate) fn decode(message: Value, handshake: Handshake) -> Decoded {
    let mut object = match message {
        Value::Object(object) => object,
        Value::Array(_) => return refuse(None, "batches are not supported: send one message at a time"),
        _ => return refuse(None, "a message must be a JSON object"),
    };
    let id = object.get("id").map(|id| serde_json::from_value::<RequestId>(id.clone()));
    match (object.remove("method"), id) {
        (Some(Value::String(method)), None) => decode_notification(&method, object),
        (Some(Value::String(method)), Some(Ok(id))) => match decode_request(&method, object, handshake) {
            Ok(request) => Decoded::Message(Box::new(JsonRpcMessage::request(request, id))),
            Err(error) => Decoded::Refused { id: Some(id), error },
        },
        (Some(Value::String(_)), Some(Err(_))) => refuse(None, "`id` must be a string or an integer"),
        (Some(_), id) => refuse(id.and_then(Result::ok), "`method` must be a string"),
        (None, _) if object.contains_key("result") || object.contains_key("error") => decode_response(object),
        (None, id) => refuse(id.and_then(Result::ok), "`method` is missing"),
    }
}

/// Whether the value is a request, which is what the wire log keeps of what comes in.
pub(crate) fn is_request(message: &Value) -> bool {
    message.get("method").is_some_and(Value::is_string) && message.get("id").is_some()
}

/// Whether a version is of the era without a handshake; versions are dates, so they sort as text.
pub(crate) fn is_modern(version: &str) -> bool {
    version >= ProtocolVersion::V_2026_07_28.as_str()
}

/// The answer to a method that is not served.
fn method_not_found(method: &str) -> ErrorData {
    let data = json!({ "error": "method_not_found", "method": method });
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, format!("unknown method `{method}`"), Some(data))
}

fn refuse(id: Option<RequestId>, message: &'static str) -> Decoded {
    Decoded::Refused { id, error: invalid_request(message) }
}

fn invalid_request(message: &'static str) -> ErrorData {
    ErrorData::invalid_request(message, Some(json!({ "error": "invalid_request" })))
}

fn invalid_params(method: &str, fault: impl std::fmt::Display) -> ErrorData {
    let message = format!("invalid params of `{method}`: {fault}");
    ErrorData::invalid_params(message, Some(json!({ "error": "invalid_params" })))
}

fn decode_request(
    method: &str,
    mut object: JsonObject,
    handshake: Handshake,
) -> Result<ClientRequest, ErrorData> {
    if object.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return Err(invalid_request("`jsonrpc` must be \"2.0\""));
    }
    if object.contains_key("result") || object.contains_key("error") {
        return Err(invalid_request("a request has no `result` and no `error`"));
    }
    let mut params = match object.remove("params") {
        None | Some(Value::Null) => JsonObject::new(),
        Some(Value::Object(params)) => params,
        Some(_) => return Err(invalid_params(method, "`params` must be an object")),
    };
    let meta = match params.remove("_meta") {
        None | Some(Value::Null) => JsonObject::new(),
        Some(Value::Object(meta)) => meta,
        Some(_) => return Err(invalid_params(method, "`_meta` must be an object")),
    };
    check_meta(method, &meta)?;
    let version = meta.get(PROTOCOL_VERSION_KEY).and_then(Value::as_str);
    let gone = if version.is_some_and(is_modern) { &ONLY_LEGACY[..] } else { &ONLY_MODERN[..] };
    if gone.contains(&method) {
        return Err(method_not_found(method));
    }
    let opens_by_itself = matches!(method, "initialize" | "server/discover" | "ping")
        || meta.contains_key(PROTOCOL_VERSION_KEY);
    let mut request = match method {
        "initialize" => ClientRequest::InitializeRequest(typed(method, with_client_defaults(params))?),
        "server/discover" => ClientRequest::DiscoverRequest(DiscoverRequest::new(DiscoverRequestParams {})),
        "ping" => ClientRequest::PingRequest(PingRequest {
            method: PingRequestMethod,
            extensions: Extensions::new(),
        }),
        "tools/list" => ClientRequest::ListToolsRequest(paged(method, params)?),
        "tools/call" => ClientRequest::CallToolRequest(typed(method, params)?),
        "resources/list" => ClientRequest::ListResourcesRequest(paged(method, params)?),
        "resources/templates/list" => ClientRequest::ListResourceTemplatesRequest(paged(method, params)?),
        "resources/read" => ClientRequest::ReadResourceRequest(typed(method, params)?),
        "resources/subscribe" => ClientRequest::SubscribeRequest(typed(method, params)?),
        "resources/unsubscribe" => ClientRequest::UnsubscribeRequest(typed(method, params)?),
        "subscriptions/listen" => ClientRequest::SubscriptionsListenRequest(typed(method, params)?),
        "prompts/list" => ClientRequest::ListPromptsRequest(paged(method, params)?),
        "prompts/get" => ClientRequest::GetPromptRequest(typed(method, params)?),
        "completion/complete" => ClientRequest::CompleteRequest(typed(method, params)?),
        "tasks/get" => ClientRequest::GetTaskRequest(typed(method, params)?),
        "tasks/update" => ClientRequest::UpdateTaskRequest(typed(method, params)?),
        "tasks/cancel" => ClientRequest::CancelTaskRequest(typed(method, params)?),
        "logging/setLevel" => ClientRequest::SetLevelRequest(typed(method, params)?),
        _ => return Err(method_not_found(method)),
    };
    if handshake == Handshake::Awaited && !opens_by_itself {
        return Err(not_initialized(method));
    }
    request.extensions_mut().insert(RequestMetaObject(MetaObject(meta)));
    Ok(request)
}

/// Refuses metadata of a wrong type, which rmcp would take for none.
fn check_meta(method: &str, meta: &JsonObject) -> Result<(), ErrorData> {
    let is_token = |value: &Value| value.is_string() || value.is_i64() || value.is_u64();
    let is_level = |value: &Value| value.as_str().is_some_and(|level| LOG_LEVELS.contains(&level));
    let wrong =
        |key: &str, expected: &str| invalid_params(method, format!("`_meta.{key}` must be {expected}"));
    let is_wrong =
        |key: &str, is_right: &dyn Fn(&Value) -> bool| meta.get(key).is_some_and(|value| !is_right(value));
    if is_wrong(PROTOCOL_VERSION_KEY, &Value::is_string) {
        return Err(wrong(PROTOCOL_VERSION_KEY, "a string"));
    }
    if is_wrong("progressToken", &is_token) {
        return Err(wrong("progressToken", "a string or an integer"));
    }
    if is_wrong(LOG_LEVEL_KEY, &is_level) {
        return Err(wrong(LOG_LEVEL_KEY, &format!("one of {}", LOG_LEVELS.join(", "))));
    }
    Ok(())
}

fn not_initialized(method: &str) -> ErrorData {
    let hint = format!("send `initialize` first, or put `{PROTOCOL_VERSION_KEY}` into the request's `_meta`");
    let message = format!("`{method}` came before `initialize`: {hint}");
    ErrorData::invalid_params(message, Some(json!({ "error": "not_initialized", "hint": hint })))
}

fn typed<M: Default, P: DeserializeOwned>(
    method: &str,
    params: JsonObject,
) -> Result<Request<M, P>, ErrorData> {
    let params =
        serde_json::from_value(Value::Object(params)).map_err(|fault| invalid_params(method, fault))?;
    Ok(Request::new(params))
}

fn paged<M: Default>(
    method: &str,
    params: JsonObject,
) -> Result<RequestOptionalParam<M, PaginatedRequestParams>, ErrorData> {
    let params =
        serde_json::from_value(Value::Object(params)).map_err(|fault| invalid_params(method, fault))?;
    Ok(RequestOptionalParam::with_param(params))
}

/// `initialize` may leave out what this server can do without.
fn with_client_defaults(mut params: JsonObject) -> JsonObject {
    let newest_legacy = ProtocolVersion::LATEST_WITH_INITIALIZE.to_string();
    params.entry("protocolVersion").or_insert_with(|| newest_legacy.into());
    params.entry("capabilities").or_insert_with(|| json!({}));
    let client = params.entry("clientInfo").or_insert_with(|| json!({}));
    if let Some(client) = client.as_object_mut() {
        client.entry("name").or_insert_with(|| "unknown".into());
        client.entry("version").or_insert_with(|| "unknown".into());
    }
    params
}

/// Only a cancellation and other roots have an effect; any other notification, known or not, is taken note of by silence.
#[allow(deprecated, reason = "clients of the old era have roots")]
fn decode_notification(method: &str, mut object: JsonObject) -> Decoded {
    if method == "notifications/roots/list_changed" {
        let notification =
            ClientNotification::RootsListChangedNotification(RootsListChangedNotification::default());
        return Decoded::Message(Box::new(JsonRpcMessage::notification(notification)));
    }
    if method != "notifications/cancelled" {
        return Decoded::Ignored;
    }
    let params = object.remove("params").unwrap_or_default();
    match serde_json::from_value::<CancelledNotificationParam>(params) {
        Ok(params) if params.request_id.is_some() => {
            let notification = ClientNotification::CancelledNotification(CancelledNotification::new(params));
            Decoded::Message(Box::new(JsonRpcMessage::notification(notification)))
        }
        _ => Decoded::Ignored,
    }
}

/// A response to something that rmcp asked the client; rmcp drops those it knows nothing of.
fn decode_response(object: JsonObject) -> Decoded {
    match serde_json::from_value::<ClientJsonRpcMessage>(Value::Object(object)) {
        Ok(message) => Decoded::Message(Box::new(message)),
        Err(_) => Decoded::Ignored,
    }
}

#[cfg(test)]
mod tests;
