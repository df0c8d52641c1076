//! The service that is mounted on the server: who comes in, and what answers them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::FutureExt as _;
use hewto_http::hyper::body::Incoming;
use hewto_http::hyper::http::request::Parts;
use hewto_http::hyper::{Method, StatusCode};
use hewto_http::{Access, AuthorizedRequest, BoxFuture, Gauge, Principal, Refusal, Reply, Scope, Service};
use tokio_util::sync::CancellationToken;

use crate::door::{self, Doorkeeper, Entrance, LOCAL_NAME};
use crate::form::{FORM_TYPE, Form, MAX_FORM_BYTES, way_back};
use crate::frame::Theme;
use crate::once::Sent;
use crate::options::WebOptions;
use crate::pages::{self, Trouble};
use crate::reply::{elsewhere, guarded, html, json, see_other, set_cookie};
use crate::route::{Format, Page, Route};
use crate::session::{Session, Sessions};
use crate::site::Site;
use crate::{assets, live};

/// How long somebody waits who signs in with what nobody has.
const WRONG_KEY: Duration = Duration::from_millis(500);

/// The pages of all workspaces of a server.
#[derive(Debug)]
pub struct WebRoutes {
    pub(crate) sites: Vec<Site>,
    pub(crate) names: Vec<String>,
    pub(crate) options: WebOptions,
    pub(crate) sessions: Arc<Sessions>,
    pub(crate) sent: Sent,
    closing: CancellationToken,
}

/// One request by somebody who is known.
#[derive(Debug)]
pub(crate) struct WebRequest<'v> {
    pub(crate) session: &'v Session,
    pub(crate) site: &'v Site,
    pub(crate) page: Page,
    pub(crate) format: Format,
    pub(crate) query: Form,
    pub(crate) theme: Theme,
    /// The address that was asked for.
    pub(crate) here: String,
    /// Only the part of the page that changes is wanted.
    pub(crate) is_part: bool,
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
    pub fn doorkeeper(&self) -> Doorkeeper {
        let WebOptions { owner, scheme, port, context, .. } = &self.options;
        Doorkeeper {
            sessions: Arc::clone(&self.sessions),
            owner: door::owner(owner),
            base_context: context.clone(),
            origin: format!("{scheme}://{LOCAL_NAME}:{port}"),
        }
    }

    async fn visited(&self, request: AuthorizedRequest<'_>, body: Incoming) -> Result<Reply, Refusal> {
        let _place = request.enter()?;
        let parts = &request.parts;
        let scheme = self.options.scheme;
        let target = parts.uri.path_and_query().map_or("/", |target| target.as_str());
        let origin = match door::entrance(&parts.headers, scheme, self.options.is_local) {
            Entrance::Own(origin) => origin,
            Entrance::Elsewhere(origin) if matches!(parts.method, Method::GET | Method::HEAD) => {
                return Ok(elsewhere(&format!("{origin}{target}")));
            }
            Entrance::Elsewhere(_) | Entrance::Nowhere => {
                let message = "the pages do not answer to this name";
                return Err(Refusal::new(StatusCode::FORBIDDEN, "host_not_allowed", message)
                    .with_hint("open them by the link that `hewto ui` shows"));
            }
        };
        let route = Route::of(parts.uri.path());
        if route == Route::Asset {
            return Ok(assets::find(parts.uri.path()).unwrap_or_else(|| nothing_here(Theme::Auto)));
        }
        let theme = door::cookie(&parts.headers, "hewto_theme").map(Theme::named).unwrap_or_default();
        let form = match parts.method {
            Method::GET | Method::HEAD => None,
            Method::POST => {
                if !door::is_own_form(&parts.headers, &origin) {
                    let message = "a form has to come from a page of this server";
                    return Err(Refusal::new(StatusCode::FORBIDDEN, "origin_not_allowed", message)
                        .with_hint("open the page again, and send it from there"));
                }
                let read = request.read(body, FORM_TYPE, MAX_FORM_BYTES).await?;
                Some(Form::read(&String::from_utf8_lossy(&read.bytes)))
            }
            _ => return Err(Refusal::method_not_allowed("GET, HEAD, POST")),
        };
        let session = door::session(&self.sessions, &parts.headers, scheme);
        match (&route, &form) {
            (Route::Login, None) => return Ok(self.login_page(theme, None)),
            (Route::Login, Some(form)) => return self.login(form, theme).await,
            (Route::Theme, Some(form)) => {
                let mut reply = see_other(way_back(form).unwrap_or("/"));
                let theme = Theme::named(form.get("theme").unwrap_or_default()).as_str();
                set_cookie(
                    &mut reply,
                    &format!("hewto_theme={theme}; Path=/; SameSite=Strict; Max-Age=31536000"),
                );
                return Ok(reply);
            }
            _ => {}
        }
        let Some(session) = session else {
            return Ok(match route {
                Route::Of { format: Format::Json, .. } => {
                    let told = serde_json::json!({ "error": "signed_out", "message": "nobody is signed in" });
                    json(StatusCode::UNAUTHORIZED, &told)
                }
                Route::Of { page: Page::Events, .. } => return Err(signed_out()),
                _ if form.is_some() || target.contains("part=") => return Err(signed_out()),
                _ => self.login_page(theme, Some(StatusCode::UNAUTHORIZED)),
            });
        };
        match route {
            Route::Logout if form.is_some() => {
                if let Some(secret) = door::cookie(&parts.headers, door::cookie_name(scheme)) {
                    self.sessions.close(secret);
                }
                let mut reply = see_other("/login");
                set_cookie(&mut reply, &self.cookie("", 0));
                Ok(reply)
            }
            Route::Home => Ok(self.home(&session, theme)),
            Route::Of { workspace, page, format } => {
                let site = self
                    .sites
                    .iter()
                    .find(|site| site.name == workspace && session.principal.may_open(&site.name));
                let Some(site) = site else {
                    return Ok(self.no_workspace(&session, theme, &workspace));
                };
                if !session.principal.may(Scope::Read) {
                    return Err(Refusal::insufficient_scope(Scope::Read));
                }
                let query = Form::read(parts.uri.query().unwrap_or_default());
                if page == Page::Events {
                    let last = parts.headers.get("last-event-id").and_then(|id| id.to_str().ok());
                    return Ok(live::events(site, last, self.closing.clone()).await);
                }
                let is_part = query.get("part").is_some();
                let here = target.to_owned();
                let visit = WebRequest { session: &session, site, page, format, query, theme, here, is_part };
                match (form, &visit.page) {
                    (None, Page::Post(_)) => Err(Refusal::method_not_allowed("POST")),
                    (Some(form), Page::Post(post)) => Box::pin(self.decided(&visit, *post, &form)).await,
                    (Some(_), _) => Err(Refusal::method_not_allowed("GET, HEAD")),
                    (None, _) => Ok(Box::pin(self.shown(&visit)).await),
                }
            }
            _ => Ok(nothing_here(theme)),
        }
    }

    /// Whether somebody may see, and use, what decides.
    pub(crate) fn may_decide(principal: &Principal) -> bool {
        principal.may(Scope::Approve)
    }

    async fn login(&self, form: &Form, theme: Theme) -> Result<Reply, Refusal> {
        let principal = match (form.get("key"), form.get("token")) {
            (Some(key), _) => self.sessions.redeem(key.trim(), Instant::now()),
            (None, Some(token)) => self.known(token.trim()).await,
            (None, None) => None,
        };
        let Some(principal) = principal else {
            // As slow as somebody who guesses deserves, and on record.
            tracing::warn!("a sign-in with a key or token that nobody has");
            tokio::time::sleep(WRONG_KEY).await;
            return Ok(self.login_page(theme, Some(StatusCode::FORBIDDEN)));
        };
        let secret = door::fresh(&self.options.context);
        let id = self.options.context.uuid().to_string();
        self.sessions.open(&secret, id, principal, Instant::now());
        let mut reply = see_other("/");
        set_cookie(&mut reply, &self.cookie(&secret, 1));
        Ok(reply)
    }

    /// Whose token this is.
    async fn known(&self, token: &str) -> Option<Arc<Principal>> {
        for authenticator in &self.options.authenticators {
            if let Ok(principal) = authenticator.identify(token.as_bytes()).await {
                return Some(principal);
            }
        }
        None
    }

    /// Only this host gets it, no script reads it, and no other site's page sends it along.
    fn cookie(&self, secret: &str, keep: u8) -> String {
        let name = door::cookie_name(self.options.scheme);
        let secure = if self.options.scheme == "https" { "; Secure" } else { "" };
        let end = if keep == 0 { "; Max-Age=0" } else { "" };
        format!("{name}={secret}; Path=/; HttpOnly; SameSite=Strict{secure}{end}")
    }

    fn login_page(&self, theme: Theme, refused: Option<StatusCode>) -> Reply {
        let takes_tokens = !self.options.authenticators.is_empty();
        let was_refused = refused == Some(StatusCode::FORBIDDEN);
        html(refused.unwrap_or(StatusCode::OK), pages::login(theme, takes_tokens, was_refused))
    }

    fn home(&self, session: &Session, theme: Theme) -> Reply {
        let theirs: Vec<String> =
            self.names.iter().filter(|name| session.principal.may_open(name)).cloned().collect();
        match &theirs[..] {
            [only] => see_other(&format!("/w/{}/board", crate::address::encoded(only))),
            _ => html(StatusCode::OK, pages::home(&session.principal.name, theme, &theirs)),
        }
    }

    fn no_workspace(&self, session: &Session, theme: Theme, wanted: &str) -> Reply {
        let theirs: Vec<String> =
            self.names.iter().filter(|name| session.principal.may_open(name)).cloned().collect();
        let near = hewto_core::near::near(wanted, theirs.iter().map(String::as_str), 3);
        let trouble = Trouble {
            title: "No such workspace".to_owned(),
            message: format!("no workspace is served under the name `{wanted}`"),
            hint: Some("start the server with `--workspace NAME=PATH`".to_owned()),
            near: near
                .iter()
                .map(|name| (name.clone(), format!("/w/{}/board", crate::address::encoded(name))))
                .collect(),
        };
        html(StatusCode::NOT_FOUND, pages::outside(theme, &trouble))
    }
}

fn nothing_here(theme: Theme) -> Reply {
    let trouble = Trouble {
        title: "Nothing here".to_owned(),
        message: "there is no page at this address".to_owned(),
        hint: Some("begin at the first page".to_owned()),
        near: vec![("All workspaces".to_owned(), "/".to_owned())],
    };
    html(StatusCode::NOT_FOUND, pages::outside(theme, &trouble))
}

fn signed_out() -> Refusal {
    Refusal::new(StatusCode::UNAUTHORIZED, "signed_out", "nobody is signed in")
        .with_hint("open the pages by the link that `hewto ui` shows")
}

impl Service for WebRoutes {
    fn name(&self) -> &'static str {
        "web"
    }

    fn owns(&self, path: &str) -> bool {
        Route::of(path) != Route::Nothing
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
        async move { self.visited(request, body).await.map(guarded) }.boxed()
    }

    fn refuse(&self, refusal: Refusal) -> Reply {
        let hint = refusal.data.get("hint").and_then(|hint| hint.as_str()).map(str::to_owned);
        let trouble = Trouble {
            title: "Not let in".to_owned(),
            message: refusal.message.clone(),
            hint,
            near: Vec::new(),
        };
        let page = html(refusal.status, pages::outside(Theme::Auto, &trouble));
        let (mut parts, _) = refusal.into_reply().into_parts();
        let (page, body) = page.into_parts();
        parts.headers.extend(page.headers);
        guarded(Reply::from_parts(parts, body))
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
