//! Texts as the audit keeps them: short, without NUL, and without anything that opens a door.

/// What stands where a secret stood.
const HIDDEN: &str = "[hidden]";
/// How the tokens of the hub and those of issuers begin.
const TOKENS: [&str; 2] = ["hewto_", "eyJ"];
/// The shortest rest of such a word that could be one.
const SHORTEST_TOKEN: usize = 12;
/// Names of people and things are shorter, or have something between their parts.
const LONGEST_NAME: usize = 24;

/// The first characters of a text; a sign tells that there were more.
pub(super) fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// A text as the database takes it: a refusal may quote what was sent, and PostgreSQL keeps no NUL. One row that it refused
/// would hold up all that come after.
pub(super) fn without_nul(text: &str) -> String {
    text.replace('\0', "\u{fffd}")
}

/// Hides what looks like a token: somebody who pastes one into an address does not want it here.
pub(super) fn without_tokens(text: &str) -> String {
    hidden(text, |word| {
        TOKENS.iter().any(|begins| {
            word.find(begins).is_some_and(|at| word.len() - at - begins.len() >= SHORTEST_TOKEN)
        })
    })
}

/// Hides every long word besides: of what strangers ask for nothing is known.
pub(super) fn without_words_that_could_be_secret(text: &str) -> String {
    let is_long = |part: &str| part.len() >= LONGEST_NAME;
    let text = without_tokens(text);
    hidden(&text, |word| word.split(['-', '_', '.', '~']).any(is_long))
}

fn hidden(text: &str, is_secret: impl Fn(&str) -> bool) -> String {
    let is_part = |ch: char| ch.is_alphanumeric() || matches!(ch, '-' | '_' | '.' | '~');
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(start) = rest.find(is_part) {
        let end = rest[start..].find(|ch| !is_part(ch)).map_or(rest.len(), |length| start + length);
        out.push_str(&rest[..start]);
        out.push_str(if is_secret(&rest[start..end]) { HIDDEN } else { &rest[start..end] });
        rest = &rest[end..];
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_hidden_wherever_they_stand_and_other_words_stay() {
        let token = format!("hewto_{}", "4f".repeat(32));
        for (text, told) in [
            (format!("/api/v1/{token}?x={token}"), "/api/v1/[hidden]?x=[hidden]".to_owned()),
            ("Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0.x".to_owned(), "Bearer [hidden]".to_owned()),
            (format!("xx{token}"), HIDDEN.to_owned()),
            ("hewto_hub of hewto-core, été".to_owned(), "hewto_hub of hewto-core, été".to_owned()),
            (
                format!("a text does not hash to `{}`", "a1".repeat(32)),
                format!("a text does not hash to `{}`", "a1".repeat(32)),
            ),
        ] {
            assert_eq!(without_tokens(&text), told);
        }
        assert_eq!(
            without_words_that_could_be_secret("/w/a-shop-with-a-long-name/0123456789abcdef01234567"),
            "/w/a-shop-with-a-long-name/[hidden]"
        );
    }

    #[test]
    fn long_texts_end_in_a_sign() {
        assert_eq!((shortened("été", 3).as_str(), shortened("étés", 3).as_str()), ("été", "été…"));
    }
}
