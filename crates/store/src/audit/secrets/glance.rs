//! A glance at a text, whether there may be a secret in it: most have none, and looking for each form would take long.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind};

use super::formats::{HASHES, LOGIN, may_hold_card, may_hold_password_file};
use super::known::{
    FOREIGN_NAMES, KEY_PREFIXES, QUERY_NAMES, SCHEMES, SECRET_ADDRESSES, SECRET_NAMES, SECRET_OPTIONS,
    SHORT_NAMES,
};
use super::random::may_hold_drawn;
use super::{Looks, is_airtable_key, is_twilio_key};

/// What a mark needs beside it to be the mark of a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Needs {
    /// Nothing, in capitals or not.
    Nothing,
    /// The same capitals.
    SameCase,
    /// The option of a command: the same capitals, and a blank before it.
    Blank,
    /// A short name: no letter or digit behind it.
    End,
}

/// All marks of secrets, so that a text is looked through once.
static MARKS: LazyLock<(AhoCorasick, Vec<(String, Needs)>)> = LazyLock::new(|| {
    let others = ["eyJ", "-----BEGIN ", "Private-Lines:", "://", "&#", LOGIN];
    let exact = KEY_PREFIXES.iter().map(|(prefix, _)| *prefix).chain(others);
    let exact = exact.chain(SECRET_ADDRESSES).chain(HASHES).map(str::to_owned);
    let queries = QUERY_NAMES.iter().flat_map(|name| ["?", "&", "#"].map(|sign| format!("{sign}{name}=")));
    let marks: Vec<(String, Needs)> = (exact.chain(queries).map(|mark| (mark, Needs::SameCase)))
        .chain(SCHEMES.map(|mark| (mark.to_owned(), Needs::Nothing)))
        .chain(SECRET_OPTIONS.map(|(mark, _)| (mark.to_owned(), Needs::Blank)))
        .chain(SHORT_NAMES.map(|mark| (mark.to_owned(), Needs::End)))
        .collect();
    (automaton(marks.iter().map(|(mark, _)| mark), Case::Either), marks)
});
/// Names of secrets, among letters and digits alone.
static NAMES: LazyLock<AhoCorasick> =
    LazyLock::new(|| automaton(SECRET_NAMES.into_iter().chain(["basic", "identifiedby"]), Case::Matters));

/// Names in other letters.
static FOREIGN: LazyLock<AhoCorasick> = LazyLock::new(|| automaton(FOREIGN_NAMES, Case::Matters));

/// Whether capitals are other letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::audit) enum Case {
    Matters,
    Either,
}

/// Looks at each byte once and at nothing else: the letters that marks begin with are all over every text, so that looking for these
/// first would cost more than it saves.
pub(in crate::audit) fn automaton(marks: impl IntoIterator<Item: AsRef<[u8]>>, case: Case) -> AhoCorasick {
    AhoCorasick::builder()
        .kind(Some(AhoCorasickKind::DFA))
        .prefilter(false)
        .ascii_case_insensitive(case == Case::Either)
        .build(marks)
        .expect("few and short patterns")
}

/// Whether there may be a secret in a text, as it is or as JSON writes it: where not, there is none. Invisible characters are for
/// the caller to look for.
pub(in crate::audit) fn may_hold_secret(text: &[u8], looks: Looks) -> bool {
    holds_mark(text)
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

fn holds_mark(text: &[u8]) -> bool {
    let (automaton, marks) = &*MARKS;
    automaton.find_overlapping_iter(text).any(|found| {
        let (mark, needs) = &marks[found.pattern()];
        let is_same = || text[found.range()] == *mark.as_bytes();
        match needs {
            Needs::Nothing => true,
            Needs::SameCase => is_same(),
            Needs::Blank => is_same() && begins_word(&text[..found.start()]),
            Needs::End => !text.get(found.end()).is_some_and(u8::is_ascii_alphanumeric),
        }
    })
}

/// Whether what comes behind this is a word of its own, behind a blank as it is or as JSON writes it.
fn begins_word(before: &[u8]) -> bool {
    match before {
        [.., b'\\', _] => true,
        [.., before] => !before.is_ascii_alphanumeric(),
        [] => false,
    }
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
