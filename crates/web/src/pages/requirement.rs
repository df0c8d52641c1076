//! One spec, and one requirement with its history, changes, decisions, tests and code.

use hewto_core::id::SpecId;
use hewto_engine::spec::ItemKind;
use hewto_engine::view::{ChangeRef, DecisionCard, RequirementPage, SpecPage};
use maud::{Markup, html};

use super::parts::{diagnostics, operation, places, proof_state};
use super::trouble::empty;
use crate::address::encoded;
use crate::frame::Frame;
use crate::markdown::rendered;
use crate::text::{badge, item_link, plain, said};

/// A spec with everything that hangs on it.
pub fn spec(frame: &Frame<'_>, view: &SpecPage) -> Markup {
    let handle = SpecId::parse(&view.id).map(|id| format!("spec://{}", id.to_segment())).unwrap_or_default();
    html! {
        div class="head" {
            h1 id="region-title" data-region { (said(&view.title)) }
            p class="strip" id="region-state" data-region {
                code { (plain(&view.id)) } " " (badge("", view.kind.as_str())) " "
                @if let Some(state) = view.state.as_ref().filter(|_| view.kind != ItemKind::Living) { (badge("", &state.lifecycle)) " phase " (state.phase.to_string()) " " }
                @if let Some(proof) = &view.proof { "· " a href=(frame.to(&format!("proof?item={}", encoded(&view.id)))) { (said(proof)) } " " }
                "· " a href=(frame.graph(&handle, 1)) { "Graph" }
                @if !view.steps.is_empty() { " · " a href=(frame.item(&view.id)) { "Review the plan" } }
            }
        }
        @if !view.diagnostics.is_empty() { section class="warning" id="region-findings" data-region { h2 { "Findings" } (diagnostics(&view.diagnostics)) } }
        div class="two" id="columns" {
            div class="wide" id="region-spec" data-region {
                @if let Some(purpose) = &view.purpose { section { h2 { "Purpose" } (rendered(purpose, 3)) } }
                @if view.requirements.is_empty() {
                    (rendered(&view.markdown, 2))
                } @else {
                    h2 { "Requirements " span class="count" { (view.requirements.len()) } }
                    @for card in &view.requirements {
                        @let href = frame.requirement(&view.id, &card.name);
                        (super::parts::promise(frame, card, Some(&href)))
                    }
                }
            }
            aside class="narrow" id="region-beside" data-region {
                (changes(frame, "Open changes", &view.open_changes))
                section class="panel" {
                    h2 { "Depends on " span class="count" { (view.dependencies.dependencies.len()) } }
                    @if view.dependencies.dependencies.is_empty() { p class="none" { "Nothing." } }
                    ul class="plain-list" {
                        @for one in &view.dependencies.dependencies {
                            li {
                                a href=(frame.spec(&one.spec_id)) { (said(&one.spec_id)) } " " (badge("", &one.kind)) " "
                                (badge(if one.satisfied { "good" } else { "warn" }, &one.state))
                            }
                        }
                    }
                }
                @if !view.steps.is_empty() { section class="panel" {
                    h2 { "Plan " span class="count" { (view.steps.len()) } }
                    ol class="steps" {
                        @for step in &view.steps { li { (said(&step.title)) " " (badge("", step.status.as_str())) } }
                    }
                } }
                (decisions(frame, &view.decisions))
                section class="panel" {
                    h2 { "History " span class="count" { (view.archived_changes.len()) } }
                    @if view.archived_changes.is_empty() { p class="none" { "No change has been archived." } }
                    ul class="plain-list" {
                        @for one in &view.archived_changes {
                            li { (item_link(frame, &format!("change:{}", one.id), &one.title)) " " code { (plain(&one.id)) } }
                        }
                    }
                }
            }
        }
    }
}

/// One requirement.
pub fn requirement(frame: &Frame<'_>, view: &RequirementPage) -> Markup {
    let found = &view.requirement;
    html! {
        div class="head" {
            h1 { (said(&found.requirement.name)) }
            p class="strip" id="region-place" data-region {
                a href=(frame.spec(&found.spec_id)) { (said(&found.spec_id)) } " · "
                code { (plain(&found.file)) ":" (found.line) }
            }
        }
        div class="two" id="columns" {
            div class="wide" id="region-requirement" data-region {
                section class="card" {
                    p dir="auto" { (plain(&found.requirement.text)) }
                    @for scenario in &found.requirement.scenarios {
                        section class="scenario" {
                            h2 { (said(&scenario.name)) " "
                                @for row in &view.promises {
                                    @if row.scenario.as_deref() == Some(&scenario.name) { (proof_state(row.state.as_str())) }
                                }
                            }
                            ul class="clauses" {
                                @for step in &scenario.steps {
                                    li { span class="keyword" { (step.keyword) } " " (said(&step.text)) }
                                }
                            }
                        }
                    }
                }
                section class="panel" {
                    h2 { "Tests and code" }
                    @if view.promises.is_empty() {
                        (empty("Nothing is linked. Ask for proof with", "hewto proof init"))
                    }
                    @for row in &view.promises {
                        article class="card" data-item tabindex="-1" {
                            h3 { (said(row.scenario.as_deref().unwrap_or(&row.requirement))) " " (proof_state(row.state.as_str())) }
                            @if !row.reason.is_empty() { p class="hint" { (said(&row.reason)) } }
                            dl {
                                dt { "Tests" } dd { (places(&row.tests)) }
                                dt { "Code" } dd { (places(&row.code)) }
                                dt { "Tag" } dd { code { (plain(&row.tag)) } }
                            }
                        }
                    }
                }
            }
            aside class="narrow" id="region-beside" data-region {
                (changes(frame, "Open changes", &view.open_changes))
                (changes(frame, "History", &view.history))
                (decisions(frame, &view.decisions))
            }
        }
    }
}

fn changes(frame: &Frame<'_>, name: &str, all: &[ChangeRef]) -> Markup {
    html! {
        section class="panel" {
            h2 { (name) " " span class="count" { (all.len()) } }
            @if all.is_empty() { p class="none" { "None." } }
            ul class="plain-list" {
                @for one in all {
                    li { (item_link(frame, &format!("change:{}", one.id), &one.title)) " " (operation(&one.operation)) }
                }
            }
        }
    }
}

fn decisions(frame: &Frame<'_>, all: &[DecisionCard]) -> Markup {
    html! {
        section class="panel" {
            h2 { "Decisions " span class="count" { (all.len()) } }
            @if all.is_empty() { p class="none" { "None." } }
            ul class="plain-list" {
                @for one in all { li { a href=(frame.decision(&one.uid)) { (said(&one.title)) } } }
            }
        }
    }
}
