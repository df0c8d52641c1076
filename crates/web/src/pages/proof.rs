//! The matrix of promises, with filters, and what drifted.

use hewto_engine::proof::StatusQuery;
use hewto_engine::view::{DriftView, MatrixView, State};
use maud::{Markup, html};

use super::parts::{places, proof_state};
use super::trouble::empty;
use crate::address::encoded;
use crate::frame::Frame;
use crate::text::{badge, count, grouped, moment, plain, said, told};

/// How many promises that drifted stand above the matrix; the rest is told by their state below.
const MOST_DRIFTED: usize = 50;

/// How every promise is kept.
pub fn proof(frame: &Frame<'_>, matrix: &MatrixView, drift: &DriftView, wanted: &StatusQuery) -> Markup {
    html! {
        div class="head" {
            h1 { "Proof" }
            p class="strip" id="region-summary" data-region {
                (badge(if matrix.green { "good" } else { "bad" }, if matrix.green { "kept" } else { "not all is kept" }))
                " " (said(&matrix.summary.line)) " · policy: " (said(&matrix.policy))
            }
        }
        (filters(frame, wanted))
        (drifted(frame, drift))
        section id="region-matrix" data-region {
            h2 { "Promises " span class="count" { (grouped(matrix.page.as_ref().map_or(matrix.rows.len(), |page| page.total))) } }
            @if matrix.rows.is_empty() {
                @if matrix.summary.total == 0 && wanted.state.is_none() {
                    (empty("Nothing is promised, or nothing can be proven yet. Begin with", "hewto proof init"))
                } @else { p class="none" { "No promise matches." } }
            } @else {
                div class="scroll" tabindex="0" role="region" aria-label="Matrix of promises" {
                    table class="stack" {
                        thead { tr { th scope="col" { "Promise" } th scope="col" { "State" } th scope="col" { "Tests" } th scope="col" { "Code" } th scope="col" { "Run" } } }
                        tbody {
                            @for row in &matrix.rows {
                                tr data-item tabindex="-1" {
                                    th scope="row" {
                                        a href=(frame.requirement(row.reference.capability(), &row.requirement)) { (said(&row.requirement)) }
                                        @if let Some(scenario) = &row.scenario { br; (said(scenario)) }
                                        br; code { (plain(&row.reference.to_string())) }
                                    }
                                    td data-label="State" {
                                        (proof_state(row.state.as_str()))
                                        @if let Some(debt) = &row.debt { " " (badge("", debt)) }
                                        @if !row.reason.is_empty() { p class="hint" { (told(&row.reason)) } }
                                    }
                                    td data-label="Tests" { (places(&row.tests)) }
                                    td data-label="Code" { (places(&row.code)) }
                                    td data-label="Run" { @match &row.run { Some(run) => code { (plain(run)) }, None => span class="none" { "none" } } }
                                }
                            }
                        }
                    }
                }
            }
            @if let Some(cursor) = matrix.page.as_ref().and_then(|page| page.next_cursor.as_ref()) {
                p { a href=(frame.to(&format!("proof?{}cursor={}", query(wanted), encoded(cursor)))) { "More promises" } }
            }
            @if !matrix.problems.is_empty() {
                h2 { "Problems " span class="count" { (matrix.problems.len()) } }
                ul class="findings" {
                    @for problem in &matrix.problems {
                        li { code { (plain(&problem.path)) ":" (problem.line) } " " (told(&problem.message)) p class="hint" { (told(&problem.hint)) } }
                    }
                }
            }
            @if !matrix.runs.is_empty() {
                h2 { "Runs" }
                ul class="plain-list" {
                    @for run in &matrix.runs { li { code { (plain(&run.run)) } " " (said(&run.check)) " " (moment(&run.at)) } }
                }
            }
        }
    }
}

fn filters(frame: &Frame<'_>, wanted: &StatusQuery) -> Markup {
    html! {
        form class="filters" method="get" action=(frame.to("proof")) {
            label { "Spec or change " input name="item" value=(plain(wanted.item.as_deref().unwrap_or_default())); }
            label { "State "
                select name="state" {
                    option value="" { "any" }
                    @for state in State::ALL {
                        option value=(state.as_str()) selected[wanted.state.as_deref() == Some(state.as_str())] { (state.as_str().replace('_', " ")) }
                    }
                }
            }
            button { "Show" }
        }
    }
}

fn query(wanted: &StatusQuery) -> String {
    let field = |name: &str, value: &Option<String>| {
        value.as_ref().map(|value| format!("{name}={}&", encoded(value))).unwrap_or_default()
    };
    field("item", &wanted.item) + &field("state", &wanted.state) + &field("since", &wanted.since)
}

fn drifted(frame: &Frame<'_>, drift: &DriftView) -> Markup {
    html! {
        section class="panel" id="region-drift" data-region {
            h2 { "Drift " span class="count" { (drift.drifted.len()) } }
            p { (said(&drift.line)) }
            @for (at, row) in drift.drifted.iter().enumerate().take(MOST_DRIFTED) {
                article class="card" data-item data-difference tabindex="-1" {
                    h3 { code { (plain(&row.reference.to_string())) } " " (proof_state(row.state.as_str())) }
                    p { (said(&row.what)) " · " code { (plain(&row.file)) ":" (row.line) }
                        @if let Some(commit) = &row.commit { " · commit " code { (plain(commit)) } }
                        @if let Some(since) = &row.since { " · since " (said(since)) }
                    }
                    (places(&row.places))
                    @if frame.may_decide && matches!(row.state.as_str(), "suspect" | "unreviewed" | "unlinked") {
                        details class="comment-box" data-comment {
                            summary { "Accept as it is" span class="unseen" { ": " (plain(&row.reference.to_string())) } }
                            form method="post" action=(frame.to("accept")) {
                                (frame.form_fields(&format!("accept-{at}")))
                                input type="hidden" name="ref" value=(row.reference.to_string());
                                label for={ "reason-" (at) } { "Why it is right" }
                                textarea id={ "reason-" (at) } name="reason" rows="2" required data-note={ "accept#" (row.reference.to_string()) } {}
                                button { "Accept" }
                            }
                        }
                    }
                }
            }
            @if drift.drifted.len() > MOST_DRIFTED {
                p class="none" {
                    (count(drift.drifted.len() - MOST_DRIFTED, "more has drifted", "more have drifted")) ": choose a state below, or run "
                    code { "hewto drift" }
                }
            }
        }
    }
}
