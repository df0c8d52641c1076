//! Recognises secrets, by the name they are kept under and by what they look like.
//!
//! It would rather redact a harmless word in a log line than let a key through; it never touches artifacts.

use std::ops::Range;

/// Names of secrets, without punctuation; longer names may end with them.
pub(super) const SECRET_NAMES: [&str; 17] = [
    "password",
    "passwd",
    "pwd",
    "passphrase",
    "secret",
    "token",
    "apikey",
    "accesskey",
    "secretkey",
    "privatekey",
    "signingkey",
    "encryptionkey",
    "authorization",
    "cookie",
    "credential",
    "credentials",
    "bearer",
];
/// Names that end like a secret and are none.
const HARMLESS_NAMES: [&str; 4] = ["progresstoken", "pagetoken", "nextpagetoken", "continuationtoken"];

/// Beginnings of well-known keys, with the least number of characters that follow.
pub(super) const KEY_PREFIXES: [(&str, usize); 24] = [
    ("sk-", 16),
    ("sk_live_", 10),
    ("sk_test_", 10),
    ("rk_live_", 10),
    ("pk_live_", 10),
    ("ghp_", 20),
    ("gho_", 20),
    ("ghu_", 20),
    ("ghs_", 20),
    ("ghr_", 20),
    ("github_pat_", 20),
    ("glpat-", 16),
    ("xoxb-", 10),
    ("xoxp-", 10),
    ("xoxa-", 10),
    ("xoxs-", 10),
    ("AKIA", 16),
    ("ASIA", 16),
    ("AIza", 30),
    ("ya29.", 20),
    ("npm_", 30),
    ("pypi-", 30),
    ("hf_", 30),
    ("SG.", 20),
];

/// The shortest word that is a key or a JSON web token.
const SHORTEST_KEY: usize = 15;
/// The shortest text with a word that looks random after a scheme: `basic 1234567a`.
const SHORTEST_SCHEMED: usize = 14;

/// Whether what is kept under this name is a secret.
pub(super) fn is_secret_key(key: &str) -> bool {
    // Every key of every message comes by here, so nothing is copied.
    let letters_backwards =
        || key.bytes().rev().filter(u8::is_ascii_alphanumeric).map(|byte| byte.to_ascii_lowercase());
    let ends_with = |name: &str| name.bytes().rev().eq(letters_backwards().take(name.len()));
    let is = |name: &str| name.bytes().rev().eq(letters_backwards());
    SECRET_NAMES.into_iter().any(ends_with) && !HARMLESS_NAMES.into_iter().any(is)
}

/// Replaces every secret in a text; `None` when there is none.
pub(super) fn scrub(text: &str, replacement: fn(&str) -> String) -> Option<String> {
    // Most texts of a message are ids and single words.
    if text.len() < SHORTEST_SCHEMED && !text.contains(['=', ':']) {
        return None;
    }
    let mut spans: Vec<Range<usize>> = Vec::new();
    spans.extend(private_keys(text));
    spans.extend(known_keys(text));
    spans.extend(after_scheme(text));
    spans.extend(assigned(text));
    spans.extend(in_urls(text));
    if spans.is_empty() {
        return None;
    }
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
    let is_web_token = word.starts_with("eyJ") && word.len() > 40 && word.matches('.').count() == 2;
    KEY_PREFIXES.iter().any(is_known) || is_web_token
}

/// What follows `Bearer` or `Basic`.
fn after_scheme(text: &str) -> Vec<Range<usize>> {
    let mut spans = Vec::new();
    if text.len() < SHORTEST_SCHEMED {
        return spans;
    }
    let lower = text.to_ascii_lowercase();
    for scheme in ["bearer ", "basic "] {
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

/// `password=…` and `api_key: …`.
fn assigned(text: &str) -> Vec<Range<usize>> {
    let mut spans = Vec::new();
    for (at, sign) in text.match_indices(['=', ':']) {
        let name_end = text[..at].trim_end_matches([' ', '"', '\'', '`']).len();
        let name_start = text[..name_end]
            .rfind(|ch: char| !(ch.is_ascii_alphanumeric() || ch == '_' || ch == '-'))
            .map_or(0, |before| before + text[before..].chars().next().map_or(1, char::len_utf8));
        if name_start == name_end || !is_secret_key(&text[name_start..name_end]) {
            continue;
        }
        let after = &text[at + 1..];
        let start = at + 1 + (after.len() - after.trim_start_matches([' ', '"', '\'', '`']).len());
        let value = run(text, start, |ch| !ch.is_whitespace() && !"\"'`,;&)}]>".contains(ch));
        let shown = &text[value.clone()];
        let is_comparison = shown.starts_with(['=', '~']);
        let is_secret = if sign == "=" { !shown.is_empty() } else { looks_random(shown) };
        if is_secret && !is_comparison && !shown.starts_with("[redacted") {
            spans.push(value);
        }
    }
    spans
}

/// The password in `https://user:password@host`.
fn in_urls(text: &str) -> Vec<Range<usize>> {
    let mut spans = Vec::new();
    for (at, mark) in text.match_indices("://") {
        let authority = run(text, at + mark.len(), |ch| !ch.is_whitespace() && !"/?#\"'`".contains(ch));
        let shown = &text[authority.clone()];
        let Some((user, _)) = shown.rsplit_once('@') else { continue };
        if let Some((name, password)) = user.split_once(':')
            && !password.is_empty()
        {
            let start = authority.start + name.len() + 1;
            spans.push(start..start + password.len());
        }
    }
    spans
}

/// Prose does not look like this: eight characters or more, with a digit or with capitals inside.
fn looks_random(text: &str) -> bool {
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
mod tests {
    use super::*;

    #[test]
    fn no_key_is_shorter_than_the_shortest() {
        let shortest = KEY_PREFIXES.iter().map(|(prefix, least)| prefix.len() + least).min();
        assert_eq!(shortest, Some(SHORTEST_KEY));
    }

    fn scrubbed(text: &str) -> String {
        scrub(text, |_| "***".to_owned()).unwrap_or_else(|| text.to_owned())
    }

    #[test]
    fn secrets_in_prose_are_replaced_and_the_prose_stays() {
        for (text, expected) in [
            ("use ghp_0123456789abcdefghijklmnopqrstuvwxyz now", "use *** now"),
            ("Authorization: Bearer abc.DEF-123", "Authorization: Bearer ***"),
            ("curl -H 'authorization: basic dXNlcjpwYXNz'", "curl -H 'authorization: basic ***'"),
            ("DB_PASSWORD=hunter DEBUG=1", "DB_PASSWORD=*** DEBUG=1"),
            ("api_key: \"a1b2c3d4e5\", user: bob", "api_key: \"***\", user: bob"),
            ("clone https://bob:s3cret@example.com/x.git", "clone https://bob:***@example.com/x.git"),
            ("AKIAIOSFODNN7EXAMPLE", "***"),
            ("basic 1234567a", "basic ***"),
            ("pwd=x", "pwd=***"),
            ("a://b:c@d", "a://b:***@d"),
            ("-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----\nrest", "***\nrest"),
        ] {
            assert_eq!(scrubbed(text), expected, "{text}");
        }
        let token = format!("eyJ{}.eyJ{}.{}", "a".repeat(20), "b".repeat(20), "c".repeat(20));
        assert_eq!(scrubbed(&format!("jwt {token}!")), "jwt ***!");
    }

    #[test]
    fn prose_about_secrets_stays() {
        for text in [
            "Bearer authentication and basic functionality",
            "password: must be changed on first login",
            "if token == expected",
            "see https://example.com:8080/path@2",
            "the task-force and the sk-learn library",
            "Ünïcode: größe=1",
        ] {
            assert_eq!(scrubbed(text), text);
        }
    }
}
