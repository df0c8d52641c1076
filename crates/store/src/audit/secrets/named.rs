//! Secrets that stand behind their names, assigned or told.

use std::ops::Range;

use super::{is_bot_token, is_secret_key, looks_random, run};

/// What may stand round a name or a value, also in JSON within JSON.
pub(super) const QUOTES: [char; 5] = [' ', '"', '\'', '`', '\\'];

/// `password=…`, `api_key: …`, `password = "several words"`.
pub(super) fn assigned(text: &str) -> Vec<Range<usize>> {
    let mut spans: Vec<Range<usize>> = Vec::new();
    for (at, sign) in text.match_indices(['=', ':']) {
        if spans.last().is_some_and(|span| span.contains(&at)) {
            // What is taken out need not be looked at again.
            continue;
        }
        if sign == ":" && is_bot_token(text, at) {
            spans.push(run(text, at + 1, |ch| ch.is_ascii_alphanumeric() || "_-".contains(ch)));
            continue;
        }
        let name_end = text[..at].trim_end_matches(QUOTES).len();
        let name_start = text[..name_end]
            .rfind(|ch: char| !(ch.is_alphanumeric() || ch == '_' || ch == '-'))
            .map_or(0, |before| before + text[before..].chars().next().map_or(1, char::len_utf8));
        let name = &text[name_start..name_end];
        // `--pass`, `_authToken`: what stands before the first letter is no part of the name.
        if name.is_empty() || !is_secret_key(name) {
            continue;
        }
        // `'password' => '…'`
        let is_arrow = sign == "=" && text[at + 1..].starts_with('>');
        let behind = at + 1 + usize::from(is_arrow);
        let after = &text[behind..];
        let lead = after.len() - after.trim_start_matches(QUOTES).len();
        let start = behind + lead;
        let quote = after[..lead].chars().rev().find(|ch| "\"'`".contains(*ch));
        let tells_both = name.to_ascii_lowercase().contains("credential");
        let value = match quote {
            // `credentials: admin / …`
            None if tells_both => run(text, start, |ch| ch != '\n' && !"\"'`}]\\".contains(ch)),
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
        let is_secret = !shown.is_empty()
            && ((sign == "=" && !is_arrow) || quote.is_some() || looks_random(shown) || ends_line);
        // A block of YAML stands on the lines below.
        let is_mark = shown == "|" || shown == "|-";
        if is_secret
            && !is_comparison
            && !is_mark
            && !shown.starts_with("[redacted")
            && !shown.starts_with("//")
        {
            spans.push(value);
        }
    }
    spans
}

/// `the password is …`, `aws_secret_access_key …`: a name, perhaps a word between, and something that was not written as
/// prose is.
pub(super) fn told(text: &str) -> Vec<Range<usize>> {
    const BETWEEN: [&str; 8] = ["is", "was", "are", "ist", "lautet", "est", "es", "of"];
    let mut spans = Vec::new();
    let mut words = text.split_ascii_whitespace().map(|word| {
        let start = word.as_ptr().addr() - text.as_ptr().addr();
        start..start + word.len()
    });
    let (mut after_name, mut after_code) = (false, false);
    for word in words.by_ref() {
        let shown = &text[word.clone()];
        let bare = shown.trim_matches(|ch: char| !ch.is_ascii_alphanumeric());
        if after_name && BETWEEN.iter().any(|between| bare.eq_ignore_ascii_case(between)) {
            continue;
        }
        let is_code = after_code && bare.len() >= 4 && bare.bytes().all(|byte| byte.is_ascii_digit());
        if after_name && (looks_random(shown) || is_code) && !shown.contains(['=', '(', '{']) {
            let lead = shown.len() - shown.trim_start_matches(QUOTES).len();
            let value = run(text, word.start + lead, |ch| !ch.is_whitespace() && !"\"'`,;)}]>".contains(ch));
            spans.push(value);
        }
        after_code = ["pin", "otp", "passcode"].iter().any(|name| bare.eq_ignore_ascii_case(name));
        after_name = bare.len() > 1 && is_secret_key(bare) && !bare.contains(['=', ':', '/']);
    }
    spans
}
