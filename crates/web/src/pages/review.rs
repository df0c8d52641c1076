//! The page on which somebody decides: what is promised now and then, requirement by requirement, and what was said.

use hewto_engine::view::{ComparedUnit, PromiseCard, ReviewPage, ScenarioCard, VerdictGiven, VerdictItem};
use maud::{Markup, html};

use super::about::about;
use super::comment_box::{CommentBoxes, ReviewQuery};
use super::parts::{claims, comment, operation, proof_state, standing, totals, words};
use super::verdict::verdict_form;
use crate::frame::Frame;
use crate::markdown::rendered;
use crate::text::{badge, count, item_link, moment, plain, said, told};

/// A change, or a spec with its plan.
pub fn review(frame: &Frame<'_>, view: &ReviewPage, query: ReviewQuery<'_>) -> Markup {
    let (since, boxes) = (query.since, CommentBoxes::new(frame, view, query));
    let item = view.review.spec_id.as_str();
    let is_open = view.kind != "archived";
    let new = view.since_look.as_ref();
    let unseen = view.promises.iter().filter(|card| !card.seen).count();
    html! {
        div class="head" {
            h1 id="region-title" data-region { (said(&view.review.title)) }
            p class="strip" id="region-standing" data-region {
                code { (plain(item)) } " "
                @if is_open {
                    (standing(&view.review.standing)) " version " (view.review.version) " "
                    code title=(view.review.digest) { (&view.review.digest[..view.review.digest.len().min(12)]) }
                    " · gate: " (said(&view.review.gate))
                    @if !view.review.reviewers.is_empty() { " · reviewers: " (said(&view.review.reviewers.join(", "))) }
                } @else { (badge("", "archived")) }
                @if let Some(proof) = &view.proof { " · " (said(proof)) }
            }
            @if is_open {
                p class="tabs" id="region-tabs" data-region {
                    a href=(frame.item(item)) aria-current=[(!since).then_some("true")] { "All" }
                    a href={ (frame.item(item)) "?since=look" } aria-current=[since.then_some("true")] {
                        "Since my last look"
                        @if let Some(since) = new { " " span class="count" { (since.differences.len()) } }
                    }
                }
            }
        }
        @if !view.overlaps.is_empty() {
            section class="warning" id="region-overlaps" data-region {
                h2 { "Overlaps with other changes" }
                ul {
                    @for overlap in &view.overlaps {
                        li {
                            (said(&overlap.capability)) " / " (said(&overlap.requirement)) " is also touched by "
                            @let others = overlap.changes.iter().filter(|change| item.strip_prefix("change:") != Some(change));
                            @for (at, change) in others.enumerate() {
                                @if at > 0 { ", " }
                                (item_link(frame, &format!("change:{change}"), change))
                            }
                            @for risk in &overlap.at_risk { p class="hint" { "At risk: " (told(risk)) } }
                        }
                    }
                }
            }
        }
        div class="two" id="columns" {
            div class="wide" {
                @if since { (news(view, new.map(|since| (since.at.as_str(), since.differences.as_slice())))) }
                @else { (about(view)) }
                section id="region-promises" data-region {
                    h2 { "Promises " span class="count" { (view.promises.len()) } }
                    @if view.promises.is_empty() {
                        p class="none" { (if view.kind == "spec" { "It has no requirements: the text above is what it promises." } else { "No requirement is touched." }) }
                    }
                    @if since && unseen == 0 && !view.promises.is_empty() {
                        p class="none" { "You have seen all of them as they stand." }
                    }
                    @for (at, card) in view.promises.iter().enumerate() {
                        @if !since || !card.seen { (promise(frame, &boxes, item, card, at, is_open)) }
                    }
                }
            }
            aside class="narrow" {
                section class="panel" id="region-plan" data-region {
                    @let done = view.steps.iter().filter(|step| step.done).count();
                    h2 { "Plan " span class="count" { (done) "/" (view.steps.len()) } }
                    @if view.steps.is_empty() { p class="none" { "No plan yet: " code { "hewto plan new " (plain(item)) } } }
                    ol class="steps" {
                        @for (at, step) in view.steps.iter().enumerate() {
                            li {
                                span aria-hidden="true" { (if step.done { "☑ " } else { "☐ " }) }
                                (said(&step.title)) @if step.done { span class="unseen" { " (done)" } }
                                @if !step.description.is_empty() { div class="hint" { (rendered(&step.description, 5)) } }
                                @for one in &step.comments { (comment(frame, item, one)) }
                                @if is_open {
                                    (boxes.of(&format!("step-{at}"), &[("step", &step.title)], None))
                                }
                            }
                        }
                    }
                }
                (findings(view))
                @if !view.claims.is_empty() {
                    section class="panel" id="region-claims" data-region {
                        h2 { "At work on it" }
                        (claims(frame, &view.claims))
                    }
                }
                (said_so_far(&view.review.verdicts))
            }
        }
        (whole_comments(frame, &boxes, view, is_open))
        @if is_open && frame.may_decide { (verdict_form(frame, view, None)) }
    }
}

/// What is different since this person last looked.
fn news(view: &ReviewPage, since: Option<(&str, &[ComparedUnit])>) -> Markup {
    html! {
        section id="region-news" data-region {
            h2 { "New since your last look" }
            @match since {
                None => p class="none" {
                    "You have not looked at all of it yet: everything is new. A verdict, or “Mark all as seen”, begins from there."
                },
                Some((at, [])) => p class="none" { "Nothing is different since " (moment(at)) "." },
                Some((at, units)) => {
                    p { (count(units.len(), "difference", "differences")) " since " (moment(at)) "." }
                    (compared(units))
                }
            }
            @let _ = view;
        }
    }
}

/// Pieces as they were and as they are.
pub(super) fn compared(units: &[ComparedUnit]) -> Markup {
    html! {
        @for unit in units {
            article class="card difference" data-difference tabindex="-1" {
                h3 { (said(&unit.place)) " " (operation(&unit.kind)) }
                pre class="diff" tabindex="0" { (words(&unit.words)) }
            }
        }
    }
}

fn promise(
    frame: &Frame<'_>,
    boxes: &CommentBoxes<'_>,
    item: &str,
    card: &PromiseCard,
    at: usize,
    is_open: bool,
) -> Markup {
    let anchor = |scenario: Option<&ScenarioCard>| -> Vec<(&'static str, String)> {
        let mut anchor = vec![("requirement", card.name.clone())];
        if card.capability != item {
            anchor.push(("capability", card.capability.clone()));
        }
        anchor.extend(scenario.map(|scenario| ("scenario", scenario.name.clone())));
        anchor
    };
    html! {
        article class={ "card promise " (card.operation) } id={ "p-" (at) } data-item data-difference tabindex="-1" {
            div class="card-head" {
                h3 {
                    @if card.capability != item { span class="capability" { (said(&card.capability)) " / " } }
                    (said(&card.name)) " " (operation(&card.operation))
                    @if let Some(from) = &card.from { " was " (said(from)) }
                }
                @if is_open && frame.may_decide {
                    form class="inline" method="post" action=(frame.to("seen")) data-seen {
                        (frame.form_fields(&format!("seen-{at}")))
                        input type="hidden" name="item" value=(item);
                        input type="hidden" name="capability" value=(card.capability);
                        input type="hidden" name="requirement" value=(card.name);
                        input type="hidden" name="seen" value=(if card.seen { "no" } else { "yes" });
                        button class="plain" aria-pressed=(if card.seen { "true" } else { "false" }) {
                            (if card.seen { "✓ Seen" } else { "Mark as seen" })
                            span class="unseen" { ": " (plain(&card.name)) }
                        }
                    }
                }
            }
            p { (words(&card.words)) }
            @if let Some(reason) = &card.reason { div class="reason" { (rendered(reason, 4)) } }
            @for (number, scenario) in card.scenarios.iter().enumerate() {
                section class={ "scenario " (scenario.operation) } {
                    h4 {
                        (said(&scenario.name)) " " (operation(&scenario.operation)) " "
                        @if let Some(state) = &scenario.proof { (proof_state(state)) }
                    }
                    ul class="clauses" {
                        @for (line, step) in scenario.steps.iter().enumerate() {
                            li {
                                span class="keyword" { (step.keyword) } " " (words(&step.words))
                                @if is_open && scenario.operation != "removed" && step.words.iter().any(|piece| piece.op != "gone") {
                                    @let of = format!("{at}-{number}-{line}");
                                    (boxes.of(&of, &owned(&anchor(Some(scenario))), Some(&step.text)))
                                }
                            }
                        }
                    }
                    @if !scenario.more.is_empty() { pre class="diff" tabindex="0" { (words(&scenario.more)) } }
                    @for one in &scenario.comments { (comment(frame, item, one)) }
                }
            }
            @for one in &card.comments { (comment(frame, item, one)) }
            @if is_open && card.operation != "removed" && card.operation != "renamed" {
                (boxes.of(&format!("{at}"), &owned(&anchor(None)), None))
            }
        }
    }
}

fn owned<'a>(anchor: &'a [(&'static str, String)]) -> Vec<(&'static str, &'a str)> {
    anchor.iter().map(|(name, value)| (*name, value.as_str())).collect()
}

/// What was said about the item as a whole, and what has lost its place.
fn whole_comments(frame: &Frame<'_>, boxes: &CommentBoxes<'_>, view: &ReviewPage, is_open: bool) -> Markup {
    let item = view.review.spec_id.as_str();
    let placed: std::collections::HashSet<&str> = view
        .promises
        .iter()
        .flat_map(|card| card.comments.iter().chain(card.scenarios.iter().flat_map(|one| &one.comments)))
        .chain(view.steps.iter().flat_map(|step| &step.comments))
        .map(|one| one.id.as_str())
        .collect();
    let rest: Vec<_> = view.review.comments.iter().filter(|one| !placed.contains(one.id.as_str())).collect();
    html! {
        section class="panel" id="region-comments" data-region {
            h2 { "On the whole " span class="count" { (rest.len()) } }
            @for one in &rest {
                @if let Some(place) = &one.place { p class="by" { (said(place)) } }
                (comment(frame, item, one))
            }
            @if is_open { (boxes.of("whole", &[], None)) }
        }
    }
}

fn findings(view: &ReviewPage) -> Markup {
    let list = |items: &[VerdictItem], kind: &str, name: &str| {
        html! {
            @for one in items {
                li {
                    (badge(kind, name)) " " code { (plain(&one.file)) @if let Some(line) = one.line { ":" (line) } } " "
                    (told(&one.description))
                    @if !one.hint.is_empty() { p class="hint" { (told(&one.hint)) } }
                }
            }
        }
    };
    html! {
        section class="panel" id="region-findings" data-region {
            h2 { "Findings " span class="count" { (view.errors.len() + view.warnings.len()) } }
            @if view.errors.is_empty() && view.warnings.is_empty() {
                p class="none" { "It is valid." }
            } @else {
                p class="unseen" { (totals(view.errors.len(), view.warnings.len())) }
            }
            ul class="findings" { (list(&view.errors, "bad", "error")) (list(&view.warnings, "warn", "warning")) }
            @for problem in &view.review.problems { p class="hint" { (told(problem)) } }
        }
    }
}

fn said_so_far(verdicts: &[VerdictGiven]) -> Markup {
    html! {
        section class="panel" id="region-verdicts" data-region {
            h2 { "Verdicts " span class="count" { (verdicts.len()) } }
            @if verdicts.is_empty() { p class="none" { "Nobody has decided yet." } }
            ul class="plain-list" {
                @for one in verdicts.iter().rev() {
                    li {
                        (standing(&one.verdict)) " by " strong { (said(&one.by)) } " (" (one.channel) ") on version "
                        (one.version) " " (moment(&one.at))
                        @if !one.current { " " (badge("", "about an older text")) }
                        @if let Some(doubt) = &one.doubt { p class="hint" { (told(doubt)) } }
                        @if let Some(note) = &one.note { p class="said" dir="auto" { (plain(note)) } }
                    }
                }
            }
        }
    }
}
