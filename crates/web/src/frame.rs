//! What every page has around it: who looks, where they are, and where they can go.

use maud::{DOCTYPE, Markup, html};

use crate::address::encoded;
use crate::assets;
use crate::text::{plain, said};

/// Light or dark, where somebody has chosen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Theme {
    /// As the system has it.
    #[default]
    Auto,
    Light,
    Dark,
}

impl Theme {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    /// The theme of this name; whatever else stands there is none.
    pub fn named(name: &str) -> Self {
        match name {
            "light" => Self::Light,
            "dark" => Self::Dark,
            _ => Self::Auto,
        }
    }
}

/// The pages that the bar at the top leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tab {
    Board,
    Review,
    Specs,
    Graph,
    Decisions,
    Proof,
    Operations,
    Health,
    Elsewhere,
}

impl Tab {
    /// Name, path and the key that leads there.
    const BAR: [(Self, &'static str, &'static str, &'static str); 7] = [
        (Self::Board, "Board", "board", "b"),
        (Self::Specs, "Specs", "specs", "s"),
        (Self::Graph, "Graph", "graph", "r"),
        (Self::Decisions, "Decisions", "decisions", "d"),
        (Self::Proof, "Proof", "proof", "p"),
        (Self::Operations, "Operations", "ops", "o"),
        (Self::Health, "Health", "health", "h"),
    ];

    /// The addresses that the bar leads to.
    pub(crate) fn paths() -> impl Iterator<Item = &'static str> {
        Self::BAR.into_iter().map(|(_, _, path, _)| path)
    }

    /// The regions whose changes concern the page.
    fn watches(self) -> &'static str {
        match self {
            Self::Board => "work health decisions",
            Self::Review | Self::Specs => "work proof code",
            Self::Graph => "work decisions",
            Self::Health => "work health",
            Self::Decisions => "decisions",
            Self::Proof => "proof work code",
            Self::Operations => "operations",
            Self::Elsewhere => "",
        }
    }

    /// Where it hears of them. Looking after all code costs something, so only those ask for it whom it concerns.
    fn events(self) -> &'static str {
        if self.watches().contains("code") { "events?with=code" } else { "events" }
    }
}

/// Who looks at a page, and where it stands.
#[derive(Debug, Clone)]
pub struct Frame<'a> {
    /// The workspace, where the page is about one.
    pub workspace: Option<&'a str>,
    /// What it is called on the page, where its address says less.
    pub called: Option<&'a str>,
    /// Those that the person may open.
    pub workspaces: &'a [String],
    pub person: &'a str,
    /// Whether they may decide; without it no forms are shown.
    pub may_decide: bool,
    pub theme: Theme,
    pub tab: Tab,
    /// The address of this page, to come back to.
    pub here: &'a str,
    /// What the forms of this page carry, so that each counts once.
    pub once: &'a str,
    /// What came of the last thing that was done.
    pub notice: Option<&'a str>,
}

impl Frame<'_> {
    /// What the workspace is called.
    fn name(&self) -> Option<&str> {
        self.called.or(self.workspace)
    }

    /// An address below the workspace.
    pub(crate) fn to(&self, path: &str) -> String {
        match self.workspace {
            Some(name) => format!("/w/{}/{path}", encoded(name)),
            None => format!("/{path}"),
        }
    }

    /// The page of a work item.
    pub(crate) fn item(&self, item: &str) -> String {
        match item.strip_prefix("change:") {
            Some(id) => self.to(&format!("change/{}", encoded(id))),
            None => self.to(&format!("review/{}", encoded(item))),
        }
    }

    pub(crate) fn spec(&self, id: &str) -> String {
        self.to(&format!("spec/{}", encoded(id)))
    }

    pub(crate) fn requirement(&self, spec: &str, id: &str) -> String {
        self.to(&format!("requirement/{}/{}", encoded(spec), encoded(id)))
    }

    pub(crate) fn decision(&self, uid: &str) -> String {
        self.to(&format!("decision/{}", encoded(uid)))
    }

    pub(crate) fn graph(&self, handle: &str, depth: usize) -> String {
        self.to(&format!("graph?around={}&depth={depth}", encoded(handle)))
    }

    /// What makes a form count once, and brings whoever sent it back here.
    pub(crate) fn form_fields(&self, part: &str) -> Markup {
        html! {
            input type="hidden" name="once" value={ (self.once) "-" (part) };
            input type="hidden" name="back" value=(self.here);
        }
    }
}

/// A whole page.
pub fn page(frame: &Frame<'_>, title: &str, main: &Markup) -> Markup {
    let title = plain(title);
    let full = match frame.name() {
        Some(name) => format!("{title} · {} · hewto", plain(name)),
        None => format!("{title} · hewto"),
    };
    html! {
        (DOCTYPE)
        html lang="en" data-theme=(frame.theme.as_str()) {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (full) }
                link rel="icon" type="image/svg+xml" href=(assets::ICON.path());
                link rel="stylesheet" href=(assets::STYLE.path());
                script type="module" src=(assets::SCRIPT.path()) {}
            }
            body data-watches=(frame.tab.watches()) data-events=(frame.to(frame.tab.events())) {
                a class="skip" href="#main" { "Skip to content" }
                (header(frame))
                div id="banner" role="status" aria-live="polite" hidden { }
                @if let Some(notice) = frame.notice {
                    div class="notice" role="status" { (said(notice)) }
                }
                main id="main" tabindex="-1" { (main) }
                (footer(frame))
                (help())
            }
        }
    }
}

fn header(frame: &Frame<'_>) -> Markup {
    html! {
        header class="bar" {
            a class="brand" href="/" aria-label="hewto: all workspaces" { "hewto" }
            @if let Some(name) = frame.name() {
                span class="where" { (said(name)) }
                nav aria-label="Pages" {
                    ul {
                        @for (tab, label, path, key) in Tab::BAR {
                            li {
                                a href=(frame.to(path)) data-go=(key)
                                    aria-current=[(tab == frame.tab).then_some("page")] { (label) }
                            }
                        }
                    }
                }
                form class="search" role="search" method="get" action=(frame.to("specs")) {
                    label class="unseen" for="search" { "Search specs" }
                    input id="search" type="search" name="q" placeholder="Search  /" autocomplete="off";
                }
                span id="live" class="live" hidden { }
            }
        }
    }
}

fn footer(frame: &Frame<'_>) -> Markup {
    html! {
        footer class="foot" {
            @if frame.workspaces.len() > 1 {
                nav aria-label="Workspaces" {
                    @for name in frame.workspaces {
                        a href={ "/w/" (encoded(name)) "/board" }
                            aria-current=[(frame.workspace == Some(name)).then_some("true")] { (said(name)) }
                        " "
                    }
                }
            }
            @if !frame.person.is_empty() {
                span { "Signed in as " strong { (said(frame.person)) } }
                form method="post" action="/logout" { button class="plain" { "Sign out" } }
            }
            form class="theme" method="post" action="/theme" {
                input type="hidden" name="back" value=(frame.here);
                @for theme in [Theme::Auto, Theme::Light, Theme::Dark] {
                    button class="plain" name="theme" value=(theme.as_str())
                        aria-pressed=(if theme == frame.theme { "true" } else { "false" }) {
                        (match theme { Theme::Auto => "System", Theme::Light => "Light", Theme::Dark => "Dark" })
                    }
                }
            }
            span class="keys" { kbd { "?" } " shows the keys" }
        }
    }
}

/// The keys, shown by `?`.
fn help() -> Markup {
    let keys = [
        ("j k", "next and previous item"),
        ("n p", "next and previous difference"),
        ("Enter", "open the item"),
        ("c", "comment on it"),
        ("s", "mark it as seen, or not"),
        ("a", "go to the verdict"),
        ("/", "search"),
        ("g b", "board; g s specs, g r graph, g d decisions, g p proof, g o operations, g h health"),
        ("?", "this list"),
        ("Esc", "close it"),
    ];
    html! {
        dialog id="help" aria-labelledby="help-title" {
            h2 id="help-title" { "Keys" }
            dl {
                @for (key, words) in keys {
                    dt { kbd { (key) } }
                    dd { (words) }
                }
            }
            form method="dialog" { button { "Close" } }
        }
    }
}
