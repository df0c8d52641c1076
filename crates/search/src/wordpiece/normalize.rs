//! BERT's normalisation and cutting: clean text, space out CJK, strip accents, lower-case, isolate punctuation.

use unicode_normalization::UnicodeNormalization;
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

/// Gives each word and each punctuation mark; stops when the receiver returns false.
pub(super) fn each_word(text: &str, mut give: impl FnMut(&str) -> bool) {
    let mut word = String::new();
    for c in normalized(text) {
        let stands_alone = is_cjk(c) || is_punctuation(c);
        if stands_alone || c == ' ' {
            if !word.is_empty() && !give(&word) {
                return;
            }
            word.clear();
        }
        if stands_alone && !give(c.encode_utf8(&mut [0; 4])) {
            return;
        }
        if !stands_alone && c != ' ' {
            word.push(c);
        }
    }
    if !word.is_empty() {
        give(&word);
    }
}

/// In the order of the reference: clean, decompose, drop accents, lower-case.
fn normalized(text: &str) -> impl Iterator<Item = char> {
    text.chars()
        .filter(|c| !is_removed(*c))
        .map(|c| if c.is_whitespace() { ' ' } else { c })
        .nfd()
        .filter(|c| c.is_ascii() || c.general_category() != GeneralCategory::NonspacingMark)
        .flat_map(char::to_lowercase)
}

fn is_removed(c: char) -> bool {
    match c {
        '\t' | '\n' | '\r' => false,
        '\u{fffd}' => true,
        _ if c.is_ascii() => c.is_ascii_control(),
        // The reference keeps what Unicode has not assigned.
        _ => {
            c.general_category_group() == GeneralCategoryGroup::Other
                && c.general_category() != GeneralCategory::Unassigned
        }
    }
}

fn is_punctuation(c: char) -> bool {
    if c.is_ascii() {
        c.is_ascii_punctuation()
    } else {
        c.general_category_group() == GeneralCategoryGroup::Punctuation
    }
}

/// The blocks that the reference spaces out.
fn is_cjk(c: char) -> bool {
    matches!(u32::from(c),
        0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF
        | 0x20000..=0x2A6DF | 0x2A700..=0x2B73F | 0x2B740..=0x2B81F | 0x2B920..=0x2CEAF | 0x2F800..=0x2FA1F)
}
