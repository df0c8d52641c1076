//! Pieces that several pages have.

use hewto_core::decision::question::{OTHER, OTHER_SUFFIX};
use hewto_core::diagnostic::Severity;
use hewto_engine::view::{
    ClaimView, ClarifyState, CommentState, CommentView, DiagnosticView, DiffPiece, PlaceView, PromiseCard,
    ScenarioCard,
};
use maud::{Markup, html};

use crate::frame::Frame;
use crate::text::{badge, count, moment, plain, said, told};

/// Words that stayed, went and came. Whoever cannot see the difference hears it.
pub(super) fn words(pieces: &[DiffPiece]) -> Markup {
    html! {
        span class="words" dir="auto" {
            @for piece in pieces {
                @match piece.op.as_str() {
                    "gone" => del { span class="unseen" { " [gone: " } (plain(&piece.text)) span class="unseen" { "] " } },
                    "new" => ins { span class="unseen" { " [new: " } (plain(&piece.text)) span class="unseen" { "] " } },
                    _ => (plain(&piece.text)),
                }
            }
        }
    }
}

/// What happens to a requirement or a scenario.
pub(super) fn operation(name: &str) -> Markup {
    match name {
        "added" => badge("new", "added"),
        "removed" => badge("gone", "removed"),
        "modified" | "changed" => badge("changed", "changed"),
        "renamed" | "moved" => badge("moved", name),
        _ => html! {},
    }
}

/// How a promise stands.
pub(super) fn proof_state(state: &str) -> Markup {
    let kind = match state {
        "verified" | "moved" => "good",
        "failing" | "failed" | "suspect" | "unlinked" | "refuted" => "bad",
        "uncovered" | "stale" | "unreviewed" | "skipped" | "flaky" => "warn",
        _ => "",
    };
    badge(kind, &state.replace('_', " "))
}

/// How an item stands with the people who decide.
pub(super) fn standing(name: &str) -> Markup {
    match name {
        "approved" => badge("good", "approved"),
        "pending" => badge("warn", "waits for a verdict"),
        "stale" => badge("warn", "changed since it was approved"),
        "changes_requested" => badge("changed", "changes asked for"),
        "rejected" => badge("bad", "rejected"),
        other => badge("", &other.replace('_', " ")),
    }
}

/// The clauses of a scenario.
pub(super) fn clauses(scenario: &ScenarioCard) -> Markup {
    html! {
        ul class="clauses" {
            @for step in &scenario.steps {
                li { span class="keyword" { (step.keyword) } " " (words(&step.words)) }
            }
        }
    }
}

/// A requirement that nobody decides about here.
pub(super) fn promise(frame: &Frame<'_>, card: &PromiseCard, href: Option<&str>) -> Markup {
    html! {
        article class="card promise" tabindex="-1" data-item {
            h3 {
                @match href {
                    Some(href) => a href=(href) { (said(&card.name)) },
                    None => (said(&card.name)),
                }
                " " (operation(&card.operation))
            }
            p { (words(&card.words)) }
            @for scenario in &card.scenarios {
                section class="scenario" {
                    h4 {
                        (said(&scenario.name)) " " (operation(&scenario.operation)) " "
                        @if let Some(state) = &scenario.proof { (proof_state(state)) }
                    }
                    (clauses(scenario))
                    @if !scenario.more.is_empty() { pre class="diff" tabindex="0" { (words(&scenario.more)) } }
                }
            }
            @let _ = frame;
        }
    }
}

/// One comment, with a way to settle it.
pub(super) fn comment(frame: &Frame<'_>, item: &str, one: &CommentView) -> Markup {
    html! {
        div class={ "comment " (one.state.as_str()) } id={ "c-" (one.id) } {
            p class="by" {
                strong { (said(&one.by)) } " " (moment(&one.at)) " on version " (one.version) " "
                @match one.state {
                    CommentState::Resolved => (badge("good", "settled")),
                    CommentState::Outdated => (badge("warn", "its text is gone")),
                    CommentState::Open => (badge("changed", "open")),
                }
                @if one.moved { " " (badge("moved", "found again under another name")) }
            }
            @if let Some(quote) = &one.quote { blockquote { (said(quote)) } }
            p class="said" dir="auto" { (plain(&one.text)) }
            @for reply in &one.replies {
                div class="reply" id={ "c-" (reply.id) } {
                    p class="by" { strong { (said(&reply.by)) } " " (moment(&reply.at)) }
                    p class="said" dir="auto" { (plain(&reply.text)) }
                }
            }
            @if let Some(by) = &one.resolved_by {
                p class="by" { "Settled by " (said(by)) @if let Some(how) = &one.resolution { ": " (said(how)) } }
            } @else if frame.may_decide {
                details class="comment-box" {
                    summary { "Reply" span class="unseen" { " to the comment of " (plain(&one.by)) } }
                    form method="post" action=(frame.to("comments")) {
                        (frame.form_fields(&format!("reply-{}", one.id)))
                        input type="hidden" name="item" value=(item);
                        input type="hidden" name="reply_to" value=(one.id);
                        label class="unseen" for={ "reply-" (one.id) } { "Your reply to " (plain(&one.by)) }
                        textarea id={ "reply-" (one.id) } name="text" rows="2" required data-note={ "reply#" (one.id) } {}
                        button { "Reply" }
                    }
                }
                form class="inline" method="post" action=(frame.to("resolve")) {
                    (frame.form_fields(&format!("resolve-{}", one.id)))
                    input type="hidden" name="item" value=(item);
                    input type="hidden" name="comment" value=(one.id);
                    button class="plain" { "Settle" span class="unseen" { " the comment of " (plain(&one.by)) } }
                }
            }
        }
    }
}

/// Questions that wait for answers.
pub(super) fn questions(frame: &Frame<'_>, asked: &ClarifyState) -> Markup {
    let open = asked.questions.iter().filter(|question| !question.answered).count();
    html! {
        section class="panel" id="questions" {
            h2 { "Open questions " span class="count" { (open) } }
            p { "About: " (said(&asked.intention)) }
            @if frame.may_decide {
                form method="post" action=(frame.to("answer")) {
                    (frame.form_fields("answer"))
                    @for question in &asked.questions {
                        @if !question.answered {
                            fieldset {
                                legend { (said(question.question.as_deref().unwrap_or(&question.id))) }
                                @if question.options.is_empty() {
                                    label class="unseen" for={ "q-" (question.id) } { "Your answer" }
                                    textarea id={ "q-" (question.id) } name={ "answer." (question.id) } rows="2"
                                        data-note={ "answer#" (question.id) } {}
                                }
                                @for (at, option) in question.options.iter().enumerate() {
                                    label class="choice" {
                                        input type="checkbox" name={ "answer." (question.id) } value=(option)
                                            id={ "q-" (question.id) "-" (at) };
                                        " " (said(option))
                                    }
                                }
                                @if question.options.iter().any(|option| option == OTHER) {
                                    label { "Other "
                                        input type="text" name={ "answer." (question.id) (OTHER_SUFFIX) }
                                            id={ "q-" (question.id) "-other" };
                                    }
                                }
                            }
                        }
                    }
                    button { "Answer" }
                }
            }
        }
    }
}

/// Who holds what, with a way to take it back.
pub(super) fn claims(frame: &Frame<'_>, all: &[ClaimView]) -> Markup {
    html! {
        ul class="plain-list" {
            @for claim in all {
                li class="card" data-item tabindex="-1" {
                    a href=(frame.item(&claim.spec_id)) { (said(&claim.spec_id)) }
                    @if let Some(step) = &claim.step { ", step " (said(step)) }
                    p class="by" {
                        strong { (said(&claim.holder.principal)) }
                        @if let Some(branch) = &claim.holder.branch { " on " (said(branch)) }
                        " until " (moment(&claim.until)) " (claim " (claim.claim) ")"
                    }
                    @if let Some(note) = &claim.note { p { (said(note)) } }
                    @if frame.may_decide {
                        form class="inline" method="post" action=(frame.to("release")) {
                            (frame.form_fields(&format!("release-{}", claim.claim)))
                            input type="hidden" name="claim" value=(claim.claim);
                            button class="plain" {
                                "Release" span class="unseen" { " the claim of " (plain(&claim.holder.principal)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Where something stands in the code.
pub(super) fn places(all: &[PlaceView]) -> Markup {
    html! {
        @if all.is_empty() { span class="none" { "none" } }
        ul class="plain-list" {
            @for place in all {
                li { code { (plain(&place.path)) ":" (place.line) } @if let Some(name) = &place.name { " " (said(name)) } }
            }
        }
    }
}

/// What is wrong with documents.
pub(super) fn diagnostics(all: &[DiagnosticView]) -> Markup {
    html! {
        ul class="findings" {
            @for finding in all {
                li {
                    @match finding.severity {
                        Severity::Error => (badge("bad", "error")),
                        Severity::Warning => (badge("warn", "warning")),
                        Severity::Info => (badge("", "info")),
                    }
                    " " code { (plain(&finding.file)) @if let Some(line) = finding.line { ":" (line) } }
                    " " (told(&finding.message))
                    @if !finding.hint.is_empty() { p class="hint" { (told(&finding.hint)) } }
                }
            }
        }
    }
}

/// `3 errors, 1 warning`.
pub(super) fn totals(errors: usize, warnings: usize) -> String {
    format!("{}, {}", count(errors, "error", "errors"), count(warnings, "warning", "warnings"))
}
