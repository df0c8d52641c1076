//! A glance at a text, whether there may be a secret in it: most have none, and looking for each form would take long.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use super::formats::{HASHES, LOGIN, may_hold_card, may_hold_password_file};
use super::known::{
    FOREIGN_NAMES, KEY_PREFIXES, QUERY_NAMES, SCHEMES, SECRET_ADDRESSES, SECRET_NAMES, SECRET_OPTIONS,
    SHORT_NAMES,
};
use super::random::may_hold_drawn;
use super::{Looks, is_airtable_key, is_twilio_key};

/// Marks of secrets.
static MARKS: LazyLock<AhoCorasick> = LazyLock::new(|| {
    let prefixes = KEY_PREFIXES.iter().map(|(prefix, _)| *prefix);
    let others = ["eyJ", "-----BEGIN ", "Private-Lines:", "://", "&#", LOGIN];
    let queries = QUERY_NAMES.iter().flat_map(|name| ["?", "&", "#"].map(|sign| format!("{sign}{name}=")));
    let queries: Vec<String> = queries.collect();
    let all = prefixes.chain(others).chain(SECRET_ADDRESSES).chain(HASHES);
    AhoCorasick::new(all.chain(queries.iter().map(String::as_str))).expect("few and short patterns")
});
/// Options of a command whose argument may be one.
static OPTIONS: LazyLock<AhoCorasick> = LazyLock::new(|| {
    AhoCorasick::new(SECRET_OPTIONS.map(|(option, _)| option)).expect("few and short patterns")
});
/// What is recognised in capitals too.
static WORDS: LazyLock<AhoCorasick> = LazyLock::new(|| regardless_of_case(&SCHEMES));
/// Short names of secrets, which are names where no letter follows.
static SHORT: LazyLock<AhoCorasick> = LazyLock::new(|| regardless_of_case(&SHORT_NAMES));
/// Names of secrets, among letters and digits alone.
static NAMES: LazyLock<AhoCorasick> = LazyLock::new(|| {
    AhoCorasick::new(SECRET_NAMES.into_iter().chain(["basic", "identifiedby"]))
        .expect("few and short patterns")
});

/// Names in other letters.
static FOREIGN: LazyLock<AhoCorasick> =
    LazyLock::new(|| AhoCorasick::new(FOREIGN_NAMES).expect("few and short patterns"));

fn regardless_of_case(words: &[&str]) -> AhoCorasick {
    AhoCorasick::builder().ascii_case_insensitive(true).build(words).expect("few and short patterns")
}

/// Whether there may be a secret in a text, as it is or as JSON writes it: where not, there is none. Invisible characters are for
/// the caller to look for.
pub(in crate::audit) fn may_hold_secret(text: &[u8], looks: Looks) -> bool {
    MARKS.is_match(text)
        || WORDS.is_match(text)
        || holds_option(text)
        || holds_short_name(text)
        || NAMES.is_match(&letters(text))
        || may_name_in_other_letters(text)
        || (looks == Looks::Matter && may_hold_drawn(text))
        || holds_bot_token(text)
        || may_hold_card(text)
        || may_hold_password_file(text)
        || memchr::memchr_iter(b'.', text).any(|dot| is_airtable_key(&text[dot..]))
        || memchr::memmem::find_iter(text, b"SK").any(|at| is_twilio_key(&text[at..]))
}

/// Whether a secret may be kept under a name in other letters; where there are capitals among them, it may.
fn may_name_in_other_letters(text: &[u8]) -> bool {
    let has_capital = |text: &str| text.chars().any(|ch| !ch.is_ascii() && ch.is_uppercase());
    !text.is_ascii() && (FOREIGN.is_match(text) || std::str::from_utf8(text).map_or(true, has_capital))
}

/// Whether an option begins a word, behind a blank as it is or as JSON writes it.
fn holds_option(text: &[u8]) -> bool {
    OPTIONS.find_overlapping_iter(text).any(|option| match &text[..option.start()] {
        [.., b'\\', _] => true,
        [.., before] => !before.is_ascii_alphanumeric(),
        [] => false,
    })
}

fn holds_short_name(text: &[u8]) -> bool {
    let is_followed = |end: usize| text.get(end).is_some_and(u8::is_ascii_alphanumeric);
    SHORT.find_overlapping_iter(text).any(|name| !is_followed(name.end()))
}

/// Whether there may be a number, a colon and a long word, which is how some tokens are written.
fn holds_bot_token(text: &[u8]) -> bool {
    memchr::memchr_iter(b':', text).any(|at| {
        let is_word = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_-".contains(byte);
        text[at + 1..].iter().take_while(is_word).count() >= 30
    })
}

/// Letters and digits, small, without escapes: names are compared so.
fn letters(text: &[u8]) -> Vec<u8> {
    let mut letters = Vec::with_capacity(text.len());
    let mut bytes = text.iter();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' => drop(bytes.next()),
            byte if byte.is_ascii_alphanumeric() => letters.push(byte.to_ascii_lowercase()),
            _ => {}
        }
    }
    letters
}
