//! The WordPiece tokenizer of BERT (uncased), which the embedding model was trained with.
//!
//! It must give exactly the ids of the reference implementation, or the model reads nonsense; a table made with the
//! reference holds it to that. The vocabulary is part of the product.

mod normalize;

use std::collections::HashMap;
use std::sync::LazyLock;

const VOCABULARY: &str = include_str!("../../model/vocab.txt");
/// Changes whenever the same text would give other ids.
pub(crate) const VERSION: u32 = 1;
/// What the model was trained to read at once, with its two marks.
pub(crate) const LONGEST: usize = 256;
/// As many of these a question may have that is read beside a text.
const LONGEST_QUESTION: usize = 48;
/// A word of so many bytes may be short for anything.
const SHORT: usize = 3;
/// A longer word is unknown, whatever it consists of.
const LONGEST_WORD: usize = 100;

/// Turns text into ids.
pub(crate) struct WordPiece {
    beginnings: HashMap<&'static str, i32>,
    /// Pieces that go on inside a word, without their `##`.
    continuations: HashMap<&'static str, i32>,
    /// Whether each token has a letter or a digit, by id.
    says: Vec<bool>,
    unknown: i32,
    start: i32,
    end: i32,
}

impl WordPiece {
    /// The one that all models read with.
    pub(crate) fn shared() -> &'static Self {
        static SHARED: LazyLock<WordPiece> = LazyLock::new(WordPiece::new);
        &SHARED
    }

    fn new() -> Self {
        let mut beginnings = HashMap::with_capacity(25_000);
        let mut continuations = HashMap::with_capacity(6_000);
        let mut says = Vec::with_capacity(31_000);
        for (token, id) in VOCABULARY.lines().zip(0..) {
            says.push(!token.starts_with('[') && token.chars().any(char::is_alphanumeric));
            match token.strip_prefix("##") {
                Some(rest) if !rest.is_empty() => continuations.insert(rest, id),
                _ => beginnings.insert(token, id),
            };
        }
        let id = |token| beginnings.get(token).copied().expect("the vocabulary has BERT's marks");
        let (unknown, start, end) = (id("[UNK]"), id("[CLS]"), id("[SEP]"));
        Self { beginnings, continuations, says, unknown, start, end }
    }

    /// The ids of a text between the start and the end mark, cut to what the model reads.
    pub(crate) fn encode(&self, text: &str) -> Vec<i32> {
        let mut ids = Vec::with_capacity(64);
        ids.push(self.start);
        normalize::each_word(text, |word| {
            self.pieces(word, &mut ids);
            ids.len() < LONGEST
        });
        ids.truncate(LONGEST - 1);
        ids.push(self.end);
        ids
    }

    /// The ids of a question and of a text behind it, cut to what the model reads, and which of them are the text's.
    pub(crate) fn encode_pair(&self, question: &str, text: &str) -> (Vec<i32>, Vec<i32>) {
        let mut ids = self.encode(question);
        ids.truncate(LONGEST_QUESTION);
        let asked = ids.len();
        ids.push(self.end);
        ids.extend(self.encode(text).into_iter().skip(1));
        ids.truncate(LONGEST);
        let seconds = (0..ids.len()).map(|place| i32::from(place >= asked)).collect();
        (ids, seconds)
    }

    /// Whether it has a word of this text as a whole, or at least half of one as its beginning. Others it spells out of pieces that
    /// say little. Of very short ones nobody can tell: they are short for something.
    pub(crate) fn knows_any(&self, text: &str) -> bool {
        let mut knows = false;
        normalize::each_word(text, |word| {
            let is_word = word.chars().any(char::is_alphabetic) && word.chars().nth(LONGEST_WORD).is_none();
            let begins = || longest(&self.beginnings, word).is_some_and(|(_, known)| 2 * known >= word.len());
            knows |= is_word && (word.len() <= SHORT || begins());
            !knows
        });
        knows
    }

    /// Whether a token is more than a mark or a sign.
    pub(crate) fn says_something(&self, id: i32) -> bool {
        usize::try_from(id).ok().and_then(|id| self.says.get(id)).copied().unwrap_or(false)
    }

    /// The longest known beginning, then the longest known continuation, and so on.
    fn pieces(&self, word: &str, ids: &mut Vec<i32>) {
        let known_before = ids.len();
        if word.chars().nth(LONGEST_WORD).is_some() {
            ids.push(self.unknown);
            return;
        }
        let mut rest = word;
        let mut table = &self.beginnings;
        while !rest.is_empty() {
            let Some((id, length)) = longest(table, rest) else {
                ids.truncate(known_before);
                ids.push(self.unknown);
                return;
            };
            ids.push(id);
            rest = &rest[length..];
            table = &self.continuations;
        }
    }
}

impl std::fmt::Debug for WordPiece {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WordPiece").finish_non_exhaustive()
    }
}

fn longest(table: &HashMap<&'static str, i32>, text: &str) -> Option<(i32, usize)> {
    let mut end = text.len();
    while end > 0 {
        if let Some(id) = table.get(&text[..end]) {
            return Some((*id, end));
        }
        end = text.floor_char_boundary(end - 1);
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn words_are_known_by_a_good_part_of_them() {
        let tokenizer = WordPiece::new();
        for known in [
            "refund",
            "scalpers",
            "webcam",
            "flurbogast refund",
            "session_ttl",
            "refnud",
            "jwt",
            "luggage",
            "privacy",
        ] {
            assert!(tokenizer.knows_any(known), "{known}");
        }
        let endless = "a".repeat(1_000_000);
        for strange in
            ["", "asdfgh qwertz", "flurbogast", "Kündigungsfrist", "12345", "zzzz", "🚢", "?!", &endless]
        {
            assert!(!tokenizer.knows_any(strange), "{strange}");
        }
    }

    #[test]
    fn of_a_pair_the_text_is_marked_and_the_whole_is_cut() {
        let tokenizer = WordPiece::new();
        let (ids, seconds) = tokenizer.encode_pair("refund", "a parcel");
        let (question, text) = (tokenizer.encode("refund"), tokenizer.encode("a parcel"));
        assert_eq!(ids, [&question[..], &[tokenizer.end], &text[1..]].concat());
        assert_eq!(seconds, [vec![0; question.len()], vec![1; text.len()]].concat());
        let (ids, seconds) = tokenizer.encode_pair(&"refund ".repeat(300), &"parcel ".repeat(300));
        assert_eq!((ids.len(), seconds.iter().sum::<i32>()), (LONGEST, 256 - 48));
    }

    /// Lines of `[ids]<tab>"text"`, written by `scripts/wordpiece_reference.py` with the reference implementation.
    const REFERENCE: &str = include_str!("reference.txt");

    #[test]
    fn ids_equal_those_of_the_reference() {
        let tokenizer = WordPiece::new();
        let mut seen = 0;
        for line in REFERENCE.lines().filter(|line| !line.starts_with('#')) {
            let (ids, text) = line.split_once('\t').expect("ids, a tab, a text");
            let ids: Vec<i32> = serde_json::from_str(ids).unwrap();
            let text: String = serde_json::from_str(text).unwrap();
            assert_eq!(tokenizer.encode(&text), ids, "{text:?}");
            seen += 1;
        }
        assert!(seen >= 60, "{seen} lines");
    }

    #[test]
    fn marks_and_signs_say_nothing() {
        let tokenizer = WordPiece::new();
        let says: Vec<bool> = tokenizer
            .encode("Rerouting, again: 42!")
            .iter()
            .map(|id| tokenizer.says_something(*id))
            .collect();
        assert_eq!(says, [false, true, true, true, false, true, false, true, false, false], "{says:?}");
        assert!(!tokenizer.says_something(-1) && !tokenizer.says_something(1_000_000));
    }

    #[test]
    fn a_long_text_is_cut_before_the_end_mark() {
        let ids = WordPiece::new().encode(&"word ".repeat(100_000));
        assert_eq!(ids.len(), LONGEST);
        assert_eq!(ids.last(), Some(&102));
    }

    proptest! {
        #[test]
        fn any_text_has_ids_of_the_vocabulary(text in "\\PC{0,300}") {
            let ids = WordPiece::new().encode(&text);
            prop_assert!((2..=LONGEST).contains(&ids.len()));
            prop_assert!(ids.iter().all(|id| (0..30_522).contains(id)));
        }
    }
}
