//! Secrets among the words of a command line.

use std::ops::Range;

use super::known::SECRET_OPTIONS;
use super::{is_secret_key, run};

/// `mysql -pSECRET`, `tool --password SECRET`, `curl -u user:SECRET`.
pub(in crate::audit) fn in_commands(text: &str) -> Vec<Range<usize>> {
    let mut spans = Vec::new();
    if !text.contains(" -") {
        return spans;
    }
    let words: Vec<Range<usize>> = words(text).collect();
    for (at, word) in words.iter().enumerate() {
        let shown = &text[word.clone()];
        if !shown.starts_with('-') || at == 0 {
            continue;
        }
        let next = || words.get(at + 1).filter(|next| !text[(*next).clone()].starts_with('-')).cloned();
        let name = shown.trim_start_matches('-');
        if name.len() > 1 && !name.contains('=') && is_secret_key(name) {
            spans.extend(next());
            if shown.starts_with("--") {
                continue;
            }
        }
        for (option, programs) in SECRET_OPTIONS {
            let is_called = words[..at].iter().any(|word| {
                let program = text[word.clone()].rsplit('/').next().unwrap_or_default();
                programs.iter().any(|name| program.starts_with(name))
            });
            if !is_called {
                continue;
            }
            let glued =
                shown.strip_prefix(option).filter(|rest| !rest.is_empty() && !option.starts_with("--"));
            let given = shown.strip_prefix(option).and_then(|rest| rest.strip_prefix('='));
            let argument = match given.or(glued) {
                Some(rest) => Some(word.end - rest.len()..word.end),
                None if shown == option => next(),
                None => None,
            };
            let Some(argument) = argument else { continue };
            // Who it is may stay; for options that name somebody, the secret is behind the colon.
            if matches!(option, "-u" | "--user" | "-U") {
                let value = &text[argument.clone()];
                spans.extend(value.find([':', '%']).map(|colon| argument.start + colon + 1..argument.end));
            } else {
                spans.push(argument);
            }
        }
    }
    spans.retain(|span| !span.is_empty());
    spans
}

/// Words between blanks; quotes keep several together.
fn words(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = text.get(at..)?;
        let start = at + rest.find(|ch: char| !ch.is_whitespace())?;
        let word = match text[start..].chars().next()? {
            quote @ ('"' | '\'') => {
                let inside = run(text, start + 1, |ch| ch != quote);
                at = (inside.end + 1).min(text.len());
                return Some(inside);
            }
            _ => run(text, start, |ch| !ch.is_whitespace() && !"\"'`;|&".contains(ch)),
        };
        at = word.end.max(start + text[start..].chars().next().map_or(1, char::len_utf8));
        Some(word)
    })
}
