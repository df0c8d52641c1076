//! Output as it comes: a bounded part of it is kept, all of it is counted.

use std::borrow::Cow;

use memchr::memchr;

/// Which end of the output is kept, and how many bytes of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keep {
    Head(usize),
    Tail(usize),
}

/// A stream of a child, as far as it is kept.
#[derive(Debug)]
pub(crate) struct Captured {
    keep: Keep,
    bytes: Vec<u8>,
    total: u64,
}

impl Captured {
    pub(crate) fn new(keep: Keep) -> Self {
        Self { keep, bytes: Vec::new(), total: 0 }
    }

    pub(crate) fn push(&mut self, chunk: &[u8]) {
        self.total += chunk.len() as u64;
        match self.keep {
            Keep::Head(most) => {
                let room = most - self.bytes.len().min(most);
                self.bytes.extend_from_slice(&chunk[..chunk.len().min(room)]);
            }
            Keep::Tail(most) => {
                self.bytes.extend_from_slice(chunk);
                // Cut rarely, so that each byte is moved about once.
                if self.bytes.len() > 2 * most {
                    self.bytes.drain(..self.bytes.len() - most);
                }
            }
        }
    }

    /// How much came in all.
    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    pub(crate) fn is_cut(&self) -> bool {
        let most = match self.keep {
            Keep::Head(most) | Keep::Tail(most) => most,
        };
        self.total > most as u64
    }

    /// What was kept. The end of an output begins with a whole line where it can.
    pub(crate) fn bytes(&self) -> &[u8] {
        match self.keep {
            Keep::Tail(most) if self.bytes.len() > most || self.is_cut() => {
                let tail = &self.bytes[self.bytes.len().saturating_sub(most)..];
                match memchr(b'\n', tail) {
                    Some(at) if at + 1 < tail.len() => &tail[at + 1..],
                    _ => tail,
                }
            }
            _ => &self.bytes,
        }
    }
}

/// Output without the sequences that colour a terminal.
pub(crate) fn plain_text(bytes: &[u8]) -> Cow<'_, [u8]> {
    if memchr(0x1b, bytes).is_none() {
        return Cow::Borrowed(bytes);
    }
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some(at) = memchr(0x1b, rest) {
        out.extend_from_slice(&rest[..at]);
        rest = after_escape(&rest[at + 1..]);
    }
    out.extend_from_slice(rest);
    Cow::Owned(out)
}

fn after_escape(rest: &[u8]) -> &[u8] {
    match rest.first() {
        // Control sequence: parameters, then one final byte.
        Some(b'[') => match rest[1..].iter().position(|byte| (0x40..=0x7e).contains(byte)) {
            Some(at) => &rest[at + 2..],
            None => &[],
        },
        // Operating system command: up to BEL or ESC \.
        Some(b']') => match rest.iter().position(|byte| *byte == 0x07 || *byte == 0x1b) {
            Some(at) if rest[at] == 0x1b => rest.get(at + 2..).unwrap_or_default(),
            Some(at) => &rest[at + 1..],
            None => &[],
        },
        Some(_) => &rest[1..],
        None => rest,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn captured(keep: Keep, chunks: &[&[u8]]) -> Captured {
        let mut captured = Captured::new(keep);
        for chunk in chunks {
            captured.push(chunk);
        }
        captured
    }

    #[test]
    fn one_end_is_kept_and_all_is_counted() {
        let head = captured(Keep::Head(4), &[b"ab", b"cdef", b"gh"]);
        assert_eq!((head.bytes(), head.total(), head.is_cut()), (b"abcd".as_slice(), 8, true));
        let tail = captured(Keep::Tail(5), &[b"one\ntwo\n", b"end\n"]);
        assert_eq!((tail.bytes(), tail.is_cut()), (b"end\n".as_slice(), true));
        let whole = captured(Keep::Tail(99), &[b"one\n", b"two\n"]);
        assert_eq!((whole.bytes(), whole.is_cut()), (b"one\ntwo\n".as_slice(), false));
    }

    #[test]
    fn colours_are_left_out() {
        let text = b"\x1b[1;31merror\x1b[0m: x\x1b]8;;http://a\x07link\x1b]8;;\x1b\\.\x1b(B";
        assert_eq!(&*plain_text(text), b"error: xlink.B".as_slice());
        assert_eq!(&*plain_text(b"cut \x1b[3"), b"cut ".as_slice());
    }

    proptest! {
        #[test]
        fn what_is_kept_is_the_end(chunks in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..20), 0..20)) {
            let all = chunks.concat();
            let refs: Vec<&[u8]> = chunks.iter().map(Vec::as_slice).collect();
            let tail = captured(Keep::Tail(30), &refs);
            prop_assert!(all.ends_with(tail.bytes()));
            prop_assert!(tail.bytes().len() <= 30);
            prop_assert_eq!(tail.total(), all.len() as u64);
        }

        #[test]
        fn plain_text_never_has_an_escape(bytes in prop::collection::vec(prop::sample::select(b"\x1b[];m\x07\\a1".to_vec()), 0..40)) {
            prop_assert!(!plain_text(&bytes).contains(&0x1b));
        }
    }
}
