//! Words that rules look for.

use crate::rules::dialect::Dialect;

const PLACEHOLDER_START: &str = "TBD - created by archiving change ";
const PLACEHOLDER_END: &str = ". Update Purpose after archive.";

/// Whether a requirement says SHALL or MUST: as words in capitals, to Spec Oxide anywhere and in any case.
pub(super) fn is_normative(text: &str, dialect: Dialect) -> bool {
    match dialect {
        Dialect::Spox => {
            let text = text.to_ascii_lowercase();
            text.contains("shall") || text.contains("must")
        }
        Dialect::Native | Dialect::OpenSpec => ["SHALL", "MUST"].iter().any(|word| has_word(text, word)),
    }
}

fn has_word(text: &str, word: &str) -> bool {
    let is_part = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let bytes = text.as_bytes();
    text.match_indices(word).any(|(at, _)| {
        let before = at.checked_sub(1).and_then(|at| bytes.get(at));
        !is_part(before) && !is_part(bytes.get(at + word.len()))
    })
}

/// Whether a purpose was never written: it opens with TBD or TODO, or is the sentence that archive writes.
pub(crate) fn is_placeholder(purpose: &str) -> bool {
    let purpose = purpose.trim();
    let opens = ["TBD", "TODO"].iter().any(|marker| {
        let Some(rest) = purpose.get(..marker.len()).filter(|head| head.eq_ignore_ascii_case(marker)) else {
            return false;
        };
        let after = &purpose[marker.len()..];
        let is_longer_word = after.starts_with(|ch: char| ch.is_alphanumeric() || ch == '_' || is_mark(ch));
        let after = after.trim_start_matches([' ', '\t']);
        // In small letters it is a word of other languages too, unless a mark follows.
        let punctuated = after.is_empty() || after.starts_with(PUNCTUATION);
        !is_longer_word && (rest == *marker || punctuated)
    });
    let generated = purpose.find(PLACEHOLDER_START).is_some_and(|at| purpose[at..].contains(PLACEHOLDER_END));
    opens || generated
}

const PUNCTUATION: [char; 16] =
    ['\n', '\r', ':', '-', '\u{2013}', '\u{2014}', '.', ',', ';', '(', ')', '[', ']', '{', '}', '\u{2028}'];

/// Combining marks of the blocks that are in common use.
fn is_mark(ch: char) -> bool {
    matches!(ch, '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normative_words_stand_alone_and_in_capitals() {
        for (text, native, spox) in [
            ("The system SHALL work.", true, true),
            ("It MUST", true, true),
            ("It must", false, true),
            ("a marshall", false, true),
            ("SHALLOW MUSTARD", false, true),
            ("MUST_NOT", false, true),
            ("(MUST)", true, true),
            ("中MUST文", true, true),
            ("It should", false, false),
        ] {
            assert_eq!(is_normative(text, Dialect::OpenSpec), native, "{text}");
            assert_eq!(is_normative(text, Dialect::Spox), spox, "{text}");
        }
    }

    #[test]
    fn placeholders_are_told_from_prose() {
        for (text, expected) in [
            ("TBD", true),
            ("TODO write this", true),
            ("todo - later", true),
            ("tbd.", true),
            ("Todo el mundo", false),
            ("TBDs are bad", false),
            ("TODOLIST", false),
            ("A list of TODO items", false),
            ("Real. TBD - created by archiving change x. Update Purpose after archive.", true),
            ("", false),
        ] {
            assert_eq!(is_placeholder(text), expected, "{text}");
        }
    }
}
