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
        } else if is_read_by_the_model([text]) {
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

/// Whether at least half of the letters of these texts are Latin; digits alone are read too.
pub(crate) fn is_read_by_the_model<'t>(texts: impl IntoIterator<Item = &'t str>) -> bool {
    let (mut letters, mut latin, mut has_digits) = (0_usize, 0_usize, false);
    for c in texts.into_iter().flat_map(str::chars) {
        let is_letter = c.is_alphabetic();
        letters += usize::from(is_letter);
        latin += usize::from(is_letter && c <= '\u{24f}');
        has_digits |= c.is_numeric();
    }
    if letters == 0 { has_digits } else { latin * 2 >= letters }
}

/// Longer questions are read without the words that they repeat: they are cut, and saying a word again says nothing more.
const LONG: usize = 1_000;

/// No word is as long: what goes on without end says nothing, and would leave no room for what does.
const ENDLESS: usize = 256;

/// A question, each word once if it is long, and without what is no word beside those that are.
pub(crate) fn without_repeats(text: &str) -> Cow<'_, str> {
    if text.len() <= ENDLESS {
        return Cow::Borrowed(text);
    }
    let is_word = |word: &&str| !is_endless(word);
    let is_long = text.len() > LONG;
    let has_words = text.split_whitespace().any(|word| is_word(&word));
    if !is_long && text.split_whitespace().all(|word| is_word(&word)) {
        return Cow::Borrowed(text);
    }
    let mut said = HashSet::new();
    let words = text.split_whitespace().filter(|word| is_word(word) || !has_words);
    let words: Vec<&str> = words.filter(|word| !is_long || said.insert(word.to_lowercase())).collect();
    Cow::Owned(words.join(" "))
}

/// Letters without end, of a script that parts its words.
fn is_endless(word: &str) -> bool {
    word.len() > ENDLESS && word.chars().all(|c| c.is_alphanumeric() && c <= '\u{24f}')
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
    fn letters_without_end_count_for_nothing_beside_words() {
        let endless = "a".repeat(10_000);
        assert_eq!(without_repeats(&format!("{endless} 検索の仕様")), "検索の仕様");
        assert_eq!(without_repeats(&format!("refund {} window", &endless[..300])), "refund window");
        assert_eq!(without_repeats(&endless), endless);
        let sentence = "検索".repeat(200);
        assert_eq!(without_repeats(&sentence), sentence);
    }

    #[test]
    fn what_does_not_count_is_said() {
        assert_eq!(Sense::Full.mode(), None);
        assert!(Sense::of("?!", false, false).is_void());
        assert!(Sense::of("the of", true, true).is_void());
        assert!(!Sense::WordsOnly.is_void() && Sense::WordsOnly.mode().is_some());
    }
}
