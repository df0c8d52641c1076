//! All specs, and what a search found.

use hewto_engine::spec::ItemKind;
use hewto_engine::view::{FoundHit, FoundView, SpecListView};
use maud::{Markup, html};

use super::parts::diagnostics;
use super::trouble::{NEW_SPEC, empty};
use crate::address::encoded;
use crate::frame::Frame;
use crate::text::{badge, count, moment, plain, said, search_mode};

/// A page of specs.
pub fn specs(frame: &Frame<'_>, view: &SpecListView) -> Markup {
    html! {
        div class="head" {
            h1 { "Specs" }
            p class="strip" id="region-strip" data-region { (count(view.page.total, "spec", "specs")) }
        }
        @if view.page.total == 0 {
            div id="region-empty" data-region { (empty("No spec is written yet. Write the first with", NEW_SPEC)) }
        }
        ul class="plain-list" id="region-specs" data-region {
            @for one in &view.specs {
                li class="card" data-item tabindex="-1" {
                    p class="title" { a href=(frame.spec(&one.id)) { (said(&one.title)) } }
                    p class="facts" {
                        code { (plain(&one.id)) } " " (badge("", one.kind.as_str())) " "
                        @match &one.state {
                            Some(state) => (badge("", state)),
                            // What holds has no state: it is neither drafted nor done.
                            None if one.kind == ItemKind::Living => {},
                            None => (badge("bad", "its state cannot be read")),
                        }
                        @if let Some(category) = &one.category { " " (badge("", category)) }
                        @if let Some(at) = &one.created_at { " " (moment(at)) }
                    }
                    @if !one.diagnostics.is_empty() { (diagnostics(&one.diagnostics)) }
                }
            }
        }
        @if let Some(cursor) = &view.page.next_cursor {
            p id="region-more" data-region { a href=(frame.to(&format!("specs?cursor={}", encoded(cursor)))) {
                (count(view.page.remaining, "more spec", "more specs"))
            } }
        }
    }
}

/// What bears on a question, best first.
pub fn found(frame: &Frame<'_>, wanted: &str, view: &FoundView) -> Markup {
    html! {
        div class="head" {
            h1 { "Search: " (said(wanted)) }
            p class="strip" id="region-strip" data-region { (count(view.total, "result", "results")) " by " (said(&search_mode(&view.mode))) }
        }
        @if view.results.is_empty() {
            p class="empty" id="region-empty" data-region { "Nothing bears on it. Other words may; all specs are " a href=(frame.to("specs")) { "here" } "." }
        }
        ul class="plain-list" id="region-found" data-region {
            @for hit in &view.results {
                li class="card" data-item tabindex="-1" {
                    p class="title" { a href=(address(frame, hit)) {
                        (said(hit.requirement.as_deref().unwrap_or(&hit.title)))
                    } }
                    p class="facts" {
                        (badge("", if hit.archived { "archived change" } else { &hit.kind })) " " code { (plain(&hit.id)) }
                        @if let Some(scenario) = &hit.scenario { " scenario " (said(scenario)) }
                        " " span title="Similarity from 0 to 1" { (format!("{:.2}", hit.score)) }
                    }
                    p class="snippet" { (marked(hit)) }
                }
            }
        }
    }
}

fn address(frame: &Frame<'_>, hit: &FoundHit) -> String {
    let spec = hit.spec_id.as_deref().unwrap_or(&hit.id);
    match (hit.kind.as_str(), &hit.requirement) {
        ("requirement", Some(requirement)) => frame.requirement(spec, requirement),
        ("change", _) => frame.item(&format!("change:{}", hit.id.trim_start_matches("change:"))),
        ("decision", _) => frame.decision(&hit.id),
        ("plan", _) => frame.item(&hit.id),
        _ => frame.spec(spec),
    }
}

/// The snippet with the words of the query marked.
fn marked(hit: &FoundHit) -> Markup {
    let mut pieces: Vec<(&str, bool)> = Vec::new();
    let mut at = 0;
    for [start, end] in &hit.highlights {
        let (Some(before), Some(hit)) = (hit.snippet.get(at..*start), hit.snippet.get(*start..*end)) else {
            continue;
        };
        pieces.extend([(before, false), (hit, true)]);
        at = *end;
    }
    pieces.push((hit.snippet.get(at..).unwrap_or_default(), false));
    html! {
        bdi { @for (text, is_hit) in pieces { @if is_hit { mark { (plain(text)) } } @else { (plain(text)) } } }
    }
}
