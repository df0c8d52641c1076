//! How sure an answer has to be: what a threshold silences, and what it costs.

use std::collections::HashMap;
use std::fmt::Write as _;

use hewto_search::{Index, Query, SearchError};

use super::measures::Measures;
use super::set::{Half, Labelled, Set};
use super::{DEPTH, names};

/// Every query with its ranking, were nothing silenced, and how sure the answer was.
pub(super) struct Sureness<'s> {
    answers: Vec<(&'s Labelled, Vec<String>, f32)>,
}

impl<'s> Sureness<'s> {
    pub(super) fn ask(index: &Index, set: &'s Set) -> Result<Self, SearchError> {
        let ask = |query: &'s Labelled| {
            let asked = Query { limit: DEPTH, threshold: Some(0.0), ..Query::new(&query.text) };
            let answer = index.search(&asked)?;
            Ok((query, names(&answer), answer.confidence))
        };
        Ok(Self { answers: set.queries.iter().map(ask).collect::<Result<_, SearchError>>()? })
    }

    /// A line for each threshold, the half for tuning beside the other.
    pub(super) fn to_table(&self) -> String {
        let mut out = "\n| least confidence | tuned on: silenced, nDCG@10, unanswerable answered | held out: the same |\n\
                       |---|---|---|\n"
            .to_owned();
        for step in 0..=16_u8 {
            let least = 0.09 + 0.02 * f32::from(step);
            let cells = [Half::Tuned, Half::Held].map(|half| self.at(half, least));
            let _ = writeln!(out, "| {least:.2} | {} | {} |", cells[0], cells[1]);
        }
        out
    }

    fn at(&self, half: Half, least: f32) -> String {
        let of_half = || self.answers.iter().filter(|(query, _, _)| query.half() == half);
        let answerable: Vec<(&HashMap<String, u32>, &[String], bool)> = of_half()
            .filter(|(query, _, _)| !query.grades.is_empty())
            .map(|(query, ranking, sure)| (&query.grades, ranking.as_slice(), *sure < least))
            .collect();
        let silenced = answerable.iter().filter(|(_, _, is_silent)| *is_silent).count();
        let empty: &[String] = &[];
        let shown = answerable
            .iter()
            .map(|(grades, ranking, is_silent)| (*grades, if *is_silent { empty } else { *ranking }));
        let measures = Measures::of(shown);
        let nothing: Vec<bool> = of_half()
            .filter(|(query, _, _)| query.grades.is_empty())
            .map(|(_, ranking, sure)| *sure >= least && !ranking.is_empty())
            .collect();
        let answered = nothing.iter().filter(|answered| **answered).count();
        format!(
            "{silenced} of {}, {:.3}, {answered} of {}",
            measures.count,
            measures.ndcg.mean,
            nothing.len()
        )
    }
}
