//! What is asked, and what is answered.

use std::sync::Arc;

use super::Shared;
use super::compare::{MOST_COMPARED, compare, read_closely};
use super::embedding::Progress;
use super::question::Question;
use super::state::State;
use super::weigh::weigh;
use crate::document::{DocumentKey, Kind};
use crate::error::SearchError;
use crate::rank::{self, Ranker};
use crate::snippet::Snippet;

/// What is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Query<'q> {
    pub text: &'q str,
    /// How many hits are wanted.
    pub limit: usize,
    /// How many of the best to leave out, for the pages after the first.
    pub skip: usize,
    /// Hits below this score are left out. If `None`, all hits count, unless none of them is likely to answer.
    pub threshold: Option<f32>,
    pub ranker: Ranker,
    /// Any kind if empty.
    pub kinds: Vec<Kind>,
    /// So many passages of each entry count, the whole of it first; for measuring what they are worth.
    pub passages: usize,
    /// So many of the best are compared token by token, and what a full match by words adds to the cosine; for measuring too.
    pub compared: usize,
    pub words: f32,
}

impl<'q> Query<'q> {
    pub fn new(text: &'q str) -> Self {
        Self {
            text,
            limit: 10,
            skip: 0,
            threshold: None,
            ranker: Ranker::default(),
            kinds: Vec::new(),
            passages: usize::MAX,
            compared: MOST_COMPARED,
            words: rank::WORDS,
        }
    }
}

/// What was found, best first.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    pub hits: Vec<Hit>,
    /// Who ranked, and why if it is not who was asked for: `fused`, `fused (roughly: embedding 312 of 1,204)`, `lexical (no model)`.
    pub mode: String,
    /// How many there are in all, up to some thousands.
    pub total: usize,
    /// How sure it is that the best answers the query, between 0 and 1.
    pub confidence: f32,
}

/// One entry that answers.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    pub document: DocumentKey,
    pub kind: Kind,
    pub title: String,
    /// `None` for the head of a document.
    pub requirement: Option<String>,
    /// The scenario that the snippet is taken from.
    pub scenario: Option<String>,
    /// A similarity between 0 and 1.
    pub score: f32,
    pub snippet: Snippet,
}

pub(super) fn answer(shared: &Arc<Shared>, query: &Query<'_>) -> Result<Answer, SearchError> {
    let question = Question::new(query);
    let mut weighed = weigh(shared, &question)?;
    compare(std::slice::from_mut(&mut weighed), &question);
    read_closely(&mut weighed, &question).map_err(|error| shared.folder.words_failed(error))?;
    let confidence = weighed.confidence();
    let mut weighed = weighed.or_silence(&question);
    let total = weighed.scored.len();
    let hits = weighed.page(query.skip, query.limit).map_err(|error| shared.folder.words_failed(error))?;
    Ok(Answer { hits, mode: weighed.mode, total, confidence })
}

/// Who can rank now, and how to say so.
pub(super) fn mode(shared: &Shared, state: &State, asked: Ranker) -> (Ranker, String) {
    let name = asked.as_str();
    if asked == Ranker::Lexical {
        return (asked, name.to_owned());
    }
    if shared.embedder.is_none() {
        return (Ranker::Lexical, "lexical (no model)".to_owned());
    }
    let Progress { done, total } = state.progress();
    let embedding = || {
        // What will rank first is what whoever asks is waiting for.
        let Progress { done, total } =
            state.rough_progress().filter(|_| !state.is_rough()).unwrap_or_else(|| state.progress());
        format!("embedding {} of {}", grouped(done), grouped(total))
    };
    if done == total {
        (asked, name.to_owned())
    } else if shared.failure().is_some() {
        (Ranker::Lexical, format!("lexical ({})", model_trouble(shared)))
    } else if state.is_rough() {
        (asked, format!("{name} (roughly: {})", embedding()))
    } else if state.rows().can_rank() {
        (asked, format!("{name} ({})", embedding()))
    } else {
        (Ranker::Lexical, format!("lexical ({})", embedding()))
    }
}

pub(super) fn model_trouble(shared: &Shared) -> String {
    shared.failure().map_or_else(|| "no model".to_owned(), |error| error.to_string())
}

/// 1204 as `1,204`.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (n, digit) in digits.chars().enumerate() {
        if n > 0 && (digits.len() - n).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_numbers_are_grouped() {
        for (number, text) in [(0, "0"), (312, "312"), (1_204, "1,204"), (1_234_567, "1,234,567")] {
            assert_eq!(grouped(number), text);
        }
    }
}
