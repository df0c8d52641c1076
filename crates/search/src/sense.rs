//! Whether a question says anything that can be looked for, and to whom.

use std::borrow::Cow;
use std::collections::HashSet;

/// What a query gives to go by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sense {
    Full,
    /// Symbols, or a script that the model does not read: its vector would point anywhere.
    WordsOnly,
    /// Nothing but words that stand everywhere.
    SmallWords,
    /// Not a single word.
    Nothing,
}

impl Sense {
    pub(crate) fn of(text: &str, has_words: bool, all_small: bool) -> Self {
        if !has_words {
            Self::Nothing
        } else if all_small {
            Self::SmallWords
        } else if is_read_by_the_model(text) {
            Self::Full
        } else {
            Self::WordsOnly
        }
    }

    /// How an answer says that not all of it counted.
    pub(crate) fn mode(self) -> Option<&'static str> {
        match self {
            Self::Full => None,
            Self::WordsOnly => Some("lexical (the model reads English only)"),
            Self::SmallWords => Some("lexical (the query has only words that are everywhere)"),
            Self::Nothing => Some("lexical (the query has no words)"),
        }
    }

    /// Whether there is nothing to find by, unless somebody insists.
    pub(crate) fn is_void(self) -> bool {
        matches!(self, Self::SmallWords | Self::Nothing)
    }
}

/// Whether at least half of its letters are Latin; digits alone are read too.
fn is_read_by_the_model(text: &str) -> bool {
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    let latin = text.chars().filter(|c| c.is_alphabetic() && *c <= '\u{24f}').count();
    if letters == 0 { text.chars().any(char::is_numeric) } else { latin * 2 >= letters }
}

/// Longer questions are read without the words that they repeat: they are cut, and saying a word again says nothing more.
const LONG: usize = 1_000;

/// A question, each word once if it is long.
pub(crate) fn without_repeats(text: &str) -> Cow<'_, str> {
    if text.len() <= LONG {
        return Cow::Borrowed(text);
    }
    let mut said = HashSet::new();
    let words: Vec<&str> = text.split_whitespace().filter(|word| said.insert(word.to_lowercase())).collect();
    Cow::Owned(words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_tell_whether_the_model_reads_a_query() {
        for text in ["session_ttl", "429", "größe", "naïve 検索 test", "C++"] {
            assert_eq!(Sense::of(text, true, false), Sense::Full, "{text}");
        }
        for text in ["🚢🎉", "検索の仕様", "שלום עולם", "→"] {
            assert_eq!(Sense::of(text, true, false), Sense::WordsOnly, "{text}");
        }
    }

    #[test]
    fn a_long_question_is_put_without_its_repeats() {
        assert_eq!(without_repeats("an order of an order"), "an order of an order");
        assert_eq!(without_repeats(&"Order an order ".repeat(200)), "Order an");
    }

    #[test]
    fn what_does_not_count_is_said() {
        assert_eq!(Sense::Full.mode(), None);
        assert!(Sense::of("?!", false, false).is_void());
        assert!(Sense::of("the of", true, true).is_void());
        assert!(!Sense::WordsOnly.is_void() && Sense::WordsOnly.mode().is_some());
    }
}
