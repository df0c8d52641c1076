//! Questions to the index: requirements for agents, anything for people.

use std::collections::HashSet;

use hewto_core::page::Room;
use hewto_core::schema::{one_of, unstated};
use hewto_search::{Answer, Hit, Kind as EntryKind, Query, Ranker};
use hewto_store::Context;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;

use super::served::Served;
use super::words;
use crate::error::{Key, Result};
use crate::page::{DEFAULT_MAX_CHARS, ENVELOPE_CHARS};
use crate::text;
use crate::view::{FoundHit, FoundView, SearchHit, SearchView};
use crate::workspace::Workspace;

/// So many results unless somebody asks for more or fewer.
const DEFAULT_LIMIT: usize = 10;

/// What is looked for in specs.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SearchRequest {
    pub query: String,
    /// Default 10
    #[schemars(range(min = 1, max = 100))]
    pub limit: Option<usize>,
    /// Least score
    #[schemars(range(min = 0.0, max = 1.0))]
    pub threshold: Option<f64>,
    /// Default fused
    #[serde(default, rename = "mode")]
    #[schemars(schema_with = "modes", skip_serializing_if = "unstated")]
    pub ranker: Ranker,
    // Changes too, open and archived.
    #[schemars(extend("x-beyond" = true))]
    pub include_archived: Option<bool>,
}

fn modes(_: &mut SchemaGenerator) -> Schema {
    one_of(Ranker::ALL.map(Ranker::as_str))
}

/// What is looked for anywhere.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FindRequest {
    pub query: String,
    pub limit: Option<usize>,
    /// Any kind if absent.
    pub kind: Option<EntryKind>,
    /// Archived changes too: as many again, behind what holds now.
    pub archived: bool,
}

/// `search_specs`: requirements, and heads of specs, that bear on a question.
pub fn search(ws: &Workspace, ctx: &Context, request: &SearchRequest) -> Result<SearchView> {
    #[expect(clippy::cast_possible_truncation, reason = "a score has four digits")]
    let threshold = request.threshold.map(|threshold| threshold as f32);
    let mut kinds = vec![EntryKind::Spec, EntryKind::Requirement];
    if request.include_archived == Some(true) {
        kinds.extend([EntryKind::Change, EntryKind::Archived]);
    }
    let query = Query {
        limit: request.limit.unwrap_or(DEFAULT_LIMIT),
        threshold,
        ranker: request.ranker,
        kinds,
        ..Query::new(&request.query)
    };
    let answer = ask(ws, ctx, query.text, |current| current.ask(ctx, &query))?;
    let results = within(answer.hits.into_iter().map(|hit| SearchHit {
        archived: is_archived(&hit),
        spec_id: match hit.document.kind {
            EntryKind::Change | EntryKind::Archived => format!("change:{}", hit.document.id),
            _ => hit.document.id,
        },
        requirement: hit.requirement,
        scenario: hit.scenario,
        score: f64::from(hit.score),
        snippet: hit.snippet.text,
    }));
    Ok(SearchView {
        results,
        confidence: f64::from(answer.confidence),
        mode: answer.mode,
        total: answer.total,
    })
}

/// `hewto search`: whatever bears on a question. What was archived stands behind what holds now, however near it comes.
pub fn find(ws: &Workspace, ctx: &Context, request: &FindRequest) -> Result<FoundView> {
    let limit = request.limit.unwrap_or(DEFAULT_LIMIT);
    let now = Query {
        limit,
        kinds: request.kind.map_or_else(kinds_of_now, |kind| vec![kind]),
        ..Query::new(&request.query)
    };
    let before = Query { kinds: vec![EntryKind::Archived], ..now.clone() };
    let (now, before) = ask(ws, ctx, now.text, |current| {
        // Only changes are archived. Where no index answers, all documents would be read again for a count.
        let bears = matches!(request.kind, None | Some(EntryKind::Change))
            && (request.archived || current.has_an_index())
            && !ws.store().archived_folders(ctx)?.is_empty();
        let now = current.ask(ctx, &now)?;
        Ok((now, if bears { Some(current.ask(ctx, &before)?) } else { None }))
    })?;
    let archived_left_out = match &before {
        Some(before) if !request.archived => changes_among_the_best(&now, before, limit),
        _ => 0,
    };
    let mut view = FoundView {
        results: now.hits.into_iter().map(found).collect(),
        confidence: f64::from(now.confidence),
        mode: now.mode,
        total: now.total,
        archived_left_out,
    };
    if let Some(before) = before.filter(|_| request.archived) {
        if view.results.is_empty() {
            view.confidence = f64::from(before.confidence);
        }
        view.total += before.total;
        view.results.extend(before.hits.into_iter().map(found));
    }
    Ok(view)
}

fn kinds_of_now() -> Vec<EntryKind> {
    EntryKind::ALL.into_iter().filter(|kind| *kind != EntryKind::Archived).collect()
}

fn is_archived(hit: &Hit) -> bool {
    hit.document.kind == EntryKind::Archived
}

/// How many archived changes would stand among so many of the best, were they ranked with what holds now.
fn changes_among_the_best(now: &Answer, before: &Answer, limit: usize) -> usize {
    let mut best: Vec<&Hit> = now.hits.iter().chain(&before.hits).collect();
    best.sort_by(|a, b| b.score.total_cmp(&a.score));
    let archived = best.into_iter().take(limit).filter(|hit| is_archived(hit));
    archived.map(|hit| &hit.document.id).collect::<HashSet<_>>().len()
}

/// Puts a question, and again where the index was torn or deleted under our hands.
fn ask<T>(ws: &Workspace, ctx: &Context, text: &str, put: impl Fn(&Current<'_>) -> Result<T>) -> Result<T> {
    ctx.check()?;
    text::required("query", text)?;
    let ask = || put(&Current::open(ws, ctx)?);
    let answered = match ask() {
        // It was made anew; the second look fills it.
        Err(error) if error.is_about_the_index() && !ws.finder().refuses_without() => match ask() {
            Err(error) if error.is_about_the_index() => {
                let trouble = format!("no index: {}", error.full_message());
                let served = ws.finder().serve_from_memory(ws, ctx, &trouble)?;
                let words = || Served::Words { mode: format!("lexical ({trouble})") };
                put(&Current { ws, served: served.unwrap_or_else(words) })
            }
            answered => answered,
        },
        Err(error) if error.key == Key::IndexFailed => ask(),
        answered => answered,
    };
    ws.finder().look_ahead(ws);
    answered
}

/// What answers questions at the moment.
#[derive(Debug)]
pub(super) struct Current<'w> {
    ws: &'w Workspace,
    served: Served,
}

impl<'w> Current<'w> {
    pub(super) fn open(ws: &'w Workspace, ctx: &Context) -> Result<Self> {
        Ok(Self { ws, served: ws.finder().serve(ws, ctx)? })
    }

    fn has_an_index(&self) -> bool {
        matches!(self.served, Served::Index { .. })
    }

    /// What keeps the index from being as it should is told in the mode of the answer.
    pub(super) fn ask(&self, ctx: &Context, query: &Query<'_>) -> Result<Answer> {
        ctx.check()?;
        match &self.served {
            Served::Words { mode } => words::scan(self.ws, ctx, query, mode),
            Served::Index { index, trouble } => {
                let mut answer = index.search(query)?;
                if let Some(trouble) = trouble {
                    answer.mode = format!("{} ({trouble})", answer.mode);
                }
                Ok(answer)
            }
        }
    }
}

fn found(hit: Hit) -> FoundHit {
    let of_spec = matches!(hit.document.kind, EntryKind::Spec);
    let archived = is_archived(&hit);
    FoundHit {
        kind: if archived { EntryKind::Change } else { hit.kind }.to_string(),
        archived,
        spec_id: of_spec.then(|| hit.document.id.clone()),
        id: hit.document.id,
        title: hit.title,
        requirement: hit.requirement,
        scenario: hit.scenario,
        score: f64::from(hit.score),
        highlights: hit.snippet.highlights.iter().map(|range| [range.start, range.end]).collect(),
        snippet: hit.snippet.text,
    }
}

/// As many of the best as a reply may hold.
fn within(hits: impl Iterator<Item = SearchHit>) -> Vec<SearchHit> {
    let mut room = Room::strict(DEFAULT_MAX_CHARS - ENVELOPE_CHARS);
    hits.take_while(|hit| room.takes(hit)).collect()
}
