//! What all calls of one server share.

use std::sync::Arc;

use hewto_engine::Context;
use hewto_store::{Caller, Speaker};
use rmcp::RoleServer;
use rmcp::model::ServerConfig;
use rmcp::service::RequestContext;
use tokio_util::sync::CancellationToken;

use crate::audit::Trail;
use crate::feed::Feed;
use crate::options::ServerOptions;
use crate::prompts::Offer;
use crate::rate::Rates;
use crate::seal::Seals;
use crate::site::Site;
use crate::table::Table;
use crate::work::Workers;

/// A server, whatever it is connected to.
#[derive(Debug)]
pub(crate) struct ServerState {
    pub(crate) info: ServerConfig,
    pub(crate) options: ServerOptions,
    pub(crate) table: Table,
    pub(crate) site: Arc<Site>,
    pub(crate) feed: Arc<Feed>,
    pub(crate) workers: Workers,
    pub(crate) rates: Arc<Rates>,
    pub(crate) trail: Trail,
    pub(crate) seals: Seals,
    /// Clock, ids and chance; each call adds its own deadline and caller.
    pub(crate) ground: Context,
    /// Cancelled when nobody will ask for anything any more; what stays open until then ends.
    pub(crate) closing: CancellationToken,
    /// Whether each call is logged with its time.
    pub(crate) debug: bool,
}

impl ServerState {
    /// Whose prompts are offered.
    pub(crate) fn prompted(&self) -> Offer<'_> {
        self.options.prompts()
    }

    /// The context of one request; what it asks for gets a fresh operation id.
    pub(crate) fn context(&self, operation: &str, cx: &RequestContext<RoleServer>) -> Context {
        let speaker = self.speaker(cx);
        let caller = Caller {
            session_id: speaker.session_id.clone(),
            principal: speaker.principal.clone(),
            protocol_version: cx.protocol_version().map(|version| version.to_string()),
            operation_id: self.ground.uuid().to_string(),
            operation: operation.to_owned(),
            traceparent: traceparent(cx),
        };
        self.ground.clone().with_caller(caller)
    }

    /// Who makes a request: whoever the transport says, or the one client of this process.
    pub(crate) fn speaker<'s>(&'s self, cx: &'s RequestContext<RoleServer>) -> &'s Speaker {
        cx.extensions.get::<Arc<Speaker>>().unwrap_or(self.trail.speaker())
    }
}

/// The caller's place in a distributed trace, where it says so in the form of the W3C.
fn traceparent(cx: &RequestContext<RoleServer>) -> Option<String> {
    let given = cx.meta.get("traceparent")?.as_str()?;
    let parts: Vec<&str> = given.split('-').collect();
    let is_hex = |part: &&str| part.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    let lengths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
    (lengths == [2, 32, 16, 2] && parts.iter().all(is_hex)).then(|| given.to_owned())
}
