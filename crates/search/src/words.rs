//! Cuts text into the words that the lexical index knows.
//!
//! A word is lower-cased, stripped of accents and stemmed. An identifier is kept whole and also given as its parts,
//! split at case, dash, dot and underscore: `maxRetryCount` is `maxretrycount`, `max`, `retri`, `count`. Scripts that
//! write without spaces are cut into pairs of characters, each overlapping the next, and into single ones for those who
//! ask for one. Positions count words, so that a phrase matches however it is punctuated.

use std::borrow::Cow;
use std::ops::Range;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::language::Language;

/// Changes whenever the same text would give other words or passages; an index made by another version is made anew.
pub(crate) const VERSION: u32 = 4;
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
    /// Whether it carries no meaning by itself.
    pub(crate) is_small: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Stem,
    /// An identifier or a compound in one piece; its parts follow, the first at the same position.
    Whole,
    /// A character of a script without spaces that is also given as a part of a pair.
    Single,
}

/// Every word of a text in order.
pub(crate) fn words(text: &str, language: Language) -> Vec<Word> {
    let mut out = Vec::new();
    each_word(text, language, |word| out.push(word));
    out
}

/// The pieces of a text that letters make, as they are spelled.
pub(crate) fn spelled(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphabetic() && !is_combining_mark(c)).filter(|word| !word.is_empty())
}

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

fn each_word(text: &str, language: Language, mut give: impl FnMut(Word)) {
    let mut position = 0;
    let mut chars = text.char_indices().peekable();
    let mut follows = false;
    while let Some((start, c)) = chars.next() {
        let continues = std::mem::replace(&mut follows, false);
        if is_unspaced(c) {
            let end = start + unspaced_at(text, start);
            while chars.next_if(|(at, _)| *at < end).is_some() {}
            let next = chars.peek().filter(|(_, next)| is_unspaced(*next)).map(|(at, _)| *at);
            follows = next.is_some();
            if let Some(next) = next {
                let span = start..next + unspaced_at(text, next);
                let text = full_width(&text[span.clone()]);
                give(Word { text, span, position, form: Form::Stem, is_small: false });
            }
            // Alone it is a word; else whoever asks for one character finds it.
            let form = if continues || follows { Form::Single } else { Form::Stem };
            give(Word {
                text: full_width(&text[start..end]),
                span: start..end,
                position,
                form,
                is_small: false,
            });
            position += 1;
        } else if is_symbol(c) {
            let span = start..start + c.len_utf8();
            give(Word { text: c.to_string(), span, position, form: Form::Stem, is_small: false });
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
            position = compound(text, start..end, position, language, &mut give);
        }
    }
}

/// Gives the words of one run of letters, digits and connectors; returns the next position.
fn compound(
    text: &str,
    span: Range<usize>,
    first: usize,
    language: Language,
    give: &mut impl FnMut(Word),
) -> usize {
    let parts = parts(&text[span.clone()]);
    if parts.len() > 1 {
        let whole = shortened(&folded(&text[span.clone()]));
        give(Word { text: whole, span: span.clone(), position: first, form: Form::Whole, is_small: false });
    }
    let mut position = first;
    for part in parts {
        let part = span.start + part.start..span.start + part.end;
        let plain = shortened(&folded(&text[part.clone()]));
        let stem = language.stem(&plain).into_owned();
        // A lone "'s" or a dangling mark leaves nothing to look for.
        if !stem.is_empty() {
            let is_small = language.is_small(&plain);
            give(Word { text: stem, span: part, position, form: Form::Stem, is_small });
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

/// How many bytes a character of a script without spaces takes there. Half as wide, some kana are two: `ｶﾞ` is `ガ`.
fn unspaced_at(text: &str, start: usize) -> usize {
    let mut chars = text[start..].chars();
    let first = chars.next().filter(|c| is_half_width(*c));
    let mark = first.and(chars.next()).filter(|c| matches!(c, '\u{ff9e}' | '\u{ff9f}'));
    text[start..].chars().next().map_or(0, char::len_utf8) + mark.map_or(0, char::len_utf8)
}

/// The same in the width in which it is usually written.
fn full_width(text: &str) -> String {
    if text.chars().any(is_half_width) { text.nfkc().collect() } else { text.to_owned() }
}

fn is_half_width(c: char) -> bool {
    matches!(c, '\u{ff66}'..='\u{ff9f}')
}

/// Scripts that put no space between words.
fn is_unspaced(c: char) -> bool {
    matches!(u32::from(c),
        0x0E00..=0x0EFF | 0x1000..=0x109F | 0x1780..=0x17FF   // Thai, Lao, Burmese, Khmer
        | 0x3040..=0x30FF | 0x31F0..=0x31FF | 0xFF66..=0xFF9F // kana, half as wide too
        | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF // Han
        | 0x20000..=0x323AF)
        && (c.is_alphanumeric() || is_combining_mark(c))
}

/// Pictures are words of one character; arrows, box drawing and the like are not.
fn is_symbol(c: char) -> bool {
    matches!(u32::from(c), 0x2600..=0x27BF | 0x1F300..=0x1FAFF)
}

/// Lower case without accents.
pub(crate) fn folded(text: &str) -> Cow<'_, str> {
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

/// A single word as a language would have it.
pub(crate) fn stem_of(word: &str, language: Language) -> String {
    language.stem(&shortened(&folded(word))).into_owned()
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
        let found: Vec<String> = words(text, Language::English).into_iter().map(|word| word.text).collect();
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
        check("検索の仕様", &["検索", "検", "索の", "索", "の仕", "の", "仕様", "仕", "様"]);
        check("税 a 請求", &["税", "a", "請求", "請", "求"]);
        check("ｶﾞｿﾘﾝ", &["ガソ", "ガ", "ソリ", "ソ", "リン", "リ", "ン"]);
        check("ガソリン", &["ガソ", "ガ", "ソリ", "ソ", "リン", "リ", "ン"]);
        check("ship 🚢 it", &["ship", "🚢", "it"]);
        check("שלום עולם", &["שלום", "עולם"]);
        check("مرحبا", &["مرحبا"]);
        check("→ … — ()[]*?^$ \\", &[]);
        check("", &[]);
    }

    #[test]
    fn a_whole_stands_where_its_first_part_stands() {
        let positions: Vec<(String, usize)> = words("set session_ttl now", Language::English)
            .into_iter()
            .map(|word| (word.text, word.position))
            .collect();
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
    fn small_words_are_known_in_their_language() {
        let small = |text: &str, language| words(text, language).iter().all(|word| word.is_small);
        assert!(small("the any does why must", Language::English));
        assert!(small("der muss für", Language::German));
        assert!(!small("session", Language::English) && !small("der", Language::English));
    }

    #[test]
    fn an_endless_word_is_cut() {
        assert_eq!(words(&"é".repeat(100_000), Language::English)[0].text.chars().count(), LONGEST);
    }

    proptest! {
        #[test]
        fn spans_lie_on_characters_and_positions_never_fall(text in "\\PC{0,200}") {
            for language in Language::ALL {
                let mut last = 0;
                for word in words(&text, language) {
                    prop_assert!(text.get(word.span.clone()).is_some_and(|piece| !piece.is_empty()));
                    prop_assert!(!word.text.is_empty());
                    prop_assert!(word.position >= last);
                    last = word.position;
                }
            }
        }
    }
}
