//! From a path and a method to what answers them, past the checks that hold for all of them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use hyper::body::Incoming;
use hyper::header::ACCEPT;
use hyper::http::request::Parts;
use hyper::{Method, Request, StatusCode};
use serde_json::Value;
use tracing::Instrument;

use crate::access::{Principal, Scope};
use crate::door::Door;
use crate::identify::identify;
use crate::oauth::METADATA_PATH;
use crate::origin::{Forbidden, Pages};
use crate::refusal::Refusal;
use crate::reply::{Reply, json, text, typed};
use crate::request::{AuthorizedRequest, Endpoints};
use crate::service::{Access, Cors, Service};
use crate::state::HttpState;
use crate::until::until_their_end;

/// A service that takes longer to say whether it is ready is not.
const READY_TIME: Duration = Duration::from_secs(5);

/// Where a path leads.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Route<'r> {
    Health,
    Metrics,
    /// How to get a token (RFC 9728).
    Metadata,
    Service(&'r dyn Service),
    Nowhere,
}

/// Whether the metadata stands at a path: at the beginning of all of them, behind it the path of what is protected.
fn is_metadata(state: &HttpState, path: &str) -> bool {
    let (Some((address, _)), Some(rest)) = (&state.metadata, path.strip_prefix(METADATA_PATH)) else {
        return false;
    };
    let is_resource = || address.ends_with(path.trim_end_matches('/'));
    let is_ours = || rest.starts_with('/') && state.services.iter().any(|service| service.owns(rest));
    matches!(rest, "" | "/") || is_resource() || is_ours()
}

impl<'r> Route<'r> {
    fn of(state: &'r HttpState, request: &Request<Incoming>) -> Self {
        let path = request.uri().path();
        match path {
            "/health" | "/alive" | "/ready" => Self::Health,
            "/metrics" => Self::Metrics,
            _ if is_metadata(state, path) => Self::Metadata,
            _ => match state.services.iter().find(|service| service.owns(path)) {
                Some(service) => Self::Service(&**service),
                None if wants_page(request) => {
                    let teller = state.services.iter().find(|service| service.tells_of_nothing());
                    teller.map_or(Self::Nowhere, |service| Self::Service(&**service))
                }
                None => Self::Nowhere,
            },
        }
    }

    /// What its requests are counted under.
    fn label(self) -> &'static str {
        match self {
            Self::Health => "health",
            Self::Metrics => "metrics",
            Self::Metadata => "metadata",
            Self::Service(service) => service.name(),
            Self::Nowhere => "other",
        }
    }

    fn cors(self, state: &HttpState) -> Option<&'static Cors> {
        match self {
            Self::Service(service) => service.cors(),
            _ => state.services.iter().find_map(|service| service.cors()),
        }
    }

    fn access(self, method: &Method, path: &str) -> Access {
        match self {
            _ if method == Method::OPTIONS => Access::Public,
            Self::Service(service) => service.access(method, path),
            Self::Metrics => Access::Token,
            Self::Health | Self::Metadata | Self::Nowhere => Access::Public,
        }
    }

    fn refuse(self, refusal: Refusal) -> Reply {
        match self {
            Self::Service(service) => service.refuse(refusal),
            _ => refusal.into_reply(),
        }
    }
}

/// Whether a person asks, with a browser.
fn wants_page(request: &Request<Incoming>) -> bool {
    let accepted = request.headers().get(ACCEPT).and_then(|accepted| accepted.to_str().ok());
    matches!(*request.method(), Method::GET | Method::HEAD)
        && accepted.is_some_and(|accepted| accepted.contains("text/html"))
}

/// Answers one request, whatever it is.
#[expect(clippy::result_large_err, reason = "a refusal is made once, at the end of a request")]
pub(crate) async fn answer_request(
    state: Arc<HttpState>,
    ends: Endpoints,
    request: Request<Incoming>,
) -> Reply {
    let began = Instant::now();
    let route = Route::of(&state, &request);
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let target = request.uri().authority().map(hyper::http::uri::Authority::as_str);
    let cors = route.cors(&state);
    let pages = if cors.is_some() { Pages::Allowed } else { Pages::Own };
    let mut door = Door::before(&state, route, &path);
    let entered = state.origins.check(request.headers(), target, ends.local.ip(), pages).map_err(forbidden);
    let entered = entered.and_then(|origin| match route {
        // All connections are at work; this one was let in to be told so.
        Route::Service(_) | Route::Metrics | Route::Nowhere if ends.is_spare => Err(no_connection()),
        _ => Ok(origin),
    });
    // Every line that is written about the request says whose it is.
    let mut span = tracing::Span::none();
    let reply = match entered {
        Ok(origin) => {
            let origin = origin.map(str::to_owned);
            let (parts, body) = request.into_parts();
            let mut reply = match principal(&state, ends, route, &parts).await {
                Ok(principal) => {
                    span = tracing::error_span!("http", principal = principal.name);
                    door.enter(&principal);
                    let dispatched = dispatch(&state, ends, route, &principal, parts, body);
                    let reply = dispatched.instrument(span.clone()).await;
                    door.answered(reply.as_ref().err());
                    reply.unwrap_or_else(|refusal| route.refuse(refusal))
                }
                Err(refusal) => {
                    door.answered(Some(&refusal));
                    route.refuse(refusal)
                }
            };
            if let (Some(origin), Some(cors)) = (origin, cors) {
                cors.allow(&mut reply, &origin);
            }
            reply
        }
        Err(refusal) => {
            door.answered(Some(&refusal));
            route.refuse(refusal)
        }
    };
    let (status, took) = (reply.status(), began.elapsed());
    state.metrics.answered(route.label(), status, took);
    span.in_scope(|| {
        tracing::debug!(%method, path, status = status.as_u16(), ?took, remote = %ends.remote, "answered");
    });
    reply
}

async fn dispatch(
    state: &HttpState,
    ends: Endpoints,
    route: Route<'_>,
    principal: &Arc<Principal>,
    parts: Parts,
    body: Incoming,
) -> Result<Reply, Refusal> {
    if parts.method == Method::OPTIONS
        && let Some(cors) = route.cors(state)
    {
        return Ok(cors.preflight());
    }
    match route {
        Route::Health => {
            read_only(&parts.method)?;
            Ok(match parts.uri.path() {
                "/ready" if state.closing.is_cancelled() => {
                    text(StatusCode::SERVICE_UNAVAILABLE, "Closing\n")
                }
                "/ready" if !all_ready(state).await => text(StatusCode::SERVICE_UNAVAILABLE, "Not ready\n"),
                "/ready" => text(StatusCode::OK, "Ready\n"),
                _ => text(StatusCode::OK, "Healthy\n"),
            })
        }
        Route::Metrics => {
            read_only(&parts.method)?;
            for service in &state.services {
                if !service.shows_figures_to(&parts, principal).await {
                    return Err(Refusal::insufficient_scope(Scope::Admin));
                }
            }
            let body = Bytes::from(state.metrics.render(&state.now()));
            Ok(typed(StatusCode::OK, "text/plain; version=0.0.4; charset=utf-8", body))
        }
        Route::Metadata => {
            read_only(&parts.method)?;
            let metadata = state.metadata.as_ref().map_or(Value::Null, |(_, metadata)| metadata.clone());
            Ok(json(StatusCode::OK, metadata.to_string().into()))
        }
        Route::Service(service) => {
            let is_named = !state.authenticators.is_empty();
            let client = if is_named { principal.name.clone() } else { ends.remote.ip().to_string() };
            let answered =
                service.answer(AuthorizedRequest { state, principal, client, ends, parts }, body).await;
            answered.map(|reply| until_their_end(reply, principal))
        }
        Route::Nowhere => {
            Err(Refusal::new(StatusCode::NOT_FOUND, "not_found", "there is nothing at this path")
                .with_hint("the server is at `/mcp`"))
        }
    }
}

/// Whether every service can answer, found out within a moment.
async fn all_ready(state: &HttpState) -> bool {
    let asked = async {
        for service in &state.services {
            if !service.ready().await {
                return false;
            }
        }
        true
    };
    tokio::time::timeout(READY_TIME, asked).await.unwrap_or(false)
}

/// Who asks. Nobody has to say so who asks how the server is, or what a page may send.
async fn principal(
    state: &HttpState,
    ends: Endpoints,
    route: Route<'_>,
    parts: &Parts,
) -> Result<Arc<Principal>, Refusal> {
    if let Route::Service(service) = route
        && let Some(principal) = service.authenticate(parts)
    {
        return Ok(principal);
    }
    let access = route.access(&parts.method, parts.uri.path());
    if access == Access::Public || state.authenticators.is_empty() {
        return Ok(Arc::clone(&state.anonymous));
    }
    identify(state, ends, parts).await
}

fn no_connection() -> Refusal {
    let message = "too many connections are at work";
    Refusal::busy(StatusCode::SERVICE_UNAVAILABLE, message, Duration::from_secs(1)).closing()
}

#[expect(clippy::result_large_err, reason = "a refusal is made once, at the end of a request")]
fn read_only(method: &Method) -> Result<(), Refusal> {
    if matches!(*method, Method::GET | Method::HEAD) {
        Ok(())
    } else {
        Err(Refusal::method_not_allowed("GET, HEAD"))
    }
}

fn forbidden(forbidden: Forbidden) -> Refusal {
    let (status, key, message) = match forbidden {
        Forbidden::NoHost => {
            (StatusCode::BAD_REQUEST, "invalid_host", "the header `Host` must be there once and name a host")
        }
        Forbidden::Host => {
            (StatusCode::FORBIDDEN, "host_not_allowed", "this server does not answer to this name")
        }
        Forbidden::Origin => {
            (StatusCode::FORBIDDEN, "origin_not_allowed", "pages of this origin may not speak here")
        }
    };
    let hint = match forbidden {
        Forbidden::NoHost => "send one `Host` header",
        Forbidden::Host => "start the server with `--allow-host NAME` to allow it",
        Forbidden::Origin => "start the server with `--allow-origin ORIGIN` to allow it",
    };
    Refusal::new(status, key, message).with_hint(hint).closing()
}
