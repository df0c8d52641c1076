//! What all calls of one server share.

use std::sync::Arc;
use std::time::Duration;

use hewto_call::{Lane, Pipeline, Replays};
use hewto_engine::{Context, Result};
use hewto_http::{Principal, Scope};
use hewto_store::{AuditIdentity, Caller, Channel, Sees};
use rmcp::RoleServer;
use rmcp::model::ServerConfig;
use rmcp::service::RequestContext;
use tokio_util::sync::CancellationToken;

use crate::feed::Feed;
use crate::heartbeat::{Heartbeat, Manner};
use crate::options::ServerOptions;
use crate::place::Places;
use crate::prompts::Offer;
use crate::seal::Seals;
use crate::table::{Output, Table};

/// A server, whatever it is connected to.
#[derive(Debug)]
pub(crate) struct ServerState {
    pub(crate) info: ServerConfig,
    pub(crate) options: ServerOptions,
    pub(crate) table: Arc<Table>,
    pub(crate) feed: Arc<Feed>,
    pub(crate) pipeline: Arc<Pipeline>,
    /// Answers of calls that may come again.
    pub(crate) replays: Arc<Replays<Output>>,
    /// How often a client hears of a call that takes long.
    pub(crate) heartbeat: Duration,
    pub(crate) seals: Seals,
    /// Other workspaces that calls were for.
    pub(crate) places: Places,
    /// Clock, ids and chance; each call adds its own deadline and caller.
    pub(crate) base_context: Context,
    /// Cancelled when nobody will ask for anything any more; what stays open until then ends.
    pub(crate) closing: CancellationToken,
    /// Whether each call is logged with its time.
    pub(crate) debug: bool,
}

impl ServerState {
    /// Whose prompts are offered.
    pub(crate) fn prompted(&self) -> Offer<'_> {
        self.options.prompts(&self.table)
    }

    /// The context of one request; what it asks for gets a fresh operation id.
    pub(crate) fn context(&self, operation: &str, cx: &RequestContext<RoleServer>) -> Context {
        let identity = self.identity(cx);
        let caller = Caller {
            session_id: identity.session_id.clone(),
            principal: identity.principal.clone(),
            channel: Channel::Mcp,
            protocol_version: cx.protocol_version().map(|version| version.to_string()),
            operation_id: self.base_context.uuid().to_string(),
            operation: operation.to_owned(),
            traceparent: traceparent(cx),
            sees: sees(cx),
        };
        self.base_context.clone().with_caller(caller)
    }

    /// Runs `work` for a client, which hears of it while it lasts.
    pub(crate) async fn run_within<T, W>(
        &self,
        time: Duration,
        lane: Lane,
        context: Context,
        cx: &RequestContext<RoleServer>,
        work: W,
    ) -> Result<T>
    where
        T: Send + 'static,
        W: FnOnce(&Context) -> Result<T> + Send + 'static,
    {
        let (mut heartbeat, context) = Heartbeat::new(cx, context, self.heartbeat, Manner::of(lane));
        self.pipeline.pool().run_within(time, lane, context, &cx.ct, &mut heartbeat, work).await
    }

    /// Who makes a request: whoever the transport says, or the one client of this process.
    pub(crate) fn identity<'s>(&'s self, cx: &'s RequestContext<RoleServer>) -> &'s AuditIdentity {
        cx.extensions.get::<Arc<AuditIdentity>>().unwrap_or(self.pipeline.audit().identity())
    }
}

/// Over HTTP a principal sees its own operations, unless it administers the server; on stdio there is one client.
fn sees(cx: &RequestContext<RoleServer>) -> Sees {
    let is_limited =
        cx.extensions.get::<Arc<Principal>>().is_some_and(|principal| !principal.may(Scope::Admin));
    if is_limited { Sees::Own } else { Sees::Everything }
}

/// The caller's place in a distributed trace, where it says so in the form of the W3C.
fn traceparent(cx: &RequestContext<RoleServer>) -> Option<String> {
    let given = cx.meta.get("traceparent")?.as_str()?;
    let parts: Vec<&str> = given.split('-').collect();
    let is_hex = |part: &&str| part.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    let lengths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
    (lengths == [2, 32, 16, 2] && parts.iter().all(is_hex)).then(|| given.to_owned())
}
