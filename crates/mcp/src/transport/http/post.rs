//! One POST: from its bytes to the service that answers it, in either era.
//!
//! The order of the checks is the order of their cost: headers, body, JSON, what the body says against the headers, the
//! token's scopes, the principal's rate, a free place. Only then does the message reach rmcp.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use hewto_store::AuditIdentity;
use hyper::body::Incoming as HttpBody;
use hyper::header::HeaderValue;
use hyper::{HeaderMap, StatusCode};
use rmcp::model::{
    ErrorCode, ErrorData, GetExtensions, JsonRpcMessage, ProgressToken, ProtocolVersion, RequestId,
    RequestMetaObject,
};
use serde_json::{Value, json};

use super::answer::{Accepts, Reply, answer, legacy_status, malformed_status, modern_status, no_content};
use super::body;
use super::gate::{Full, Place};
use super::headers::{self, Era, PROTOCOL_VERSION, SESSION_ID};
use super::link::{Incoming, Streams};
use super::refusal::Refusal;
use super::route::Visit;
use super::session::Session;
use crate::transport::decode::{Decoded, Handshake, decode};

/// When a client whose places are all taken should come back.
const COME_BACK: Duration = Duration::from_secs(1);

/// These are answered from memory, and a client needs them before it can do anything.
const FREE: [&str; 6] =
    ["initialize", "server/discover", "ping", "tools/list", "prompts/list", "resources/templates/list"];

/// The one request that says everything before its answer.
const LISTEN: &str = "subscriptions/listen";

/// A request that may be answered.
struct Asked {
    bytes: Bytes,
    message: Value,
    id: Option<RequestId>,
    accepts: Accepts,
    place: Place,
}

/// What a body turned out to be.
enum Kind {
    Request(Option<RequestId>),
    Notification,
    Response,
}

pub(super) async fn post(visit: &Visit<'_>, headers: &HeaderMap, body: HttpBody) -> Result<Reply, Refusal> {
    let accepts = Accepts::of(headers);
    if !accepts.anything() {
        let message = "accept `application/json` and `text/event-stream`";
        return Err(Refusal::new(StatusCode::NOT_ACCEPTABLE, "not_acceptable", message).closing());
    }
    let bytes = body::read(headers, body).await?;
    let message: Value = serde_json::from_slice(&bytes).map_err(|error| {
        let data = json!({ "error": "parse_error" });
        let error = ErrorData::parse_error(format!("this body is no JSON: {error}"), Some(data));
        Refusal::of(StatusCode::BAD_REQUEST, error)
    })?;
    let era = headers::era(headers, &message);
    match kind(&message) {
        Kind::Request(id) => {
            check_scope(visit, &message).map_err(|refusal| refusal.to(id.clone())).inspect_err(
                |refusal| {
                    // Who tried what they may not is worth a line; who asks too much or too fast would fill the log.
                    let audit = visit.audit();
                    audit.request(&bytes);
                    audit.response(&refusal.body());
                },
            )?;
            let place = admit(visit, &message).map_err(|refusal| refusal.to(id.clone()))?;
            let asked = Asked { bytes, message, id, accepts, place };
            match era {
                Era::Modern => modern(visit, headers, asked).await,
                Era::Legacy => legacy(visit, headers, asked).await,
            }
        }
        Kind::Notification if era == Era::Modern => Ok(no_content(StatusCode::ACCEPTED)),
        Kind::Notification | Kind::Response if era == Era::Legacy => {
            let session = session(visit, headers)?;
            tell(&session, message).await;
            Ok(no_content(StatusCode::ACCEPTED))
        }
        Kind::Notification | Kind::Response => {
            let message = "a client of this version sends no responses";
            Err(Refusal::new(StatusCode::BAD_REQUEST, "invalid_request", message))
        }
    }
}

fn kind(message: &Value) -> Kind {
    if message.get("method").is_some() && message.get("id").is_none() {
        Kind::Notification
    } else if message.get("method").is_none()
        && (message.get("result").is_some() || message.get("error").is_some())
    {
        Kind::Response
    } else {
        let id = message.get("id").and_then(|id| serde_json::from_value(id.clone()).ok());
        Kind::Request(id)
    }
}

/// May this principal ask this at all?
fn check_scope(visit: &Visit<'_>, message: &Value) -> Result<(), Refusal> {
    match visit.mount.needs(message) {
        Some(scope) if !visit.principal.may(scope) => Err(Refusal::insufficient_scope(scope)),
        _ => Ok(()),
    }
}

/// May this principal ask now?
fn admit(visit: &Visit<'_>, message: &Value) -> Result<Place, Refusal> {
    let method = message.get("method").and_then(Value::as_str).unwrap_or_default();
    if !FREE.contains(&method) {
        let taken = visit.mount.rates.take(Some(&visit.principal.name), Instant::now());
        taken.map_err(|wait| {
            Refusal::busy(StatusCode::TOO_MANY_REQUESTS, "too many calls in too short a time", wait)
        })?;
    }
    visit.house.gate.enter(&visit.client).map_err(|full| match full {
        Full::ForClient => {
            let message = "too many requests of this client are under way";
            Refusal::busy(StatusCode::TOO_MANY_REQUESTS, message, COME_BACK)
        }
        Full::ForAll => {
            let message = "too many requests are under way";
            Refusal::busy(StatusCode::SERVICE_UNAVAILABLE, message, COME_BACK)
        }
    })
}

/// A request that brings everything along has a service of its own, which ends with its answer or its client.
async fn modern(visit: &Visit<'_>, headers: &HeaderMap, asked: Asked) -> Result<Reply, Refusal> {
    let Asked { bytes, message, id, accepts, place } = asked;
    if message["method"] == LISTEN && !accepts.events() {
        let message = "accept `text/event-stream`: a subscription tells of changes by events";
        return Err(Refusal::new(StatusCode::NOT_ACCEPTABLE, "not_acceptable", message).to(id));
    }
    let (identity, audit) = (&visit.principal.identity, visit.audit());
    audit.request(&bytes);
    let Request { id, token, mut incoming, is_malformed } =
        headers::check(headers, &message, |name| visit.mount.tool_schema(name))
            .map_err(header_mismatch)
            .and_then(|()| request(message, Handshake::Awaited, Era::Modern))
            .map_err(|refusal| refusal.to(id))
            .inspect_err(|refusal| audit.response(&refusal.body()))?;
    let streams = Arc::new(Streams::default());
    let frames = streams.open(id, token, accepts.carries()).expect("the first stream of its link");
    incoming.insert_extension(Arc::clone(identity));
    let cancel = visit.house.cutting.child_token();
    let (sender, running) = visit.mount.start(identity, &streams, cancel);
    // The link was made just now and has room.
    let _ = sender.send(incoming).await;
    let status = if is_malformed { malformed_status } else { modern_status };
    Ok(answer(frames, (running, sender, place), accepts, status).await)
}

/// A request within a session, or the one that begins it.
async fn legacy(visit: &Visit<'_>, headers: &HeaderMap, asked: Asked) -> Result<Reply, Refusal> {
    let Asked { bytes, message, id, accepts, place } = asked;
    let begins = message.get("method").and_then(Value::as_str) == Some("initialize");
    let session = check_version(headers)
        .and_then(|()| if begins { Ok(begin(visit)) } else { session(visit, headers) })
        .map_err(|refusal| refusal.to(id.clone()))?;
    session.audit.request(&bytes);
    let (frames, mut incoming) = request(message, Handshake::Done, Era::Legacy)
        .and_then(|Request { id, token, incoming, .. }| {
            let frames = session.streams.open(id, token, accepts.carries());
            Ok((frames.ok_or_else(duplicate_id)?, incoming))
        })
        .map_err(|refusal| refusal.to(id.clone()))
        .inspect_err(|refusal| session.audit.response(&refusal.body()))?;
    incoming.insert_extension(Arc::clone(session.audit.identity()));
    if session.incoming.send(incoming).await.is_err() {
        return Err(no_session().to(id));
    }
    let kept = (Arc::clone(&session), place);
    let mut reply = answer(frames, kept, accepts, legacy_status).await;
    if begins {
        if let Ok(id) = HeaderValue::from_str(&session.audit.identity().session_id) {
            reply.headers_mut().insert(SESSION_ID, id);
        }
        visit.mount.sessions.begin(session);
    }
    Ok(reply)
}

fn header_mismatch(fault: String) -> Refusal {
    let data = json!({ "error": "header_mismatch" });
    Refusal::of(StatusCode::BAD_REQUEST, ErrorData::new(ErrorCode::HEADER_MISMATCH, fault, Some(data)))
}

fn duplicate_id() -> Refusal {
    let message = "a request with this id is still in flight";
    Refusal::new(StatusCode::BAD_REQUEST, "duplicate_id", message)
}

/// What a session hears that is no request: cancellations, and answers to its questions.
async fn tell(session: &Session, message: Value) {
    let Decoded::Message(message) = decode(message, Handshake::Done) else { return };
    let cancelled = match &*message {
        JsonRpcMessage::Notification(notification) => match &notification.notification {
            rmcp::model::ClientNotification::CancelledNotification(cancelled) => {
                cancelled.params.request_id.clone()
            }
            _ => None,
        },
        _ => None,
    };
    // A session that has just ended hears nothing.
    let _ = session.incoming.send(*message).await;
    if let Some(id) = cancelled {
        // rmcp sends no reply to what was cancelled.
        session.streams.close(&id);
    }
}

struct Request {
    id: RequestId,
    token: Option<ProgressToken>,
    incoming: Incoming,
    /// Whether `_meta` lacks what the new era wants in it.
    is_malformed: bool,
}

fn request(message: Value, handshake: Handshake, era: Era) -> Result<Request, Refusal> {
    match decode(message, handshake) {
        Decoded::Message(message) => {
            let JsonRpcMessage::Request(request) = &*message else {
                return Err(Refusal::new(StatusCode::BAD_REQUEST, "invalid_request", "this is no request"));
            };
            let meta = request.request.extensions().get::<RequestMetaObject>();
            let token = meta.and_then(RequestMetaObject::get_progress_token);
            let is_malformed = meta
                .is_none_or(|meta| !meta.missing_required_keys(&ProtocolVersion::V_2026_07_28).is_empty());
            Ok(Request { id: request.id.clone(), token, incoming: *message, is_malformed })
        }
        Decoded::Refused { error, .. } => {
            let status = match (era, error.code) {
                (Era::Modern, ErrorCode::METHOD_NOT_FOUND) => StatusCode::NOT_FOUND,
                (Era::Legacy, ErrorCode::METHOD_NOT_FOUND | ErrorCode::INVALID_PARAMS) => StatusCode::OK,
                _ => StatusCode::BAD_REQUEST,
            };
            Err(Refusal::of(status, error))
        }
        Decoded::Ignored => {
            Err(Refusal::new(StatusCode::BAD_REQUEST, "invalid_request", "this is no request"))
        }
    }
}

fn begin(visit: &Visit<'_>) -> Arc<Session> {
    let identity = Arc::new(AuditIdentity {
        session_id: visit.mount.fresh_id(),
        principal: Some(visit.principal.name.clone()),
    });
    let streams = Arc::new(Streams::default());
    let cancel = visit.house.cutting.child_token();
    let (incoming, running) = visit.mount.start(&identity, &streams, cancel);
    Arc::new(Session::new(visit.mount.audit.of(identity), incoming, streams, running))
}

/// The session that the header names, if it is there and this principal's.
pub(super) fn session(visit: &Visit<'_>, headers: &HeaderMap) -> Result<Arc<Session>, Refusal> {
    let mut ids = headers.get_all(SESSION_ID).iter();
    let (Some(id), None) = (ids.next(), ids.next()) else {
        let message = "the header `Mcp-Session-Id` is missing";
        return Err(Refusal::new(StatusCode::BAD_REQUEST, "session_required", message)
            .with_hint("send `initialize` first, or name a protocol version of 2026 in `_meta`"));
    };
    let id = id.to_str().unwrap_or_default();
    visit.mount.sessions.find(id, &visit.principal.name).ok_or_else(no_session)
}

fn no_session() -> Refusal {
    Refusal::new(StatusCode::NOT_FOUND, "session_not_found", "there is no such session")
        .with_hint("send `initialize` to begin a new one")
}

/// A version that nobody knows is refused even where it has no effect.
fn check_version(headers: &HeaderMap) -> Result<(), Refusal> {
    let Some(version) = headers.get(PROTOCOL_VERSION) else { return Ok(()) };
    let named = version.to_str().unwrap_or_default();
    if ProtocolVersion::KNOWN_VERSIONS.iter().any(|known| known.as_str() == named) {
        return Ok(());
    }
    let supported: Vec<&str> = ProtocolVersion::KNOWN_VERSIONS.iter().map(ProtocolVersion::as_str).collect();
    let data = json!({ "supported": supported, "requested": named });
    let error = ErrorData::new(
        ErrorCode::UNSUPPORTED_PROTOCOL_VERSION,
        format!("unsupported protocol version `{}`", named.escape_debug()),
        Some(data),
    );
    Err(Refusal::of(StatusCode::BAD_REQUEST, error))
}
