//! Calls that are counted together, because a row for each would let anybody fill the database: those of nobody in particular,
//! and those that came faster than rows can be written.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};

use super::Row;
use super::text::{shortened, without_words_that_could_be_secret};

/// So many different words are told of each kind; the rest is only counted.
const MOST_WORDS: usize = 10;
const MOST_CHARS: usize = 80;

/// Calls that wait to be told in one row.
#[derive(Debug)]
pub(crate) struct Crowd {
    principal: &'static str,
    op: &'static str,
    counted: Mutex<Counted>,
}

#[derive(Debug, Default)]
struct Counted {
    calls: u64,
    refused: u64,
    names: Tally,
    outcomes: Tally,
    places: Tally,
}

impl Crowd {
    /// `principal` and `op` are what the row of such calls says.
    pub(crate) fn new(principal: &'static str, op: &'static str) -> Self {
        Self { principal, op, counted: Mutex::default() }
    }

    /// Counts a call of nobody: what came of it, and at which path.
    pub(crate) fn count(&self, outcome: &str, path: &str) {
        let place = without_words_that_could_be_secret(path);
        let mut counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        counted.add(outcome);
        counted.places.add(&place);
    }

    /// Counts a call for whose row, which is as the database takes it, no place was left.
    pub(crate) fn count_row(&self, row: &Row) {
        let mut counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        counted.add(&row.outcome);
        counted.names.add(&row.principal);
        counted.places.add(&row.op);
    }

    /// The row that tells of all calls since the last one, if there were any.
    pub(crate) fn take(&self) -> Option<Row> {
        let counted = std::mem::take(&mut *self.counted.lock().unwrap_or_else(PoisonError::into_inner));
        (counted.calls > 0).then(|| counted.into_row(self.principal, self.op))
    }
}

impl Counted {
    fn add(&mut self, outcome: &str) {
        self.calls += 1;
        self.refused += u64::from(outcome != super::OK);
        self.outcomes.add(outcome);
    }

    fn into_row(self, principal: &str, op: &str) -> Row {
        let calls = if self.calls == 1 { "1 call".to_owned() } else { format!("{} calls", self.calls) };
        let mut detail = format!("{calls}: {}", self.outcomes);
        if !self.names.is_empty() {
            let _ = write!(detail, "; of {}", self.names);
        }
        let _ = write!(detail, "; at {}", self.places);
        let outcome = if self.refused == 0 { super::OK } else { "refused" };
        Row { outcome: outcome.to_owned(), ..Row::new(principal, "", op, detail) }
    }
}

/// How often each of a few words came up.
#[derive(Debug, Default)]
struct Tally {
    words: BTreeMap<String, u64>,
    others: u64,
}

impl Tally {
    fn add(&mut self, word: &str) {
        if let Some(count) = self.words.get_mut(word) {
            *count += 1;
        } else if self.words.len() < MOST_WORDS && word.len() <= MOST_CHARS {
            self.words.insert(word.to_owned(), 1);
        } else if self.words.len() < MOST_WORDS {
            *self.words.entry(shortened(word, MOST_CHARS)).or_default() += 1;
        } else {
            self.others += 1;
        }
    }

    fn is_empty(&self) -> bool {
        self.words.is_empty() && self.others == 0
    }
}

/// `3 unauthorized, 1 not_found, 12 others`.
impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut words: Vec<(&String, &u64)> = self.words.iter().collect();
        words.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        for (place, (word, count)) in words.into_iter().enumerate() {
            let comma = if place > 0 { ", " } else { "" };
            write!(f, "{comma}{count} {word}")?;
        }
        if self.others > 0 { write!(f, ", {} others", self.others) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_is_one_row_that_tells_how_many_where_and_why() {
        let crowd = Crowd::new("anonymous", "anonymous");
        assert_eq!(crowd.take(), None);
        for number in 0..1_000 {
            crowd.count("unauthorized", "/api/v1/push");
            crowd.count("rate_limited", &format!("/api/v1/{number}"));
        }
        let row = crowd.take().unwrap();
        assert_eq!((row.principal.as_str(), row.outcome.as_str()), ("anonymous", "refused"));
        assert!(
            row.detail
                .starts_with("2000 calls: 1000 rate_limited, 1000 unauthorized; at 1000 /api/v1/push, 1 ")
        );
        assert!(row.detail.ends_with(", 991 others") && row.detail.len() < 400, "{}", row.detail);
        assert_eq!(crowd.take(), None);
    }

    #[test]
    fn a_row_for_which_there_was_no_place_says_whose_it_was() {
        let crowd = Crowd::new("several", "not_noted");
        crowd.count_row(&Row::new("ann", "shop", "status", "x"));
        let row = crowd.take().unwrap();
        assert_eq!(
            (row.outcome.as_str(), row.detail.as_str()),
            ("ok", "1 call: 1 ok; of 1 ann; at 1 status")
        );
    }

    #[test]
    fn words_that_could_be_secret_and_long_ones_are_not_told() {
        let crowd = Crowd::new("anonymous", "anonymous");
        crowd.count("unauthorized", "/api/v1/hewto_0123456789abcdef0123456789abcdef");
        crowd.count("unauthorized", &format!("/w/{}", "a-".repeat(5_000)));
        let detail = crowd.take().unwrap().detail;
        assert!(!detail.contains("0123456789") && detail.len() < 300, "{detail}");
    }
}
