//! One POST: from its bytes to the service that answers it, in either era.
//!
//! The order of the checks is the order of their cost: headers, a free place, the body, its outside (`envelope`), the
//! principal's rate, the token's scopes. Only then is the message read as JSON and, past its headers, handed to rmcp.

#![expect(clippy::result_large_err, reason = "a refusal is made once, at the end of a request")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use hewto_http::{MAX_BODY_BYTES, Refusal, Reply, Share, no_content};
use hewto_store::AuditIdentity;
use hyper::body::Incoming as HttpBody;
use hyper::header::HeaderValue;
use hyper::{HeaderMap, StatusCode};
use rmcp::model::{
    ErrorCode, ErrorData, GetExtensions, JsonRpcMessage, ProgressToken, ProtocolVersion, RequestId,
    RequestMetaObject,
};
use serde_json::{Value, json};

use super::answer::{Accepts, answer, legacy_status, malformed_status, modern_status};
use super::envelope::{Envelope, Kind, not_json};
use super::headers::{self, Era, PROTOCOL_VERSION, SESSION_ID};
use super::link::{Incoming, Streams};
use super::refusal::{named, refusal};
use super::route::MountRequest;
use super::session::{Full, Session};
use crate::transport::decode::{Decoded, Handshake, decode};

/// These are answered from memory, and a client needs them before it can do anything.
const FREE: [&str; 6] =
    ["initialize", "server/discover", "ping", "tools/list", "prompts/list", "resources/templates/list"];

/// The one request that says everything before its answer.
const LISTEN: &str = "subscriptions/listen";

/// A body that is not larger is read whoever sends it: it may take something back, or answer a question.
const SMALL_BODY_BYTES: usize = 64 * 1024;

/// A request that may be answered.
struct Asked {
    bytes: Bytes,
    message: Value,
    id: Option<RequestId>,
    accepts: Accepts,
    /// A place among the requests under way, and the memory that this one stands for.
    kept: (Share, Share),
}

pub(super) async fn post(
    asks: &MountRequest<'_>,
    headers: &HeaderMap,
    body: HttpBody,
) -> Result<Reply, Refusal> {
    let accepts = Accepts::of(headers);
    if !accepts.anything() {
        let message = "accept `application/json` and `text/event-stream`";
        return Err(Refusal::new(StatusCode::NOT_ACCEPTABLE, "not_acceptable", message).closing());
    }
    let place = asks.http.enter().and_then(|place| {
        // A token is not taken yet: what is asked for decides from which bucket.
        asks.mount.rates.look(asks.principal(), Instant::now()).map_err(too_fast)?;
        Ok(place)
    });
    let most = match &place {
        Ok(_) => MAX_BODY_BYTES,
        Err(_) => SMALL_BODY_BYTES,
    };
    let mut body = match asks.http.read(body, "application/json", most).await {
        Ok(body) => body,
        Err(refusal) => return Err(place.err().map_or(refusal, Refusal::closing)),
    };
    let envelope = Envelope::of(&body.bytes)?;
    let to_it = |refusal: Refusal| refusal.to(named(envelope.id()));
    envelope.check_size().map_err(to_it)?;
    if let Kind::Request(_) = envelope.kind {
        admit(asks, &envelope).map_err(to_it)?;
        check_scope(asks, &envelope).map_err(to_it)?;
    }
    body.reserve(envelope.cost()).map_err(to_it)?;
    let message: Value = serde_json::from_slice(&body.bytes).map_err(not_json)?;
    let era = headers::era(headers, &message);
    match envelope.kind {
        Kind::Request(id) => {
            let place = match place {
                Ok(place) => place,
                // The rate was looked at and, for what is answered from memory, is another one.
                Err(_) => asks.http.enter().map_err(|refusal| refusal.to(named(id.as_ref())))?,
            };
            let asked =
                Asked { bytes: body.bytes.clone(), message, id, accepts, kept: (place, body.into_share()) };
            match era {
                Era::Modern => modern(asks, headers, asked).await,
                Era::Legacy => legacy(asks, headers, asked).await,
            }
        }
        Kind::Notification if era == Era::Modern => Ok(no_content(StatusCode::ACCEPTED)),
        Kind::Notification | Kind::Response if era == Era::Legacy => {
            let session = session(asks, headers)?;
            tell(&session, message).await;
            Ok(no_content(StatusCode::ACCEPTED))
        }
        Kind::Notification | Kind::Response => {
            let message = "a client of this version sends no responses";
            Err(Refusal::new(StatusCode::BAD_REQUEST, "invalid_request", message))
        }
    }
}

/// May this principal ask this at all? Who tries what they may not is worth a line, as long as they try at the pace of
/// others; the line has no arguments, of which there might be megabytes.
fn check_scope(asks: &MountRequest<'_>, envelope: &Envelope) -> Result<(), Refusal> {
    let needed = asks.mount.needs(envelope.method.as_deref().unwrap_or_default(), envelope.tool.as_deref());
    match needed {
        Some(scope) if !asks.http.principal.may(scope) => {
            let refusal = Refusal::insufficient_scope(scope);
            let audit = asks.audit();
            audit.request(envelope.summary().as_bytes());
            audit.response(&refusal.body());
            Err(refusal)
        }
        _ => Ok(()),
    }
}

/// May this principal ask now?
fn admit(asks: &MountRequest<'_>, envelope: &Envelope) -> Result<(), Refusal> {
    let (rates, principal, now) = (&asks.mount.rates, asks.principal(), Instant::now());
    let is_free = envelope.method.as_deref().is_some_and(|method| FREE.contains(&method));
    let taken = if is_free { rates.take_light(principal, now) } else { rates.take(Some(principal), now) };
    taken.map_err(too_fast)
}

fn too_fast(wait: Duration) -> Refusal {
    Refusal::busy(StatusCode::TOO_MANY_REQUESTS, "too many calls in too short a time", wait)
}

/// A request that brings everything along has a service of its own, which ends with its answer or its client.
async fn modern(asks: &MountRequest<'_>, headers: &HeaderMap, asked: Asked) -> Result<Reply, Refusal> {
    let Asked { bytes, message, id, accepts, kept } = asked;
    let is_listening = message["method"] == LISTEN;
    if is_listening && !accepts.events() {
        let message = "accept `text/event-stream`: a subscription reports changes as events";
        return Err(
            Refusal::new(StatusCode::NOT_ACCEPTABLE, "not_acceptable", message).to(named(id.as_ref()))
        );
    }
    let audit = asks.audit();
    let identity = audit.identity();
    audit.request(&bytes);
    let Request { id, token, mut incoming, is_malformed } =
        headers::check(headers, &message, |name| asks.mount.tool_schema(name))
            .map_err(header_mismatch)
            .and_then(|()| request(message, Handshake::Awaited, Era::Modern))
            .map_err(|refusal| refusal.to(named(id.as_ref())))
            .inspect_err(|refusal| audit.response(&refusal.body()))?;
    let streams = Arc::new(Streams::default());
    let frames = streams.open(id, token, accepts.carries()).expect("the first stream of its link");
    incoming.insert_extension(Arc::clone(identity));
    incoming.insert_extension(Arc::clone(asks.http.principal));
    let cancel = asks.http.cutting();
    let (sender, running) = asks.mount.start(identity, &streams, cancel);
    // The link was made just now and has room.
    let _ = sender.send(incoming).await;
    let status = if is_malformed { malformed_status } else { modern_status };
    let (place, memory) = kept;
    // A subscription keeps nothing of its request.
    let memory = (!is_listening).then_some(memory);
    Ok(answer(frames, (running, sender, place, memory), accepts, status).await)
}

/// A request within a session, or the one that begins it.
async fn legacy(asks: &MountRequest<'_>, headers: &HeaderMap, asked: Asked) -> Result<Reply, Refusal> {
    let Asked { bytes, message, id, accepts, kept } = asked;
    let begins = message.get("method").and_then(Value::as_str) == Some("initialize");
    let session = check_version(headers)
        .and_then(|()| if begins { begin(asks) } else { session(asks, headers) })
        .map_err(|refusal| refusal.to(named(id.as_ref())))?;
    session.audit.request(&bytes);
    let (frames, mut incoming) = request(message, Handshake::Done, Era::Legacy)
        .and_then(|Request { id, token, incoming, .. }| {
            let frames = session.streams.open(id, token, accepts.carries());
            Ok((frames.ok_or_else(duplicate_id)?, incoming))
        })
        .map_err(|refusal| refusal.to(named(id.as_ref())))
        .inspect_err(|refusal| session.audit.response(&refusal.body()))?;
    incoming.insert_extension(Arc::clone(session.audit.identity()));
    incoming.insert_extension(Arc::clone(asks.http.principal));
    if session.incoming.send(incoming).await.is_err() {
        return Err(no_session().to(named(id.as_ref())));
    }
    let kept = (Arc::clone(&session), kept);
    let mut reply = answer(frames, kept, accepts, legacy_status).await;
    if begins {
        if let Ok(id) = HeaderValue::from_str(&session.audit.identity().session_id) {
            reply.headers_mut().insert(SESSION_ID, id);
        }
        asks.mount.sessions.begin(session);
    }
    Ok(reply)
}

fn header_mismatch(fault: String) -> Refusal {
    let data = json!({ "error": "header_mismatch" });
    refusal(StatusCode::BAD_REQUEST, ErrorData::new(ErrorCode::HEADER_MISMATCH, fault, Some(data)))
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
                return Err(Refusal::new(
                    StatusCode::BAD_REQUEST,
                    "invalid_request",
                    "this is not a request",
                ));
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
            Err(refusal(status, error))
        }
        Decoded::Ignored => {
            Err(Refusal::new(StatusCode::BAD_REQUEST, "invalid_request", "this is not a request"))
        }
    }
}

fn begin(asks: &MountRequest<'_>) -> Result<Arc<Session>, Refusal> {
    asks.mount.sessions.make_room(&asks.http.client).map_err(|full| match full {
        Full::ForClient => {
            let message = "all sessions of this client are in use";
            Refusal::busy(StatusCode::TOO_MANY_REQUESTS, message, Duration::from_secs(1))
        }
        Full::ForAll => {
            let message = "too many sessions are in use";
            Refusal::busy(StatusCode::SERVICE_UNAVAILABLE, message, Duration::from_secs(1))
        }
    })?;
    let identity = Arc::new(AuditIdentity {
        session_id: asks.mount.fresh_id(),
        principal: Some(asks.principal().to_owned()),
    });
    let streams = Arc::new(Streams::default());
    let cancel = asks.http.cutting();
    let (incoming, running) = asks.mount.start(&identity, &streams, cancel);
    let (audit, client) = (asks.mount.audit.of(identity), asks.http.client.clone());
    Ok(Arc::new(Session::new(audit, client, incoming, streams, running)))
}

/// The session that the header names, if it is there and this principal's.
pub(super) fn session(asks: &MountRequest<'_>, headers: &HeaderMap) -> Result<Arc<Session>, Refusal> {
    let mut ids = headers.get_all(SESSION_ID).iter();
    let (Some(id), None) = (ids.next(), ids.next()) else {
        let message = "the header `Mcp-Session-Id` is missing";
        return Err(Refusal::new(StatusCode::BAD_REQUEST, "session_required", message)
            .with_hint("send `initialize` first, or name a protocol version of 2026 in `_meta`"));
    };
    let id = id.to_str().unwrap_or_default();
    asks.mount.sessions.find(id, asks.principal()).ok_or_else(no_session)
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
    Err(refusal(StatusCode::BAD_REQUEST, error))
}
