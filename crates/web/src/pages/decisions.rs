//! Decisions: what holds now, by category, and how it came about.

use hewto_engine::view::{DecisionPage, DecisionsPage, ForeignDecision};
use maud::{Markup, html};

use super::parts::{diagnostics, questions};
use super::trouble::empty;
use crate::address::encoded;
use crate::frame::Frame;
use crate::markdown::rendered;
use crate::text::{badge, count, plain, said};

/// The timeline, and what holds now.
pub fn decisions(frame: &Frame<'_>, view: &DecisionsPage, category: Option<&str>) -> Markup {
    let shown = view.decisions.iter().filter(|one| category.is_none_or(|wanted| one.card.category == wanted));
    let mut categories: Vec<&str> = view.decisions.iter().map(|one| one.card.category.as_str()).collect();
    categories.sort_unstable();
    categories.dedup();
    html! {
        div class="head" {
            h1 { "Decisions" }
            p class="strip" id="region-strip" data-region { (count(view.decisions.len(), "decision", "decisions")) }
            @if categories.len() > 1 {
                p class="tabs" id="region-categories" data-region {
                    a href=(frame.to("decisions")) aria-current=[category.is_none().then_some("true")] { "All" }
                    @for name in categories {
                        a href=(frame.to(&format!("decisions?category={}", encoded(name))))
                            aria-current=[(category == Some(name)).then_some("true")] { (said(name)) }
                    }
                }
            }
        }
        @if let Some(warning) = &view.warning {
            section class="warning" id="region-warning" data-region { h2 { (said(&warning.replace('_', " "))) } @if let Some(message) = &view.message { p { (said(message)) } } }
        }
        @if !view.unreadable.is_empty() {
            section class="warning" id="region-unreadable" data-region { h2 { "Cannot be read" } (diagnostics(&view.unreadable)) }
        }
        @if let Some(asked) = &view.clarification { div id="region-questions" data-region { (questions(frame, asked)) } }
        div class="two" id="columns" {
            div class="wide" {
                h2 { "Timeline" }
                @if view.decisions.is_empty() {
                    div id="region-empty" data-region {
                        (empty("Nothing is decided yet. Begin with", "hewto clarify \"What you want to build\""))
                    }
                }
                ol class="timeline plain-list" id="region-timeline" data-region {
                    @for one in shown {
                        li class="card" data-item tabindex="-1" {
                            p class="title" { a href=(frame.decision(&one.card.uid)) { (said(&one.card.title)) } }
                            p class="facts" {
                                (said(&one.card.date)) " " (badge("", &one.card.category)) " " code { (plain(&one.card.uid)) }
                                @if !one.superseded_by.is_empty() { " " (badge("gone", "superseded by")) " " (links(frame, &one.superseded_by)) }
                                @if !one.supersedes.is_empty() { " " (badge("moved", "supersedes")) " " (links(frame, &one.supersedes)) }
                            }
                        }
                    }
                }
                @if !view.foreign.is_empty() && category.is_none() { (foreign(frame, &view.foreign)) }
            }
            aside class="narrow" {
                section class="panel" id="region-architecture" data-region {
                    h2 { "What holds now" }
                    @if view.architecture.is_empty() { p class="none" { "Nothing yet." } }
                    @for (name, fields) in &view.architecture {
                        h3 { (said(name)) }
                        dl { @for (field, value) in fields { dt { (said(field)) } dd { (said(value)) } } }
                    }
                }
            }
        }
    }
}

/// Records of other tools, and how to bring them in.
fn foreign(frame: &Frame<'_>, all: &[ForeignDecision]) -> Markup {
    let format = all.first().map_or("adr-tools", |one| one.format.as_str());
    html! {
        section id="region-foreign" data-region {
            h2 { "Recorded by other tools " span class="count" { (all.len()) } }
            p class="hint" { "They are shown as they are written. To make them part of the timeline: " code { "hewto import " (format) } }
            ol class="timeline plain-list" {
                @for one in all.iter().rev() {
                    li class="card" data-item tabindex="-1" {
                        p class="title" { a href=(frame.decision(&one.name)) { (said(&one.title)) } }
                        p class="facts" {
                            @if let Some(date) = &one.date { (said(date)) " " }
                            @if !one.state.is_empty() { (badge("", &plain(&one.state))) " " }
                            code { (plain(&one.path)) }
                        }
                    }
                }
            }
        }
    }
}

/// One decision, whole.
pub fn decision(frame: &Frame<'_>, view: &DecisionPage) -> Markup {
    let one = &view.decision;
    html! {
        div class="head" {
            h1 id="region-title" data-region { (said(&one.card.title)) }
            p class="strip" id="region-strip" data-region {
                (said(&one.card.date)) " "
                @match &view.foreign {
                    Some(foreign) => {
                        @if !foreign.state.is_empty() { (badge("", &plain(&foreign.state))) " " }
                        (badge("", "recorded by another tool"))
                    }
                    None => (badge("", &one.card.category)),
                }
                " " code { (plain(&one.card.path)) }
                @if !view.superseded_by.is_empty() { " " (badge("gone", "superseded by")) " " (links(frame, &view.superseded_by)) }
                @if !one.supersedes.is_empty() { " " (badge("moved", "supersedes")) " " (links(frame, &one.supersedes)) }
                @if let Some(previous) = &one.previous { " · after " a href=(frame.decision(previous)) { code { (plain(previous)) } } }
            }
        }
        div id="region-decision" data-region {
            dl { @for (field, value) in &one.decision { dt { (said(field)) } dd { (said(value)) } } }
            (rendered(&one.text, 2))
        }
    }
}

fn links(frame: &Frame<'_>, uids: &[String]) -> Markup {
    html! { @for uid in uids { a href=(frame.decision(uid)) { code { (plain(uid)) } } " " } }
}
