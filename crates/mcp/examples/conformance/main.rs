//! What the official conformance suite asks of a server, behind hewto's own transport and guard.
//!
//! The suite needs tools, prompts and resources of its own invention, which have no place in the product. So this
//! example offers them through the same `HttpServer` that `hewto serve --http` uses; `scripts/clients/conformance.sh`
//! runs it. It prints the address it listens on and ends with its standard input.
#![allow(deprecated, reason = "the suite asks for what the protocol is about to drop, too")]
#![allow(clippy::needless_pass_by_value, reason = "JSON is written where it is passed")]
#![allow(clippy::print_stdout, reason = "the script reads the address")]
#![allow(clippy::unwrap_used, reason = "fixtures are written here and known to be right")]

mod asks;
mod prompts;
mod resources;
mod tools;

use std::io::Read;
use std::sync::Arc;

use hewto_http::{HttpOptions, HttpServer};
use hewto_mcp::{DEFAULT_MOUNT, McpRoutes};
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult,
    CompletionInfo, ErrorData, GetPromptRequestParams, GetPromptResponse, Implementation, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ReadResourceRequestParams, ReadResourceResponse, ServerConfig, SetLevelRequestParams,
    SubscribeRequestParams, SubscriptionFilter, Tool, UnsubscribeRequestParams,
};
use rmcp::service::{RequestContext, SubscriptionContext};
use rmcp::{RoleServer, ServerHandler};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::sync::broadcast;

/// The fixtures. Clones share what is listened to.
#[derive(Debug, Clone)]
struct Fixture {
    changes: broadcast::Sender<Changed>,
    /// Seals what a client has to bring back.
    seal: Arc<rmcp::model::RequestStateCodec>,
}

/// A list that is said to have changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Changed {
    Tools,
    Prompts,
}

type Cx = RequestContext<RoleServer>;

impl ServerHandler for Fixture {
    fn get_info(&self) -> ServerConfig {
        let capabilities = from(json!({
            "tools": { "listChanged": true },
            "prompts": { "listChanged": true },
            "resources": { "subscribe": true, "listChanged": true },
            "completions": {},
            "logging": {},
        }));
        ServerConfig::new(capabilities).with_server_info(Implementation::new("hewto-conformance", "1.0.0"))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools::list().into_iter().find(|tool| tool.name == name)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Cx,
    ) -> Result<ListToolsResult, ErrorData> {
        let list = ListToolsResult::with_all_items(tools::list());
        Ok(list.with_ttl_ms(60_000).with_cache_scope(CacheScope::Public))
    }

    async fn call_tool(&self, request: CallToolRequestParams, cx: Cx) -> Result<CallToolResponse, ErrorData> {
        match request.name.as_ref() {
            name if asks::is_one(name) => asks::call(self, request, &cx),
            "test_trigger_tool_change" => Ok(self.announce(Changed::Tools)),
            "test_trigger_prompt_change" => Ok(self.announce(Changed::Prompts)),
            _ => tools::call(request, &cx).await.map(Into::into),
        }
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Cx,
    ) -> Result<ListPromptsResult, ErrorData> {
        let list = ListPromptsResult::with_all_items(prompts::list());
        Ok(list.with_ttl_ms(60_000).with_cache_scope(CacheScope::Public))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: Cx,
    ) -> Result<GetPromptResponse, ErrorData> {
        prompts::get(request)
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Cx,
    ) -> Result<ListResourcesResult, ErrorData> {
        let list = ListResourcesResult::with_all_items(resources::list());
        Ok(list.with_ttl_ms(60_000).with_cache_scope(CacheScope::Public))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Cx,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let list = ListResourceTemplatesResult::with_all_items(resources::templates());
        Ok(list.with_ttl_ms(60_000).with_cache_scope(CacheScope::Public))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: Cx,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let result = resources::read(&request.uri)?;
        Ok(result.with_ttl_ms(0).with_cache_scope(CacheScope::Private).into())
    }

    async fn complete(&self, _: CompleteRequestParams, _: Cx) -> Result<CompleteResult, ErrorData> {
        let values = ["paris", "park", "party"].map(str::to_owned).to_vec();
        Ok(CompleteResult::new(CompletionInfo::new(values).unwrap()))
    }

    async fn set_level(&self, _: SetLevelRequestParams, _: Cx) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn subscribe(&self, _: SubscribeRequestParams, _: Cx) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn unsubscribe(&self, _: UnsubscribeRequestParams, _: Cx) -> Result<(), ErrorData> {
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.clone())
    }

    async fn listen(&self, subscription: SubscriptionContext) -> Result<(), ErrorData> {
        let mut changes = self.changes.subscribe();
        loop {
            let changed = tokio::select! {
                changed = changes.recv() => changed,
                () = subscription.cancelled() => return Ok(()),
            };
            // What the filter leaves out is refused by the sink.
            let _ = match changed {
                Ok(Changed::Tools) => subscription.sink().notify_tool_list_changed().await,
                Ok(Changed::Prompts) => subscription.sink().notify_prompt_list_changed().await,
                Err(_) => return Ok(()),
            };
        }
    }
}

impl Fixture {
    fn announce(&self, changed: Changed) -> CallToolResponse {
        // Nobody may be listening.
        let _ = self.changes.send(changed);
        text("The list has changed").into()
    }
}

/// A model type from its JSON.
fn from<T: DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).unwrap()
}

/// A result from its JSON. rmcp adds the mark of the new era to results that it makes itself, not to those it reads.
fn result<T: DeserializeOwned>(mut value: Value) -> T {
    value["resultType"] = json!("complete");
    from(value)
}

fn text(text: impl Into<String>) -> rmcp::model::CallToolResult {
    result(json!({ "content": [{ "type": "text", "text": text.into() }] }))
}

#[tokio::main]
async fn main() {
    let address = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:0".to_owned());
    let mut server = HttpServer::bind(&address, HttpOptions::default()).unwrap();
    let fixture = Fixture {
        changes: broadcast::Sender::new(16),
        seal: Arc::new(rmcp::model::RequestStateCodec::new(*b"a key for fixtures, not a secret")),
    };
    let mut routes = McpRoutes::default();
    routes.add_handler(DEFAULT_MOUNT, fixture);
    server.mount(routes);
    println!("http://{}/mcp", server.address());
    let ended = tokio::task::spawn_blocking(|| std::io::stdin().read_to_end(&mut Vec::new()));
    server.run(async { drop(ended.await) }).await.unwrap();
}
