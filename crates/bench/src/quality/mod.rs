//! How well search finds what is meant: a labelled set, three rankers, the usual measures.
//!
//! The set is in `crates/bench/quality`: specs, and queries with the requirements that answer them. Queries are split
//! in two halves by a hash of their text; settings are tuned on one and reported on the other.

mod ablation;
mod context;
mod measures;
mod set;
mod silence;
mod wishes;

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use hewto_search::{Answer, Index, Model, Query, Ranker, bundled_model};

use measures::Measures;
use set::{Half, Labelled, Set, Style};
use silence::Sureness;

/// How deep a ranking is looked at.
const DEPTH: usize = 10;

/// Reads a set, measures it with a model, and tells of it in Markdown.
pub(crate) fn run(folder: &Path, model: Option<&Path>) -> Result<String, Box<dyn std::error::Error>> {
    let bundled = model.is_none();
    let model = match model {
        Some(path) => Arc::new(Model::from_file(path)?),
        None => bundled_model().ok_or("built without the model")?,
    };
    let set = Set::load(folder)?;
    let place = tempfile::tempdir()?;
    let index = Index::open(place.path(), Some(model))?;
    index.apply(set.documents.iter().cloned(), &[])?;
    index.embed_all(|_| true)?;
    let mut out = measure(&index, &set)?.to_table();
    out.push_str(&ablation::measure(&index, &set)?);
    out.push_str(&Sureness::ask(&index, &set)?.to_table());
    if bundled {
        out.push_str(&context::measure(folder, &set)?);
    }
    out.push_str(&wishes::table(folder)?);
    Ok(out)
}

/// Everything that was measured.
#[derive(Debug)]
struct Quality {
    requirements: usize,
    rows: Vec<Row>,
    unanswerable: Vec<Unanswered>,
}

/// One ranker on one half, all queries or those of one style.
#[derive(Debug)]
struct Row {
    ranker: Ranker,
    half: Half,
    style: Option<Style>,
    measures: Measures,
}

/// How often a query that nothing answers was answered all the same.
#[derive(Debug)]
struct Unanswered {
    ranker: Ranker,
    half: Half,
    answered: usize,
    asked: usize,
}

/// Asks every query, as anybody would.
fn measure(index: &Index, set: &Set) -> Result<Quality, Box<dyn std::error::Error>> {
    let mut quality =
        Quality { requirements: set.requirements(), rows: Vec::new(), unanswerable: Vec::new() };
    for ranker in [Ranker::Lexical, Ranker::Dense, Ranker::Fused] {
        let rankings = rankings(index, set, ranker)?;
        for half in [Half::Tuned, Half::Held] {
            for style in [None, Some(Style::Lexical), Some(Style::Paraphrase), Some(Style::Vague)] {
                let chosen = rankings.iter().filter(|(query, _)| {
                    query.half() == half
                        && !query.grades.is_empty()
                        && style.is_none_or(|style| style == query.style)
                });
                let measures =
                    Measures::of(chosen.map(|(query, ranking)| (&query.grades, ranking.as_slice())));
                quality.rows.push(Row { ranker, half, style, measures });
            }
            let nothing: Vec<bool> = rankings
                .iter()
                .filter(|(query, _)| query.half() == half && query.grades.is_empty())
                .map(|(_, ranking)| !ranking.is_empty())
                .collect();
            let answered = nothing.iter().filter(|answered| **answered).count();
            quality.unanswerable.push(Unanswered { ranker, half, answered, asked: nothing.len() });
        }
    }
    Ok(quality)
}

type Ranking<'s> = (&'s Labelled, Vec<String>);

fn rankings<'s>(
    index: &Index,
    set: &'s Set,
    ranker: Ranker,
) -> Result<Vec<Ranking<'s>>, hewto_search::SearchError> {
    let ask = |query: &'s Labelled| {
        let answer = index.search(&Query { ranker, limit: DEPTH, ..Query::new(&query.text) })?;
        Ok((query, names(&answer)))
    };
    set.queries.iter().map(ask).collect()
}

/// `spec#Requirement` of each hit.
fn names(answer: &Answer) -> Vec<String> {
    let name = |hit: &hewto_search::Hit| {
        format!("{}#{}", hit.document.id, hit.requirement.as_deref().unwrap_or_default())
    };
    answer.hits.iter().map(name).collect()
}

impl Quality {
    /// A table for people, in Markdown.
    fn to_table(&self) -> String {
        let mut out = format!(
            "{} requirements; each estimate with its 95 % bootstrap interval\n\n\
             | half | queries | ranker | n | nDCG@10 | MRR@10 | recall@5 |\n|---|---|---|---|---|---|---|\n",
            self.requirements
        );
        for row in &self.rows {
            let style = row.style.map_or("all", Style::as_str);
            let Measures { count, ndcg, mrr, recall } = &row.measures;
            let _ = writeln!(
                out,
                "| {} | {style} | {} | {count} | {ndcg} | {mrr} | {recall} |",
                row.half.as_str(),
                row.ranker.as_str()
            );
        }
        out.push_str("\n| half | ranker | unanswerable queries answered |\n|---|---|---|\n");
        for row in &self.unanswerable {
            let _ = writeln!(
                out,
                "| {} | {} | {} of {} |",
                row.half.as_str(),
                row.ranker.as_str(),
                row.answered,
                row.asked
            );
        }
        out
    }
}
