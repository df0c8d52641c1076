//! Tests by name, and what each of them mentions.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use super::source::Source;
use super::{Kind, Sighting};
use crate::proof::source::{block_end, read_declaration};

/// Words shorter than this name nothing in particular.
const MIN_WORD: usize = 4;

/// The words and texts of a test, each as a number.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Mentions(Vec<u64>);

impl Mentions {
    /// Everything that the test mentions, as numbers.
    pub fn all(&self) -> impl Iterator<Item = u64> + '_ {
        self.0.iter().copied()
    }
}

/// What a sighting is mentioned as: the path of a route whatever its parameters, the name of everything else.
pub fn mention_of(kind: Kind, name: &str) -> u64 {
    match kind {
        Kind::Route => number(&shape(name.split_once(' ').map_or(name, |(_, path)| path))),
        _ => number(name),
    }
}

/// Eight bytes at a time, rotated and multiplied: every word of every test gets a number, and nobody chooses them to collide.
fn number(text: &str) -> u64 {
    const SEED: u64 = 0x9e37_79b9_7f4a_7c15;
    let mix = |state: u64, part: u64| (state.rotate_left(5) ^ part).wrapping_mul(SEED);
    let chunks = text.as_bytes().chunks(8);
    let state = chunks.fold(mix(0, text.len() as u64), |state, chunk| {
        let mut bytes = [0; 8];
        bytes[..chunk.len()].copy_from_slice(chunk);
        mix(state, u64::from_le_bytes(bytes))
    });
    state ^ (state >> 29)
}

/// A path without what differs from call to call: parameters, numbers, queries, the host.
fn shape(path: &str) -> String {
    let path = path.split_once("://").map_or(path, |(_, rest)| rest.find('/').map_or("/", |at| &rest[at..]));
    let path = path.split(['?', '#']).next().unwrap_or(path);
    let is_parameter = |part: &str| {
        part.contains(['{', '$', ':', '<', '%', '*']) || part.chars().all(|c| c.is_ascii_digit() || c == '-')
    };
    let parts = path.split('/').filter(|part| !part.is_empty());
    parts.map(|part| if is_parameter(part) { "/{}".to_owned() } else { format!("/{part}") }).collect()
}

/// The tests of a file, and for each what it mentions.
pub(super) fn tests(source: &Source<'_>) -> (Vec<Sighting>, Vec<Mentions>) {
    let (mut tests, mut mentions) = (Vec::new(), Vec::new());
    if source.is("sql") || !may_have_tests(source) {
        return (tests, mentions);
    }
    let mut seen = BTreeSet::new();
    for at in (0..source.len()).filter(|&at| source.is_first(at) && may_begin(source, at)) {
        let start = source.token(at);
        let declaration = read_declaration(&source.tokens, start, &source.language);
        if !declaration.is_test || !seen.insert(declaration.body) {
            continue;
        }
        let Some(title) = declaration.title else { continue };
        let body = source.place(declaration.body);
        // In Go a test is a function, or a part of one that `t.Run` names; whatever else is called `test` is a helper.
        if source.is("go") && !source.is_word(body, "func") && !source.is_mark(body + 1, b'.') {
            continue;
        }
        let end = source.place(block_end(&source.tokens, declaration.body, &source.language)).max(body);
        let sighting = Sighting {
            kind: Kind::Test,
            name: title,
            line: source.line(body),
            by: source.language.name,
            handler: None,
        };
        tests.push(sighting);
        mentions.push(mentioned(source, body, end));
    }
    (tests, mentions)
}

/// The lines from the first test that is in a file with other things to its end; what stands there is no promise.
pub(super) fn test_lines(source: &Source<'_>, tests: &[Sighting]) -> Vec<RangeInclusive<u32>> {
    if !source.is("rust") || tests.is_empty() || !source.says("cfg(test") {
        return Vec::new();
    }
    // `#[cfg(test)] mod tests { … }`
    let mut ranges = Vec::new();
    for at in 0..source.len() {
        let is_cfg =
            source.is_word(at, "cfg") && source.is_mark(at + 1, b'(') && source.is_word(at + 2, "test");
        if is_cfg {
            let open = (at..source.len()).find(|&at| source.is_mark(at, b'{') || source.is_mark(at, b';'));
            if let Some(open) = open.filter(|&open| source.is_mark(open, b'{')) {
                ranges.push(source.line(at)..=source.line(source.closing(open)));
            }
        }
    }
    ranges
}

/// Whether a test may begin here: most lines are told from one by their first word.
fn may_begin(source: &Source<'_>, at: usize) -> bool {
    match source.language.name {
        "rust" => source.is_mark(at, b'#'),
        "java" => source.is_mark(at, b'@'),
        "csharp" => source.is_mark(at, b'['),
        "go" => source.is_word(at, "func") || source.is_mark(at + 1, b'.'),
        "python" => source.is_mark(at, b'@') || matches!(source.word(at), Some("def" | "async" | "class")),
        // `it(…)`, `test.each(…)`, `test "…"`, a decorator, a title in brackets: the rest of a script is statements.
        _ => {
            source.mark(at).is_some()
                || source.is_mark(at + 1, b'(')
                || source.is_mark(at + 1, b'.')
                || source.string(at + 1).is_some()
        }
    }
}

/// A cheap look before a dear one.
fn may_have_tests(source: &Source<'_>) -> bool {
    source.says_any(&["test", "Test", "it(", "describe", "Fact", "Theory"])
}

fn mentioned(source: &Source<'_>, from: usize, to: usize) -> Mentions {
    let mut all = Vec::new();
    for at in from..=to.min(source.len().saturating_sub(1)) {
        if let Some(word) = source.word(at).filter(|word| word.len() >= MIN_WORD) {
            all.push(number(word));
        }
        if let Some(text) = source.string(at).filter(|text| text.len() <= 300) {
            all.push(number(text));
            if text.contains('/') {
                let shape = shape(text);
                // `{base}/users`: what stands for the host is no part of the path.
                if let Some(rest) = shape.strip_prefix("/{}").filter(|rest| !rest.is_empty()) {
                    all.push(number(rest));
                }
                all.push(number(&shape));
            }
        }
    }
    all.sort_unstable();
    all.dedup();
    Mentions(all)
}
