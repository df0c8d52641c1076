//! What each part of the ranking is worth.

use std::fmt::Write as _;

use hewto_search::{Index, Query, Ranker, SearchError};

use super::measures::Measures;
use super::set::{Half, Set};
use super::{DEPTH, names};

/// Rankings that differ from what is shipped in one thing each; nothing is silenced.
pub(super) fn measure(index: &Index, set: &Set) -> Result<String, SearchError> {
    let shipped = Query { limit: DEPTH, threshold: Some(0.0), ..Query::new("") };
    let variants = [
        ("as shipped: tokens of the best hundred, parts of what is long, words 0.1", shipped.clone()),
        ("tokens of the best ten", Query { compared: 10, ..shipped.clone() }),
        ("no tokens", Query { compared: 0, ..shipped.clone() }),
        ("no parts", Query { passages: 1, ..shipped.clone() }),
        ("words 0.2", Query { words: 0.2, ..shipped.clone() }),
        ("words 0.05", Query { words: 0.05, ..shipped.clone() }),
        ("meaning only", Query { ranker: Ranker::Dense, ..shipped.clone() }),
        ("words only", Query { ranker: Ranker::Lexical, ..shipped }),
    ];
    let mut out =
        "\n| ranking, nothing silenced | tuned on: nDCG@10 | held out: nDCG@10 |\n|---|---|---|\n".to_owned();
    for (name, variant) in variants {
        let ask = |text: &str| -> Result<Vec<String>, SearchError> {
            Ok(names(&index.search(&Query { text, ..variant.clone() })?))
        };
        let mut rankings = Vec::new();
        for query in set.queries.iter().filter(|query| !query.grades.is_empty()) {
            rankings.push((query, ask(&query.text)?));
        }
        let cells = [Half::Tuned, Half::Held].map(|half| {
            let chosen = rankings.iter().filter(|(query, _)| query.half() == half);
            Measures::of(chosen.map(|(query, ranking)| (&query.grades, ranking.as_slice()))).ndcg
        });
        let _ = writeln!(out, "| {name} | {} | {} |", cells[0], cells[1]);
    }
    Ok(out)
}
