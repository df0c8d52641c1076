//! Takes out of a text what identifies people and what looks like a key, before it goes to another machine.
//!
//! Keys with a known shape are the store's business (it keeps them out of the logs too); this adds mail addresses and
//! long random words.

/// Longest word that is believed to be prose, a path or a name.
const LONGEST_WORD: usize = 40;
const MARK: &str = "[redacted]";

/// The text without mail addresses and random words.
pub fn mask(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let blanks = rest.len() - rest.trim_start_matches(is_gap).len();
        out.push_str(&rest[..blanks]);
        rest = &rest[blanks..];
        let end = rest.find(is_gap).unwrap_or(rest.len());
        let word = &rest[..end];
        out.push_str(if is_address(word) || is_random(word) { MARK } else { word });
        rest = &rest[end..];
    }
    out
}

fn is_gap(ch: char) -> bool {
    ch.is_whitespace() || "\"'`<>()[]{},;=".contains(ch)
}

fn is_address(word: &str) -> bool {
    let Some((name, host)) = word.trim_end_matches(['.', ':', '!', '?']).split_once('@') else {
        return false;
    };
    let host_parts: Vec<&str> = host.split('.').collect();
    !name.is_empty() && host_parts.len() >= 2 && host_parts.iter().all(|part| !part.is_empty())
}

fn is_random(word: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"+/_-.~".contains(&byte);
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    word.len() >= LONGEST_WORD && word.bytes().all(plain) && digits * 20 >= word.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_random_words_are_masked() {
        let random = "a1B2".repeat(12);
        for (text, expected) in [
            ("ask bob@example.org.", "ask [redacted]"),
            ("<bob.x+y@mail.example.org>", "<[redacted]>"),
            (&format!("key={random}, then"), "key=[redacted], then"),
            ("f2ca1bb6c7e907d06dafe4687e579fce76b37e4e is a hash", "[redacted] is a hash"),
        ] {
            assert_eq!(mask(text), expected);
        }
    }

    #[test]
    fn prose_names_and_paths_stay() {
        for text in [
            "Add OAuth authentication with Clerk",
            "src/components/authentication/providers/google/index.ts",
            "@types/node and user@localhost",
            "a-very-long-name-that-has-no-digits-in-it-at-all-really",
            "ümläüt\n\n  kept",
        ] {
            assert_eq!(mask(text), text);
        }
    }
}
