//! From a path to what is meant.

use crate::address::decoded;
use crate::frame::Tab;

/// What an address leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Route {
    Home,
    Login,
    Logout,
    Theme,
    Asset,
    Of { workspace: String, page: Page, format: Format },
    Nothing,
}

/// How an answer is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Html,
    /// The engine's view itself.
    Json,
}

/// A page of a workspace, or something that is sent to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Page {
    Board,
    /// A work item: a spec id, or `change:<id>`.
    Review(String),
    Specs,
    Spec(String),
    Requirement(String, String),
    Graph,
    Decisions,
    Decision(String),
    Proof,
    Operations,
    Operation(String),
    Health,
    Events,
    Post(Post),
    Unknown,
}

impl Page {
    /// Which of the pages in the bar at the top it belongs to.
    pub fn tab(&self) -> Tab {
        match self {
            Self::Board => Tab::Board,
            Self::Review(_) | Self::Post(_) => Tab::Review,
            Self::Specs | Self::Spec(_) | Self::Requirement(..) => Tab::Specs,
            Self::Graph => Tab::Graph,
            Self::Decisions | Self::Decision(_) => Tab::Decisions,
            Self::Proof => Tab::Proof,
            Self::Operations | Self::Operation(_) => Tab::Operations,
            Self::Health => Tab::Health,
            Self::Events | Self::Unknown => Tab::Elsewhere,
        }
    }
}

/// What can be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Post {
    Comment,
    Resolve,
    Verdict,
    Seen,
    Answer,
    Release,
    AcceptDrift,
}

impl Route {
    pub fn of(path: &str) -> Self {
        match path {
            "/" => return Self::Home,
            "/login" => return Self::Login,
            "/logout" => return Self::Logout,
            "/theme" => return Self::Theme,
            _ if path.starts_with("/assets/") || path == "/favicon.ico" => return Self::Asset,
            _ => {}
        }
        let Some(rest) = path.strip_prefix("/w/") else { return Self::Nothing };
        let (name, rest) = rest.split_once('/').unwrap_or((rest, ""));
        let Some(workspace) = decoded(name, false) else { return Self::Nothing };
        let (rest, format) = match rest.strip_suffix(".json") {
            Some(rest) => (rest, Format::Json),
            None => (rest, Format::Html),
        };
        let segments: Option<Vec<String>> = rest.split('/').map(|part| decoded(part, false)).collect();
        let Some(segments) = segments else { return Self::Nothing };
        let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
        let page = match segments[..] {
            ["" | "board"] => Page::Board,
            // Nothing is called nothing.
            [_, .., ""] | [_, "", ..] => Page::Unknown,
            ["change", id] => Page::Review(format!("change:{id}")),
            ["review", id] => Page::Review(id.to_owned()),
            ["specs"] => Page::Specs,
            ["spec", id] => Page::Spec(id.to_owned()),
            ["requirement", spec, id] => Page::Requirement(spec.to_owned(), id.to_owned()),
            ["graph"] => Page::Graph,
            ["decisions"] => Page::Decisions,
            ["decision", uid] => Page::Decision(uid.to_owned()),
            ["proof"] => Page::Proof,
            ["ops"] => Page::Operations,
            ["op", id] => Page::Operation(id.to_owned()),
            ["health"] => Page::Health,
            ["events"] => Page::Events,
            ["comments"] => Page::Post(Post::Comment),
            ["resolve"] => Page::Post(Post::Resolve),
            ["verdict"] => Page::Post(Post::Verdict),
            ["seen"] => Page::Post(Post::Seen),
            ["answer"] => Page::Post(Post::Answer),
            ["release"] => Page::Post(Post::Release),
            ["accept"] => Page::Post(Post::AcceptDrift),
            _ => Page::Unknown,
        };
        Self::Of { workspace, page, format }
    }
}

impl Post {
    /// As the operation log calls it.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Comment => "web comment",
            Self::Resolve => "web resolve",
            Self::Verdict => "web verdict",
            Self::Seen => "web seen",
            Self::Answer => "web answer",
            Self::Release => "web release",
            Self::AcceptDrift => "web drift accept",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(path: &str) -> Page {
        match Route::of(path) {
            Route::Of { page, .. } => page,
            other => panic!("{path}: {other:?}"),
        }
    }

    #[test]
    fn every_page_has_its_address() {
        assert_eq!(Route::of("/"), Route::Home);
        assert_eq!(page("/w/shop/"), Page::Board);
        assert_eq!(page("/w/shop"), Page::Board);
        assert_eq!(page("/w/shop/change/sign-in"), Page::Review("change:sign-in".into()));
        assert_eq!(page("/w/shop/spec/a%2Fb"), Page::Spec("a/b".into()));
        assert_eq!(
            page("/w/shop/requirement/a%2Fb/sign-in"),
            Page::Requirement("a/b".into(), "sign-in".into())
        );
        let Route::Of { format, page, .. } = Route::of("/w/shop/board.json") else { panic!("no page") };
        assert_eq!((format, page), (Format::Json, Page::Board));
    }

    #[test]
    fn what_is_no_address_leads_nowhere() {
        for path in ["/x", "/w/%ff/board", "/w/shop/spec/%zz", "/mcp"] {
            assert_eq!(Route::of(path), Route::Nothing, "{path}");
        }
        for path in
            ["/w/shop/spec/a/b", "/w/shop/nope", "/w/shop/board/x", "/w/shop/spec/", "/w/shop/requirement//x"]
        {
            assert_eq!(page(path), Page::Unknown, "{path}");
        }
    }
}
