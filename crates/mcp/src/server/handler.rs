//! What each method of the protocol answers, in both eras.
//!
//! Lists that never change say so; everything that comes from files may change at any time (D-14).

mod refusals;

use std::borrow::Cow;
use std::sync::Arc;

use hewto_call::Lane;
use hewto_engine::{Context, Error, Key, Result, Workspace, graph};
#[expect(deprecated, reason = "clients of the old era set a level")]
use rmcp::model::SetLevelRequestParams;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CancelTaskParams, ClientRequest,
    CompleteRequestParams, CompleteResult, CompletionInfo, DiscoverResult, ErrorCode, ErrorData,
    GetPromptRequestParams, GetPromptResponse, GetTaskParams, GetTaskResult, InitializeRequestParams,
    InitializeResult, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse,
    ReadResourceResult, ResourceContents, ServerConfig, SubscribeRequestParams, SubscriptionFilter,
    UnsubscribeRequestParams, UpdateTaskParams,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{RoleServer, ServerHandler};
use serde_json::json;

use self::refusals::{refuse_cursor, without_legacy_version};
use crate::client_log::SessionLevel;
use crate::completion::Completes;
use crate::resources::{self, ResourceUri};
use crate::service::Guarded;
use crate::session::Session;
use crate::state::ServerState;
use crate::subscription::{self, Prepared, accepted};
use crate::{completion, prompts};

/// What never changes while the process lives may be kept for a day, by anyone.
const FIXED: (u64, CacheScope) = (24 * 60 * 60 * 1000, CacheScope::Public);
/// What comes from files is out of date at once.
const LIVE: (u64, CacheScope) = (0, CacheScope::Private);

/// A list or reading with its cache fields, which only the new era knows.
macro_rules! cached {
    ($result:expr, $cx:expr, $freshness:expr) => {{
        let (result, (ttl_ms, scope)) = ($result, $freshness);
        if is_modern($cx) { result.with_ttl_ms(ttl_ms).with_cache_scope(scope) } else { result }
    }};
}

/// The protocol's side of a server, for one connection.
#[derive(Debug)]
pub(crate) struct Handler {
    state: Arc<ServerState>,
    session: Arc<Session>,
}

/// A clone serves another connection, which has asked for nothing yet.
impl Clone for Handler {
    fn clone(&self) -> Self {
        Self { state: Arc::clone(&self.state), session: Arc::default() }
    }
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        self.state.info.clone()
    }

    /// Answers with a version of the old era, whatever was asked for, and remembers that one.
    async fn initialize(
        &self,
        request: InitializeRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let result = self.negotiate_initialize(&request).map_err(without_legacy_version)?;
        cx.peer.set_peer_info(request.with_protocol_version(result.protocol_version.clone()));
        Ok(result)
    }

    #[allow(deprecated, reason = "clients of the old era have roots")]
    async fn on_roots_list_changed(&self, _: NotificationContext<RoleServer>) {
        self.state.forget_roots().await;
    }

    /// The versions that there are, as far as the environment allows them.
    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        match &self.state.options.protocols {
            None => Cow::Borrowed(ProtocolVersion::KNOWN_VERSIONS),
            Some(allowed) => ProtocolVersion::KNOWN_VERSIONS
                .iter()
                .filter(|version| allowed.iter().any(|name| name == version.as_str()))
                .cloned()
                .collect(),
        }
    }

    async fn discover(&self, _: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        let versions = self.supported_protocol_versions().into_owned();
        let discovered = DiscoverResult::from_server_info(versions, self.get_info());
        Ok(discovered.with_ttl_ms(FIXED.0).with_cache_scope(FIXED.1))
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        cx: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        refuse_cursor(request)?;
        let list = ListToolsResult::with_all_items(self.state.table.listing().to_vec());
        Ok(cached!(list, &cx, FIXED))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.state.call(request, &cx).await
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        self.state.task(&request.task_id, &cx).await
    }

    async fn update_task(
        &self,
        request: UpdateTaskParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.state.update_task(&request.task_id, &cx).await
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.state.cancel_task(&request.task_id, &cx).await
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        cx: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        self.need_resources()?;
        if !is_modern(&cx) {
            let served = self.state.options.served_toolsets();
            self.session.follow_list(served, &self.state.feed, &cx.peer).await;
        }
        let cursor = request.and_then(|request| request.cursor);
        let served = self.state.options.served_toolsets().to_vec();
        let page = self
            .read("resources/list", &cx, move |workspace, context| {
                resources::list(workspace, context, &served, cursor.as_deref())
            })
            .await;
        let page = match page {
            Ok(page) => page,
            // A client that starts before `hewto init` is not in error.
            Err(error) if error.key == Key::WorkspaceNotFound => resources::ResourcePage::empty(),
            Err(error) => return Err(resources::list_error(&error, &self.state.table)),
        };
        let mut list = ListResourcesResult::with_all_items(page.resources);
        list.next_cursor = page.next_cursor;
        Ok(cached!(list, &cx, LIVE))
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        cx: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        self.need_resources()?;
        refuse_cursor(request)?;
        let list = ListResourceTemplatesResult::with_all_items(resources::templates(
            self.state.options.served_toolsets(),
        ));
        Ok(cached!(list, &cx, FIXED))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = self.address(&request.uri)?;
        let mime_type = uri.mime_type();
        let text = self
            .read("resources/read", &cx, move |workspace, context| resources::read(workspace, context, &uri))
            .await
            .map_err(|error| resources::read_error(&request.uri, &error, &self.state.table))?;
        let contents = ResourceContents::text(text, request.uri).with_mime_type(mime_type);
        let result = ReadResourceResult::new(vec![contents]);
        Ok(cached!(result, &cx, LIVE).into())
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        cx: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        refuse_cursor(request)?;
        let listing = prompts::prompts(self.state.prompted()).map(prompts::PromptDef::listing).collect();
        let list = ListPromptsResult::with_all_items(listing);
        Ok(cached!(list, &cx, FIXED))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let offer = self.state.prompted();
        // A name that nothing has yet means a spec.
        let is_change = match prompts::bare_name(offer, &request.name, &arguments) {
            Some(name) => {
                let meant =
                    move |ws: &Workspace, ctx: &Context| hewto_engine::change::is_meant(ws, ctx, &name);
                self.read("prompts/get", &cx, meant).await.unwrap_or(false)
            }
            None => false,
        };
        prompts::get(offer, &request.name, arguments, is_change).map(Into::into)
    }

    #[expect(deprecated, reason = "clients of the old era set a level")]
    async fn set_level(
        &self,
        request: SetLevelRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.session.set_level(SessionLevel(request.level));
        Ok(())
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let uri = self.address(&request.uri)?;
        self.session.follow(uri, &self.state.feed, &cx.peer).await
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.session.leave(&self.address(&request.uri)?);
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(accepted(requested, &self.state.options))
    }

    /// Passes the news on until the client has enough.
    async fn listen(&self, subscription: SubscriptionContext) -> Result<(), ErrorData> {
        subscription::serve(&subscription, &self.state.closing).await
    }

    /// What cannot be completed has no values; that is no error.
    async fn complete(
        &self,
        request: CompleteRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let Some(kind) =
            completion::completes(&self.state.options, &self.state.table, &request.r#ref, &request.argument)
        else {
            return Ok(CompleteResult::new(CompletionInfo::default()));
        };
        let typed = request.argument.value;
        let ids = self
            .read("completion/complete", &cx, move |workspace, context| match kind {
                Completes::Spec => hewto_engine::spec::ids(workspace, context, &typed),
                Completes::Change => hewto_engine::change::ids(workspace, context, &typed),
                Completes::Artifact(scheme) => graph::names(workspace, context, scheme, &typed),
            })
            .await;
        Ok(CompleteResult::new(completion::completion(ids.unwrap_or_default())))
    }
}

impl Handler {
    /// The handler of one connection, guarded.
    pub(crate) fn guarded(state: Arc<ServerState>) -> Guarded<Self> {
        let handler = Self { state, session: Arc::default() };
        Guarded::new(handler).getting_ready(|handler, request, cx| Box::pin(handler.get_ready(request, cx)))
    }

    /// Lets the session's wishes reach whoever handles the request, and begins a subscription before it is confirmed:
    /// what changes after the confirmation is news.
    async fn get_ready(&self, request: &ClientRequest, cx: &mut RequestContext<RoleServer>) {
        if let Some(level) = self.session.level() {
            cx.extensions.insert(level);
        }
        if let ClientRequest::SubscriptionsListenRequest(request) = request {
            let filter = accepted(&request.params.notifications, &self.state.options);
            let served = self.state.options.served_toolsets();
            cx.extensions.insert(Prepared::of(&filter, served, &self.state.feed).await);
        }
    }

    /// A server that declares no resources does not know the methods either.
    fn need_resources(&self) -> Result<(), ErrorData> {
        if self.state.options.offers_resources() {
            return Ok(());
        }
        let data = json!({ "error": "method_not_found", "hint": "start the server with the toolset `workflow` or `graph`" });
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, "this server offers no resources", Some(data)))
    }

    /// The address of a resource that this server offers.
    fn address(&self, uri: &str) -> Result<ResourceUri, ErrorData> {
        self.need_resources()?;
        let options = &self.state.options;
        ResourceUri::parse(uri)
            .filter(|parsed| options.offers(parsed))
            .ok_or_else(|| resources::unknown_uri(uri, options.served_toolsets()))
    }

    /// Runs a reading that is no tool call.
    async fn read<T: Send + 'static>(
        &self,
        method: &str,
        cx: &RequestContext<RoleServer>,
        work: impl FnOnce(&Workspace, &Context) -> Result<T> + Send + 'static,
    ) -> Result<T, Error> {
        let project = Arc::clone(self.state.pipeline.project());
        let context = self.state.context(method, cx);
        let time = self.state.pipeline.pool().time_limit().get();
        let work = move |context: &Context| work(project.workspace()?, context);
        self.state.run_within(time, Lane::Read, context, cx, work).await
    }
}

/// Whether the request belongs to the era without a handshake.
pub(crate) fn is_modern(cx: &RequestContext<RoleServer>) -> bool {
    cx.meta.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28)
}
