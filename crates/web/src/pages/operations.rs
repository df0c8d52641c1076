//! What goes on, who does it, what was refused; and one operation, whole.

use hewto_engine::OperationStatus;
use hewto_engine::log::OperationView;
use hewto_engine::operations::OperationQuery;
use hewto_engine::view::{EnvelopeView, OperationsPage};
use maud::{Markup, html};

use super::parts::claims;
use super::trouble::{NEW_SPEC, empty};
use crate::address::encoded;
use crate::frame::Frame;
use crate::text::{badge, moment, plain, said, told};

/// Running now, claims, and the last hundred.
pub fn operations(frame: &Frame<'_>, view: &OperationsPage, wanted: &OperationQuery) -> Markup {
    html! {
        div class="head" { h1 { "Operations" } }
        section class="panel" id="region-running" data-region {
            h2 { "Running now " span class="count" { (view.running.len()) } }
            @if view.running.is_empty() { p class="none" { "No call takes longer than a moment." } }
            ul class="plain-list" {
                @for one in &view.running {
                    li { code { (plain(&one.tool)) } " by " strong { (said(one.principal.as_deref().unwrap_or("somebody"))) }
                        " (" (plain(&one.channel)) ", process " (one.pid) ") since " (moment(&one.started_at)) }
                }
            }
        }
        section class="panel" id="region-claims" data-region {
            h2 { "Claims " span class="count" { (view.claims.len()) } }
            @if view.claims.is_empty() { (empty("Nobody has claimed anything. An agent takes work with its tools, a person with", "hewto claim")) }
            (claims(frame, &view.claims))
        }
        form class="filters" method="get" action=(frame.to("ops")) {
            label { "Tool " input name="tool" value=(plain(wanted.capability_id.as_deref().unwrap_or_default())); }
            label { "Session " input name="session" value=(plain(wanted.session_id.as_deref().unwrap_or_default())); }
            label { "Status "
                select name="status" {
                    option value="" { "any" }
                    @for status in OperationStatus::ALL {
                        option value=(status.as_str()) selected[wanted.status.as_deref() == Some(status.as_str())] { (status.as_str().replace('_', " ")) }
                    }
                }
            }
            button { "Show" }
        }
        section id="region-operations" data-region {
            h2 { "Latest" }
            p class="tabs" {
                @let failed = wanted.status.as_deref() == Some("failed");
                a href=(frame.to("ops")) aria-current=[(*wanted == OperationQuery::default()).then_some("true")] { "All" }
                a href=(frame.to("ops?status=failed")) aria-current=[failed.then_some("true")] { "Refused and failed" }
            }
            @if view.operations.is_empty() && *wanted == OperationQuery::default() {
                (empty("Nothing has been changed yet. What people and agents change is listed here, beginning with", NEW_SPEC))
            } @else if view.operations.is_empty() {
                p class="none" { "No operation matches. " a href=(frame.to("ops")) { "All operations" } }
            } @else {
                div class="scroll" tabindex="0" role="region" aria-label="Operations" {
                    table class="stack" {
                        thead { tr { th scope="col" { "When" } th scope="col" { "What" } th scope="col" { "Who" } th scope="col" { "How it went" } th scope="col" { "Touched" } } }
                        tbody { @for one in &view.operations { (row(frame, one)) } }
                    }
                }
            }
        }
    }
}

fn row(frame: &Frame<'_>, one: &OperationView) -> Markup {
    html! {
        tr data-item tabindex="-1" {
            td { (moment(&one.started_at)) }
            th scope="row" { a href=(frame.to(&format!("op/{}", encoded(&one.operation_id)))) { code { (plain(&one.tool)) } } }
            td data-label="Who" {
                (said(one.principal.as_deref().unwrap_or("–"))) " "
                @if let Some(channel) = &one.channel { (badge("", channel)) " " }
                a href=(frame.to(&format!("ops?session={}", encoded(&one.session_id)))) title=(plain(&one.session_id)) {
                    "session " (plain(&one.session_id.chars().take(8).collect::<String>()))
                }
            }
            td data-label="How it went" {
                (status(&one.status)) @if let Some(ms) = one.duration_ms { " " (ms) " ms" }
                @if let Some(error) = &one.error { p class="hint" { (told(error)) } }
            }
            td data-label="Touched" {
                @for touched in one.artifacts.iter().take(3) { code { (plain(&touched.path)) } " " (touched.action) br; }
                @if one.artifacts.len() > 3 { (one.artifacts.len() - 3) " more" }
            }
        }
    }
}

fn status(name: &str) -> Markup {
    let kind = match name {
        "succeeded" => "good",
        "failed" | "timed_out" => "bad",
        "cancelled" => "warn",
        _ => "",
    };
    badge(kind, &name.replace('_', " "))
}

/// One operation from its start to its end.
pub fn operation(frame: &Frame<'_>, one: &EnvelopeView) -> Markup {
    html! {
        div class="head" {
            h1 { code { (plain(&one.capability_id)) } }
            p class="strip" id="region-strip" data-region { (status(&one.status)) " " (moment(&one.started_at)) " · " a href=(frame.to("ops")) { "All operations" } }
        }
        div id="region-operation" data-region { (whole(frame, one)) }
    }
}

fn whole(frame: &Frame<'_>, one: &EnvelopeView) -> Markup {
    let written = |value: &serde_json::Value| plain(&serde_json::to_string_pretty(value).unwrap_or_default());
    html! {
        dl {
            dt { "Operation" } dd { code { (plain(&one.operation_id)) } }
            dt { "Session" } dd { a href=(frame.to(&format!("ops?session={}", encoded(&one.session_id)))) { code { (plain(&one.session_id)) } } }
            dt { "Who" } dd { (said(one.principal.as_deref().unwrap_or("–"))) }
            dt { "Lock" } dd { (one.lock_intent) }
            @if let Some(at) = &one.finished_at { dt { "Finished" } dd { (moment(at)) } }
        }
        h2 { "Inputs" }
        pre tabindex="0" { (written(&one.inputs)) }
        @if let Some(error) = &one.error { h2 { "Why it failed" } pre tabindex="0" { (written(error)) } }
        @if !one.artifacts.is_empty() {
            h2 { "Touched" }
            ul { @for touched in &one.artifacts { li { code { (plain(&touched.path)) } " " (touched.action) } } }
        }
        @if !one.transcript.is_empty() {
            h2 { "Transcript" }
            @for event in &one.transcript { pre tabindex="0" { (written(event)) } }
        }
    }
}
