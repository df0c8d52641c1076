//! Recognises secrets, by the name they are kept under and by what they look like.
//!
//! It would rather redact a harmless word in a log line than let a key through; it never touches artifacts.

mod command;
mod known;
mod random;

use std::borrow::Cow;
use std::ops::Range;

use self::command::in_commands;
use self::known::HARMLESS_NAMES;
pub(super) use self::known::{KEY_PREFIXES, SCHEMES, SECRET_ADDRESSES, SECRET_NAMES, SHORT_NAMES};
use self::random::drawn;
pub(super) use self::random::may_hold_drawn;

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
    let last_word = key.rsplit(|ch: char| !ch.is_ascii_alphanumeric()).find(|word| !word.is_empty());
    let is_short = |name: &str| last_word.is_some_and(|word| word.eq_ignore_ascii_case(name));
    (SECRET_NAMES.into_iter().any(ends_with) && !HARMLESS_NAMES.into_iter().any(is))
        || SHORT_NAMES.into_iter().any(is_short)
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
    let mut spans: Vec<Range<usize>> = Vec::new();
    spans.extend(private_keys(seen));
    spans.extend(known_keys(seen));
    spans.extend(after_scheme(seen));
    spans.extend(assigned(seen));
    spans.extend(told(seen));
    spans.extend(in_commands(seen));
    spans.extend(in_urls(seen));
    if looks == Looks::Matter {
        spans.extend(drawn(seen));
    }
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

/// The text without the characters that nobody sees, and where each of its bytes stands in the text; nothing where they
/// stand where they stood.
fn visible(text: &str) -> (Cow<'_, str>, Vec<usize>) {
    if text.is_ascii() || !text.chars().any(is_invisible) {
        return (Cow::Borrowed(text), Vec::new());
    }
    let (mut seen, mut places) = (String::with_capacity(text.len()), Vec::with_capacity(text.len() + 1));
    for (at, ch) in text.char_indices().filter(|(_, ch)| !is_invisible(*ch)) {
        seen.push(ch);
        places.extend(at..at + ch.len_utf8());
    }
    places.push(text.len());
    (Cow::Owned(seen), places)
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
    KEY_PREFIXES.iter().any(is_known) || is_web_token
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

/// What may stand round a name or a value, also in JSON within JSON.
const QUOTES: [char; 5] = [' ', '"', '\'', '`', '\\'];

/// `password=…`, `api_key: …`, `password = "several words"`.
fn assigned(text: &str) -> Vec<Range<usize>> {
    let mut spans = Vec::new();
    for (at, sign) in text.match_indices(['=', ':']) {
        if sign == ":" && is_bot_token(text, at) {
            spans.push(run(text, at + 1, |ch| ch.is_ascii_alphanumeric() || "_-".contains(ch)));
            continue;
        }
        let name_end = text[..at].trim_end_matches(QUOTES).len();
        let name_start = text[..name_end]
            .rfind(|ch: char| !(ch.is_ascii_alphanumeric() || ch == '_' || ch == '-'))
            .map_or(0, |before| before + text[before..].chars().next().map_or(1, char::len_utf8));
        let name = &text[name_start..name_end];
        // `--pass`, `_authToken`: what stands before the first letter is no part of the name.
        if name.is_empty() || !is_secret_key(name) {
            continue;
        }
        let after = &text[at + 1..];
        let lead = after.len() - after.trim_start_matches(QUOTES).len();
        let start = at + 1 + lead;
        let quote = after[..lead].chars().rev().find(|ch| "\"'`".contains(*ch));
        let value = match quote {
            Some(quote) => run(text, start, |ch| ch != quote && ch != '\\' && ch != '\n'),
            None => run(text, start, |ch| !ch.is_whitespace() && !"\"'`,;&)}]>\\".contains(ch)),
        };
        let shown = &text[value.clone()];
        let is_comparison = shown.starts_with(['=', '~', '>']);
        // After a colon prose may follow, but not in quotes, and not as a single word at the end of its line.
        let rest =
            text[value.end..].trim_start_matches([' ', '\t', '"', '\'', '`', ',', ';', '}', ']', ')', '\\']);
        let ends_line =
            rest.is_empty() || rest.starts_with('\n') || text[value.end..].starts_with([',', ';', '}', '\n']);
        let is_secret =
            !shown.is_empty() && (sign == "=" || quote.is_some() || looks_random(shown) || ends_line);
        if is_secret && !is_comparison && !shown.starts_with("[redacted") && !shown.starts_with("//") {
            spans.push(value);
        }
    }
    spans
}

/// `the password is …`, `aws_secret_access_key …`: a name, perhaps a word between, and something that was not written as
/// prose is.
fn told(text: &str) -> Vec<Range<usize>> {
    const BETWEEN: [&str; 8] = ["is", "was", "are", "ist", "lautet", "est", "es", "of"];
    let mut spans = Vec::new();
    let mut words = text.split_ascii_whitespace().map(|word| {
        let start = word.as_ptr().addr() - text.as_ptr().addr();
        start..start + word.len()
    });
    let mut after_name = false;
    for word in words.by_ref() {
        let shown = &text[word.clone()];
        let bare = shown.trim_matches(|ch: char| !ch.is_ascii_alphanumeric());
        if after_name && BETWEEN.iter().any(|between| bare.eq_ignore_ascii_case(between)) {
            continue;
        }
        if after_name && looks_random(shown) && !shown.contains(['=', '(', '{']) {
            let lead = shown.len() - shown.trim_start_matches(QUOTES).len();
            let value = run(text, word.start + lead, |ch| !ch.is_whitespace() && !"\"'`,;)}]>".contains(ch));
            spans.push(value);
        }
        after_name = bare.len() > 1 && is_secret_key(bare) && !bare.contains(['=', ':', '/']);
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
        scrub(text, Looks::Matter, |_| "***".to_owned()).unwrap_or_else(|| text.to_owned())
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
    fn shapes_that_once_stayed_in_the_clear_are_replaced() {
        for (text, needle) in [
            ("aws_secret_access_key wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "wJalrXUtnFEMI"),
            ("{\"SecretAccessKey\": \"wJalrXUtnFEMI2K7MDENG5bPx\"", "wJalrXUtnFEMI2K7"),
            ("use 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", "a1b2c3d4"),
            ("xapp-1-A02ABCDEF-1234567890-abcdef0123456789", "A02ABCDEF"),
            ("https://hooks.slack.com/services/T00000000/B00000000/Zk8sq1w2e3r4t5y6", "Zk8sq1w2e3"),
            ("https://discord.com/api/webhooks/123456789/abcDEF123-xyz_TOKENTOKEN", "abcDEF123-xyz"),
            ("https://x.blob.core.windows.net/c?sv=2020&sig=Zm9vYmFyYmF6cXV4%2BQQ%3D", "Zm9vYmFyYmF6"),
            ("DefaultEndpointsProtocol=https;AccountKey=QWJjZGVmZ2hpamtsbW5vcA==;", "QWJjZGVmZ2hp"),
            ("dckr_pat_abcDEF123456789012345678901", "abcDEF12"),
            ("GR1348941abcDEFGHIJKLMNOPQRST", "abcDEF"),
            ("whsec_abcdEFGH12345678abcdEFGH12345678", "abcdEFGH"),
            ("bot 123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw", "AAHdqTcvCH1v"),
            ("AGE-SECRET-KEY-1QQPQZRY9X8GF2TVDW0S3JN54KHCE6MUA7LQQPQZRY9X8GF2TVD", "1QQPQZRY9X8G"),
            ("hvs.CAESIJabcdefGHIJK1234567890lmnop", "CAESIJabcdef"),
            ("dapi0123456789abcdef0123456789abcdef", "dapi0123456789"),
            ("the password is hunter2-Zebra99", "hunter2"),
            ("password: correcthorse", "correcthorse"),
            ("password = \"correct horse battery staple\"", "horse battery"),
            ("Passwort=geheim12345", "geheim12345"),
            ("DB_PASS=Sup3rGeheim", "Sup3rGeheim"),
            ("mysql -u root -pSup3rGeheim1 db", "Sup3rGeheim1"),
            ("tool --password Sup3rGeheim2 run", "Sup3rGeheim2"),
            ("tool --api-key='Sup3rGeheim2' run", "Sup3rGeheim2"),
            ("curl -u admin:Sup3rGeheim3 http://x", "Sup3rGeheim3"),
            ("sshpass -p geheim ssh root@x", "geheim"),
            ("X-Auth: Token 9944b09199c62bcf9418ad846dd0e4bbdfc6ee4b", "9944b09199c62b"),
            ("https://x.y/?access_token=qwzDEF998877", "qwzDEF998877"),
            ("https://ghtokenabcDEF123@github.com/x.git", "ghtokenabcDEF123"),
            ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0 rest", "eyJzdWIiOiIxMjM0"),
            ("otpauth://totp/x?secret=JBSWY3DPEHPK3PXP", "JBSWY3DPEHPK3PXP"),
            (
                "-----BEGIN PGP PRIVATE KEY BLOCK-----\nlQOYBF1abc\n-----END PGP PRIVATE KEY BLOCK-----",
                "lQOYBF1abc",
            ),
            ("-----BEGIN OPENSSH PRIVATE KEY-----\\nb3BlbnNzaC1rZXktdjEAAAAA", "b3BlbnNzaC1rZXkt"),
            ("gh\u{200b}p_0123456789abcdefghijklmnopqrstuvwxyz", "0123456789abcdefghij"),
            ("https://x/ghp_ABCDEFghij0123456789abcdefghijklmnop", "ABCDEFghij0123456789"),
            ("//registry.example/:_authToken=00000000-aaaa-bbbb", "00000000-aaaa-bbbb"),
            ("data: {pw: c3VwZXJzZWNyZXQxMjM=}", "c3VwZXJzZWNy"),
            ("the db pass is Sup3rGeheim and more", "Sup3rGeheim"),
            ("a \\\"password\\\":\\\"hunter2\\\" within", "hunter2"),
            ("key material Zk7pQ2mX9vLr4TnB8wYc here", "Zk7pQ2mX9vLr"),
        ] {
            let clean = scrubbed(text);
            assert!(!clean.contains(needle), "{text} became {clean}");
        }
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
            "the token is renewed every hour, and the password is never shown",
            "see 0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b and 9944b09199c62bcf9418ad846dd0e4bbdfc6ee4b",
            "run `hewto spec list -p 2` or `mkdir -p specs/a`",
            "git@github.com:x/y.git and ssh://git@example.com/x",
            "a pin of the map, a sig file and the auth flow: see the guide",
        ] {
            assert_eq!(scrubbed(text), text);
        }
    }
}
