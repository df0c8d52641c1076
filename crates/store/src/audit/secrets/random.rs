//! What looks drawn rather than written: the check behind all forms that are known.
//!
//! Hashes, UUIDs and other hexadecimal digits are no secrets by their looks, and a log without them would be of little use.

use std::ops::Range;

/// Shorter words are not looked at.
const SHORTEST: usize = 20;
/// Without capitals a word says less.
const SHORTEST_PLAIN: usize = 24;

/// Words that look drawn.
pub(super) fn drawn(text: &str) -> Vec<Range<usize>> {
    words(text.as_bytes()).filter(|word| looks_drawn(&text.as_bytes()[word.clone()])).collect()
}

/// Whether there may be one in a text that may still have escapes in it, so that a word may seem a letter longer.
pub(in crate::audit) fn may_hold_drawn(text: &[u8]) -> bool {
    words(text).any(|word| is_doubtful(&text[word]))
}

/// Whatever looks drawn is doubtful, also behind one letter more.
fn is_doubtful(word: &[u8]) -> bool {
    let has = |is: fn(&u8) -> bool| word.iter().any(is);
    let is_long = |part: &[u8]| {
        part.len() >= SHORTEST_PLAIN
            && part.iter().any(u8::is_ascii_digit)
            && !part[1..].iter().all(u8::is_ascii_hexdigit)
    };
    let is_mixed = has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase) && has(u8::is_ascii_digit);
    is_mixed || word.split(|byte| b"-_/".contains(byte)).any(is_long)
}

fn words(text: &[u8]) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let start = at + text.get(at..)?.iter().position(|byte| belongs(*byte))?;
            let length = text[start..].iter().position(|byte| !belongs(*byte)).unwrap_or(text.len() - start);
            at = start + length;
            if length >= SHORTEST {
                return Some(start..at);
            }
        }
    })
}

fn belongs(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"+/_=-~".contains(&byte)
}

fn looks_drawn(word: &[u8]) -> bool {
    // What is written has dashes, slashes and underscores between its words.
    let parts = || word.split(|byte| b"-_/".contains(byte));
    let longest = parts().map(<[u8]>::len).max().unwrap_or(0);
    if word.iter().all(|byte| byte.is_ascii_hexdigit() || *byte == b'-') || longest < 6 {
        return false;
    }
    let [upper, lower, digits] = [u8::is_ascii_uppercase, u8::is_ascii_lowercase, u8::is_ascii_digit]
        .map(|is: fn(&u8) -> bool| word.iter().filter(|byte| is(byte)).count());
    let letters = upper + lower + digits;
    let changes = word.windows(2).filter(|pair| class(pair[0]) != class(pair[1])).count();
    if upper > 0 && lower > 0 && digits > 0 {
        // Names in camel case change from word to word; what is drawn does at every second letter.
        return changes * 5 >= letters * 2 && different(word) * 2 >= letters.min(30);
    }
    // One word of small or of capital letters with digits all over it.
    let is_plain = digits > 0 && (upper == 0 || lower == 0);
    let part = parts().max_by_key(|part| part.len()).unwrap_or_default();
    let part_digits = part.iter().filter(|byte| byte.is_ascii_digit()).count();
    is_plain
        && part.len() >= SHORTEST_PLAIN
        && !part.iter().all(u8::is_ascii_hexdigit)
        && part_digits * 10 >= part.len()
        && part_digits * 2 <= part.len()
        && changes * 10 >= letters * 3
}

fn class(byte: u8) -> u8 {
    match byte {
        b'A'..=b'Z' => 0,
        b'a'..=b'z' => 1,
        b'0'..=b'9' => 2,
        _ => 3,
    }
}

fn different(word: &[u8]) -> usize {
    let mut seen = [false; 256];
    for byte in word {
        seen[usize::from(*byte)] = true;
    }
    seen.into_iter().filter(|seen| *seen).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_drawn_is_told_from_what_is_written() {
        for text in [
            "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
            "Zk7pQ2mX9vLr4TnB8wYc",
            "q7d8x2kf93ms0vn4hz61bt5p",
            "dGhpcyBpcyBhIHNlY3JldCB2YWx1ZQ9=",
        ] {
            assert!(may_hold_drawn(text.as_bytes()), "{text}");
            let whole = 0..text.len();
            assert_eq!(drawn(text), [whole], "{text}");
        }
        for text in [
            "9944b09199c62bcf9418ad846dd0e4bbdfc6ee4b",
            "0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b",
            "getSpecRequirementsV2ResponseView",
            "crates/mcp/src/transport/http/post.rs",
            "1769264400-user-login-with-oauth-2",
            "specman_lifecycle_plan_creation",
            "2026-01-24T14:30:00.123456Z",
            "io.modelcontextprotocol/protocolVersion",
            "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
            "SHALL_NOT_BE_TAKEN_FOR_ANYTHING_2",
        ] {
            assert!(drawn(text).is_empty(), "{text}");
        }
    }
}
