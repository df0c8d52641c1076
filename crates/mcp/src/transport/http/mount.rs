//! A workspace as HTTP sees it: a service that can be started for a link, its sessions, its log, its rate.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use hewto_call::AuditLog;
use hewto_call::{RateLimit, Rates};
use hewto_engine::Context;
use hewto_http::Scope;
use hewto_store::AuditIdentity;
use rmcp::ServerHandler;
use rmcp::model::JsonObject;
use rmcp::service::serve_directly_with_ct;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::link::{Incoming, Link, Streams};
use super::session::Sessions;
use crate::handler::Handler;
use crate::options::Toolset;
use crate::service::Guarded;
use crate::state::ServerState;

/// A service at work; dropping it cancels what it does.
pub(super) type Running = Box<dyn Any + Send + Sync>;

type Launch = Box<dyn Fn(Link, CancellationToken) -> Running + Send + Sync>;

type SchemaOf = Box<dyn Fn(&str) -> Option<JsonObject> + Send + Sync>;

/// What stands behind one path.
pub(super) struct Mount {
    launch: Launch,
    /// The product behind it; a handler of somebody else has none.
    state: Option<Arc<ServerState>>,
    schema: SchemaOf,
    pub(super) audit: AuditLog,
    pub(super) rates: Arc<Rates>,
    pub(super) sessions: Sessions,
    /// Where fresh names come from.
    base_context: Context,
}

impl Mount {
    pub(super) fn of_server(state: Arc<ServerState>) -> Self {
        let (audit, rates) = (state.pipeline.audit().clone(), Arc::clone(state.pipeline.rates()));
        let handler = Handler::guarded(Arc::clone(&state));
        let base_context = state.base_context.clone();
        Self { state: Some(state), base_context, ..Self::of_handler(handler, audit, rates) }
    }

    /// Any handler, behind the same transport and guard.
    pub(super) fn of_foreign(handler: impl ServerHandler + Clone) -> Self {
        let audit = AuditLog::new("foreign".to_owned());
        Self::of_handler(Guarded::new(handler), audit, Arc::new(Rates::new(RateLimit::default())))
    }

    fn of_handler<H: ServerHandler + Clone>(handler: Guarded<H>, audit: AuditLog, rates: Arc<Rates>) -> Self {
        let tools = handler.clone();
        Self {
            launch: Box::new(move |link, cancel| {
                // Without rmcp's own handshake, as on stdio.
                Box::new(serve_directly_with_ct(handler.clone(), link, None, cancel))
            }),
            state: None,
            schema: Box::new(move |name| tools.tool_schema(name)),
            audit,
            rates,
            sessions: Sessions::default(),
            base_context: Context::background(),
        }
    }

    /// A name for a session, which nobody can guess.
    pub(super) fn fresh_id(&self) -> String {
        self.base_context.uuid().to_string()
    }

    /// Starts a service for one client; it takes messages from the sender until it is dropped or cancelled.
    pub(super) fn start(
        &self,
        identity: &Arc<AuditIdentity>,
        streams: &Arc<Streams>,
        cancel: CancellationToken,
    ) -> (mpsc::Sender<Incoming>, Running) {
        let (incoming, link) = Link::new(Arc::clone(streams), self.audit.of(Arc::clone(identity)));
        (incoming, (self.launch)(link, cancel))
    }

    pub(super) fn tool_schema(&self, name: &str) -> Option<JsonObject> {
        (self.schema)(name)
    }

    /// What a token must allow for this; `None` when any token will do.
    pub(super) fn needs(&self, method: &str, tool: Option<&str>) -> Option<Scope> {
        match method {
            "tools/call" => {
                let tool = self.state.as_ref()?.table.find(tool?)?.def;
                Some(match tool.about.toolset {
                    _ if tool.runs_programs() => Scope::Run,
                    Toolset::Workstation => Scope::Workstation,
                    Toolset::Proof if tool.writes() => Scope::Run,
                    Toolset::Workflow
                    | Toolset::Specs
                    | Toolset::Decisions
                    | Toolset::Graph
                    | Toolset::Proof
                    | Toolset::Review => {
                        if tool.writes() {
                            Scope::Write
                        } else {
                            Scope::Read
                        }
                    }
                })
            }
            "resources/list"
            | "resources/read"
            | "resources/subscribe"
            | "completion/complete"
            | "subscriptions/listen" => Some(Scope::Read),
            // A task is a run.
            "tasks/get" | "tasks/update" | "tasks/cancel" => Some(Scope::Run),
            _ => None,
        }
    }

    /// Ends what would go on for ever: subscriptions are answered, and sessions hear nothing more.
    pub(super) fn close(&self) {
        if let Some(state) = &self.state {
            state.closing.cancel();
        }
        self.sessions.hang_up();
    }

    /// Closes the way out of the workspace, and opens the logs, which are to begin with the first request.
    pub(super) fn open(&self) {
        if let Some(state) = &self.state {
            state.pipeline.project().confine();
            state.pipeline.open_logs(&state.base_context);
        }
    }
}

impl fmt::Debug for Mount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mount").field("sessions", &self.sessions).finish_non_exhaustive()
    }
}
