//! From a path and a method to what answers them, past the checks that hold for all of them.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use hewto_call::AuditLog;
use hyper::body::Incoming;
use hyper::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, AUTHORIZATION, HeaderValue, VARY,
};
use hyper::{HeaderMap, Method, Request, StatusCode};
use tracing::Instrument;

use super::answer::{Accepts, Reply, events, no_content, text, typed};
use super::headers::PROTOCOL_VERSION;
use super::house::House;
use super::metrics::Route;
use super::mount::Mount;
use super::origin::Stranger;
use super::post::{post, session};
use super::refusal::{Presented, Refusal};
use super::token::Principal;
use crate::transport::decode::is_modern;

/// What a page from an allowed origin may send.
const CORS_HEADERS: &str =
    "authorization, content-type, mcp-session-id, mcp-protocol-version, mcp-method, mcp-name";
const CORS_METHODS: &str = "GET, POST, DELETE";
const CORS_EXPOSED: &str = "mcp-session-id, www-authenticate, retry-after";

/// One request for a workspace, by somebody who may come in.
#[derive(Debug)]
pub(super) struct Visit<'v> {
    pub(super) house: &'v House,
    pub(super) mount: &'v Mount,
    pub(super) principal: &'v Principal,
    /// Whose requests are counted together.
    pub(super) client: String,
}

impl Visit<'_> {
    /// The logs of the workspace, as this principal writes to them outside of sessions.
    pub(super) fn audit(&self) -> AuditLog {
        self.mount.audit.of(Arc::clone(&self.principal.identity))
    }
}

/// Where a request came from and came in.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ends {
    pub(super) remote: SocketAddr,
    pub(super) local: SocketAddr,
}

/// Answers one request, whatever it is.
pub(super) async fn answer_request(house: Arc<House>, ends: Ends, request: Request<Incoming>) -> Reply {
    let began = Instant::now();
    let route = match request.uri().path() {
        "/health" | "/alive" | "/ready" => Route::Health,
        "/metrics" => Route::Metrics,
        path if mount_name(path).is_some() => Route::Mcp,
        _ => Route::Other,
    };
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let target = request.uri().authority().map(hyper::http::uri::Authority::as_str);
    let entered = house.doors.check(request.headers(), target, ends.local.ip()).map_err(stranger);
    // Every line that is written about the request says whose it is.
    let mut span = tracing::Span::none();
    let reply = match entered {
        Ok(origin) => {
            let origin = origin.map(str::to_owned);
            let mut reply = match principal(&house, route, &request) {
                Ok(principal) => {
                    span = tracing::error_span!("http", principal = principal.name);
                    let leading = lead(&house, ends, route, &principal, request).instrument(span.clone());
                    leading.await.unwrap_or_else(Refusal::into_reply)
                }
                Err(refusal) => refusal.into_reply(),
            };
            if let Some(origin) = origin {
                allow_origin(&mut reply, &origin);
            }
            reply
        }
        Err(refusal) => refusal.into_reply(),
    };
    let (status, took) = (reply.status(), began.elapsed());
    house.metrics.answered(route, status, took);
    span.in_scope(|| {
        tracing::debug!(%method, path, status = status.as_u16(), ?took, remote = %ends.remote, "answered");
    });
    reply
}

async fn lead(
    house: &House,
    ends: Ends,
    route: Route,
    principal: &Principal,
    request: Request<Incoming>,
) -> Result<Reply, Refusal> {
    if request.method() == Method::OPTIONS {
        return Ok(preflight());
    }
    match route {
        Route::Health => {
            read_only(request.method())?;
            Ok(match request.uri().path() {
                "/ready" if house.closing.is_cancelled() => {
                    text(StatusCode::SERVICE_UNAVAILABLE, "Closing\n")
                }
                "/ready" => text(StatusCode::OK, "Ready\n"),
                _ => text(StatusCode::OK, "Healthy\n"),
            })
        }
        Route::Metrics => {
            read_only(request.method())?;
            let body = Bytes::from(house.metrics.render(house.now()));
            Ok(typed(StatusCode::OK, "text/plain; version=0.0.4; charset=utf-8", body))
        }
        Route::Mcp => visit(house, ends, principal, request).await,
        Route::Other => {
            Err(Refusal::new(StatusCode::NOT_FOUND, "not_found", "there is nothing at this path")
                .with_hint("the server is at `/mcp`"))
        }
    }
}

async fn visit(
    house: &House,
    ends: Ends,
    principal: &Principal,
    request: Request<Incoming>,
) -> Result<Reply, Refusal> {
    let name = mount_name(request.uri().path()).unwrap_or_default();
    let mount = house.mounts.get(name).ok_or_else(|| {
        Refusal::new(StatusCode::NOT_FOUND, "workspace_not_found", format!("no workspace is called `{name}`"))
            .with_hint("the path of a workspace is `/mcp/w/NAME`, as `--workspace NAME=PATH` names it")
    })?;
    let client = if house.tokens.is_some() { principal.name.clone() } else { ends.remote.ip().to_string() };
    let visit = Visit { house, mount, principal, client };
    let (parts, body) = request.into_parts();
    match parts.method {
        Method::POST => post(&visit, &parts.headers, body).await,
        Method::GET => listen(&visit, &parts.headers),
        Method::DELETE => end(&visit, &parts.headers),
        _ => Err(Refusal::method_not_allowed("GET, POST, DELETE")),
    }
}

/// The stream on which a session of the old era hears what belongs to none of its requests.
fn listen(visit: &Visit<'_>, headers: &HeaderMap) -> Result<Reply, Refusal> {
    needs_sessions(headers)?;
    let session = session(visit, headers)?;
    if !Accepts::of(headers).events() {
        let message = "accept `text/event-stream`";
        return Err(Refusal::new(StatusCode::NOT_ACCEPTABLE, "not_acceptable", message));
    }
    let frames = session.streams.open_common();
    Ok(events(None, frames, session))
}

fn end(visit: &Visit<'_>, headers: &HeaderMap) -> Result<Reply, Refusal> {
    needs_sessions(headers)?;
    let id = session(visit, headers)?.audit.identity().session_id.clone();
    visit.mount.sessions.end(&id, &visit.principal.name);
    Ok(no_content(StatusCode::NO_CONTENT))
}

/// The new era knows neither sessions nor streams of their own.
fn needs_sessions(headers: &HeaderMap) -> Result<(), Refusal> {
    let version = headers.get(PROTOCOL_VERSION).and_then(|version| version.to_str().ok());
    if version.is_some_and(is_modern) { Err(Refusal::method_not_allowed("POST")) } else { Ok(()) }
}

/// The name of the workspace that a path leads to.
pub(super) fn mount_name(path: &str) -> Option<&str> {
    let path = path.strip_suffix('/').unwrap_or(path);
    match path {
        "" | "/mcp" => Some("default"),
        _ => path.strip_prefix("/mcp/w/").filter(|name| !name.is_empty() && !name.contains('/')),
    }
}

/// Who asks. Nobody has to say so who asks how the server is, or what a page may send.
fn principal(house: &House, route: Route, request: &Request<Incoming>) -> Result<Arc<Principal>, Refusal> {
    let is_open = matches!(route, Route::Health | Route::Other) || request.method() == Method::OPTIONS;
    let tokens = match &house.tokens {
        Some(tokens) if !is_open => tokens,
        _ => return Ok(Arc::clone(&house.anonymous)),
    };
    let mut values = request.headers().get_all(AUTHORIZATION).iter();
    let (Some(value), None) = (values.next(), values.next()) else {
        return Err(Refusal::unauthorized(Presented::Nothing).closing());
    };
    let token =
        value.as_bytes().split_at_checked(7).filter(|(scheme, _)| scheme.eq_ignore_ascii_case(b"bearer "));
    let Some((_, token)) = token else { return Err(Refusal::unauthorized(Presented::Nothing).closing()) };
    let principal = tokens.find(token.trim_ascii());
    principal.cloned().ok_or_else(|| Refusal::unauthorized(Presented::Unknown).closing())
}

fn read_only(method: &Method) -> Result<(), Refusal> {
    if matches!(*method, Method::GET | Method::HEAD) {
        Ok(())
    } else {
        Err(Refusal::method_not_allowed("GET, HEAD"))
    }
}

fn stranger(stranger: Stranger) -> Refusal {
    let (status, key, message) = match stranger {
        Stranger::NoHost => {
            (StatusCode::BAD_REQUEST, "invalid_host", "the header `Host` must be there once and name a host")
        }
        Stranger::Host => {
            (StatusCode::FORBIDDEN, "host_not_allowed", "this server does not answer to this name")
        }
        Stranger::Origin => {
            (StatusCode::FORBIDDEN, "origin_not_allowed", "pages of this origin may not speak here")
        }
    };
    let hint = match stranger {
        Stranger::NoHost => "send one `Host` header",
        Stranger::Host => "start the server with `--allow-host NAME` to allow it",
        Stranger::Origin => "start the server with `--allow-origin ORIGIN` to allow it",
    };
    Refusal::new(status, key, message).with_hint(hint).closing()
}

/// A browser asks first; whether its page may speak here was decided already.
fn preflight() -> Reply {
    let mut reply = no_content(StatusCode::NO_CONTENT);
    let headers = reply.headers_mut();
    headers.insert(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static(CORS_METHODS));
    headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static(CORS_HEADERS));
    headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600"));
    reply
}

fn allow_origin(reply: &mut Reply, origin: &str) {
    let headers = reply.headers_mut();
    if let Ok(origin) = HeaderValue::from_str(origin) {
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    }
    headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(CORS_EXPOSED));
    headers.append(VARY, HeaderValue::from_static("Origin"));
}
