//! Cuts text into the words that the lexical index knows.
//!
//! A word is lower-cased, stripped of accents and stemmed. An identifier is kept whole and also given as its parts,
//! split at case, dash, dot and underscore: `maxRetryCount` is `maxretrycount`, `max`, `retri`, `count`. Scripts that
//! write without spaces are cut into single characters, which phrases put together again. Positions count words, so
//! that a phrase matches however it is punctuated.

use std::borrow::Cow;
use std::ops::Range;

use frostem::{Algorithm, Stemmer};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Changes whenever the same text would give other words; an index made by another version is made anew.
pub(crate) const VERSION: u32 = 1;
/// Longer words are cut to this many characters.
const LONGEST: usize = 64;

/// One word of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Word {
    /// What is compared.
    pub(crate) text: String,
    /// Where it stands in the text, in bytes.
    pub(crate) span: Range<usize>,
    pub(crate) position: usize,
    pub(crate) form: Form,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Stem,
    /// An identifier or a compound in one piece; its parts follow, the first at the same position.
    Whole,
}

/// Every word of a text in order.
pub(crate) fn words(text: &str) -> Vec<Word> {
    let mut out = Vec::new();
    each_word(text, |word| out.push(word));
    out
}

/// Words that carry no meaning by themselves.
pub(crate) fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.binary_search(&word).is_ok()
}

/// Stemmed and sorted.
const STOP_WORDS: &[&str] = &[
    "a", "about", "an", "and", "ani", "are", "as", "at", "be", "been", "but", "by", "can", "could", "did",
    "do", "doe", "for", "from", "had", "has", "have", "how", "i", "if", "in", "into", "is", "it", "may",
    "me", "must", "my", "no", "not", "of", "on", "or", "our", "shall", "should", "so", "some", "such",
    "that", "the", "their", "them", "then", "there", "these", "they", "this", "those", "to", "us", "was",
    "we", "were", "what", "when", "where", "whi", "which", "while", "who", "will", "with", "would", "you",
    "your",
];

/// Whether a piece of text is written as only an identifier would be: with an underscore, a dot, an inner capital,
/// or letters and digits mixed. Hyphenated words are ordinary language.
pub(crate) fn looks_like_identifier(text: &str) -> bool {
    let mut chars = text.chars().peekable();
    let mut digits = false;
    let mut letters = false;
    while let Some(c) = chars.next() {
        digits |= c.is_numeric();
        letters |= c.is_alphabetic();
        if c == '_' || (c == '.' && chars.peek().is_some()) {
            return true;
        }
        if c.is_lowercase() && chars.peek().is_some_and(|next| next.is_uppercase()) {
            return true;
        }
    }
    digits && letters
}

fn each_word(text: &str, mut give: impl FnMut(Word)) {
    let stemmer = Stemmer::new(Algorithm::English);
    let mut position = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((start, c)) = chars.next() {
        if is_unspaced(c) || is_symbol(c) {
            let span = start..start + c.len_utf8();
            give(Word { text: c.to_string(), span, position, form: Form::Stem });
            position += 1;
        } else if is_word_char(c) {
            let mut end = start + c.len_utf8();
            while let Some(&(at, next)) = chars.peek() {
                if is_word_char(next) {
                    end = at + next.len_utf8();
                } else if !(is_connector(next) && followed_by_word(text, at + next.len_utf8())) {
                    break;
                }
                chars.next();
            }
            position = compound(text, start..end, position, stemmer, &mut give);
        }
    }
}

/// Gives the words of one run of letters, digits and connectors; returns the next position.
fn compound(
    text: &str,
    span: Range<usize>,
    first: usize,
    stemmer: Stemmer,
    give: &mut impl FnMut(Word),
) -> usize {
    let parts = parts(&text[span.clone()]);
    if parts.len() > 1 {
        let whole = shortened(&folded(&text[span.clone()]));
        give(Word { text: whole, span: span.clone(), position: first, form: Form::Whole });
    }
    let mut position = first;
    for part in parts {
        let part = span.start + part.start..span.start + part.end;
        let plain = shortened(&folded(&text[part.clone()]));
        let stem = stemmer.stem(&plain).into_owned();
        // A lone "'s" or a dangling mark leaves nothing to look for.
        if !stem.is_empty() {
            give(Word { text: stem, span: part, position, form: Form::Stem });
            position += 1;
        }
    }
    position.max(first + 1)
}

/// The parts of a compound, as ranges in it.
fn parts(compound: &str) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut start = 0;
    let mut previous: Option<char> = None;
    let mut chars = compound.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let splits_after = matches!(c, '-' | '.' | '_') || is_dash(c);
        let next_is_lower = chars.peek().is_some_and(|&(_, next)| next.is_lowercase());
        let splits_before = c.is_uppercase()
            && previous
                .is_some_and(|p| p.is_lowercase() || p.is_numeric() || (p.is_uppercase() && next_is_lower));
        if splits_after || splits_before {
            if at > start {
                parts.push(start..at);
            }
            start = if splits_after { at + c.len_utf8() } else { at };
        }
        previous = Some(c);
    }
    if start < compound.len() {
        parts.push(start..compound.len());
    }
    parts
}

fn is_word_char(c: char) -> bool {
    !is_unspaced(c) && (c.is_alphanumeric() || c == '_' || is_combining_mark(c))
}

fn is_connector(c: char) -> bool {
    matches!(c, '-' | '.' | '\'' | '’') || is_dash(c)
}

fn is_dash(c: char) -> bool {
    matches!(c, '\u{2010}' | '\u{2011}')
}

fn followed_by_word(text: &str, at: usize) -> bool {
    text[at..].chars().next().is_some_and(is_word_char)
}

/// Scripts that put no space between words.
fn is_unspaced(c: char) -> bool {
    matches!(u32::from(c),
        0x0E00..=0x0EFF | 0x1000..=0x109F | 0x1780..=0x17FF   // Thai, Lao, Burmese, Khmer
        | 0x3040..=0x30FF | 0x31F0..=0x31FF                   // kana
        | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF // Han
        | 0x20000..=0x323AF)
        && (c.is_alphanumeric() || is_combining_mark(c))
}

/// Pictures are words of one character; arrows, box drawing and the like are not.
fn is_symbol(c: char) -> bool {
    matches!(u32::from(c), 0x2600..=0x27BF | 0x1F300..=0x1FAFF)
}

/// Lower case without accents.
fn folded(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return if text.bytes().any(|byte| byte.is_ascii_uppercase()) {
            Cow::Owned(text.to_ascii_lowercase())
        } else {
            Cow::Borrowed(text)
        };
    }
    let plain = text.nfkd().filter(|c| !is_combining_mark(*c)).flat_map(char::to_lowercase);
    let mut out = String::with_capacity(text.len());
    for c in plain {
        match c {
            '’' => out.push('\''),
            'ß' => out.push_str("ss"),
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

fn shortened(word: &str) -> String {
    match word.char_indices().nth(LONGEST) {
        Some((end, _)) => word[..end].to_owned(),
        None => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let found: Vec<String> = words(text).into_iter().map(|word| word.text).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn words_are_stemmed_and_identifiers_kept_whole_and_split() {
        check("Returned parcels", &["return", "parcel"]);
        check("session_ttl", &["session_ttl", "session", "ttl"]);
        check("maxRetryCount", &["maxretrycount", "max", "retri", "count"]);
        check("HTTPServer2Go", &["httpserver2go", "http", "server2", "go"]);
        check("cache.max_size", &["cache.max_size", "cach", "max", "size"]);
        check("Idempotency-Key", &["idempotency-key", "idempot", "key"]);
        check("--show-origin", &["show-origin", "show", "origin"]);
        check("{{first_name}}", &["first_name", "first", "name"]);
        check("POST /v1/orders", &["post", "v1", "order"]);
        check("ends here. Next", &["end", "here", "next"]);
        check("sha256", &["sha256"]);
        check("__init__", &["init"]);
    }

    #[test]
    fn possessives_and_accents_do_not_matter() {
        check("Dead Man's Switch", &["dead", "man", "switch"]);
        check("Dead Man’s Switch", &["dead", "man", "switch"]);
        check("Größe Café naïve", &["gross", "cafe", "naiv"]);
    }

    #[test]
    fn other_scripts_are_cut_safely() {
        check("検索の仕様", &["検", "索", "の", "仕", "様"]);
        check("ship 🚢 it", &["ship", "🚢", "it"]);
        check("שלום עולם", &["שלום", "עולם"]);
        check("مرحبا", &["مرحبا"]);
        check("→ … — ()[]*?^$ \\", &[]);
        check("", &[]);
    }

    #[test]
    fn a_whole_stands_where_its_first_part_stands() {
        let positions: Vec<(String, usize)> =
            words("set session_ttl now").into_iter().map(|word| (word.text, word.position)).collect();
        let expected = [("set", 0), ("session_ttl", 1), ("session", 1), ("ttl", 2), ("now", 3)];
        assert_eq!(positions, expected.map(|(text, position)| (text.to_owned(), position)));
    }

    #[test]
    fn identifiers_are_told_from_hyphenated_words() {
        for text in ["session_ttl", "camt.053", "maxRetries", "v2", "E_QUOTA", "sha256"] {
            assert!(looks_like_identifier(text), "{text}");
        }
        for text in ["out-of-office", "password", "SCIM", "42", "", "end."] {
            assert!(!looks_like_identifier(text), "{text}");
        }
    }

    #[test]
    fn stop_words_are_sorted_and_in_their_stemmed_form() {
        assert!(STOP_WORDS.is_sorted());
        for word in ["the", "any", "does", "why", "must"] {
            let stem = words(word).remove(0).text;
            assert!(is_stop_word(&stem), "{word} is {stem}");
        }
        assert!(!is_stop_word("session"));
    }

    #[test]
    fn an_endless_word_is_cut() {
        assert_eq!(words(&"é".repeat(100_000))[0].text.chars().count(), LONGEST);
    }

    proptest! {
        #[test]
        fn spans_lie_on_characters_and_positions_never_fall(text in "\\PC{0,200}") {
            let mut last = 0;
            for word in words(&text) {
                prop_assert!(text.get(word.span.clone()).is_some_and(|piece| !piece.is_empty()));
                prop_assert!(!word.text.is_empty());
                prop_assert!(word.position >= last);
                last = word.position;
            }
        }
    }
}
