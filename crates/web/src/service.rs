//! The service that is mounted on the server: who comes in, and what answers them.

use std::sync::Arc;
use std::time::Instant;

use futures::FutureExt as _;
use hewto_http::hyper::Method;
use hewto_http::hyper::body::Incoming;
use hewto_http::hyper::http::request::Parts;
use hewto_http::{Access, AuthorizedRequest, BoxFuture, Gauge, Principal, Refusal, Reply, Scope, Service};
use tokio_util::sync::CancellationToken;

use crate::door::{self, LOCAL_NAME, SignInLinks};
use crate::once::Sent;
use crate::options::WebOptions;
use crate::outside::{refused, refused_as_json};
use crate::reply::guarded;
use crate::route::{Format, Route};
use crate::session::Sessions;
use crate::site::Site;

/// The pages of all workspaces of a server.
#[derive(Debug)]
pub struct WebRoutes {
    pub(crate) sites: Vec<Site>,
    pub(crate) names: Vec<String>,
    pub(crate) options: WebOptions,
    pub(crate) sessions: Arc<Sessions>,
    pub(crate) sent: Sent,
    pub(crate) closing: CancellationToken,
}

impl WebRoutes {
    pub fn new(options: WebOptions) -> Self {
        Self {
            sites: Vec::new(),
            names: Vec::new(),
            options,
            sessions: Arc::default(),
            sent: Sent::default(),
            closing: CancellationToken::new(),
        }
    }

    /// Shows a workspace.
    pub fn add(&mut self, site: Site) {
        self.names.push(site.name.clone());
        self.sites.push(site);
    }

    /// Whoever makes links that sign the owner in.
    pub fn sign_in_links(&self) -> SignInLinks {
        let WebOptions { owner, scheme, port, context, .. } = &self.options;
        SignInLinks {
            sessions: Arc::clone(&self.sessions),
            owner: door::owner(owner),
            base_context: context.clone(),
            origin: format!("{scheme}://{LOCAL_NAME}:{port}"),
        }
    }

    /// Whether somebody may see, and use, what decides.
    pub(crate) fn may_decide(principal: &Principal) -> bool {
        principal.may(Scope::Approve)
    }
}

impl Service for WebRoutes {
    fn name(&self) -> &'static str {
        "web"
    }

    fn owns(&self, path: &str) -> bool {
        Route::of(path) != Route::Nothing
    }

    fn tells_of_nothing(&self) -> bool {
        true
    }

    /// People are known by their cookie; a token of an agent opens no page.
    fn access(&self, _: &Method, _: &str) -> Access {
        Access::Public
    }

    fn authenticate(&self, parts: &Parts) -> Option<Arc<Principal>> {
        door::session(&self.sessions, &parts.headers, self.options.scheme).map(|session| session.principal)
    }

    fn answer<'a>(
        &'a self,
        request: AuthorizedRequest<'a>,
        body: Incoming,
    ) -> BoxFuture<'a, Result<Reply, Refusal>> {
        let is_json = matches!(Route::of(request.parts.uri.path()), Route::Of { format: Format::Json, .. });
        async move {
            match self.visited(request, body).await {
                Ok(reply) => Ok(guarded(reply)),
                Err(refusal) if is_json => Ok(refused_as_json(refusal)),
                Err(refusal) => Err(refusal),
            }
        }
        .boxed()
    }

    fn refuse(&self, refusal: Refusal) -> Reply {
        refused(refusal)
    }

    fn gauges(&self) -> Vec<Gauge> {
        vec![Gauge {
            name: "hewto_web_sessions",
            help: "People who are signed in to the dashboard",
            value: self.sessions.count(),
        }]
    }

    fn tidy(&self, now: Instant) {
        self.sessions.tidy(now);
    }

    fn close(&self) {
        self.closing.cancel();
    }
}
