//! The fuzz bodies over their corpus, and over random mutations of it for as long as `HEWTO_FUZZ_SECONDS` says (for
//! each body; two seconds unless set). A failure prints the input that caused it.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails where it stands")]
#![allow(clippy::disallowed_methods, reason = "only this test reads this variable")]
#![allow(clippy::print_stderr, reason = "the input of a failure has to be shown")]

use std::hash::{BuildHasher, RandomState};
use std::panic::catch_unwind;
use std::path::Path;
use std::time::{Duration, Instant};

#[test]
fn any_lines_are_framed_and_decoded() {
    fuzz("lines", hewto_mcp::fuzz::lines);
}

#[test]
fn any_headers_agree_with_their_body_or_are_refused() {
    fuzz("headers", hewto_mcp::fuzz::headers);
}

#[test]
fn a_server_outlives_any_session() {
    fuzz("session", hewto_mcp::fuzz::session);
}

#[test]
fn any_address_reads_as_it_is_written() {
    fuzz("address", hewto_mcp::fuzz::address);
}

fn fuzz(name: &str, body: fn(&[u8])) {
    let corpus = corpus(name);
    for seed in &corpus {
        run(name, body, seed);
    }
    let seconds = std::env::var("HEWTO_FUZZ_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(2);
    let end = Instant::now() + Duration::from_secs(seconds);
    let mut chance = Chance(RandomState::new().hash_one(name) | 1);
    while Instant::now() < end {
        let mut input = chance.pick(&corpus).clone();
        for _ in 0..=chance.below(6) {
            chance.mutate(&mut input, &corpus);
        }
        run(name, body, &input);
    }
}

fn corpus(name: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(name);
    let files = fs_err::read_dir(folder).unwrap().map(|entry| fs_err::read(entry.unwrap().path()).unwrap());
    let corpus: Vec<Vec<u8>> = files.collect();
    assert!(!corpus.is_empty(), "{name} has seeds");
    corpus
}

fn run(name: &str, body: fn(&[u8]), input: &[u8]) {
    if let Err(panic) = catch_unwind(|| body(input)) {
        eprintln!("`{name}` fails on \"{}\"", input.escape_ascii());
        std::panic::resume_unwind(panic);
    }
}

/// A small generator of chance; which one does not matter.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % limit.max(1) as u64).unwrap()
    }

    fn pick<'t, T>(&mut self, from: &'t [T]) -> &'t T {
        &from[self.below(from.len())]
    }

    fn byte(&mut self) -> u8 {
        self.next().to_le_bytes()[0]
    }

    /// One of the ways in which inputs go wrong.
    fn mutate(&mut self, input: &mut Vec<u8>, corpus: &[Vec<u8>]) {
        const TOKENS: [&[u8]; 14] = [
            b"{",
            b"}",
            b"[",
            b"]",
            b"\"",
            b"\n",
            b"\r\n",
            b"null",
            b"-1",
            b"1e999",
            b"\\u0000",
            b"\xff\xfe",
            b"true",
            b"{\"_meta\":{}}",
        ];
        let at = self.below(input.len() + 1);
        match self.below(7) {
            0 if at < input.len() => input[at] ^= 1 << self.below(8),
            1 if at < input.len() => input[at] = self.byte(),
            2 => {
                let end = at + self.below(40).min(input.len() - at);
                input.drain(at..end);
            }
            3 => drop(input.splice(at..at, self.pick(&TOKENS).iter().copied())),
            4 => {
                let other = self.pick(corpus);
                let (from, to) = (self.below(other.len() + 1), self.below(other.len() + 1));
                let piece = other[from.min(to)..from.max(to)].to_vec();
                input.splice(at..at, piece);
            }
            5 => {
                let end = at + self.below(200).min(input.len() - at);
                let piece = input[at..end].repeat(1 + self.below(5));
                input.splice(at..at, piece);
            }
            _ => input.truncate(at),
        }
    }
}
