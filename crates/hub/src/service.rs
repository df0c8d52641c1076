//! The paths of the hub: decode, one call, encode.

mod act;

use std::sync::Arc;
use std::time::Instant;

use hewto_core::hub::{MAX_PUSH_BYTES, Reason};
use hewto_http::hyper::body::Incoming;
use hewto_http::hyper::header::{AUTHORIZATION, CONTENT_ENCODING};
use hewto_http::hyper::http::request::Parts;
use hewto_http::hyper::{Method, StatusCode};
use hewto_http::{
    ANONYMOUS, Access as Door, AnsweredFor, AuthorizedRequest, BoxFuture, Gauge, Principal, Refusal, Reply,
    Scope, Service, json,
};
use hewto_search::Kind;
use serde::Serialize;
use serde_json::{Value, json};

pub(crate) use self::act::Done;
use crate::access::{Access, Role};
use crate::audit::{OK, Row};
use crate::call::Call;
use crate::directory::FIGURES;
use crate::error::{Error, Result};
use crate::hub::Hub;
use crate::mcp::Endpoint;
use crate::overlap::{OverlapQuery, overlaps};
use crate::pages::Pages;
use crate::query::Params;
use crate::search::Ask;
use crate::{edges, lease, review, status};

/// Where programs speak to the hub.
const API: &str = "/api/v1/";
/// The largest body of anything that is no push.
const SMALL: usize = 256 * 1024;

#[derive(Debug)]
pub(crate) struct HubService {
    pub(crate) hub: Arc<Hub>,
    pages: Pages,
}

impl HubService {
    pub(crate) fn new(hub: Arc<Hub>) -> Self {
        Self { pages: Pages::default(), hub }
    }

    /// Who somebody is at the hub, by the token that they came with or by what an issuer says of them.
    pub(crate) async fn access(&self, parts: &Parts, principal: &Principal) -> Result<Arc<Access>> {
        let header = parts.headers.get(AUTHORIZATION).map(hewto_http::hyper::http::HeaderValue::as_bytes);
        let token = header.and_then(|value| value.split_at_checked(7)).map(|(_, token)| token.trim_ascii());
        if let Some(token) = token
            && let Some(access) = self.hub.directory.by_token(token).await?
        {
            return Ok(access);
        }
        Ok(Arc::new(self.hub.directory.by_name(principal).await?))
    }

    /// Nothing is answered from a schema that may not be ours.
    pub(crate) async fn check_schema(&self) -> Result<(), Refusal> {
        if self.hub.database.is_checked() {
            return Ok(());
        }
        self.hub.database.ready().await.map_err(Error::into_refusal)
    }

    async fn api(
        &self,
        request: AuthorizedRequest<'_>,
        body: Incoming,
        call: &mut Call<'_>,
    ) -> Result<Reply, Refusal> {
        let _place = request.enter()?;
        self.check_schema().await?;
        let access = self.access(&request.parts, request.principal).await;
        let access = access.map_err(|error| call.refuse(error))?;
        call.by(&access.name);
        let path = request.parts.uri.path()[API.len()..].to_owned();
        let params = Params::parse(request.parts.uri.query().unwrap_or_default());
        let params = params.map_err(|error| call.refuse(error))?;
        call.about(params.get("repo").unwrap_or_default());
        let mut sent = Vec::new();
        let answered = match request.parts.method {
            Method::GET | Method::HEAD => self.look(&path, &params, &access).await.map(Done::untold),
            Method::POST => {
                let most = if path == "push" || path == "blobs" { MAX_PUSH_BYTES } else { SMALL };
                sent = read(&request, body, most).await?;
                self.act(&path, &sent, &access).await
            }
            _ => return Err(Refusal::method_not_allowed("GET, HEAD, POST")),
        };
        if !sent.is_empty() && !answered.as_ref().is_ok_and(|done| done.has_told) {
            call.about(&repo_in(&sent));
        }
        let done = answered.map_err(|error| call.refuse(error))?;
        call.done(done.has_told);
        Ok(json(StatusCode::OK, done.value.to_string().into()))
    }

    /// Answers a question.
    pub(crate) async fn look(&self, path: &str, params: &Params, access: &Access) -> Result<Value> {
        let database = &self.hub.database;
        let repo = params.get("repo");
        let needed = |name: &'static str| {
            params
                .get(name)
                .ok_or_else(|| Error::bad(Reason::InvalidArgument, format!("`{name}` is missing")))
        };
        match path {
            "access" => {
                let granted = access.repo(database, needed("repo")?, crate::access::Right::Read).await?;
                answer(
                    &json!({ "repo": granted.name, "role": granted.role.as_str(), "principal": access.name }),
                )
            }
            "repos" => {
                let repos = access.readable(database).await?;
                let line =
                    |one: &crate::access::Granted| json!({ "repo": one.name, "role": one.role.as_str() });
                answer(&json!({ "repos": repos.iter().map(line).collect::<Vec<_>>() }))
            }
            "view" => {
                let (kind, name) = (needed("kind")?, needed("name")?);
                let version = status::version(database, access, needed("repo")?, kind, name).await?;
                answer(&json!({ "version": version }))
            }
            "status" => answer(&status::status(database, access, repo).await?),
            "overlaps" => {
                let change = params.get("change").map(|name| name.trim_start_matches("change:").to_owned());
                let query = OverlapQuery { repo: repo.map(str::to_owned), change };
                answer(&json!({ "overlaps": overlaps(database, access, &query).await? }))
            }
            "edges" => {
                let found = edges::edges(database, access, needed("repo")?, params.get("item")).await?;
                answer(&json!({ "edges": found }))
            }
            "search" => {
                let kinds = params.get("kind").into_iter().flat_map(|list| list.split(','));
                let ask = Ask {
                    text: needed("q")?.chars().take(1_000).collect(),
                    repo: repo.map(str::to_owned),
                    kinds: kinds.filter_map(Kind::parse).collect(),
                    limit: params.number("limit").unwrap_or(10).clamp(1, 100),
                };
                answer(&self.hub.finder.search(database, access, ask).await?)
            }
            "claims" => answer(&json!({ "claims": lease::list(database, access, repo).await? })),
            "items" => answer(&review::items(database, access, repo).await?),
            "review" => {
                let subjects = review::load(database, access, needed("repo")?, needed("item")?).await?;
                answer(&json!({ "subjects": subjects }))
            }
            "outbox" => {
                let (after, seen) = (params.get("after"), params.get("seen"));
                answer(&review::outbox(database, access, needed("repo")?, after, seen).await?)
            }
            _ => Err(nowhere()),
        }
    }
}

async fn read(request: &AuthorizedRequest<'_>, body: Incoming, most: usize) -> Result<Vec<u8>, Refusal> {
    // What is packed could become anything; documents are small enough to travel as they are.
    if request.parts.headers.contains_key(CONTENT_ENCODING) {
        let message = "compressed bodies are not taken";
        return Err(Refusal::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported_encoding", message)
            .with_hint("send the body as it is, without `Content-Encoding`")
            .closing());
    }
    Ok(request.read(body, "application/json", most).await?.bytes.to_vec())
}

/// The repository that a body names, for the audit of a call that was refused.
fn repo_in(bytes: &[u8]) -> String {
    #[derive(serde::Deserialize)]
    struct Named {
        repo: String,
    }
    let named: Option<Named> = serde_json::from_slice(bytes).ok();
    named.map(|named| named.repo.chars().take(200).collect()).unwrap_or_default()
}

fn answer(value: &impl Serialize) -> Result<Value> {
    serde_json::to_value(value).map_err(|_| Error::unavailable())
}

fn nowhere() -> Error {
    Error::new(StatusCode::NOT_FOUND, Reason::NotFound, "there is nothing at this path")
        .hint("see docs/hub.md")
}

impl Service for HubService {
    fn name(&self) -> &'static str {
        "hub"
    }

    fn owns(&self, path: &str) -> bool {
        path.starts_with(API) || Endpoint::of(path).is_some() || Pages::owns(path)
    }

    fn access(&self, _method: &Method, path: &str) -> Door {
        if Pages::owns(path) { Door::Public } else { Door::Token }
    }

    fn answer<'a>(
        &'a self,
        request: AuthorizedRequest<'a>,
        body: Incoming,
    ) -> BoxFuture<'a, Result<Reply, Refusal>> {
        Box::pin(async move {
            let path = request.parts.uri.path().to_owned();
            let endpoint = Endpoint::of(&path);
            let op = match path.strip_prefix(API) {
                Some(asked) => asked,
                None if endpoint.is_some() => "mcp",
                None => "page",
            };
            let mut call = Call::new(&self.hub, &request.principal.name, op, &path);
            let reply = match endpoint {
                Some(endpoint) => self.mcp(endpoint, request, body, &mut call).await,
                None if path.starts_with(API) => self.api(request, body, &mut call).await,
                None => self.pages.answer(&self.hub, request, body, &mut call).await,
            };
            if let Err(refusal) = &reply {
                call.came_to(refusal.key());
            }
            reply
        })
    }

    fn answered_for(&self, answered: AnsweredFor<'_>) {
        let outcome = answered.refused.unwrap_or(OK);
        match answered.principal {
            None | Some(ANONYMOUS) => self.hub.audit.count(outcome, answered.path),
            Some(name) => {
                let row = Row::new(name, "", answered.path.trim_start_matches('/'), "");
                self.hub.audit.note(&Row { outcome: outcome.to_owned(), ..row });
            }
        }
    }

    fn ready(&self) -> BoxFuture<'_, bool> {
        Box::pin(async { self.hub.database.ready().await.is_ok() })
    }

    /// Figures tell how busy others are: they are for whoever looks after all of the hub.
    fn shows_figures_to<'a>(&'a self, parts: &'a Parts, principal: &'a Principal) -> BoxFuture<'a, bool> {
        Box::pin(async move {
            if principal.name == FIGURES && !principal.may(Scope::Read) {
                return true;
            }
            // A scope says what a token may be used for; what somebody may do here is granted here.
            let granted = || async { Self::access(self, parts, principal).await.ok()?.everywhere };
            principal.may(Scope::Admin) && granted().await == Some(Role::Admin)
        })
    }

    fn tidy(&self, now: Instant) {
        self.hub.checkouts.tidy(now);
    }

    fn close(&self) {
        self.hub.news.close();
    }

    fn gauges(&self) -> Vec<Gauge> {
        let pool = &self.hub.database.pool;
        vec![
            Gauge {
                name: "hewto_hub_database_connections",
                help: "Connections to the database.",
                value: pool.size() as usize,
            },
            Gauge {
                name: "hewto_hub_database_connections_idle",
                help: "Connections to the database that nobody uses.",
                value: pool.num_idle(),
            },
            Gauge {
                name: "hewto_hub_indexed_repositories",
                help: "Repositories in the index of this replica.",
                value: self.hub.finder.repos(),
            },
        ]
    }
}
