//! What only the hub knows, beside what a view holds: other views, overlaps across repositories, its own index, its calls.

use hewto_engine::view::{FoundHit, FoundView};
use hewto_http::Reply;
use hewto_http::hyper::StatusCode;
use hewto_web::Frame;
use hewto_web::pages;
use hewto_web::server::{Format, encoded, html as reply, json, moment, plain, said};
use maud::{Markup, html};

use super::Visit;
use crate::access::Role;
use crate::database::Sees;
use crate::error::Result;
use crate::overlap::{Overlap, OverlapQuery, overlaps};
use crate::search::Ask;

/// How many calls the page of operations tells of.
const CALLS: i64 = 200;

impl Visit<'_> {
    /// Which view this is, and which others have the item.
    pub(super) fn standing(&self) -> Markup {
        let others: Vec<_> =
            self.views.iter().filter(|view| view.id != self.view.id && view.has_item).take(20).collect();
        let rest = self.visitor.target.split('/').skip(3).collect::<Vec<_>>().join("/");
        let rest = rest.split('?').next().unwrap_or_default();
        html! {
            p class="strip" {
                "As in " strong { (said(&self.view.label)) }
                @if !others.is_empty() {
                    "; also in "
                    @for (at, view) in others.iter().enumerate() {
                        @if at > 0 { ", " }
                        a href={ "/w/" (encoded(&format!("{}@{}", self.repo.name, view.label))) "/" (rest) } { (said(&view.label)) }
                    }
                }
                " · " a href="/" { "All repositories" }
            }
        }
    }

    /// What overlaps beyond this view, in everything that they may see.
    pub(super) async fn across(&self, item: Option<&str>) -> Result<Markup> {
        let change = item.and_then(|item| item.strip_prefix("change:")).map(str::to_owned);
        if item.is_some() && change.is_none() {
            return Ok(html! {});
        }
        let query = OverlapQuery { repo: Some(self.repo.name.clone()), change };
        Ok(overlapping(&overlaps(&self.hub.database, self.visitor.access, &query).await?))
    }

    /// The index of this replica answers, as it does for the whole hub.
    pub(super) async fn found(&self, wanted: &str) -> Result<FoundView> {
        let ask = Ask {
            text: wanted.chars().take(1_000).collect(),
            repo: Some(self.repo.name.clone()),
            kinds: Vec::new(),
            limit: 50,
        };
        let answer = self.hub.finder.search(&self.hub.database, self.visitor.access, ask).await?;
        let results = answer.hits.into_iter().map(|hit| FoundHit {
            id: item_of(&hit.kind, &hit.id),
            kind: hit.kind,
            archived: false,
            spec_id: None,
            title: hit.title,
            requirement: hit.requirement,
            scenario: None,
            score: f64::from(hit.score),
            snippet: hit.snippet,
            highlights: Vec::new(),
        });
        let results: Vec<FoundHit> = results.collect();
        let confidence = results.first().map_or(0.0, |hit| hit.score);
        Ok(FoundView { results, confidence, mode: answer.mode, total: answer.total, archived_left_out: 0 })
    }

    /// What was called in this repository: everything for whoever looks after it, one's own for others.
    pub(super) async fn calls(&self, frame: &Frame<'_>) -> Result<Reply> {
        let access = self.visitor.access;
        let sees_all = self.repo.role == Role::Admin;
        let mut tx = self.hub.database.begin(Sees::These(&[self.repo.id])).await?;
        let rows: Vec<(String, String, String, String, String)> = sqlx::query_as(
            "SELECT to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"'), principal, op, outcome, detail FROM audit
             WHERE repo = $1 AND ($2 OR principal = $3) ORDER BY at DESC, id DESC LIMIT $4",
        )
        .bind(&self.repo.name)
        .bind(sees_all)
        .bind(&access.name)
        .bind(CALLS)
        .fetch_all(&mut *tx)
        .await?;
        drop(tx);
        if self.format == Format::Json {
            let line = |(at, principal, op, outcome, detail): &(String, String, String, String, String)| serde_json::json!({ "at": at, "principal": principal, "op": op, "outcome": outcome, "detail": detail });
            return Ok(json(
                StatusCode::OK,
                &serde_json::json!({ "calls": rows.iter().map(line).collect::<Vec<_>>() }),
            ));
        }
        let main = html! {
            div class="head" { h1 { "Operations" } p class="strip" { "Calls to the hub, the latest first" } }
            @if rows.is_empty() { p class="none" { "Nothing was called yet." } }
            ul class="plain-list" {
                @for (at, principal, op, outcome, detail) in &rows {
                    li class="card" {
                        (moment(at)) " " strong { (said(principal)) } " " code { (plain(op)) } " " (said(outcome))
                        @if !detail.is_empty() { p class="hint" { (said(detail)) } }
                    }
                }
            }
        };
        Ok(reply(StatusCode::OK, pages::page(frame, "Operations", &main)))
    }
}

/// Overlaps as a section of a page.
pub(crate) fn overlapping(all: &[Overlap]) -> Markup {
    html! {
        @if !all.is_empty() {
            section class="warning" id="region-across" data-region {
                h2 { "Overlaps across branches, work trees and repositories" }
                ul {
                    @for overlap in all.iter().take(100) {
                        li {
                            strong { (said(&overlap.capability)) " / " (said(&overlap.requirement)) }
                            ul {
                                @for one in &overlap.touched_by {
                                    li {
                                        (said(&one.repo)) " · "
                                        a href={ "/w/" (encoded(&one.repo)) "/change/" (encoded(&one.change)) } { (said(&one.change)) }
                                        " · " (plain(&one.kind)) " "
                                        @if let Some(owner) = &one.owner { (said(owner)) ": " }
                                        (said(&one.view))
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The item that a hit belongs to: the index names a delta by its change and its capability.
pub(crate) fn item_of(kind: &str, id: &str) -> String {
    let is_change = kind == "change" || id.starts_with("change:");
    match id.split_once('/') {
        Some((item, _)) if is_change => item.to_owned(),
        _ => id.to_owned(),
    }
}
