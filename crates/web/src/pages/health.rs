//! Whether everything is sound: findings by rule, what the doctor says, the index.

use std::collections::BTreeMap;

use hewto_engine::doctor::Status;
use hewto_engine::view::{DiagnosticView, HealthPage};
use maud::{Markup, html};

use super::parts::{diagnostics, totals};
use crate::address::encoded;
use crate::frame::Frame;
use crate::text::{badge, count, grouped, plain, said, told};

/// So many findings of a rule are shown before the rest is asked for.
const OF_A_RULE: usize = 20;

/// The whole examination.
pub fn health(frame: &Frame<'_>, view: &HealthPage, rule: Option<&str>) -> Markup {
    html! {
        div class="head" {
            h1 { "Health" }
            p class="strip" id="region-summary" data-region {
                @match &view.report {
                    Some(report) => {
                        (badge(if report.valid { "good" } else { "bad" }, if report.valid { "valid" } else { "not valid" }))
                        " " (totals(report.summary.errors, report.summary.warnings)) ", "
                        (count(report.summary.specs, "spec", "specs")) " checked"
                    }
                    None => "checking the documents…",
                }
            }
        }
        div class="two" id="columns" {
            div class="wide" {
                section id="region-findings" data-region {
                    h2 { "Findings by rule" }
                    @match &view.report {
                        Some(report) => (findings(frame, &report.issues, rule)),
                        None => {
                            p class="none" { "The documents are being checked. What is found appears here by itself." }
                            noscript { p class="hint" { a href=(frame.here) { "Look again" } } }
                        }
                    }
                }
            }
            aside class="narrow" {
                section class="panel" id="region-doctor" data-region {
                    h2 { "Doctor" }
                    ul class="findings" {
                        @for finding in &view.doctor.findings {
                            li {
                                @match finding.status {
                                    Status::Ok => (badge("good", "ok")),
                                    Status::Warning => (badge("warn", "warning")),
                                    Status::Error => (badge("bad", "error")),
                                }
                                " " strong { (plain(&finding.check)) } ": " (told(&finding.message))
                                @if let Some(fix) = &finding.fix { p class="hint" { (told(fix)) } }
                            }
                        }
                    }
                }
                @if let Some(index) = &view.index {
                    section class="panel" id="region-index" data-region {
                        h2 { "Search index" }
                        dl {
                            dt { "Documents" } dd { (index.documents) }
                            dt { "Entries" } dd { (index.entries) }
                            dt { "By meaning" } dd { (index.embedded) " of " (index.passages) }
                            dt { "Model" } dd { (said(&index.model)) }
                            dt { "On disk" } dd { (index.bytes / 1024) " KiB" }
                        }
                        @if !index.exists { p class="hint" { "There is none yet: " code { "hewto index build" } } }
                    }
                }
            }
        }
    }
}

fn findings(frame: &Frame<'_>, all: &[DiagnosticView], rule: Option<&str>) -> Markup {
    let mut rules: BTreeMap<&str, Vec<&DiagnosticView>> = BTreeMap::new();
    for issue in all {
        rules.entry(&issue.code).or_default().push(issue);
    }
    html! {
        @if rules.is_empty() { p class="none" { "Nothing is wrong. " code { "hewto validate" } " says the same." } }
        @if let Some(wanted) = rule {
            @if !rules.contains_key(wanted) { p class="none" { "Nothing breaks the rule " code { (plain(wanted)) } "." } }
            p { a href=(frame.to("health")) { "All rules" } }
        }
        @for (code, issues) in &rules {
            @if rule.is_none_or(|wanted| wanted == *code) {
                section class="panel" data-item tabindex="-1" {
                    h3 { code { (code) } " " span class="count" { (grouped(issues.len())) } }
                    @let most = if rule.is_some() { usize::MAX } else { OF_A_RULE };
                    @let shown: Vec<DiagnosticView> = issues.iter().take(most).map(|issue| (*issue).clone()).collect();
                    (diagnostics(&shown))
                    @if issues.len() > shown.len() {
                        p { a href=(frame.to(&format!("health?rule={}", encoded(code)))) { (count(issues.len() - shown.len(), "more", "more")) } }
                    }
                }
            }
        }
    }
}
