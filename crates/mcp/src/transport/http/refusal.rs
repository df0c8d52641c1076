//! What is answered to a request that does not reach a tool: a status, and a JSON-RPC error that says why.

use bytes::Bytes;
use hyper::StatusCode;
use hyper::header::{ALLOW, CONNECTION, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use rmcp::model::{ErrorCode, ErrorData, RequestId};
use serde_json::{Value, json};

use super::answer::{Reply, json};
use super::token::Scope;

/// A request turned away.
#[derive(Debug)]
pub(super) struct Refusal {
    status: StatusCode,
    id: Option<RequestId>,
    error: ErrorData,
    headers: HeaderMap,
}

impl Refusal {
    /// `key` is what a program acts on, `message` what a person reads.
    pub(super) fn new(status: StatusCode, key: &str, message: impl Into<String>) -> Self {
        let data = json!({ "error": key });
        Self::of(status, ErrorData::new(ErrorCode::INVALID_REQUEST, message.into(), Some(data)))
    }

    pub(super) fn of(status: StatusCode, error: ErrorData) -> Self {
        Self { status, id: None, error, headers: HeaderMap::new() }
    }

    /// The request it answers, where it is known.
    pub(super) fn to(mut self, id: Option<RequestId>) -> Self {
        self.id = id;
        self
    }

    fn header(mut self, name: HeaderName, value: &str) -> Self {
        if let Ok(value) = HeaderValue::from_str(value) {
            self.headers.insert(name, value);
        }
        self
    }

    /// Ends the connection: the rest of what the client sends is not wanted.
    pub(super) fn closing(self) -> Self {
        self.header(CONNECTION, "close")
    }

    pub(super) fn with_hint(mut self, hint: &str) -> Self {
        if let Some(data) = self.error.data.as_mut().and_then(Value::as_object_mut) {
            data.insert("hint".to_owned(), hint.into());
        }
        self
    }

    pub(super) fn method_not_allowed(allowed: &str) -> Self {
        Self::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", format!("only {allowed} here"))
            .header(ALLOW, allowed)
    }

    pub(super) fn unauthorized(presented: Presented) -> Self {
        let (message, challenge) = match presented {
            Presented::Nothing => ("a bearer token is needed", "Bearer realm=\"hewto\""),
            Presented::Unknown => {
                ("this token is not known here", "Bearer realm=\"hewto\", error=\"invalid_token\"")
            }
        };
        Self::new(StatusCode::UNAUTHORIZED, "unauthorized", message)
            .with_hint(
                "send the header `Authorization: Bearer TOKEN` with a token of the server's token file",
            )
            .header(WWW_AUTHENTICATE, challenge)
    }

    pub(super) fn insufficient_scope(scope: Scope) -> Self {
        let scope = scope.as_str();
        let mut refusal = Self::new(
            StatusCode::FORBIDDEN,
            "insufficient_scope",
            format!("this token lacks the scope `{scope}`"),
        );
        if let Some(data) = refusal.error.data.as_mut().and_then(Value::as_object_mut) {
            data.insert("scope".to_owned(), scope.into());
        }
        let challenge = format!("Bearer realm=\"hewto\", error=\"insufficient_scope\", scope=\"{scope}\"");
        refusal.header(WWW_AUTHENTICATE, &challenge)
    }

    /// Too much at once, or too fast; the client is told when to come back.
    pub(super) fn busy(status: StatusCode, message: &str, wait: std::time::Duration) -> Self {
        let millis = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
        let seconds = millis.div_ceil(1000).max(1);
        let mut refusal = Self::new(status, "rate_limited", message)
            .with_hint(&format!("wait {seconds} s before the next request"))
            .header(RETRY_AFTER, &seconds.to_string());
        if let Some(data) = refusal.error.data.as_mut().and_then(Value::as_object_mut) {
            data.insert("retry_after_ms".to_owned(), millis.into());
        }
        refusal
    }

    /// The message that answers, as the wire log keeps it.
    pub(super) fn body(&self) -> Bytes {
        json!({ "jsonrpc": "2.0", "id": self.id, "error": self.error }).to_string().into()
    }

    pub(super) fn into_reply(self) -> Reply {
        let mut reply = json(self.status, self.body());
        reply.headers_mut().extend(self.headers);
        reply
    }
}

/// What a request without a valid token brought instead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Presented {
    Nothing,
    Unknown,
}
