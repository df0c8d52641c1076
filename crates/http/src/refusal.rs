//! What is answered to a request that is turned away: a status, and an error that says why.
//!
//! Its body is an error of JSON-RPC 2.0, which the programs that speak to hewto read whichever path they ask for; a
//! service that talks to people renders it in its own way.

use std::fmt::Write as _;

use bytes::Bytes;
use hyper::StatusCode;
use hyper::header::{ALLOW, CONNECTION, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use serde_json::{Map, Value, json};

use crate::access::Scope;
use crate::reply::{Reply, json};

/// JSON-RPC: the request is not a valid one.
const INVALID_REQUEST: i32 = -32600;

/// A request turned away.
#[derive(Debug)]
pub struct Refusal {
    pub status: StatusCode,
    /// The request it answers; null where it is not known.
    pub id: Value,
    pub code: i32,
    pub message: String,
    /// `error` is what a program acts on, `hint` what to do.
    pub data: Map<String, Value>,
    headers: HeaderMap,
}

impl Refusal {
    /// `key` is what a program acts on, `message` what a person reads.
    pub fn new(status: StatusCode, key: &str, message: impl Into<String>) -> Self {
        let data = Map::from_iter([("error".to_owned(), key.into())]);
        Self::of(status, INVALID_REQUEST, message, data)
    }

    /// An error with a number of its own.
    pub fn of(status: StatusCode, code: i32, message: impl Into<String>, data: Map<String, Value>) -> Self {
        Self { status, id: Value::Null, code, message: message.into(), data, headers: HeaderMap::new() }
    }

    /// The request it answers, where it is known.
    #[must_use]
    pub fn to(mut self, id: Value) -> Self {
        self.id = id;
        self
    }

    #[must_use]
    pub fn header(mut self, name: HeaderName, value: &str) -> Self {
        if let Ok(value) = HeaderValue::from_str(value) {
            self.headers.insert(name, value);
        }
        self
    }

    /// Ends the connection: the rest of what the client sends is not wanted.
    #[must_use]
    pub fn closing(self) -> Self {
        self.header(CONNECTION, "close")
    }

    #[must_use]
    pub fn with_hint(self, hint: &str) -> Self {
        self.detail("hint", hint)
    }

    /// A further field for programs.
    #[must_use]
    pub fn detail(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.data.insert(name.to_owned(), value.into());
        self
    }

    /// What a program acts on.
    pub fn key(&self) -> &str {
        self.data.get("error").and_then(Value::as_str).unwrap_or_default()
    }

    pub fn method_not_allowed(allowed: &str) -> Self {
        Self::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", format!("only {allowed} here"))
            .header(ALLOW, allowed)
    }

    /// `metadata` is where a client learns how to get a token.
    pub(crate) fn unauthorized(presented: Presented, metadata: Option<&str>) -> Self {
        let mut challenge = "Bearer realm=\"hewto\"".to_owned();
        let message = match presented {
            Presented::Nothing => "a bearer token is needed",
            Presented::Unknown => {
                challenge += ", error=\"invalid_token\"";
                "this token is not known here"
            }
            Presented::Invalid(why) => {
                let _ = write!(challenge, ", error=\"invalid_token\", error_description=\"{why}\"");
                why
            }
        };
        if let Some(address) = metadata {
            let _ = write!(challenge, ", resource_metadata=\"{address}\"");
        }
        let hint = match metadata {
            Some(_) => {
                "send the header `Authorization: Bearer TOKEN` with a token of the issuer that the metadata names"
            }
            None => "send the header `Authorization: Bearer TOKEN` with a token of the server's token file",
        };
        Self::new(StatusCode::UNAUTHORIZED, "unauthorized", message)
            .with_hint(hint)
            .header(WWW_AUTHENTICATE, &challenge)
    }

    pub fn insufficient_scope(scope: Scope) -> Self {
        let scope = scope.as_str();
        let message = format!("this token lacks the scope `{scope}`");
        let challenge = format!("Bearer realm=\"hewto\", error=\"insufficient_scope\", scope=\"{scope}\"");
        Self::new(StatusCode::FORBIDDEN, "insufficient_scope", message)
            .detail("scope", scope)
            .header(WWW_AUTHENTICATE, &challenge)
    }

    /// Too much at once, or too fast; the client is told when to come back.
    pub fn busy(status: StatusCode, message: &str, wait: std::time::Duration) -> Self {
        Self::later(status, "rate_limited", message, wait)
    }

    /// Something that the answer needs is away; that is nobody's fault who asks.
    pub fn unavailable(key: &str, message: &str, wait: std::time::Duration) -> Self {
        Self::later(StatusCode::SERVICE_UNAVAILABLE, key, message, wait)
    }

    fn later(status: StatusCode, key: &str, message: &str, wait: std::time::Duration) -> Self {
        let millis = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
        let seconds = millis.div_ceil(1000).max(1);
        Self::new(status, key, message)
            .with_hint(&format!("wait {seconds} s before the next request"))
            .detail("retry_after_ms", millis)
            .header(RETRY_AFTER, &seconds.to_string())
    }

    /// The message that answers, as the wire log keeps it.
    pub fn body(&self) -> Bytes {
        let mut error = json!({ "code": self.code, "message": self.message });
        if !self.data.is_empty() {
            error["data"] = Value::Object(self.data.clone());
        }
        json!({ "jsonrpc": "2.0", "id": self.id, "error": error }).to_string().into()
    }

    pub fn into_reply(self) -> Reply {
        let mut reply = json(self.status, self.body());
        reply.headers_mut().extend(self.headers);
        reply
    }
}

/// What a request without a valid token brought instead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Presented {
    Nothing,
    Unknown,
    Invalid(&'static str),
}
