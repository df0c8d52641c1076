//! One question, put to the entries of an index: each is weighed, and read out only if it is shown.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use tantivy::{DocAddress, TantivyError};

use super::Shared;
use super::answer::{Hit, Query, mode, model_trouble};
use super::by_words::ByWords;
use super::state::State;
use crate::document::{DocumentKey, Kind};
use crate::error::SearchError;
use crate::lexical::{Asked, Lexical, StoredEntry, View, WordMatch};
use crate::rank::{Evidence, Ranker, confidence, is_doubtful, is_silence, looked_at, score};
use crate::sense::without_repeats;
use crate::snippet::show;
use crate::vectors::Quantized;

/// So many entries are taken by meaning.
const MOST_ALIKE: usize = 1_000;
/// So many of the best are looked at closely where there is doubt.
const LOOKED_AT: usize = 2;

/// A question, read once, for as many indexes as it is put to.
#[derive(Debug)]
pub struct Question<'q> {
    query: Query<'q>,
    /// Its text without repeats.
    text: String,
    asked: Asked,
    /// What it means, once somebody had to know; nothing where the model could not tell.
    vector: OnceLock<Option<Quantized>>,
}

impl<'q> Question<'q> {
    pub fn new(query: &Query<'q>) -> Self {
        let text = without_repeats(query.text).into_owned();
        let asked = Asked::parse(&text);
        Self { query: query.clone(), text, asked, vector: OnceLock::new() }
    }
}

/// What one index has to say to a question: its entries weighed, none of them read out yet.
#[derive(Debug)]
pub struct Weighed {
    shared: Arc<Shared>,
    view: Arc<View>,
    lexical: Arc<Lexical>,
    words: Vec<String>,
    pub(super) scored: Vec<Scored>,
    pub(super) mode: String,
    /// Who ranked.
    pub(super) ranker: Ranker,
    pub(super) confidence: f32,
}

/// Weighs everything that an index holds, likely to answer or not.
pub(super) fn weigh(shared: &Arc<Shared>, question: &Question<'_>) -> Result<Weighed, SearchError> {
    let Question { query, text, asked, vector: known } = question;
    let mut state = shared.current()?;
    let (wanted, mode) = match asked.sense.mode() {
        Some(mode) => (Ranker::Lexical, mode.to_owned()),
        None => mode(shared, &state, query.ranker),
    };
    if asked.sense.is_void() && query.threshold.is_none() {
        return Ok(Weighed::nothing(shared, &state, mode));
    }
    let text = text.trim();
    let by_meaning = wanted != Ranker::Lexical && !text.is_empty();
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
        state = shared.current()?;
        // What was committed meanwhile is looked up anew.
        found = Arc::ptr_eq(&view, &state.view()).then_some(by_words);
    }
    let vector = known.get().and_then(Option::as_ref).filter(|_| by_meaning);
    let mode =
        if by_meaning && vector.is_none() { format!("lexical ({})", model_trouble(shared)) } else { mode };
    let ranker = if vector.is_some() { wanted } else { Ranker::Lexical };
    let found = found.unwrap_or_else(|| find(&state.view(), &state.lexical()))?;
    let search = Search { state: &state, query, ranker };
    let (scored, confidence) = search.run(vector, &found);
    Ok(Weighed { words: found.words, scored, ranker, confidence, ..Weighed::nothing(shared, &state, mode) })
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
            confidence: 0.0,
        }
    }

    /// Nothing at all where nothing is likely to answer, unless the question insists.
    pub(super) fn or_silence(mut self, question: &Question<'_>) -> Self {
        if question.query.threshold.is_none() && is_silence(self.ranker, self.confidence) {
            self.scored.clear();
        }
        self
    }

    /// Looks at the best where it is in doubt whether they answer: do they say what each word of the question means?
    pub(super) fn look_closely(&mut self, question: &Question<'_>) -> Result<(), TantivyError> {
        let Some(embedder) = &self.shared.embedder else { return Ok(()) };
        if self.scored.is_empty() || !is_doubtful(self.ranker, self.confidence) {
            return Ok(());
        }
        let best = self.best(LOOKED_AT)?;
        let best: Vec<&str> = best.iter().map(String::as_str).collect();
        // A model that fails here has ranked before; its ranking stands.
        if let Ok(Some(nearness)) = embedder.nearness(question.text.trim(), &best) {
            self.confidence = looked_at(self.confidence, nearness.into_iter().fold(0.0, f32::max));
        }
        Ok(())
    }

    /// The whole texts of the best entries.
    fn best(&self, count: usize) -> Result<Vec<String>, TantivyError> {
        let mut scores: Vec<f32> = self.scored.iter().map(|scored| scored.score).collect();
        scores.sort_unstable_by(|a, b| b.total_cmp(a));
        let least = scores.get(count - 1).or(scores.last()).copied().unwrap_or(0.0);
        let running = self.scored.iter().filter(|scored| scored.score >= least).cloned();
        let mut texts = Vec::with_capacity(count);
        for scored in self.ordered(&running.collect::<Vec<_>>())?.into_iter().take(count) {
            let entry = self.lexical.fields().stored(self.view.searcher(), scored.address)?;
            texts.extend(entry.into_iter().flat_map(|entry| entry.passages(scored.kind, 1)));
        }
        Ok(texts)
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
}

impl Search<'_> {
    /// What reaches the threshold, and how sure it is that the best answers.
    fn run(&self, vector: Option<&Quantized>, found: &ByWords) -> (Vec<Scored>, f32) {
        let nothing = HashMap::new();
        let words = if self.ranker == Ranker::Dense { &nothing } else { &found.matches };
        let cosines = vector.map(|vector| {
            let Query { kinds, passages, .. } = self.query;
            self.state.rows().similarities(self.state.vectors(), vector, kinds, *passages)
        });
        let scored = self.scored(words, cosines.unwrap_or_default());
        let best = scored.iter().map(|scored| scored.score).fold(0.0, f32::max);
        (scored, confidence(best, found.known))
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
}
