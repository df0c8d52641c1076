//! Finding by words without an index: one pass over the documents, as they are read.
//!
//! What an index of the same documents would say of their words, but for phrases. It is for the first question to a large
//! set of documents, which must not wait until they are indexed.

use std::collections::{HashMap, HashSet};

use crate::document::{Document, DocumentKey, Kind};
use crate::index::{Answer, Hit, Query};
use crate::lexical::{Asked, StoredEntry, WordMatch};
use crate::rank::{Closely, Evidence, Ranker, Role, confidence, score};
use crate::sense::without_repeats;
use crate::snippet::show;
use crate::words::words;

/// As BM25 has them.
const SATURATION: f32 = 1.2;
const LENGTH: f32 = 0.75;

/// A question on its way through documents.
#[derive(Debug)]
pub struct Scan<'q> {
    query: &'q Query<'q>,
    asked: Asked,
    /// All that a word may be read as.
    wanted: HashSet<String>,
    /// In how many entries each occurs.
    with: HashMap<String, usize>,
    entries: usize,
    words: usize,
    seen: Vec<Seen>,
}

/// An entry that has some of the words.
#[derive(Debug)]
struct Seen {
    key: DocumentKey,
    kind: Kind,
    role: Role,
    entry: StoredEntry,
    counts: HashMap<String, usize>,
    length: usize,
}

impl<'q> Scan<'q> {
    pub fn new(query: &'q Query<'q>) -> Self {
        let asked = Asked::parse(&without_repeats(query.text));
        let readings = asked.readings().values().flatten();
        let wanted = asked.words.iter().chain(readings).cloned().collect();
        Self { query, asked, wanted, with: HashMap::new(), entries: 0, words: 0, seen: Vec::new() }
    }

    /// Looks through a document.
    pub fn take(&mut self, document: &Document) {
        for entry in &document.entries {
            let language = entry.language();
            let mut counts: HashMap<String, usize> = HashMap::new();
            let mut length = 0;
            for text in entry.texts(&document.title) {
                for word in words(text, language) {
                    length += 1;
                    if self.wanted.contains(&word.text) {
                        *counts.entry(word.text).or_default() += 1;
                    }
                }
            }
            self.entries += 1;
            self.words += length;
            for word in counts.keys() {
                *self.with.entry(word.clone()).or_default() += 1;
            }
            let is_wanted = self.query.kinds.is_empty() || self.query.kinds.contains(&entry.kind);
            if is_wanted && !counts.is_empty() {
                let is_summary = entry.kind == Kind::Spec && document.entries.len() > 1;
                self.seen.push(Seen {
                    key: document.key.clone(),
                    kind: entry.kind,
                    role: if is_summary { Role::Summary } else { Role::Content },
                    entry: StoredEntry::of(document, entry),
                    counts,
                    length,
                });
            }
        }
    }

    /// What was found, best first; `mode` says in the answer why there was no index.
    pub fn answer(mut self, mode: impl Into<String>) -> Answer {
        let mode = self.asked.sense.mode().map_or_else(|| mode.into(), str::to_owned);
        if self.asked.sense.is_void() && self.query.threshold.is_none() {
            return Answer { hits: Vec::new(), mode, total: 0, confidence: 0.0 };
        }
        self.settle();
        let weights: Vec<(&String, f32)> =
            self.asked.words.iter().map(|word| (word, self.rarity(word))).collect();
        let total: f32 = weights.iter().map(|(_, weight)| weight).sum();
        let least = self.query.threshold.unwrap_or_else(|| Ranker::Lexical.threshold());
        let mut scored: Vec<(f32, &Seen)> = Vec::new();
        for seen in &self.seen {
            let share =
                weights.iter().map(|(word, weight)| weight * self.saturated(seen, word)).sum::<f32>() / total;
            let words = WordMatch { share: share.min(1.0), ..WordMatch::default() };
            let evidence = Evidence { role: seen.role, meaning: None, words };
            scored.extend(
                score(Ranker::Lexical, evidence, self.query.words)
                    .filter(|score| *score >= least)
                    .map(|score| (score, seen)),
            );
        }
        scored.sort_by(|(a, first), (b, second)| b.total_cmp(a).then_with(|| first.key.cmp(&second.key)));
        let best = scored.first().map_or(0.0, |(score, _)| *score);
        let page = scored.iter().skip(self.query.skip).take(self.query.limit);
        let hits = page.map(|(score, seen)| {
            let shown = show(&seen.entry, &self.asked.words);
            Hit {
                document: seen.key.clone(),
                kind: seen.kind,
                title: seen.entry.title.clone(),
                requirement: seen.entry.requirement.clone(),
                scenario: shown.scenario,
                score: *score,
                snippet: shown.snippet,
            }
        });
        Answer {
            hits: hits.collect(),
            mode,
            total: scored.len(),
            confidence: confidence(best, Closely::default()),
        }
    }

    /// Reads words that occur nowhere as another language would, if that occurs.
    fn settle(&mut self) {
        let mut better = HashMap::new();
        for (word, readings) in self.asked.readings() {
            let reading = readings.iter().find(|reading| self.with.contains_key(*reading));
            if let Some(reading) = reading.filter(|_| !self.with.contains_key(word)) {
                better.insert(word.clone(), reading.clone());
            }
        }
        self.asked.read_as(&better);
    }

    #[expect(clippy::cast_precision_loss, reason = "counts of entries are far below 2^24")]
    fn rarity(&self, word: &str) -> f32 {
        let with = self.with.get(word).copied().unwrap_or(0);
        let without = self.entries.saturating_sub(with) as f32;
        (1.0 + (without + 0.5) / (with as f32 + 0.5)).ln()
    }

    #[expect(clippy::cast_precision_loss, reason = "counts of words are far below 2^24")]
    fn saturated(&self, seen: &Seen, word: &str) -> f32 {
        let count = seen.counts.get(word).copied().unwrap_or(0) as f32;
        let usual = self.words as f32 / self.entries.max(1) as f32;
        let length = SATURATION * (1.0 - LENGTH + LENGTH * seen.length as f32 / usual.max(1.0));
        count * (1.0 + SATURATION) / (count + length)
    }
}
