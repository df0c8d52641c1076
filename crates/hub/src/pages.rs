//! Pages for people without a checkout: what stands where, what waits for a verdict, and, below `/w/`, the pages of the dashboard
//! ([`crate::dashboard`]).
//!
//! They work without scripts; the dashboard's own makes times local and adds keys. A token opens a session, kept in memory by this replica for twelve hours; forms carry a word
//! that only the page knew, and come from this origin alone.

mod cookie;
mod html;
mod review;
mod sessions;

use std::sync::Arc;
use std::time::Instant;

use hewto_core::hub::Reason;
use hewto_http::hyper::body::Incoming;
use hewto_http::hyper::header::{HOST, HeaderValue, LOCATION, ORIGIN, SET_COOKIE};
use hewto_http::hyper::http::request::Parts;
use hewto_http::hyper::{Method, StatusCode};
use hewto_http::{AuthorizedRequest, Refusal, Reply, no_content, typed};
use hewto_web::Theme;
use hewto_web::server::{FORM_TYPE, Form, MAX_FORM_BYTES, guarded, json, way_back};

use self::cookie::Door;
pub(crate) use self::sessions::Presence;
use self::sessions::{LASTS, Session, Sessions};
use crate::access::Access;
use crate::call::Call;
use crate::dashboard::{self, Visitor};
use crate::error::{Error, Result};
use crate::hub::Hub;
use crate::query::Params;
use crate::search::Ask;
use crate::status;

const THEME: &str = "hewto_theme";

#[derive(Debug, Default)]
pub(crate) struct Pages {
    sessions: Arc<Sessions>,
}

impl Pages {
    pub(crate) fn owns(path: &str) -> bool {
        matches!(path, "/" | "/login" | "/logout" | "/review" | "/search" | "/theme" | "/favicon.ico")
            || path.starts_with("/w/")
            || path.starts_with("/assets/")
    }

    pub(crate) async fn answer(
        &self,
        hub: &Hub,
        mut request: AuthorizedRequest<'_>,
        body: Incoming,
        call: &mut Call<'_>,
    ) -> Result<Reply, Refusal> {
        // Whoever is signed in has places of their own; everybody else shares those of their address, which may be a proxy's.
        request.client = match self.sessions.named_by(&request.parts) {
            Some((_, session)) => session.name,
            None => format!("pages of {}", request.ends.remote.ip()),
        };
        let place = request.enter()?;
        let path = request.parts.uri.path();
        call.says(path);
        let wants_json = path.ends_with(".json");
        let reply = self.page(hub, &request, body, call).await;
        let reply = reply.unwrap_or_else(|error| {
            call.came_to(error.reason.as_str());
            if wants_json {
                return guarded(json(error.status, &error.to_json()));
            }
            let page = html::failure(error.status, &error.message, error.hint.as_deref());
            if let Some(source) = &error.source {
                tracing::warn!(error = %source, "a page of the hub failed");
            }
            shown(error.status, page)
        });
        if is_sign_in(&request.parts) && reply.status() == StatusCode::UNAUTHORIZED {
            // As slow as somebody who guesses deserves, and in nobody's way meanwhile.
            drop(place);
            request.rejected().await?;
        }
        Ok(reply)
    }

    async fn page(
        &self,
        hub: &Hub,
        request: &AuthorizedRequest<'_>,
        body: Incoming,
        call: &mut Call<'_>,
    ) -> Result<Reply> {
        let parts = &request.parts;
        let is_post = parts.method == Method::POST;
        if is_post {
            check_origin(parts)?;
        } else if !matches!(parts.method, Method::GET | Method::HEAD) {
            return Err(Error::new(
                StatusCode::METHOD_NOT_ALLOWED,
                Reason::MethodNotAllowed,
                "only GET and POST here",
            ));
        }
        let path = parts.uri.path();
        if path.starts_with("/assets/") || path == "/favicon.ico" {
            let nothing = || Error::new(StatusCode::NOT_FOUND, Reason::NotFound, "there is no such file");
            let asset = hewto_web::server::asset(path).ok_or_else(nothing)?;
            call.done(false);
            return Ok(guarded(asset));
        }
        let sent = if is_post {
            let read = request.read(body, FORM_TYPE, MAX_FORM_BYTES).await;
            let read =
                read.map_err(|refusal| Error::new(refusal.status, Reason::InvalidBody, refusal.message))?;
            String::from_utf8_lossy(&read.bytes).into_owned()
        } else {
            parts.uri.query().unwrap_or_default().to_owned()
        };
        let form = Params::parse(&sent)?;
        match (path, is_post) {
            ("/theme", true) => {
                call.done(false);
                Ok(themed(&Form::read(&sent)))
            }
            ("/login", false) => {
                call.done(false);
                Ok(shown(StatusCode::OK, html::login(None)))
            }
            ("/login", true) => self.log_in(hub, parts, &form, call).await,
            ("/logout", true) => {
                call.is("logout");
                if let Some((_, _, access)) = self.who(hub, parts).await? {
                    call.by(&access.name);
                }
                let door = cookie::sent(parts).map(|(door, id)| {
                    self.sessions.end(&id);
                    door
                });
                call.done(false);
                Ok(sent_to("/login", door.map(Door::end)))
            }
            (path, _) => {
                let Some((id, session, access)) = self.who(hub, parts).await? else {
                    if path.ends_with(".json") || path.ends_with("/events") {
                        return Err(signed_out());
                    }
                    call.came_to(Reason::Unauthorized.as_str());
                    return Ok(sent_to("/login", None));
                };
                call.by(&access.name);
                match (path, is_post) {
                    ("/", false) => {
                        call.is("page_board");
                        let status = status::status(&hub.database, &access, None).await?;
                        let items = crate::review::items(&hub.database, &access, None).await?;
                        call.done(false);
                        Ok(shown(StatusCode::OK, html::board(&session.word, &status, &items)))
                    }
                    ("/search", false) => {
                        call.is("page_search");
                        let wanted = form.get("q").unwrap_or_default();
                        let text = wanted.chars().take(1_000).collect();
                        let ask = Ask { text, repo: None, kinds: Vec::new(), limit: 50 };
                        let answer = hub.finder.search(&hub.database, &access, ask).await?;
                        call.done(false);
                        Ok(shown(StatusCode::OK, html::found(wanted, &answer)))
                    }
                    (path, _) if path.starts_with("/w/") => {
                        let visitor = Visitor {
                            access: &access,
                            word: &session.word,
                            presence: Presence::new(&self.sessions, &id),
                            theme: theme(parts),
                            target: parts.uri.path_and_query().map_or(path, |target| target.as_str()),
                        };
                        let sent = is_post.then(|| Form::read(&sent));
                        dashboard::answer(hub, &visitor, path, sent.as_ref(), call).await
                    }
                    ("/review", false) => {
                        call.is("page_review");
                        review::shown(hub, &access, &session, &form, call).await
                    }
                    ("/review", true) => review::decided(hub, &access, &session, &form, call).await,
                    _ => Err(Error::new(StatusCode::NOT_FOUND, Reason::NotFound, "there is no such page")),
                }
            }
        }
    }

    async fn log_in(&self, hub: &Hub, parts: &Parts, form: &Params, call: &mut Call<'_>) -> Result<Reply> {
        call.is("login");
        let token = form.get("token").unwrap_or_default().trim().as_bytes().to_vec();
        let Some(access) = hub.directory.by_token(&token).await? else {
            call.came_to(Reason::Unauthorized.as_str());
            return Ok(shown(StatusCode::UNAUTHORIZED, html::login(Some("this token is not known here"))));
        };
        call.by(&access.name);
        let door = Door::of(parts);
        let id = self.sessions.begin(token, &access, door, Instant::now());
        call.done(false);
        Ok(sent_to("/", Some(door.begin(&id, LASTS))))
    }

    /// Who is signed in, with their session and its id.
    async fn who(&self, hub: &Hub, parts: &Parts) -> Result<Option<(String, Session, Arc<Access>)>> {
        let Some((id, session)) = self.sessions.named_by(parts) else { return Ok(None) };
        Ok(hub.directory.by_token(&session.token).await?.map(|access| (id, session, access)))
    }
}

fn is_sign_in(parts: &Parts) -> bool {
    parts.method == Method::POST && parts.uri.path() == "/login"
}

fn signed_out() -> Error {
    Error::new(StatusCode::UNAUTHORIZED, Reason::Unauthorized, "nobody is signed in")
        .hint("sign in at /login first")
}

/// A form comes from a page of this very origin, as the browser says.
fn check_origin(parts: &Parts) -> Result<()> {
    let text = |name| parts.headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    let host = text(HOST)
        .or_else(|| parts.uri.authority().map(hewto_http::hyper::http::uri::Authority::as_str))
        .unwrap_or_default();
    let own_origin = text(ORIGIN).is_some_and(|origin| {
        origin.strip_prefix("https://").or_else(|| origin.strip_prefix("http://")) == Some(host)
    });
    let same = parts.headers.get("sec-fetch-site").is_some_and(|value| value == "same-origin");
    if own_origin || (same && text(ORIGIN).is_none()) {
        return Ok(());
    }
    Err(Error::new(
        StatusCode::FORBIDDEN,
        Reason::OriginNotAllowed,
        "this form does not come from a page of the hub",
    )
    .hint("open the page in a browser, and decide there"))
}

/// Light or dark, as this browser has it.
fn theme(parts: &Parts) -> Theme {
    cookie::named(parts, THEME).as_deref().map(Theme::named).unwrap_or_default()
}

fn themed(form: &Form) -> Reply {
    let theme = Theme::named(form.get("theme").unwrap_or_default()).as_str();
    let cookie = format!("{THEME}={theme}; Path=/; SameSite=Strict; Max-Age=31536000");
    sent_to(way_back(form).unwrap_or("/"), Some(cookie))
}

fn sent_to(place: &str, cookie: Option<String>) -> Reply {
    let mut reply = no_content(StatusCode::SEE_OTHER);
    if let Ok(place) = HeaderValue::from_str(place) {
        reply.headers_mut().insert(LOCATION, place);
    }
    if let Some(cookie) = cookie.and_then(|cookie| HeaderValue::from_str(&cookie).ok()) {
        reply.headers_mut().insert(SET_COOKIE, cookie);
    }
    reply
}

fn shown(status: StatusCode, page: String) -> Reply {
    guarded(typed(status, "text/html; charset=utf-8", page.into()))
}
