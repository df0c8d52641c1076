//! One question, put to the entries of an index: each is weighed, and read out only if it is shown.

use std::sync::Arc;

use tantivy::{DocAddress, TantivyError};

use super::Shared;
use super::answer::{Hit, Query, mode, model_trouble};
use super::by_words::ByWords;
use super::question::{Question, embed};
use super::state::State;
use crate::document::{DocumentKey, Kind};
use crate::error::SearchError;
use crate::lexical::{Lexical, StoredEntry, View, WordMatch};
use crate::model::Embedder;
use crate::rank::{Closely, Evidence, Meaning, Nearness, Ranker, confidence, is_silence, score};
use crate::rows::Similarities;
use crate::snippet::show;
use crate::vectors::{Place, Quantized, TokenStore};

/// How answers say that they are what comes near instead.
const NOWHERE_QUOTED: &str = "what stands in quotes is nowhere as it stands";

/// What one index has to say to a question: its entries weighed, none of them read out yet.
#[derive(Debug)]
pub struct Weighed {
    shared: Arc<Shared>,
    view: Arc<View>,
    lexical: Arc<Lexical>,
    /// The stems of the question's words, but for small ones.
    words: Vec<String>,
    pub(super) scored: Vec<Scored>,
    pub(super) mode: String,
    /// Who ranked.
    pub(super) ranker: Ranker,
    /// Whether what was weighed holds what stands in quotes in the question, and nothing else is here.
    pub(super) is_quoted: bool,
    /// The share of them that occur anywhere.
    pub(super) known: f32,
    /// What a closer look at the best changes in the confidence.
    pub(super) closely: Closely,
    /// The tokens of what the index holds.
    pub(super) tokens: TokenStore,
}

/// One of the best entries, as it is looked at closely.
#[derive(Debug)]
pub(super) struct Best {
    /// What it says, in short.
    pub(super) text: String,
    /// Its parts, where these were not compared with the question before.
    pub(super) parts: Vec<String>,
    pub(super) meaning: Option<Meaning>,
}

/// Weighs everything that an index holds, likely to answer or not.
pub(super) fn weigh(shared: &Arc<Shared>, question: &Question<'_>) -> Result<Weighed, SearchError> {
    let Question { query, text, asked, meaning: known } = question;
    let mut state = shared.to_be_asked()?;
    let who = |state: &State| match asked.sense.mode() {
        Some(mode) => (Ranker::Lexical, mode.to_owned()),
        None => mode(shared, state, query.ranker),
    };
    let (mut wanted, mut mode) = who(&state);
    if asked.sense.is_void() && query.threshold.is_none() {
        return Ok(Weighed::nothing(shared, &state, mode));
    }
    let text = text.trim();
    let mut by_meaning = wanted != Ranker::Lexical && !text.is_empty();
    let find = |view: &View, lexical: &Lexical| {
        ByWords::find(asked, view, lexical, &query.kinds).map_err(|error| shared.folder.words_failed(error))
    };
    let mut found = None;
    if by_meaning && known.get().is_none() {
        // Without the lock: this is the longest part, and the model needs no index.
        let (view, lexical) = (state.view(), state.lexical());
        drop(state);
        let embed = || known.get_or_init(|| embed(shared, text)).is_some();
        let (_, by_words) = hewto_parallel::join(embed, || find(&view, &lexical));
        state = shared.to_be_asked()?;
        // What was committed meanwhile is looked up anew, and who could rank before may not be able to now.
        found = Arc::ptr_eq(&view, &state.view()).then_some(by_words);
        (wanted, mode) = who(&state);
        by_meaning = wanted != Ranker::Lexical;
    }
    let vector = known.get().and_then(Option::as_ref).filter(|_| by_meaning).map(|meaning| &meaning.vector);
    let mode =
        if by_meaning && vector.is_none() { format!("lexical ({})", model_trouble(shared)) } else { mode };
    let ranker = if vector.is_some() { wanted } else { Ranker::Lexical };
    let found = found.unwrap_or_else(|| find(&state.view(), &state.lexical()))?;
    let tells_tokens = shared.embedder.as_ref().is_some_and(|embedder| embedder.has_tokens());
    let unseen = if tells_tokens { Nearness::Guessed } else { Nearness::Untold };
    let search = Search { state: &state, query, ranker, unseen };
    let mut scored = search.run(vector, &found);
    let quotes = if ranker == Ranker::Dense { 0 } else { asked.quotes() };
    let holds_quotes = |scored: &Scored| scored.evidence.words.quotes == quotes;
    let is_quoted = quotes > 0 && scored.iter().any(holds_quotes);
    let mode = if quotes > 0 && !is_quoted { format!("{mode} ({NOWHERE_QUOTED})") } else { mode };
    if is_quoted {
        scored.retain(holds_quotes);
    }
    let ByWords { words, known, .. } = found;
    Ok(Weighed { words, scored, ranker, is_quoted, known, ..Weighed::nothing(shared, &state, mode) })
}

impl Weighed {
    fn nothing(shared: &Arc<Shared>, state: &State, mode: String) -> Self {
        Self {
            shared: Arc::clone(shared),
            view: state.view(),
            lexical: state.lexical(),
            words: Vec::new(),
            scored: Vec::new(),
            mode,
            ranker: Ranker::Lexical,
            is_quoted: false,
            known: 0.0,
            closely: Closely::default(),
            tokens: state.tokens(),
        }
    }

    pub(super) fn embedder(&self) -> Option<Arc<dyn Embedder>> {
        self.shared.embedder.clone()
    }

    /// How sure it is that the best answers.
    pub(super) fn confidence(&self) -> f32 {
        let best = self.scored.iter().map(|scored| scored.score).fold(0.0, f32::max);
        confidence(best, self.closely)
    }

    /// Nothing at all where nothing is likely to answer; what is under the threshold of a question that insists.
    pub(super) fn or_silence(mut self, question: &Question<'_>) -> Self {
        match question.query.threshold {
            None if is_silence(self.ranker, self.confidence()) => self.scored.clear(),
            None => {}
            Some(threshold) => self.scored.retain(|scored| scored.score >= threshold),
        }
        self
    }

    /// The best entries, best first.
    pub(super) fn best(&self, count: usize, parts: usize) -> Result<Vec<Best>, TantivyError> {
        let mut best: Vec<&Scored> = self.scored.iter().collect();
        best.sort_by(|a, b| b.score.total_cmp(&a.score));
        let mut found = Vec::with_capacity(count);
        for scored in best.into_iter().take(count) {
            let entry = self.lexical.fields().stored(self.view.searcher(), scored.address)?;
            found.extend(entry.map(|entry| {
                let (text, parts) = entry.closely(scored.kind, parts);
                Best { text, parts, meaning: scored.evidence.meaning }
            }));
        }
        Ok(found)
    }

    /// Who ranked: as [`Answer::mode`](crate::Answer::mode).
    pub fn mode(&self) -> &str {
        &self.mode
    }

    /// How many entries answer.
    pub fn total(&self) -> usize {
        self.scored.len()
    }

    pub(super) fn page(&mut self, skip: usize, limit: usize) -> Result<Vec<Hit>, TantivyError> {
        let end = skip.saturating_add(limit).min(self.scored.len());
        self.scored.sort_unstable_by(|a, b| b.score.total_cmp(&a.score));
        // Those that share the last score are all in the running for the last place.
        let last = self.scored.get(end.wrapping_sub(1)).map(|scored| scored.score);
        self.scored.retain(|scored| last.is_some_and(|last| scored.score >= last));
        let ordered = self.ordered(&self.scored)?;
        let page = ordered.into_iter().take(end).skip(skip);
        let hits = page.filter_map(|scored| self.hit(scored).transpose());
        hits.collect()
    }

    /// The same entries, best first, those of one score by the names of their documents.
    fn ordered<'s>(&self, scored: &'s [Scored]) -> Result<Vec<&'s Scored>, TantivyError> {
        let mut ordered = Vec::with_capacity(scored.len());
        for scored in scored {
            ordered.push((self.view.document_term(scored.address)?, scored));
        }
        ordered.sort_by(|(a_term, a), (b_term, b)| {
            b.score
                .total_cmp(&a.score)
                .then_with(|| a_term.cmp(b_term))
                // Entries of one document stand in its own order.
                .then_with(|| a.address.cmp(&b.address))
        });
        Ok(ordered.into_iter().map(|(_, scored)| scored).collect())
    }

    /// As `ordered`, for whoever asks several indexes.
    pub(super) fn in_order<'s>(&self, scored: &'s [Scored]) -> Result<Vec<&'s Scored>, SearchError> {
        self.ordered(scored).map_err(|error| self.shared.folder.words_failed(error))
    }

    /// What an entry says, as far as it is shown.
    pub(super) fn read(&self, scored: &Scored) -> Result<Option<Hit>, SearchError> {
        self.hit(scored).map_err(|error| self.shared.folder.words_failed(error))
    }

    fn hit(&self, scored: &Scored) -> Result<Option<Hit>, TantivyError> {
        let entry = self.lexical.fields().stored(self.view.searcher(), scored.address)?;
        Ok(entry.and_then(|entry| hit(scored, entry, &self.words)))
    }
}

struct Search<'s> {
    state: &'s State,
    query: &'s Query<'s>,
    ranker: Ranker,
    /// What is known of tokens that nobody has looked at.
    unseen: Nearness,
}

impl Search<'_> {
    /// What either ranker found.
    fn run(&self, vector: Option<&Quantized>, found: &ByWords) -> Vec<Scored> {
        let words = if self.ranker == Ranker::Dense { &[][..] } else { &found.matches };
        let near = vector.map(|vector| {
            let Query { kinds, passages, .. } = self.query;
            self.state.ranking().similarities(self.state.vectors(), vector, kinds, *passages)
        });
        self.scored(words, &near.unwrap_or_default())
    }

    /// Both come in the order of their addresses, and are joined in one walk.
    fn scored(&self, words: &[(DocAddress, WordMatch)], near: &Similarities) -> Vec<Scored> {
        let mut scored = Vec::with_capacity(words.len() + near.nearest.len());
        let mut nearest = near.nearest.iter().peekable();
        for (address, word) in words {
            while let Some((other, cosine)) = nearest.next_if(|(other, _)| other < address) {
                scored.extend(self.weigh(*other, Some(*cosine), WordMatch::default()));
            }
            nearest.next_if(|(other, _)| other == address);
            scored.extend(self.weigh(*address, near.of(*address), *word));
        }
        scored.extend(
            nearest.filter_map(|(address, cosine)| self.weigh(*address, Some(*cosine), WordMatch::default())),
        );
        scored
    }

    fn weigh(&self, address: DocAddress, cosine: Option<f32>, words: WordMatch) -> Option<Scored> {
        // A threshold of the question's own counts once all have been compared.
        let least = if self.query.threshold.is_some() { 0.0 } else { self.ranker.threshold() };
        let (kind, role) = self.state.rows().kind(address)?;
        let meaning = cosine.map(|cosine| Meaning { cosine, tokens: self.unseen });
        let evidence = Evidence { role, meaning, words };
        let score = score(self.ranker, evidence, self.query.words)?;
        let tokens = cosine.map_or(Place::NOWHERE, |_| self.state.tokens_of(address));
        (score >= least).then_some(Scored { address, kind, score, evidence, tokens })
    }
}

fn hit(scored: &Scored, entry: StoredEntry, words: &[String]) -> Option<Hit> {
    let shown = show(&entry, words);
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

#[derive(Debug, Clone)]
pub(super) struct Scored {
    address: DocAddress,
    kind: Kind,
    pub(super) score: f32,
    evidence: Evidence,
    /// Where its tokens lie.
    pub(super) tokens: Place,
}

impl Scored {
    /// Scores it anew, now that somebody has looked at its tokens.
    pub(super) fn compared(&mut self, near: f32, ranker: Ranker, words: f32) {
        if let Some(meaning) = &mut self.evidence.meaning {
            meaning.tokens = Nearness::Known(near);
        }
        self.score = score(ranker, self.evidence, words).unwrap_or(self.score);
    }
}
