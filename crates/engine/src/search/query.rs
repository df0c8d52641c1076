//! Questions to the index: requirements for agents, anything for people.

use std::sync::Arc;

use hewto_core::page::Room;
use hewto_search::{Answer, Hit, Index, Kind as EntryKind, Query, Ranker, SearchError};
use hewto_store::Context;

use super::finder::{Absent, Refreshed};
use super::words;
use crate::error::{Key, Result};
use crate::page::{DEFAULT_MAX_CHARS, ENVELOPE_CHARS};
use crate::text;
use crate::view::{FoundHit, FoundView, SearchHit, SearchView};
use crate::workspace::Workspace;

/// So many results unless somebody asks for more or fewer.
const DEFAULT_LIMIT: usize = 10;

/// A workspace with no more specs than these gets its index within the first question.
const FEW_SPECS: usize = 300;

/// What is looked for in specs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SearchRequest {
    pub query: String,
    pub limit: Option<usize>,
    pub threshold: Option<f64>,
    pub ranker: Ranker,
}

/// What is looked for anywhere.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FindRequest {
    pub query: String,
    pub limit: Option<usize>,
    /// Any kind if absent.
    pub kind: Option<EntryKind>,
}

/// `search_specs`: requirements, and heads of specs, that bear on a question. Refuses without an index.
pub fn search(ws: &Workspace, ctx: &Context, request: &SearchRequest) -> Result<SearchView> {
    #[expect(clippy::cast_possible_truncation, reason = "a score has four digits")]
    let threshold = request.threshold.map(|threshold| threshold as f32);
    let query = Query {
        limit: request.limit.unwrap_or(DEFAULT_LIMIT),
        threshold,
        ranker: request.ranker,
        kinds: vec![EntryKind::Spec, EntryKind::Requirement],
        ..Query::new(&request.query)
    };
    let answer = ask(ws, ctx, &query)?;
    let results = within(answer.hits.into_iter().map(|hit| SearchHit {
        spec_id: hit.document.id,
        requirement: hit.requirement,
        scenario: hit.scenario,
        score: f64::from(hit.score),
        snippet: hit.snippet.text,
    }));
    Ok(SearchView { results, mode: answer.mode, total: answer.total })
}

/// `hewto search`: whatever bears on a question.
pub fn find(ws: &Workspace, ctx: &Context, request: &FindRequest) -> Result<FoundView> {
    let query = Query {
        limit: request.limit.unwrap_or(DEFAULT_LIMIT),
        kinds: request.kind.into_iter().collect(),
        ..Query::new(&request.query)
    };
    let answer = match ask(ws, ctx, &query) {
        Err(error) if error.key == Key::IndexMissing => {
            // A small workspace gets its index within the call; a large one is searched as it stands.
            if ws.store().snapshot(ctx)?.specs.len() > FEW_SPECS {
                return words::find(ws, ctx, request, query.limit);
            }
            match Current::open(ws, ctx, Absent::Made).and_then(|current| current.ask(ctx, &query)) {
                Ok(answer) => answer,
                Err(error) if matches!(error.key, Key::IndexMissing | Key::IndexBusy | Key::IndexFailed) => {
                    return words::find(ws, ctx, request, query.limit);
                }
                Err(error) => return Err(error),
            }
        }
        answered => answered?,
    };
    let results = answer.hits.into_iter().map(found).collect();
    Ok(FoundView { results, mode: answer.mode, total: answer.total })
}

fn ask(ws: &Workspace, ctx: &Context, query: &Query<'_>) -> Result<Answer> {
    ctx.check()?;
    text::required("query", query.text)?;
    let ask = || Current::open(ws, ctx, Absent::Refused)?.ask(ctx, query);
    match ask() {
        // It was torn under our hands and made anew; the second look fills it.
        Err(error) if error.key == Key::IndexFailed => ask(),
        answered => answered,
    }
}

/// The index, as current as it can be.
#[derive(Debug)]
pub(super) struct Current {
    index: Arc<Index>,
    /// Why it is not.
    trouble: Option<String>,
}

impl Current {
    pub(super) fn open(ws: &Workspace, ctx: &Context, absent: Absent) -> Result<Self> {
        let Refreshed { index, outcome } = ws.finder().refresh(ws, ctx, absent)?;
        let trouble = match outcome {
            Ok(_) => catch_up(&index)?,
            Err(error) if matches!(error.key, Key::IndexBusy | Key::IndexFailed) => {
                Some(error.full_message())
            }
            Err(error) => return Err(error),
        };
        Ok(Self { index, trouble })
    }

    /// What keeps the index from being written is told in the mode of the answer.
    pub(super) fn ask(&self, ctx: &Context, query: &Query<'_>) -> Result<Answer> {
        ctx.check()?;
        let mut answer = self.index.search(query)?;
        if let Some(trouble) = &self.trouble {
            answer.mode = format!("{} (not current: {trouble})", answer.mode);
        }
        Ok(answer)
    }
}

/// Makes missing vectors, or says why they cannot be kept.
fn catch_up(index: &Index) -> Result<Option<String>> {
    match index.catch_up() {
        // The answer itself tells when there is no model.
        Ok(_) | Err(SearchError::Model(_)) => Ok(None),
        Err(error @ SearchError::Missing { .. }) => Err(error.into()),
        Err(error) => Ok(Some(crate::Error::from(error).full_message())),
    }
}

fn found(hit: Hit) -> FoundHit {
    let of_spec = matches!(hit.document.kind, EntryKind::Spec);
    FoundHit {
        kind: hit.kind.to_string(),
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
