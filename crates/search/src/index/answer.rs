//! One query, answered.

use std::collections::HashMap;

use tantivy::{DocAddress, TantivyError};

use super::Shared;
use super::embedding::Progress;
use super::state::State;
use crate::document::{DocumentKey, Kind};
use crate::error::SearchError;
use crate::lexical::{Asked, StoredEntry, WordMatch};
use crate::rank::{self, Evidence, Ranker, confidence, is_silence, score};
use crate::sense::without_repeats;
use crate::snippet::{Snippet, show};
use crate::vectors::Quantized;

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
    /// What a full match by words adds to the cosine; for measuring too.
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
            words: rank::WORDS,
        }
    }
}

/// What was found, best first.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    pub hits: Vec<Hit>,
    /// Who ranked, and why if it is not who was asked for: `fused`, `lexical (embedding 312 of 1,204)`.
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

/// So many entries are taken by meaning.
const MOST_ALIKE: usize = 1_000;
/// With more than this share of the vectors missing, meaning is left out: it would only find what it knows.
const MISSING_TENTHS: usize = 1;

pub(super) fn answer(shared: &Shared, query: &Query<'_>) -> Result<Answer, SearchError> {
    let text = without_repeats(query.text);
    let query = &Query { text: &text, ..query.clone() };
    let asked = Asked::parse(query.text);
    let (wanted, mode) = if let Some(mode) = asked.sense.mode() {
        (Ranker::Lexical, mode.to_owned())
    } else {
        let state = shared.current()?;
        mode(shared, &state, query.ranker)
    };
    if asked.sense.is_void() && query.threshold.is_none() {
        return Ok(Answer { hits: Vec::new(), mode, total: 0, confidence: 0.0 });
    }
    // Without the lock: this is the longest part, and the model needs no index.
    let (vector, mode) = match (wanted, query.text.trim()) {
        (Ranker::Lexical, _) | (_, "") => (None, mode),
        (_, text) => match embed(shared, text) {
            Some(vector) => (Some(vector), mode),
            None => (None, format!("lexical ({})", model_trouble(shared))),
        },
    };
    let ranker = if vector.is_some() { wanted } else { Ranker::Lexical };
    let state = shared.current()?;
    let asked = asked.settled(state.searcher(), state.lexical().fields());
    let found = asked.and_then(|asked| Search { state: &state, query, ranker, asked }.run(vector.as_ref()));
    let found = found.map_err(|error| shared.folder.words_failed(error))?;
    Ok(Answer { hits: found.hits, mode, total: found.total, confidence: found.confidence })
}

/// Who can rank now, and how to say so.
fn mode(shared: &Shared, state: &State, asked: Ranker) -> (Ranker, String) {
    let name = asked.as_str();
    if asked == Ranker::Lexical {
        return (asked, name.to_owned());
    }
    if shared.embedder.is_none() {
        return (Ranker::Lexical, "lexical (no model)".to_owned());
    }
    let Progress { done, total } = state.progress();
    let missing = total - done;
    if missing == 0 {
        (asked, name.to_owned())
    } else if shared.failure().is_some() {
        (Ranker::Lexical, format!("lexical ({})", model_trouble(shared)))
    } else if missing * 10 > total * MISSING_TENTHS {
        (Ranker::Lexical, format!("lexical (embedding {} of {})", grouped(done), grouped(total)))
    } else {
        (asked, format!("{name} (embedding {} of {})", grouped(done), grouped(total)))
    }
}

fn model_trouble(shared: &Shared) -> String {
    shared.failure().map_or_else(|| "no model".to_owned(), |error| error.to_string())
}

fn embed(shared: &Shared, text: &str) -> Option<Quantized> {
    match shared.embedder.as_ref()?.embed(&[text]) {
        Ok(vectors) => vectors.first().map(|vector| Quantized::of(vector)),
        Err(error) => {
            shared.set_failure(Some(error));
            None
        }
    }
}

struct Search<'s> {
    state: &'s State,
    query: &'s Query<'s>,
    ranker: Ranker,
    asked: Asked,
}

impl Search<'_> {
    fn run(&self, vector: Option<&Quantized>) -> Result<Found, TantivyError> {
        let view = self.state.view();
        let searcher = view.searcher();
        let lexical = self.state.lexical();
        let words = match self.ranker {
            Ranker::Dense => HashMap::new(),
            _ => self.asked.matches(searcher, lexical.fields(), &self.query.kinds)?,
        };
        let cosines = vector.map(|vector| {
            let Query { kinds, passages, .. } = self.query;
            self.state.rows().similarities(self.state.vectors(), vector, kinds, *passages)
        });
        let mut scored = self.scored(&words, cosines.unwrap_or_default());
        let best = scored.iter().map(|scored| scored.score).fold(0.0, f32::max);
        let confidence = confidence(best, self.asked.known(searcher, lexical.fields())?);
        if self.query.threshold.is_none() && is_silence(self.ranker, confidence) {
            return Ok(Found { hits: Vec::new(), total: 0, confidence });
        }
        let total = scored.len();
        let end = self.query.skip.saturating_add(self.query.limit).min(total);
        scored.sort_unstable_by(|a, b| b.score.total_cmp(&a.score));
        // Those that share the last score are all in the running for the last place.
        let last = scored.get(end.wrapping_sub(1)).map(|scored| scored.score);
        scored.retain(|scored| last.is_some_and(|last| scored.score >= last));
        let mut ordered = Vec::with_capacity(scored.len());
        for scored in scored {
            ordered.push((view.document_term(scored.address)?, scored));
        }
        ordered.sort_by(|(a_term, a), (b_term, b)| {
            b.score
                .total_cmp(&a.score)
                .then_with(|| a_term.cmp(b_term))
                // Entries of one document stand in its own order.
                .then_with(|| a.address.cmp(&b.address))
        });
        let page = ordered.iter().take(end).skip(self.query.skip);
        let mut hits = Vec::with_capacity(self.query.limit.min(total));
        for (_, scored) in page {
            let entry = lexical.fields().stored(searcher, scored.address)?;
            hits.extend(entry.and_then(|entry| self.hit(scored, entry)));
        }
        Ok(Found { hits, total, confidence })
    }

    /// Everything that either ranker found and that reaches the threshold.
    fn scored(
        &self,
        words: &HashMap<DocAddress, WordMatch>,
        mut cosines: Vec<(DocAddress, f32)>,
    ) -> Vec<Scored> {
        let threshold = self.query.threshold.unwrap_or_else(|| self.ranker.threshold());
        let mut evidence: HashMap<DocAddress, (Option<f32>, WordMatch)> =
            words.iter().map(|(address, word)| (*address, (None, *word))).collect();
        for (address, (cosine, _)) in &mut evidence {
            // They come in the order of their addresses.
            let place = cosines.binary_search_by_key(address, |(address, _)| *address);
            *cosine = place.ok().map(|place| cosines[place].1);
        }
        if cosines.len() > MOST_ALIKE {
            cosines.select_nth_unstable_by(MOST_ALIKE, |a, b| b.1.total_cmp(&a.1));
            cosines.truncate(MOST_ALIKE);
        }
        for (address, cosine) in cosines {
            evidence.entry(address).or_insert((Some(cosine), WordMatch::default()));
        }
        let weigh = |(address, (cosine, words)): (DocAddress, (Option<f32>, WordMatch))| {
            let (kind, role) = self.state.rows().kind(address)?;
            let score = score(self.ranker, Evidence { role, cosine, words }, self.query.words)?;
            (score >= threshold).then_some(Scored { address, kind, score })
        };
        evidence.into_iter().filter_map(weigh).collect()
    }

    fn hit(&self, scored: &Scored, entry: StoredEntry) -> Option<Hit> {
        let shown = show(&entry, &self.asked.words);
        Some(Hit {
            document: DocumentKey::from_term(&entry.document)?,
            kind: scored.kind,
            title: entry.title,
            requirement: entry.requirement,
            scenario: shown.scenario,
            score: scored.score,
            snippet: shown.snippet,
        })
    }
}

/// What a search came to.
struct Found {
    hits: Vec<Hit>,
    total: usize,
    confidence: f32,
}

struct Scored {
    address: DocAddress,
    kind: Kind,
    score: f32,
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
