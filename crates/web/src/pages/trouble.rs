//! What is shown where something is not there, or cannot be done: what, and what to do next.

use hewto_engine::Error;
use maud::{DOCTYPE, Markup, html};

use crate::address::encoded;
use crate::assets;
use crate::frame::{Frame, Tab, Theme};
use crate::text::{plain, said, told};

/// Something that is not as somebody wanted it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Trouble {
    pub title: String,
    pub message: String,
    pub hint: Option<String>,
    /// Names that are near, and where they lead.
    pub near: Vec<(String, String)>,
    /// Where to go on: what it is called, and its address.
    pub way_on: Option<(String, String)>,
}

impl Trouble {
    /// A failed use case, with links to what may have been meant.
    pub fn of(frame: &Frame<'_>, error: &Error) -> Self {
        let key = error.key.as_str();
        let near = error.details.get("near").and_then(|near| near.as_array());
        let near = near.into_iter().flatten().filter_map(|name| name.as_str());
        let near = near.map(|name| {
            let address = match key {
                "change_not_found" => frame.item(&format!("change:{name}")),
                "requirement_not_found" => match error.details.get("spec_id").and_then(|id| id.as_str()) {
                    Some(spec) => frame.requirement(spec, name),
                    None => frame.to("specs"),
                },
                "decision_not_found" => frame.decision(name),
                // An address that leads nowhere is like that of a page, an operation like another one.
                "artifact_not_found" if frame.tab == Tab::Elsewhere => frame.to(name),
                "artifact_not_found" if frame.tab == Tab::Operations => {
                    frame.to(&format!("op/{}", encoded(name)))
                }
                "artifact_not_found" => frame.graph(name, 1),
                _ if name.starts_with("change:") => frame.item(name),
                _ => frame.spec(name),
            };
            (name.to_owned(), address)
        });
        let (name, place) = match key {
            "spec_not_found" | "requirement_not_found" | "parse_error" => ("All specs", "specs"),
            "document_unreadable" | "io_error" if frame.tab == Tab::Specs => ("All specs", "specs"),
            "decision_not_found" => ("All decisions", "decisions"),
            "artifact_not_found" if frame.tab == Tab::Graph => ("All that can be looked around", "graph"),
            "artifact_not_found" if frame.tab == Tab::Operations => ("All operations", "ops"),
            _ => ("The board", "board"),
        };
        let (name, address) = match key {
            "workspace_not_found" => ("All workspaces", "/".to_owned()),
            _ => (name, frame.to(place)),
        };
        let title = match key {
            "parse_error" | "document_unreadable" => "This cannot be read",
            "io_error" if error.details.contains_key("file") => "This cannot be read",
            key if key.ends_with("_not_found") => "Not there",
            "timeout" => "This takes too long",
            _ => "This does not work",
        };
        Self {
            title: title.to_owned(),
            message: error.full_message(),
            // A page only reads, so it may be asked for again.
            hint: if key == "timeout" {
                Some("open it again in a moment".to_owned())
            } else {
                error.plain_hint()
            },
            near: near.collect(),
            way_on: Some((name.to_owned(), address)),
        }
    }
}

/// The content of a page on which something went wrong.
pub fn trouble(trouble: &Trouble) -> Markup {
    html! {
        section class="trouble" id="trouble" {
            h1 { (plain(&trouble.title)) }
            p class="message" { (told(&trouble.message)) }
            @if let Some(hint) = &trouble.hint { p class="hint" { (told(hint)) } }
            @if !trouble.near.is_empty() {
                h2 { "Near names" }
                ul {
                    @for (name, address) in &trouble.near { li { a href=(address) { (said(name)) } } }
                }
            }
            @if let Some((name, address)) = &trouble.way_on { p { a href=(address) { (name) } } }
        }
    }
}

/// A page for somebody who is not, or not yet, in a workspace.
pub fn outside(theme: Theme, about: &Trouble) -> Markup {
    bare(theme, &about.title, &trouble(about))
}

/// A page without the bar at the top.
pub fn bare(theme: Theme, title: &str, main: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" data-theme=(theme.as_str()) {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (plain(title)) " · hewto" }
                link rel="icon" type="image/svg+xml" href=(assets::ICON.path());
                link rel="stylesheet" href=(assets::STYLE.path());
                script type="module" src=(assets::SCRIPT.path()) {}
            }
            body class="bare" {
                header class="bar" { a class="brand" href="/" { "hewto" } }
                main id="main" { (main) }
            }
        }
    }
}

/// Something was not done; what was written is kept.
pub fn not_done(frame: &Frame<'_>, error: &Error, kept: Option<&str>) -> Markup {
    html! {
        (trouble(&Trouble { title: "Not done".to_owned(), way_on: None, ..Trouble::of(frame, error) }))
        @if let Some(kept) = kept {
            section {
                label for="kept" { "What you wrote" }
                textarea id="kept" rows="8" readonly { (plain(kept)) }
            }
        }
        p { a class="button" href=(frame.here) { "Back to the page" } }
    }
}

/// What makes the first spec.
pub(crate) const NEW_SPEC: &str = "hewto spec new \"What it is about\" --description \"Why it is needed\"";

/// What a list without entries says: why, and the command that makes the first.
pub(crate) fn empty(words: &str, command: &str) -> Markup {
    html! {
        p class="empty" { (words) " " code { (command) } }
    }
}
