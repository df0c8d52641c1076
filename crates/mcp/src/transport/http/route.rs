//! The workspaces of an HTTP server: from a path and a method to what answers them.

#![expect(clippy::result_large_err, reason = "a refusal is made once, at the end of a request")]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use futures::FutureExt;
use futures::future::{BoxFuture, join_all};
use hewto_call::AuditLog;
use hewto_http::{AuthorizedRequest, Cors, Gauge, Refusal, Rejected, Reply, Service, no_content};
use hewto_store::AuditIdentity;
use hyper::body::Incoming;
use hyper::{HeaderMap, Method, StatusCode};
use rmcp::ServerHandler;
use serde_json::json;

use super::answer::{Accepts, events};
use super::headers::PROTOCOL_VERSION;
use super::mount::Mount;
use super::post::{post, session};
use crate::server::McpServer;
use crate::transport::decode::is_modern;

/// The name of the workspace behind `/mcp`.
pub const DEFAULT_MOUNT: &str = "default";

/// What a page from an allowed origin may send.
const CORS: Cors = Cors {
    methods: "GET, POST, DELETE",
    headers: "authorization, content-type, mcp-session-id, mcp-protocol-version, mcp-method, mcp-name",
    exposed: "mcp-session-id, www-authenticate, retry-after",
};

/// MCP for an HTTP server: `/mcp`, and `/mcp/w/NAME` for each workspace.
#[derive(Debug, Default)]
pub struct McpRoutes {
    mounts: BTreeMap<String, Mount>,
}

impl McpRoutes {
    /// Serves a workspace under `/mcp/w/NAME`, and under `/mcp` too when it is called `default`.
    pub fn add(&mut self, name: impl Into<String>, server: McpServer) {
        self.mounts.insert(name.into(), Mount::of_server(server.into_state()));
    }

    /// Serves any handler behind the same transport, for tests of the transport itself.
    #[doc(hidden)]
    pub fn add_handler(&mut self, name: impl Into<String>, handler: impl ServerHandler + Clone) {
        self.mounts.insert(name.into(), Mount::of_foreign(handler));
    }
}

impl Service for McpRoutes {
    fn name(&self) -> &'static str {
        "mcp"
    }

    fn owns(&self, path: &str) -> bool {
        mount_name(path).is_some()
    }

    fn cors(&self) -> Option<&'static Cors> {
        Some(&CORS)
    }

    fn answer<'a>(
        &'a self,
        request: AuthorizedRequest<'a>,
        body: Incoming,
    ) -> BoxFuture<'a, Result<Reply, Refusal>> {
        async move {
            let name = mount_name(request.parts.uri.path()).unwrap_or_default();
            // A workspace that is not theirs is none.
            let mount = self.mounts.get(name).filter(|_| request.principal.may_open(name));
            let mount = mount.ok_or_else(|| no_workspace(name))?;
            let request = MountRequest { http: &request, mount };
            let headers = &request.http.parts.headers;
            match request.http.parts.method {
                Method::POST => post(&request, headers, body).await,
                Method::GET => listen(&request, headers),
                Method::DELETE => end(&request, headers),
                _ => Err(Refusal::method_not_allowed("GET, POST, DELETE")),
            }
        }
        .boxed()
    }

    fn gauges(&self) -> Vec<Gauge> {
        let sessions = self.mounts.values().map(|mount| mount.sessions.count()).sum();
        vec![
            Gauge { name: "hewto_http_sessions", help: "Sessions of the older protocol.", value: sessions },
            Gauge { name: "hewto_workspaces", help: "Workspaces served.", value: self.mounts.len() },
        ]
    }

    fn rejected(&self, rejected: Rejected<'_>) {
        // In the log of the workspace that was asked for or, where none was, in all of them.
        let asked = mount_name(rejected.path).and_then(|name| self.mounts.get(name));
        let mounts = asked.map_or_else(|| self.mounts.values().collect(), |mount| vec![mount]);
        for mount in mounts {
            mount.audit.refused(&json!({
                "error": "unauthorized",
                "address": rejected.remote.ip().to_string(),
                "path": rejected.path,
                "count": rejected.count,
            }));
        }
    }

    fn start(&self) {
        self.mounts.values().for_each(Mount::open);
    }

    fn tidy(&self, now: Instant) {
        for mount in self.mounts.values() {
            mount.sessions.expire(now);
        }
    }

    fn close(&self) {
        self.mounts.values().for_each(Mount::close);
    }

    fn finish(&self) -> BoxFuture<'_, ()> {
        join_all(self.mounts.values().map(|mount| mount.audit.flush())).map(drop).boxed()
    }
}

/// A request for one workspace.
#[derive(Debug)]
pub(super) struct MountRequest<'r> {
    pub(super) http: &'r AuthorizedRequest<'r>,
    pub(super) mount: &'r Mount,
}

impl MountRequest<'_> {
    pub(super) fn principal(&self) -> &str {
        &self.http.principal.name
    }

    /// The principal as the logs know them outside of sessions.
    pub(super) fn identity(&self) -> Arc<AuditIdentity> {
        let name = self.principal().to_owned();
        Arc::new(AuditIdentity { session_id: name.clone(), principal: Some(name) })
    }

    /// The logs of the workspace, as this principal writes to them outside of sessions.
    pub(super) fn audit(&self) -> AuditLog {
        self.mount.audit.of(self.identity())
    }
}

/// The stream on which a session of the old era hears what belongs to none of its requests.
fn listen(request: &MountRequest<'_>, headers: &HeaderMap) -> Result<Reply, Refusal> {
    needs_sessions(headers)?;
    let session = session(request, headers)?;
    if !Accepts::of(headers).events() {
        let message = "accept `text/event-stream`";
        return Err(Refusal::new(StatusCode::NOT_ACCEPTABLE, "not_acceptable", message));
    }
    let place = request.http.enter()?;
    let frames = session.streams.open_common();
    Ok(events(None, frames, (session, place)))
}

fn end(request: &MountRequest<'_>, headers: &HeaderMap) -> Result<Reply, Refusal> {
    needs_sessions(headers)?;
    let id = session(request, headers)?.audit.identity().session_id.clone();
    request.mount.sessions.end(&id, request.principal());
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
        "" | "/mcp" => Some(DEFAULT_MOUNT),
        _ => path.strip_prefix("/mcp/w/").filter(|name| !name.is_empty() && !name.contains('/')),
    }
}

fn no_workspace(name: &str) -> Refusal {
    Refusal::new(StatusCode::NOT_FOUND, "workspace_not_found", format!("no workspace is called `{name}`"))
        .with_hint("the path of a workspace is `/mcp/w/NAME`, as `--workspace NAME=PATH` names it")
}
