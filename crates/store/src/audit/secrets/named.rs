//! Secrets that stand behind their names, assigned or told.

use std::ops::Range;

use super::known::{HEADER_NAMES, QUERY_NAMES, SECOND_WORDS, VALUE_NAMES};
use super::{is_bot_token, is_secret_key, looks_random, run};

/// What may stand round a name or a value, also in JSON within JSON.
pub(super) const QUOTES: [char; 5] = [' ', '"', '\'', '`', '\\'];

/// What parts a name from its value, in order; also as addresses and other keyboards write it.
fn signs(text: &str) -> Vec<(usize, &str)> {
    let mut signs: Vec<(usize, &str)> = text.match_indices(['=', ':', '＝', '：']).collect();
    if text.contains("%3") {
        signs.extend(["%3D", "%3d", "%3A", "%3a"].iter().flat_map(|sign| text.match_indices(sign)));
        signs.sort_unstable();
    }
    signs
}

/// `password=…`, `api_key: …`, `password = "several words"`.
pub(super) fn assigned(text: &str) -> Vec<Range<usize>> {
    let mut spans: Vec<Range<usize>> = Vec::new();
    for (at, sign) in signs(text) {
        if spans.last().is_some_and(|span| span.contains(&at)) {
            // What is taken out need not be looked at again.
            continue;
        }
        if sign == ":" && is_bot_token(text, at) {
            spans.push(run(text, at + 1, |ch| ch.is_ascii_alphanumeric() || "_-".contains(ch)));
            continue;
        }
        let is_equals = matches!(sign, "=" | "＝" | "%3D" | "%3d");
        // `config['secret_key'] = …`
        let name_end = text[..at].trim_end_matches(|ch| QUOTES.contains(&ch) || ch == ']').len();
        let name_start = text[..name_end]
            .rfind(|ch: char| !(ch.is_alphanumeric() || ch == '_' || ch == '-'))
            .map_or(0, |before| before + text[before..].chars().next().map_or(1, char::len_utf8));
        let name = &text[name_start..name_end];
        // `--pass`, `_authToken`: what stands before the first letter is no part of the name.
        let before = &text[..name_start];
        let is_query = QUERY_NAMES.contains(&name) && before.ends_with(['?', '&', '#']);
        if name.is_empty()
            || !(is_secret_key(name) || is_second_word(before, name) || is_value(before, name) || is_query)
        {
            continue;
        }
        // `'password' => '…'`
        let is_arrow = sign == "=" && text[at + 1..].starts_with('>');
        let behind = at + sign.len() + usize::from(is_arrow);
        let after = &text[behind..];
        let lead = after.len() - after.trim_start_matches(QUOTES).len();
        let start = behind + lead;
        let quote = after[..lead].chars().rev().find(|ch| "\"'`".contains(*ch));
        let lower = name.to_ascii_lowercase();
        let tells_more = lower.contains("credential") || lower.ends_with("phrase") || lower == "mnemonic";
        let line = || run(text, start, |ch| ch != '\n' && !"\"'`}]\\".contains(ch));
        let value = match quote {
            // `Cookie: a=…; b=…`, `Authorization: Digest a=…, b="…"`
            None if sign == ":" && HEADER_NAMES.contains(&lower.as_str()) && text[line()].contains('=') => {
                run(text, start, |ch| ch != '\n' && ch != '\\' && ch != '\'')
            }
            // `credentials: admin / …`, `seed phrase: …`
            None if tells_more => line(),
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
            && ((is_equals && !is_arrow) || quote.is_some() || looks_random(shown) || ends_line)
            && (!is_query || looks_random(shown));
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

/// Whether a word is the second of a name, behind the first: `api key`.
fn is_second_word(before: &str, word: &str) -> bool {
    if !SECOND_WORDS.iter().any(|second| word.eq_ignore_ascii_case(second)) {
        return false;
    }
    let first = before.trim_end_matches(' ').rsplit(|ch: char| !ch.is_ascii_alphanumeric()).next();
    first.is_some_and(|first| !first.is_empty() && is_secret_key(&format!("{first}{word}")))
}

/// Whether a word says that the value follows of the name that was told before.
fn is_value(before: &str, word: &str) -> bool {
    if !VALUE_NAMES.iter().any(|name| word.eq_ignore_ascii_case(name)) {
        return false;
    }
    let told = before.trim_end_matches(|ch: char| QUOTES.contains(&ch) || "\r\n\t,{[-".contains(ch));
    let name = told.rsplit(|ch: char| !(ch.is_alphanumeric() || ch == '_' || ch == '-')).next();
    name.is_some_and(|name| !name.is_empty() && is_secret_key(name))
}

/// `IDENTIFIED BY '…'`, as databases have it.
pub(super) fn identified(text: &str) -> Vec<Range<usize>> {
    const MARK: &str = "identified by ";
    let lower = text.to_ascii_lowercase();
    let quoted = |(at, _): (usize, &str)| {
        let after = text[at + MARK.len()..].trim_start();
        let start = text.len() - after.len();
        let quote = after.chars().next().filter(|ch| "\"'`".contains(*ch))?;
        Some(run(text, start + 1, |ch| ch != quote && ch != '\n')).filter(|value| !value.is_empty())
    };
    lower.match_indices(MARK).filter_map(quoted).collect()
}

/// `the password is …`, `aws_secret_access_key …`: a name, perhaps a word between, and something that was not written as
/// prose is.
pub(super) fn told(text: &str) -> Vec<Range<usize>> {
    const BETWEEN: [&str; 11] = ["is", "was", "are", "ist", "lautet", "est", "es", "of", "to", "be", "jest"];
    const TELLING: [&str; 6] = ["is", "was", "ist", "lautet", "est", "es"];
    const MOST_BETWEEN: usize = 6;
    let mut spans = Vec::new();
    let mut words = text.split_ascii_whitespace().map(|word| {
        let start = word.as_ptr().addr() - text.as_ptr().addr();
        start..start + word.len()
    });
    let (mut after_name, mut after_code) = (false, false);
    // How many more words may stand between a name and `is`.
    let mut patience = 0_usize;
    for word in words.by_ref() {
        let shown = &text[word.clone()];
        let bare = shown.trim_matches(|ch: char| !ch.is_ascii_alphanumeric());
        let is_between = BETWEEN.iter().any(|between| bare.eq_ignore_ascii_case(between));
        // `the passphrase for the vault is …`
        after_name |= patience > 0 && TELLING.iter().any(|telling| bare.eq_ignore_ascii_case(telling));
        patience = if shown.ends_with(['.', '!', '?']) { 0 } else { patience.saturating_sub(1) };
        if after_name && (bare.is_empty() || is_between) {
            continue;
        }
        let is_code = after_code && bare.len() >= 4 && bare.bytes().all(|byte| byte.is_ascii_digit());
        let inner = shown.trim_start_matches(|ch| QUOTES.contains(&ch) || ch == '(');
        if after_name && (looks_random(shown) || is_code) && !inner.contains(['=', '(', '{']) {
            let lead = shown.len() - inner.len();
            let value = run(text, word.start + lead, |ch| !ch.is_whitespace() && !"\"'`,;)}]>".contains(ch));
            spans.push(value);
        }
        after_code = ["pin", "otp", "passcode"].iter().any(|name| bare.eq_ignore_ascii_case(name));
        after_name = bare.len() > 1
            && (is_secret_key(bare) || is_second_word(&text[..word.start], bare))
            && !bare.contains(['=', ':', '/']);
        if after_name {
            patience = MOST_BETWEEN;
        }
    }
    spans
}
