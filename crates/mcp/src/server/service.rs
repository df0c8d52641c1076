//! Around every request: a guard against panics, and the server's name in each answer of the new era.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use hewto_call::panic_text;
use rmcp::model::{
    ClientNotification, ClientRequest, ErrorData, JsonObject, MetaObject, ServerConfig, ServerResult,
};
use rmcp::service::{NotificationContext, RequestContext, Service};
use rmcp::{RoleServer, ServerHandler};
use serde_json::{Value, json};

use crate::handler::is_modern;

const SERVER_INFO_KEY: &str = "io.modelcontextprotocol/serverInfo";

/// What a handler does about a request before rmcp hands it on.
pub(crate) type GetReady<H> =
    for<'r> fn(&'r H, &'r ClientRequest, &'r mut RequestContext<RoleServer>) -> BoxFuture<'r, ()>;

/// A handler whose panics are answers (rmcp would leave the client waiting).
#[derive(Debug, Clone)]
pub(crate) struct Guarded<H> {
    handler: H,
    server_info: Arc<Value>,
    get_ready: Option<GetReady<H>>,
}

impl<H: ServerHandler> Guarded<H> {
    pub(crate) fn new(handler: H) -> Self {
        let server_info = Arc::new(json!(handler.get_info().server_info));
        Self { handler, server_info, get_ready: None }
    }

    /// The input schema of a tool, where the handler looks at its tools one by one.
    pub(crate) fn tool_schema(&self, name: &str) -> Option<JsonObject> {
        Some((*self.handler.get_tool(name)?.input_schema).clone())
    }

    pub(crate) fn getting_ready(self, get_ready: GetReady<H>) -> Self {
        Self { get_ready: Some(get_ready), ..self }
    }
}

impl<H: ServerHandler> Service<RoleServer> for Guarded<H> {
    async fn handle_request(
        &self,
        request: ClientRequest,
        mut cx: RequestContext<RoleServer>,
    ) -> Result<ServerResult, ErrorData> {
        let modern = is_modern(&cx);
        let handling = async {
            if let Some(get_ready) = self.get_ready {
                get_ready(&self.handler, &request, &mut cx).await;
            }
            Service::handle_request(&self.handler, request, cx).await
        };
        let handled = AssertUnwindSafe(handling).catch_unwind().await;
        match handled {
            Ok(Ok(mut result)) => {
                if modern && let Some(meta) = meta_of(&mut result) {
                    meta.get_or_insert_default()
                        .insert(SERVER_INFO_KEY.into(), Value::clone(&self.server_info));
                }
                Ok(result)
            }
            Ok(Err(error)) => Err(error),
            Err(panic) => {
                let message = format!("this is a bug in hewto: {}", panic_text(panic.as_ref()));
                tracing::error!("{message}");
                Err(ErrorData::internal_error(
                    message,
                    Some(json!({ "error": "internal_error", "code": -32603 })),
                ))
            }
        }
    }

    async fn handle_notification(
        &self,
        notification: ClientNotification,
        cx: NotificationContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Service::handle_notification(&self.handler, notification, cx).await
    }

    fn get_info(&self) -> ServerConfig {
        self.handler.get_info()
    }
}

/// The `_meta` of the results that this server gives.
fn meta_of(result: &mut ServerResult) -> Option<&mut Option<MetaObject>> {
    match result {
        ServerResult::CallToolResult(result) => Some(&mut result.meta),
        ServerResult::InputRequiredResult(result) => Some(&mut result.meta),
        ServerResult::ListToolsResult(result) => Some(&mut result.meta),
        ServerResult::ListResourcesResult(result) => Some(&mut result.meta),
        ServerResult::ListResourceTemplatesResult(result) => Some(&mut result.meta),
        ServerResult::ReadResourceResult(result) => Some(&mut result.meta),
        ServerResult::ListPromptsResult(result) => Some(&mut result.meta),
        ServerResult::GetPromptResult(result) => Some(&mut result.meta),
        ServerResult::CompleteResult(result) => Some(&mut result.meta),
        ServerResult::DiscoverResult(result) => Some(&mut result.meta),
        ServerResult::GetTaskResult(result) => Some(&mut result.meta),
        ServerResult::CreateTaskResult(result) => Some(&mut result.meta),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader, Write};

    use hewto_call::AuditLog;
    use rmcp::model::{ListToolsResult, PaginatedRequestParams};
    use rmcp::service::serve_directly;
    use tokio_util::sync::CancellationToken;

    use super::*;
    use crate::transport::{StdioTransport, test_input};

    struct Fragile;

    impl ServerHandler for Fragile {
        async fn list_tools(
            &self,
            _: Option<PaginatedRequestParams>,
            _: RequestContext<RoleServer>,
        ) -> Result<ListToolsResult, ErrorData> {
            panic!("no floor")
        }
    }

    #[tokio::test]
    async fn a_panic_in_any_method_is_answered() {
        let (server_input, mut input) = std::io::pipe().unwrap();
        let (output, server_output) = std::io::pipe().unwrap();
        let transport = StdioTransport::new(
            test_input(server_input),
            server_output,
            None,
            AuditLog::new("test".into()),
            CancellationToken::new(),
        );
        let running = serve_directly(Guarded::new(Fragile), transport, None);
        writeln!(input, r#"{{"jsonrpc":"2.0","id":0,"method":"initialize"}}"#).unwrap();
        writeln!(input, r#"{{"jsonrpc":"2.0","id":1,"method":"tools/list"}}"#).unwrap();
        drop(input);
        running.waiting().await.unwrap();
        let replies: Vec<Value> = BufReader::new(output)
            .lines()
            .map(|line| serde_json::from_str(&line.unwrap()).unwrap())
            .collect();
        let error = &replies.iter().find(|reply| reply["id"] == 1).unwrap()["error"];
        assert_eq!(error["code"], -32603);
        assert!(error["message"].as_str().unwrap().contains("no floor"), "{error}");
    }
}
