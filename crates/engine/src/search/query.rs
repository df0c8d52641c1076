//! Questions to the index: requirements for agents, anything for people.

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
}

/// `search_specs`: requirements, and heads of specs, that bear on a question.
pub fn search(ws: &Workspace, ctx: &Context, request: &SearchRequest) -> Result<SearchView> {
    #[expect(clippy::cast_possible_truncation, reason = "a score has four digits")]
    let threshold = request.threshold.map(|threshold| threshold as f32);
    let mut kinds = vec![EntryKind::Spec, EntryKind::Requirement];
    if request.include_archived == Some(true) {
        kinds.push(EntryKind::Change);
    }
    let query = Query {
        limit: request.limit.unwrap_or(DEFAULT_LIMIT),
        threshold,
        ranker: request.ranker,
        kinds,
        ..Query::new(&request.query)
    };
    let answer = ask(ws, ctx, &query)?;
    let results = within(answer.hits.into_iter().map(|hit| SearchHit {
        spec_id: match hit.document.kind {
            EntryKind::Change => format!("change:{}", hit.document.id),
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

/// `hewto search`: whatever bears on a question.
pub fn find(ws: &Workspace, ctx: &Context, request: &FindRequest) -> Result<FoundView> {
    let query = Query {
        limit: request.limit.unwrap_or(DEFAULT_LIMIT),
        kinds: request.kind.into_iter().collect(),
        ..Query::new(&request.query)
    };
    let answer = ask(ws, ctx, &query)?;
    let results = answer.hits.into_iter().map(found).collect();
    Ok(FoundView {
        results,
        confidence: f64::from(answer.confidence),
        mode: answer.mode,
        total: answer.total,
    })
}

fn ask(ws: &Workspace, ctx: &Context, query: &Query<'_>) -> Result<Answer> {
    ctx.check()?;
    text::required("query", query.text)?;
    let ask = || Current::open(ws, ctx)?.ask(ctx, query);
    let answered = match ask() {
        // It was torn or deleted under our hands and made anew; the second look fills it.
        Err(error) if error.is_about_the_index() && !ws.finder().refuses_without() => match ask() {
            Err(error) if error.is_about_the_index() => {
                let trouble = format!("no index: {}", error.full_message());
                match ws.finder().serve_from_memory(ws, ctx, &trouble)? {
                    Some(served) => Current { ws, served }.ask(ctx, query),
                    None => words::scan(ws, ctx, query, &format!("lexical ({trouble})")),
                }
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
