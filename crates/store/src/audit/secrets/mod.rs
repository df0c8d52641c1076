//! Recognises secrets, by the name they are kept under and by what they look like.
//!
//! It would rather redact a harmless word in a log line than let a key through; it never touches artifacts.

mod command;
mod formats;
mod glance;
mod known;
mod markup;
mod named;
mod random;
mod tables;

use std::borrow::Cow;
use std::ops::Range;

pub(super) use self::command::in_commands;
pub(super) use self::formats::is_card;
use self::formats::{cards, hashes_and_logins, in_password_files};
pub(super) use self::glance::{Case, automaton, may_hold_secret};
use self::known::{
    FOREIGN_NAMES, HARMLESS_NAMES, KEY_PREFIXES, SCHEMES, SECRET_ADDRESSES, SECRET_NAMES, SHORT_NAMES,
};
use self::markup::{in_attributes, in_blocks, in_elements};
use self::named::{assigned, identified, told};
use self::random::drawn;
use self::tables::in_tables;

/// The shortest word that is a key or a JSON web token.
const SHORTEST_KEY: usize = 15;
/// The shortest text with a word that looks random after a scheme: `basic 1234567a`.
const SHORTEST_SCHEMED: usize = 14;
/// Longer names in other letters are sentences.
const LONGEST_FOREIGN: usize = 256;
/// More letters than any name has that is compared as a whole.
const LONGEST_NAME: usize = 48;

/// Whether what is kept under this name is a secret.
pub(super) fn is_secret_key(key: &str) -> bool {
    // Every key of every message comes by here: its last letters are compared as they stand in memory.
    let mut letters = [0; LONGEST_NAME];
    let mut start = LONGEST_NAME;
    for byte in key.bytes().rev().filter(u8::is_ascii_alphanumeric).take(LONGEST_NAME) {
        start -= 1;
        letters[start] = byte.to_ascii_lowercase();
    }
    let letters = &letters[start..];
    let ends_with = |name: &str| letters.ends_with(name.as_bytes());
    let is = |name: &str| letters == name.as_bytes();
    let last_word = key.rsplit(|ch: char| !ch.is_ascii_alphanumeric()).find(|word| !word.is_empty());
    let is_short = |name: &str| last_word.is_some_and(|word| word.eq_ignore_ascii_case(name));
    (SECRET_NAMES.into_iter().any(ends_with) && !HARMLESS_NAMES.into_iter().any(is))
        || SHORT_NAMES.into_iter().any(is_short)
        || ends_with_foreign_name(key)
}

fn ends_with_foreign_name(key: &str) -> bool {
    let letters = || key.trim_end_matches(|ch: char| !ch.is_alphanumeric()).to_lowercase();
    !key.is_ascii()
        && key.len() <= LONGEST_FOREIGN
        && FOREIGN_NAMES.iter().any(|name| letters().ends_with(name))
}

/// Which texts are looked at by their looks alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Looks {
    Matter,
    /// It is an id, a cursor or a hash, which looks drawn because it is.
    Pass,
}

/// Replaces every secret in a text; `None` when there is none.
pub(super) fn scrub(text: &str, looks: Looks, replacement: fn(&str) -> String) -> Option<String> {
    // Most texts of a message are ids and single words.
    if text.len() < SHORTEST_SCHEMED && !text.contains(['=', ':', ' ']) {
        return None;
    }
    let (visible, places) = visible(text);
    let seen = visible.as_ref();
    // A backslash hides the letter behind it from the glance, which knows texts as JSON writes them.
    if !seen.contains('\\') && !may_hold_secret(seen.as_bytes(), looks) {
        return None;
    }
    let spans = spans(seen, looks);
    if spans.is_empty() {
        return None;
    }
    let place = |at: usize| if places.is_empty() { at } else { places[at] };
    let mut spans: Vec<Range<usize>> =
        spans.into_iter().map(|span| place(span.start)..place(span.end)).collect();
    spans.sort_by_key(|span| (span.start, std::cmp::Reverse(span.end)));
    let mut clean = String::with_capacity(text.len());
    let mut done = 0;
    for span in spans {
        if span.end <= done {
            continue;
        }
        let start = span.start.max(done);
        clean.push_str(&text[done..start]);
        clean.push_str(&replacement(&text[start..span.end]));
        done = span.end;
    }
    clean.push_str(&text[done..]);
    Some(clean)
}

/// Where the secrets of a text stand, in no order; some may be within others.
fn spans(text: &str, looks: Looks) -> Vec<Range<usize>> {
    let mut spans = private_keys(text);
    spans.extend(known_keys(text));
    spans.extend(after_scheme(text));
    spans.extend(assigned(text));
    spans.extend(told(text));
    spans.extend(identified(text));
    spans.extend(in_blocks(text));
    spans.extend(in_elements(text));
    spans.extend(in_attributes(text));
    spans.extend(in_tables(text));
    spans.extend(in_commands(text));
    spans.extend(in_urls(text));
    spans.extend(cards(text));
    spans.extend(in_password_files(text));
    spans.extend(hashes_and_logins(text));
    if looks == Looks::Matter {
        spans.extend(drawn(text));
    }
    spans
}

/// The text without the characters that nobody sees and with those that are written as escapes, and where each of its bytes stands
/// in the text; nothing where they stand where they stood.
fn visible(text: &str) -> (Cow<'_, str>, Vec<usize>) {
    let is_escaped = text.contains("\\u00") || text.contains("&#");
    if !is_escaped && (text.is_ascii() || !text.chars().any(is_invisible)) {
        return (Cow::Borrowed(text), Vec::new());
    }
    let (mut seen, mut places) = (String::with_capacity(text.len()), Vec::with_capacity(text.len() + 1));
    let mut done = 0;
    for (at, ch) in text.char_indices().filter(|(_, ch)| !is_invisible(*ch)) {
        if at < done {
            continue;
        }
        if let Some((meant, length)) = escaped(&text[at..]) {
            seen.push(meant);
            places.push(at);
            done = at + length;
            continue;
        }
        seen.push(ch);
        places.extend(at..at + ch.len_utf8());
    }
    places.push(text.len());
    (Cow::Owned(seen), places)
}

/// The sign or letter that an escape at the beginning of a text stands for, and how long the escape is: `\u003d`, `&#61;`, `&#x3d;`.
fn escaped(text: &str) -> Option<(char, usize)> {
    let (number, length) = if let Some(digits) = text.strip_prefix("\\u") {
        (u32::from_str_radix(digits.get(..4)?, 16).ok()?, 6)
    } else {
        let inner = text.strip_prefix("&#")?;
        let end = inner.bytes().take(6).position(|byte| byte == b';')?;
        let number = match inner[..end].strip_prefix(['x', 'X']) {
            Some(digits) => u32::from_str_radix(digits, 16).ok()?,
            None => inner[..end].parse().ok()?,
        };
        (number, end + 3)
    };
    char::from_u32(number).filter(char::is_ascii_graphic).map(|ch| (ch, length))
}

/// Characters that take no room: joiners, marks of direction, tags.
pub(super) fn is_invisible(ch: char) -> bool {
    matches!(ch,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

/// `-----BEGIN … PRIVATE KEY-----` to its end, or to the end of the text.
fn private_keys(text: &str) -> Vec<Range<usize>> {
    let mut spans = Vec::new();
    let mut from = 0;
    while let Some(begin) = text[from..].find("-----BEGIN ").map(|at| from + at) {
        let line_end = text[begin..].find('\n').map_or(text.len(), |at| begin + at);
        from = line_end;
        if !text[begin..line_end].contains("PRIVATE KEY") {
            continue;
        }
        let end = text[line_end..].find("-----END ").map_or(text.len(), |at| {
            let last = line_end + at;
            text[last..].find('\n').map_or(text.len(), |at| last + at)
        });
        spans.push(begin..end);
        from = end;
    }
    // PuTTY says how many lines its key has.
    if let Some(begin) = text.find("Private-Lines:") {
        spans.push(begin..text[begin..].find("Private-MAC").map_or(text.len(), |at| begin + at));
    }
    spans
}

/// Keys with a well-known beginning, and JSON web tokens.
fn known_keys(text: &str) -> Vec<Range<usize>> {
    let mut spans = Vec::new();
    if text.len() < SHORTEST_KEY {
        return spans;
    }
    let mut end = 0;
    for word in text.as_bytes().split(|byte| !(byte.is_ascii_alphanumeric() || b"_-.".contains(byte))) {
        let start = end;
        end += word.len() + 1;
        let word = start..start + word.len();
        if word.len() >= SHORTEST_KEY && is_key(&text[word.clone()]) {
            spans.push(word);
        }
    }
    spans
}

fn is_key(word: &str) -> bool {
    let is_known =
        |(prefix, least): &(&str, usize)| word.strip_prefix(prefix).is_some_and(|tail| tail.len() >= *least);
    let is_web_token = word.starts_with("eyJ") && word.len() > 20 && word.contains('.');
    KEY_PREFIXES.iter().any(is_known)
        || is_web_token
        || is_twilio_key(word.as_bytes())
        || (word.starts_with("pat")
            && word.find('.').is_some_and(|dot| is_airtable_key(&word.as_bytes()[dot..])))
}

/// `SK` and 32 hexadecimal digits, as a key of Twilio has it: longer words begin with the same letters.
pub(super) fn is_twilio_key(word: &[u8]) -> bool {
    let Some(digits) = word.strip_prefix(b"SK") else { return false };
    digits.iter().take_while(|byte| byte.is_ascii_hexdigit()).count() == 32
}

/// A dot and 64 hexadecimal digits, as a token of Airtable ends.
pub(super) fn is_airtable_key(end: &[u8]) -> bool {
    end.iter().skip(1).take_while(|byte| byte.is_ascii_hexdigit()).count() == 64
}

/// `123456789:AAH…`, as a bot of Telegram has it.
fn is_bot_token(text: &str, colon: usize) -> bool {
    let before = text[..colon].bytes().rev().take_while(u8::is_ascii_digit).count();
    let after =
        text[colon + 1..].bytes().take_while(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(byte));
    before >= 8 && after.count() >= 30
}

/// What follows `Bearer`, `Basic` or another scheme.
fn after_scheme(text: &str) -> Vec<Range<usize>> {
    let mut spans = Vec::new();
    if text.len() < SHORTEST_SCHEMED {
        return spans;
    }
    let lower = text.to_ascii_lowercase();
    for scheme in SCHEMES {
        for (at, _) in lower.match_indices(scheme) {
            let start = at + scheme.len();
            let value = run(text, start, |ch| ch.is_ascii_alphanumeric() || "-._~+/=".contains(ch));
            if looks_random(&text[value.clone()]) {
                spans.push(value);
            }
        }
    }
    spans
}

/// The password in `https://user:password@host`, a user that is a token, and addresses that are secrets themselves.
fn in_urls(text: &str) -> Vec<Range<usize>> {
    let mut spans = Vec::new();
    for (at, mark) in text.match_indices("://") {
        let authority = run(text, at + mark.len(), |ch| !ch.is_whitespace() && !"/?#\"'`".contains(ch));
        let shown = &text[authority.clone()];
        let Some((user, _)) = shown.rsplit_once('@') else { continue };
        match user.split_once(':') {
            Some((name, password)) if !password.is_empty() => {
                let start = authority.start + name.len() + 1;
                spans.push(start..start + password.len());
                // `https://TOKEN:x-oauth-basic@host`
                if looks_random(name) && name.len() >= 16 {
                    spans.push(authority.start..authority.start + name.len());
                }
            }
            _ if looks_random(user) => spans.push(authority.start..authority.start + user.len()),
            _ => {}
        }
    }
    for address in SECRET_ADDRESSES {
        for (at, _) in text.match_indices(address) {
            let path = run(text, at + address.len(), |ch| !ch.is_whitespace() && !"\"'`<>)".contains(ch));
            if path.len() >= 8 {
                spans.push(path);
            }
        }
    }
    spans
}

/// Prose does not look like this: eight characters or more, with a digit or with capitals inside.
pub(super) fn looks_random(text: &str) -> bool {
    let has_digit = text.bytes().any(|byte| byte.is_ascii_digit());
    let mixed = text.bytes().skip(1).any(|byte| byte.is_ascii_uppercase())
        && text.bytes().any(|byte| byte.is_ascii_lowercase());
    text.len() >= 8 && (has_digit || mixed)
}

/// The characters from `start` on that belong together.
fn run(text: &str, start: usize, belongs: impl Fn(char) -> bool) -> Range<usize> {
    let length = text[start..].find(|ch: char| !belongs(ch)).unwrap_or(text.len() - start);
    start..start + length
}

#[cfg(test)]
mod tests;
