//! A built server, and running it.

use std::io::Write;
use std::sync::Arc;

use hewto_call::{Feed, Pipeline};
use hewto_engine::{Error, Key, Kind, Result};
use rmcp::service::serve_directly_with_ct;
use tokio::io::AsyncRead;
use tokio_util::sync::CancellationToken;

use crate::handler::Handler;
use crate::state::ServerState;
use crate::transport::{StdioTransport, WriteNow};

/// An MCP server, ready to run.
#[derive(Debug)]
pub struct McpServer {
    state: Arc<ServerState>,
}

impl McpServer {
    pub(crate) fn new(state: Arc<ServerState>) -> Self {
        Self { state }
    }

    /// The way into the engine that its calls take, for other faces on the same project.
    pub fn pipeline(&self) -> &Arc<Pipeline> {
        &self.state.pipeline
    }

    /// What tells of changes, for other faces on the same project.
    pub fn feed(&self) -> &Arc<Feed> {
        &self.state.feed
    }

    pub(crate) fn into_state(self) -> Arc<ServerState> {
        self.state
    }

    /// Opens the allowed folders now rather than at the first call.
    pub(crate) fn open_workstation(&self) -> Result<()> {
        self.state.pipeline.project().open_workstation(&self.state.base_context)
    }

    /// Serves a pair of streams until the end of input; every call that came in is answered first.
    pub async fn run_on(
        self,
        input: impl AsyncRead + Unpin + Send + 'static,
        output: impl Write + Send + 'static,
    ) -> Result<()> {
        self.run_promptly(input, output, None).await
    }

    /// The same with a way to write to the output without waiting, which saves every reply a thread in between.
    pub async fn run_promptly(
        self,
        input: impl AsyncRead + Unpin + Send + 'static,
        output: impl Write + Send + 'static,
        now: Option<WriteNow>,
    ) -> Result<()> {
        // So that the log begins with the first request; that there is no workspace is said by the calls.
        self.state.pipeline.open_logs(&self.state.base_context);
        let transport = StdioTransport::new(
            input,
            output,
            now,
            self.state.pipeline.audit().clone(),
            self.state.closing.clone(),
        );
        let handler = Handler::guarded(Arc::clone(&self.state));
        // Without rmcp's own handshake, which gives up on anything that comes before `initialize`.
        let running = serve_directly_with_ct(handler, transport, None, CancellationToken::new());
        let ended = running.waiting().await;
        self.state.pipeline.audit().flush().await;
        ended.map(drop).map_err(|error| machine("the server stopped", error))
    }
}

fn machine(message: &str, error: impl std::error::Error + Send + Sync + 'static) -> Error {
    Error::new(Kind::Machine, Key::InternalError, message).caused_by(error)
}
