//! What is asked, as words, identifiers and phrases; and how well an entry answers it.
//!
//! The score of an entry is the share of the query's information that it holds, between 0 and 1: each word weighs by
//! its rarity, so it means the same for a query of one word and of ten. A word that occurs nowhere counts against
//! every entry.

use std::collections::HashMap;

use tantivy::query::{Bm25StatisticsProvider as _, BooleanQuery, PhraseQuery, Query, TermQuery};
use tantivy::schema::IndexRecordOption;
use tantivy::{DocAddress, TantivyError, Term};

use super::Fields;
use super::statistics::Living;
use super::top::best;
use crate::document::Kind;
use crate::language::Language;
use crate::sense::Sense;
use crate::words::{Form, Word, looks_like_identifier, stem_of, words};

/// Only this much of a query is read, and only so many words of it count.
const LONGEST_QUERY: usize = 4_096;
const MOST_WORDS: usize = 48;
/// So many entries are taken from the word index.
const MOST_MATCHES: usize = 1_000;
/// A query of so many words may itself be a phrase.
const LONGEST_PHRASE: usize = 12;

/// A query, cut into what can be looked up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Asked {
    /// Each word once, stop words left out unless there is nothing else.
    pub(crate) words: Vec<String>,
    pub(crate) sense: Sense,
    exact: Vec<Exact>,
    /// What a word would be in other languages, for those that have one and the same spelling.
    readings: HashMap<String, Vec<String>>,
}

/// Something that is to be found as it stands.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Exact {
    /// Words with their distance from the first.
    phrase: Vec<(usize, String)>,
    /// What it covers of the query's words.
    covers: Vec<String>,
    /// Whether it stands in quotes: who asks so wants nothing else.
    is_quoted: bool,
}

/// How an entry answers by its words.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct WordMatch {
    /// The share of the query's information it holds.
    pub(crate) share: f32,
    /// The share it holds exactly, as an identifier or a phrase.
    pub(crate) exact: f32,
    /// How many of the phrases that stand in quotes it holds.
    pub(crate) quotes: usize,
}

impl Asked {
    pub(crate) fn parse(text: &str) -> Self {
        let text = &text[..text.floor_char_boundary(LONGEST_QUERY)];
        let language = Language::of([text]);
        let all = words(text, language);
        let mut exact: Vec<Exact> = all
            .iter()
            .filter(|word| word.form == Form::Whole && looks_like_identifier(&text[word.span.clone()]))
            .map(|whole| Exact::identifier(whole, &all))
            .collect();
        exact.extend(all.iter().filter(|word| is_lone_identifier(word, &all, text)).map(Exact::word));
        let in_quotes = quoted(text).filter_map(|phrase| Exact::phrase(&words(phrase, language)));
        exact.extend(in_quotes.map(|phrase| Exact { is_quoted: true, ..phrase }));
        if !text.contains('"') && all.len() <= LONGEST_PHRASE {
            exact.extend(Exact::phrase(&all).filter(|phrase| !phrase.covers.is_empty()));
        }
        exact.sort();
        exact.dedup_by(|next, kept| {
            let is_same = next.phrase == kept.phrase && next.covers == kept.covers;
            kept.is_quoted |= is_same && next.is_quoted;
            is_same
        });
        let meaningful = all.iter().any(|word| !word.is_small);
        // What stands in quotes is meant as it stands.
        let sense = Sense::of(text, !all.is_empty(), !meaningful && !text.contains('"'));
        let mut distinct: Vec<String> = Vec::new();
        let mut readings = HashMap::new();
        for word in all.into_iter().filter(|word| word.form != Form::Single) {
            if distinct.len() < MOST_WORDS && !(meaningful && word.is_small) && !distinct.contains(&word.text)
            {
                let others = Language::ALL.into_iter().filter(|other| *other != language);
                let mut others: Vec<String> = others
                    .filter(|_| word.form == Form::Stem)
                    .map(|other| stem_of(&text[word.span.clone()], other))
                    .filter(|reading| *reading != word.text && !reading.is_empty())
                    .collect();
                others.dedup();
                if !others.is_empty() {
                    readings.insert(word.text.clone(), others);
                }
                distinct.push(word.text);
            }
        }
        Self { words: distinct, sense, exact, readings }
    }

    /// The same, with words that occur nowhere read in another language if they occur in that: a query is too short
    /// to tell its language for sure.
    pub(crate) fn settled(mut self, living: &Living<'_>, fields: &Fields) -> Result<Self, TantivyError> {
        let occurs = |word: &str| -> Result<bool, TantivyError> {
            Ok(living.doc_freq(&Term::from_field_text(fields.words, word))? > 0)
        };
        let mut better = HashMap::new();
        for (word, readings) in &self.readings {
            if occurs(word)? {
                continue;
            }
            for reading in readings {
                if occurs(reading)? {
                    better.insert(word.clone(), reading.clone());
                    break;
                }
            }
        }
        self.read_as(&better);
        Ok(self)
    }

    /// Puts other readings in the place of words.
    pub(crate) fn read_as(&mut self, better: &HashMap<String, String>) {
        let read = |word: &mut String| {
            if let Some(reading) = better.get(word) {
                word.clone_from(reading);
            }
        };
        self.words.iter_mut().for_each(read);
        for exact in &mut self.exact {
            exact.phrase.iter_mut().for_each(|(_, word)| read(word));
            exact.covers.iter_mut().for_each(read);
        }
    }

    /// How many phrases stand in quotes.
    pub(crate) fn quotes(&self) -> usize {
        self.exact.iter().filter(|exact| exact.is_quoted).count()
    }

    /// What words would be in other languages.
    pub(crate) fn readings(&self) -> &HashMap<String, Vec<String>> {
        &self.readings
    }

    /// The best entries by words, at most a thousand and those that hit exactly, in the order of their addresses.
    pub(crate) fn matches(
        &self,
        living: &Living<'_>,
        fields: &Fields,
        kinds: &[Kind],
    ) -> Result<Vec<(DocAddress, WordMatch)>, TantivyError> {
        if self.words.is_empty() {
            return Ok(Vec::new());
        }
        let weights = self.weights(living, fields)?;
        // In the order of the words: a map has another order in each process, and floats another sum in each order.
        let total: f32 = self.words.iter().filter_map(|word| weights.get(word)).sum();
        let any_word = self.words.iter().map(|word| {
            let query =
                TermQuery::new(Term::from_field_text(fields.words, word), IndexRecordOption::WithFreqs);
            Box::new(query) as Box<dyn Query>
        });
        let any_word = best(living, kinds, &BooleanQuery::union(any_word.collect()), MOST_MATCHES)?;
        let share = |(score, address): (f32, DocAddress)| {
            (address, WordMatch { share: (score / total).min(1.0), ..WordMatch::default() })
        };
        let mut found: Vec<(DocAddress, WordMatch)> = any_word.into_iter().map(share).collect();
        found.sort_unstable_by_key(|(address, _)| *address);
        for exact in &self.exact {
            let weight = |word: &String| weights.get(word).copied().unwrap_or_default();
            let share = exact.covers.iter().map(weight).sum::<f32>() / total;
            if !exact.may_occur(living, fields)? {
                continue;
            }
            let mut others = Vec::new();
            let quotes = usize::from(exact.is_quoted);
            for (_, address) in best(living, kinds, exact.query(fields).as_ref(), MOST_MATCHES)? {
                match found.binary_search_by_key(&address, |(address, _)| *address) {
                    Ok(place) => {
                        let word = &mut found[place].1;
                        word.exact = (word.exact + share).min(1.0);
                        word.quotes += quotes;
                    }
                    Err(_) => {
                        others.push((address, WordMatch { share: 0.0, exact: share.min(1.0), quotes }));
                    }
                }
            }
            if !others.is_empty() {
                found.extend(others);
                found.sort_unstable_by_key(|(address, _)| *address);
            }
        }
        Ok(found)
    }

    /// The share of the query's words that occur anywhere, whatever the kind.
    #[expect(clippy::cast_precision_loss, reason = "a query has few words")]
    pub(crate) fn known(&self, living: &Living<'_>, fields: &Fields) -> Result<f32, TantivyError> {
        let mut known = 0_usize;
        for word in &self.words {
            known += usize::from(living.doc_freq(&Term::from_field_text(fields.words, word))? > 0);
        }
        Ok(if self.words.is_empty() { 0.0 } else { known as f32 / self.words.len() as f32 })
    }

    /// The rarity of each word, as BM25 has it.
    #[expect(clippy::cast_precision_loss, reason = "counts of entries are far below 2^24")]
    fn weights(&self, living: &Living<'_>, fields: &Fields) -> Result<HashMap<String, f32>, TantivyError> {
        let entries = living.total_num_docs()?;
        let weigh = |word: &String| {
            let with = living.doc_freq(&Term::from_field_text(fields.words, word))?;
            let without = entries.saturating_sub(with) as f32;
            Ok((word.clone(), (1.0 + (without + 0.5) / (with as f32 + 0.5)).ln()))
        };
        self.words.iter().map(weigh).collect()
    }
}

impl Exact {
    fn identifier(whole: &Word, all: &[Word]) -> Self {
        let inside = |word: &&Word| word.span.start >= whole.span.start && word.span.end <= whole.span.end;
        let covers = all.iter().filter(inside).map(|word| word.text.clone()).collect();
        Self { phrase: vec![(0, whole.text.clone())], covers, is_quoted: false }
    }

    fn word(word: &Word) -> Self {
        Self { phrase: vec![(0, word.text.clone())], covers: vec![word.text.clone()], is_quoted: false }
    }

    fn phrase(all: &[Word]) -> Option<Self> {
        let stems = || all.iter().filter(|word| word.form == Form::Stem);
        let first = stems().next()?.position;
        let covers = all
            .iter()
            .filter(|word| !word.is_small && word.form != Form::Single)
            .map(|word| word.text.clone())
            .collect();
        Some(Self {
            phrase: stems().map(|word| (word.position - first, word.text.clone())).collect(),
            covers,
            is_quoted: false,
        })
    }

    /// Whether each of its words occurs somewhere.
    fn may_occur(&self, living: &Living<'_>, fields: &Fields) -> Result<bool, TantivyError> {
        for (_, word) in &self.phrase {
            if living.doc_freq(&Term::from_field_text(fields.words, word))? == 0 {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn query(&self, fields: &Fields) -> Box<dyn Query> {
        let term = |word: &String| Term::from_field_text(fields.words, word);
        match &self.phrase[..] {
            [(_, word)] => Box::new(TermQuery::new(term(word), IndexRecordOption::Basic)),
            words => Box::new(PhraseQuery::new_with_offset(
                words.iter().map(|(at, word)| (*at, term(word))).collect(),
            )),
        }
    }
}

/// An identifier without parts, such as `sha256`.
fn is_lone_identifier(word: &Word, all: &[Word], text: &str) -> bool {
    word.form == Form::Stem
        && looks_like_identifier(&text[word.span.clone()])
        && !all.iter().any(|other| other.form == Form::Whole && other.span.contains(&word.span.start))
}

/// What stands between pairs of double quotes.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    let pieces = text.split('"').count();
    // With an odd number of marks the last one opens nothing.
    text.split('"').enumerate().filter(move |(n, _)| n % 2 == 1 && n + 1 < pieces).map(|(_, piece)| piece)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, words: &[&str], exact: &[&[&str]]) {
        let asked = Asked::parse(text);
        assert_eq!(asked.words, words, "{text}");
        let found: Vec<Vec<&str>> = asked
            .exact
            .iter()
            .map(|exact| exact.phrase.iter().map(|(_, word)| word.as_str()).collect())
            .collect();
        assert_eq!(found, exact, "{text}");
    }

    #[test]
    fn words_identifiers_and_phrases_are_told_apart() {
        check("how are parcels returned", &["parcel", "return"], &[&["how", "are", "parcel", "return"]]);
        check("session_ttl", &["session_ttl", "session", "ttl"], &[&["session", "ttl"], &["session_ttl"]]);
        check("sha256", &["sha256"], &[&["sha256"]]);
        check("captions", &["caption"], &[&["caption"]]);
        check(
            "\"first expired, first out\" rule",
            &["first", "expir", "out", "rule"],
            &[&["first", "expir", "first", "out"]],
        );
        check("out-of-office", &["out-of-office", "out", "offic"], &[&["out", "of", "offic"]]);
    }

    #[test]
    fn queries_without_words_ask_nothing() {
        for text in ["", "   ", "?!… () []", "\"\"", "\"", "***", "\u{200b}"] {
            check(text, &[], &[]);
        }
    }

    #[test]
    fn only_stop_words_are_taken_at_their_word() {
        check("what is the", &["what", "is", "the"], &[]);
    }

    #[test]
    fn an_unclosed_quote_quotes_nothing() {
        check("\"open ended", &["open", "end"], &[]);
        check("a \"b c\" \"d", &["b", "c", "d"], &[&["b", "c"]]);
    }

    #[test]
    fn an_endless_query_is_cut() {
        let many: Vec<String> = (0..20_000).map(|n| format!("word{n}")).collect();
        assert_eq!(Asked::parse(&many.join(" ")).words.len(), MOST_WORDS);
        assert!(Asked::parse(&"é".repeat(100_000)).words.len() <= MOST_WORDS);
    }
}
