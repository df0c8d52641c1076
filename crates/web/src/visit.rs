//! One request: by which name it came, whose it is, and what answers it.

use std::sync::Arc;
use std::time::Instant;

use hewto_http::hyper::body::Incoming;
use hewto_http::hyper::http::request::Parts;
use hewto_http::hyper::{Method, StatusCode};
use hewto_http::{AuthorizedRequest, Refusal, Reply, Scope};

use crate::door::{self, Entrance};
use crate::form::{FORM_TYPE, Form, MAX_FORM_BYTES, way_back};
use crate::frame::Theme;
use crate::live::Audience;
use crate::outside::{nothing_here, signed_out};
use crate::reply::{elsewhere, see_other, set_cookie};
use crate::route::{Format, Page, Route};
use crate::service::WebRoutes;
use crate::session::Session;
use crate::site::Site;
use crate::{assets, live};

/// One request by somebody who is known.
#[derive(Debug)]
pub(crate) struct WebRequest<'v> {
    pub(crate) session: &'v Session,
    pub(crate) site: &'v Site,
    /// The workspaces that they may open.
    pub(crate) workspaces: Vec<String>,
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
    pub(crate) async fn visited(
        &self,
        request: AuthorizedRequest<'_>,
        body: Incoming,
    ) -> Result<Reply, Refusal> {
        let _place = request.enter()?;
        let parts = &request.parts;
        let target = parts.uri.path_and_query().map_or("/", |target| target.as_str());
        let origin = match door::entrance(&parts.headers, self.options.scheme, self.options.is_local) {
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
        let theme = door::cookie(&parts.headers, "hewto_theme").map(Theme::named).unwrap_or_default();
        if route == Route::Asset {
            return Ok(assets::find(parts.uri.path()).unwrap_or_else(|| nothing_here(theme, "", &[])));
        }
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
        match (&route, &form) {
            (Route::Login, None) => return Ok(self.login_page(theme, None)),
            (Route::Login, Some(form)) => return self.login(form, theme).await,
            (Route::Theme, Some(form)) => return Ok(self.chosen_theme(form)),
            _ => {}
        }
        let session = door::session(&self.sessions, &parts.headers, self.options.scheme);
        if route == Route::Nothing {
            let theirs = session.map(|session| self.open_to(&session)).unwrap_or_default();
            return Ok(nothing_here(theme, parts.uri.path(), &theirs));
        }
        let Some(session) = session else {
            let wants_page = form.is_none() && !target.contains("part=");
            return match route {
                Route::Of { format: Format::Json, .. } | Route::Of { page: Page::Events, .. } => {
                    Err(signed_out())
                }
                _ if wants_page => Ok(self.login_page(theme, Some(StatusCode::UNAUTHORIZED))),
                _ => Err(signed_out()),
            };
        };
        match route {
            Route::Logout if form.is_some() => Ok(self.logout(&parts.headers)),
            Route::Home => Ok(self.home(&session, theme)),
            Route::Of { workspace, page, format } => {
                let workspaces = self.open_to(&session);
                let site = self.sites.iter().find(|site| site.name == workspace);
                let Some(site) = site.filter(|site| workspaces.contains(&site.name)) else {
                    return Ok(Self::no_workspace(&workspaces, theme, &workspace, format));
                };
                if !session.principal.may(Scope::Read) {
                    return Err(Refusal::insufficient_scope(Scope::Read));
                }
                if page == Page::Events {
                    return Ok(self.listened(parts, &session, site).await);
                }
                let query = Form::read(parts.uri.query().unwrap_or_default());
                let is_part = query.get("part").is_some();
                let here = target.to_owned();
                let session = &session;
                let visit =
                    WebRequest { session, site, workspaces, page, format, query, theme, here, is_part };
                match (form, &visit.page) {
                    (None, Page::Post(_)) => Err(Refusal::method_not_allowed("POST")),
                    (Some(form), Page::Post(post)) => Box::pin(self.decided(&visit, *post, &form)).await,
                    (Some(_), _) => Err(Refusal::method_not_allowed("GET, HEAD")),
                    (None, _) => Ok(Box::pin(self.shown(&visit)).await),
                }
            }
            _ => Ok(nothing_here(theme, parts.uri.path(), &self.open_to(&session))),
        }
    }

    fn chosen_theme(&self, form: &Form) -> Reply {
        let mut reply = see_other(way_back(form).unwrap_or("/"));
        let theme = Theme::named(form.get("theme").unwrap_or_default()).as_str();
        let secure = self.secure();
        let cookie = format!("hewto_theme={theme}; Path=/; SameSite=Strict; Max-Age=31536000{secure}");
        set_cookie(&mut reply, &cookie);
        reply
    }

    /// The events of an open page; they end when its session does.
    async fn listened(&self, parts: &Parts, session: &Session, site: &Site) -> Reply {
        let last = parts.headers.get("last-event-id").and_then(|id| id.to_str().ok());
        let secret = door::cookie(&parts.headers, door::cookie_name(self.options.scheme));
        let audience = Audience {
            sessions: Arc::clone(&self.sessions),
            secret: secret.unwrap_or_default().to_owned(),
            with_code: Form::read(parts.uri.query().unwrap_or_default()).get("with") == Some("code"),
            left: session.left(Instant::now()),
            closing: self.closing.clone(),
        };
        live::events(site, last, audience).await
    }
}
