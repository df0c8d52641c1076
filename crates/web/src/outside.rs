//! What answers outside of any workspace: choosing one, and what is not there.

use hewto_core::near::near;
use hewto_http::hyper::StatusCode;
use hewto_http::{Refusal, Reply};
use serde_json::{Map, Value};

use crate::address::encoded;
use crate::frame::{Tab, Theme};
use crate::pages::{self, Trouble};
use crate::reply::{guarded, html, json, see_other};
use crate::route::Format;
use crate::service::WebRoutes;
use crate::session::Session;

impl WebRoutes {
    /// The workspaces that somebody may open.
    pub(crate) fn open_to(&self, session: &Session) -> Vec<String> {
        self.names.iter().filter(|name| session.principal.may_open(name)).cloned().collect()
    }

    pub(crate) fn home(&self, session: &Session, theme: Theme) -> Reply {
        let theirs = self.open_to(session);
        match &theirs[..] {
            [only] => see_other(&board_of(only)),
            _ => html(StatusCode::OK, pages::home(&session.principal.name, theme, &theirs)),
        }
    }

    /// Whether somebody else may open it is not told.
    pub(crate) fn no_workspace(theirs: &[String], theme: Theme, wanted: &str, format: Format) -> Reply {
        let near = near(wanted, theirs.iter().map(String::as_str), 3);
        let message = format!("no workspace is served under the name `{wanted}`");
        let hint = "start the server with `--workspace NAME=PATH`";
        if format == Format::Json {
            let told = serde_json::json!({
                "error": "workspace_not_found", "message": message, "hint": hint, "near": near,
            });
            return json(StatusCode::NOT_FOUND, &told);
        }
        let trouble = Trouble {
            title: "No such workspace".to_owned(),
            message,
            hint: Some(hint.to_owned()),
            near: near.iter().map(|name| (name.clone(), board_of(name))).collect(),
            way_on: Some(("All workspaces".to_owned(), "/".to_owned())),
        };
        html(StatusCode::NOT_FOUND, pages::outside(theme, &trouble))
    }
}

fn board_of(workspace: &str) -> String {
    format!("/w/{}/board", encoded(workspace))
}

/// What is told where nothing is: `theirs` are the workspaces of whoever asks, and nothing is said of others.
pub(crate) fn nothing_here(theme: Theme, path: &str, theirs: &[String]) -> Reply {
    let pages = Tab::paths();
    let wanted = path.trim_matches('/');
    let last = wanted.rsplit('/').next().unwrap_or_default();
    let first = wanted.split('/').next().unwrap_or_default();
    let mut links: Vec<(String, String)> = near(first, theirs.iter().map(String::as_str), 3)
        .into_iter()
        .map(|name| (name.clone(), board_of(&name)))
        .collect();
    for page in near(last, pages, 1) {
        let address = |name: &String| format!("/w/{}/{page}", encoded(name));
        links.extend(theirs.iter().take(3).map(|name| (format!("{name}: {page}"), address(name))));
    }
    links.push(("All workspaces".to_owned(), "/".to_owned()));
    let trouble = Trouble {
        title: "Nothing here".to_owned(),
        message: "there is no page at this address".to_owned(),
        hint: Some("begin at the first page".to_owned()),
        near: links,
        way_on: None,
    };
    html(StatusCode::NOT_FOUND, pages::outside(theme, &trouble))
}

pub(crate) fn signed_out() -> Refusal {
    Refusal::new(StatusCode::UNAUTHORIZED, "signed_out", "nobody is signed in")
        .with_hint("open the pages by the link that `hewto ui` shows")
}

/// A request that was turned away, as a page.
pub(crate) fn refused(refusal: Refusal) -> Reply {
    let hint = refusal.data.get("hint").and_then(|hint| hint.as_str()).map(str::to_owned);
    let message = refusal.message.clone();
    let trouble = Trouble { title: "Not let in".to_owned(), message, hint, ..Trouble::default() };
    instead(refusal, |status| html(status, pages::outside(Theme::Auto, &trouble)))
}

/// The same for whoever asked for JSON, with the keys that every failure of a page has.
pub(crate) fn refused_as_json(refusal: Refusal) -> Reply {
    let mut told: Map<String, Value> = refusal.data.clone();
    told.insert("message".to_owned(), refusal.message.clone().into());
    instead(refusal, |status| json(status, &told))
}

/// Another body under the headers of a refusal.
fn instead(refusal: Refusal, render: impl FnOnce(StatusCode) -> Reply) -> Reply {
    let (page, body) = render(refusal.status).into_parts();
    let (mut parts, _) = refusal.into_reply().into_parts();
    parts.headers.extend(page.headers);
    guarded(Reply::from_parts(parts, body))
}
