//! The board: what needs you, what is ready, what is being built, what is blocked, what is done.

use hewto_engine::overview::{BoardQuery, Column};
use hewto_engine::view::{BoardCard, BoardColumn, BoardView, ClaimView};
use maud::{Markup, html};

use super::parts::{diagnostics, questions, standing, totals};
use super::trouble::{NEW_SPEC, empty};
use crate::frame::Frame;
use crate::text::{advised, badge, count, grouped, item_link, plain, said, told};

/// How many overlaps are told.
const MOST_OVERLAPS: usize = 20;

/// Where everything stands.
pub fn board(frame: &Frame<'_>, view: &BoardView, wanted: BoardQuery) -> Markup {
    let columns = [
        (Column::NeedsYou, "Needs you", &view.needs_you, "Nothing waits for you."),
        (Column::Ready, "Ready", &view.ready, "Nothing is ready to be taken up."),
        (Column::Building, "Building", &view.building, "Nothing is being built."),
        (Column::Blocked, "Blocked", &view.blocked, "Nothing is blocked."),
        (Column::Done, "Done", &view.done, "Nothing is done yet."),
    ];
    let is_empty = view.specs.total == 0 && columns.iter().all(|(_, _, column, _)| column.total == 0);
    html! {
        div class="head" {
            h1 { "Board" }
            (strip(frame, view))
        }
        @if let Some(notice) = &view.notice { p class="note" id="region-notice" data-region { (told(notice)) } }
        @if let Some(asked) = &view.clarification { div id="region-questions" data-region { (questions(frame, asked)) } }
        @if is_empty {
            div id="region-empty" data-region { (empty("Nothing is written down yet. Begin with", NEW_SPEC)) }
        }
        div class="board" id="region-board" data-region {
            @for (which, name, column, nothing) in columns {
                @if wanted.column.is_none_or(|wanted| wanted == which) {
                    (column_of(frame, which, name, column, nothing, wanted, &view.claims))
                }
            }
        }
        @if !view.overlaps.is_empty() {
            section class="panel" id="region-overlaps" data-region {
                h2 { "Overlaps " span class="count" { (view.overlaps.len()) } }
                ul {
                    @for overlap in view.overlaps.iter().take(MOST_OVERLAPS) {
                        li {
                            (said(&overlap.capability)) " / " (said(&overlap.requirement)) ": "
                            @for (at, change) in overlap.changes.iter().enumerate() {
                                @if at > 0 { ", " }
                                (item_link(frame, &format!("change:{change}"), change))
                            }
                            @for risk in &overlap.at_risk { p class="hint" { "At risk: " (told(risk)) } }
                        }
                    }
                }
                @if view.overlaps.len() > MOST_OVERLAPS {
                    p { (count(view.overlaps.len() - MOST_OVERLAPS, "more", "more")) ": " code { "hewto change overlaps" } " lists all" }
                }
            }
        }
        @if !view.unreadable.is_empty() {
            section class="panel" id="region-unreadable" data-region {
                h2 { "Cannot be read" }
                (diagnostics(&view.unreadable))
            }
        }
    }
}

/// One line on how things are; health comes when it is computed.
fn strip(frame: &Frame<'_>, view: &BoardView) -> Markup {
    let holders: std::collections::BTreeSet<&str> =
        view.claims.iter().map(|claim| claim.holder.session.as_str()).collect();
    html! {
        p class="strip" id="region-strip" data-region {
            (count(view.specs.total, "spec", "specs"))
            @if !holders.is_empty() { " · " (count(holders.len(), "agent", "agents")) " at work" }
            @if !view.overlaps.is_empty() { " · " (count(view.overlaps.len(), "overlap", "overlaps")) }
            " · "
            a href=(frame.to("health")) {
                @match &view.health {
                    Some(health) if health.errors + health.warnings == 0 => (badge("good", "sound")),
                    Some(health) => (badge(if health.errors > 0 { "bad" } else { "warn" }, &totals(health.errors, health.warnings))),
                    None => "checking health…",
                }
            }
        }
    }
}

fn column_of(
    frame: &Frame<'_>,
    which: Column,
    name: &str,
    column: &BoardColumn,
    nothing: &str,
    wanted: BoardQuery,
    claims: &[ClaimView],
) -> Markup {
    let id = format!("column-{}", which.as_str());
    let from = if wanted.column == Some(which) { wanted.from } else { 0 };
    let shown = from + column.cards.len();
    html! {
        section class={ "column " (which.as_str()) } aria-labelledby=(id) {
            h2 id=(id) { (name) " " span class="count" { (grouped(column.total)) } }
            @if column.cards.is_empty() { p class="none" { (nothing) } }
            ul class="plain-list" {
                @for one in &column.cards { (card(frame, one, claims)) }
            }
            @if shown < column.total {
                p {
                    a href=(frame.to(&format!("board?column={}&from={shown}", which.as_str()))) {
                        (count(column.total - shown, "more", "more"))
                    }
                }
            }
            @if wanted.column.is_some() { p { a href=(frame.to("board")) { "All columns" } } }
        }
    }
}

fn card(frame: &Frame<'_>, one: &BoardCard, claims: &[ClaimView]) -> Markup {
    let claim = claims.iter().find(|claim| claim.spec_id == one.item);
    html! {
        li class="card" data-item tabindex="-1" {
            p class="title" { (item_link(frame, &one.item, &one.title)) }
            p class="why" {
                @if one.waits_for.is_empty() { (told(&one.why)) } @else {
                    "waits for "
                    @for (at, other) in one.waits_for.iter().enumerate() {
                        @if at > 0 { ", " }
                        a href=(frame.item(&other.item)) title=(plain(&other.item)) { (said(&other.title)) }
                    }
                }
                @if let Some(next) = &one.next { span class="next" { "Next: " (advised(next)) } }
            }
            @if let Some(progress) = &one.progress {
                p class="progress" {
                    progress max=(progress.total.max(1)) value=(progress.completed)
                        aria-label={ "Steps done of " (plain(&one.title)) } {}
                    " " (progress.completed) "/" (progress.total)
                }
            }
            @let new = one.new_since_look.filter(|new| *new > 0);
            @if one.standing.is_some() || one.comments > 0 || claim.is_some() || new.is_some() {
                p class="facts" {
                    @if let Some(name) = &one.standing { (standing(name)) " " }
                    @if let Some(version) = one.version { "v" (version) " " }
                    @if let Some(new) = new {
                        a href={ (frame.item(&one.item)) "?since=look" } { (badge("added", &format!("{new} new since your look"))) } " "
                    }
                    @if one.comments > 0 { (badge("changed", &count(one.comments, "open comment", "open comments"))) " " }
                    @if let Some(claim) = claim {
                        span class="who" { (said(&claim.holder.principal)) ", " (claim.left_s) " s left" }
                    }
                }
            }
        }
    }
}
