//! Which texts of an entry have their meaning taken.
//!
//! First the whole of it, as far as the model reads, then its parts: the description and each scenario, cut again where one
//! would outgrow what the model reads at once. Each passage begins with heading and name, so that "the window" says whose
//! window. The cut depends on the text alone: the same entry gives the same passages.

use crate::document::{Entry, short_hash};

/// A passage is closed before it exceeds this many bytes (about 200 word pieces of the model's 256).
const LONGEST: usize = 960;
/// Of the whole the model reads about this many bytes.
const READ: usize = 1_280;
/// Beyond this an entry adds no further passages: such texts are found by their words.
const MOST: usize = 12;

/// The passages of an entry, never none: the whole, then its parts if it has more than one.
pub(crate) fn passages(heading: &str, entry: &Entry) -> Vec<String> {
    let head = head(heading, entry.requirement.as_deref());
    let scenarios: Vec<String> =
        entry.scenarios.iter().map(|scenario| format!("{}. {}", scenario.name, scenario.text)).collect();
    let mut whole = head.clone();
    for part in std::iter::once(&entry.text).chain(&scenarios) {
        add_line(&mut whole, part);
    }
    let fits = whole.len() <= READ;
    whole.truncate(whole.floor_char_boundary(READ));
    let mut passages = vec![whole];
    if !fits || !scenarios.is_empty() {
        let parts = std::iter::once(&entry.text).chain(&scenarios);
        let parts: Vec<String> = parts
            .flat_map(|part| pieces(part))
            .map(|piece| {
                let mut part = head.clone();
                add_line(&mut part, piece);
                part
            })
            .collect();
        // One part is the whole once more.
        if parts.len() > 1 {
            passages.extend(parts);
        }
    }
    passages.truncate(MOST);
    passages
}

/// The key under which a passage's vector is kept.
pub(crate) fn key(passage: &str) -> u64 {
    short_hash(passage.as_bytes())
}

/// The key of a vector that was made in bulk for the passage with this key.
pub(crate) fn bulk_key(key: u64) -> u64 {
    key.rotate_left(17) ^ 0x6275_6c6b_6275_6c6b
}

fn head(heading: &str, requirement: Option<&str>) -> String {
    match requirement {
        Some(name) if heading.is_empty() => name.to_owned(),
        Some(name) => format!("{heading}: {name}"),
        None => heading.to_owned(),
    }
}

fn add_line(passage: &mut String, part: &str) {
    let part = part.trim();
    if !part.is_empty() {
        if !passage.is_empty() {
            passage.push('\n');
        }
        passage.push_str(part);
    }
}

/// Cuts a text into pieces of at most [`LONGEST`] bytes, at a sentence's end if there is one in the second half, else
/// at a space, else between two characters.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text.trim();
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        if rest.len() <= LONGEST {
            return Some(std::mem::take(&mut rest));
        }
        let limit = rest.floor_char_boundary(LONGEST);
        let window = &rest[..limit];
        let middle = window.floor_char_boundary(limit / 2);
        let cut = window[middle..]
            .rfind(". ")
            .map(|at| at + 1)
            .or_else(|| window[middle..].rfind(char::is_whitespace))
            .map_or(limit, |at| middle + at);
        let (piece, after) = rest.split_at(cut);
        rest = after.trim_start();
        Some(piece.trim_end())
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::document::{Kind, Scenario};

    fn entry(text: &str, scenarios: &[(&str, &str)]) -> Entry {
        Entry {
            kind: Kind::Requirement,
            requirement: Some("Return Window".to_owned()),
            text: text.to_owned(),
            scenarios: scenarios
                .iter()
                .map(|(name, text)| Scenario { name: (*name).to_owned(), text: (*text).to_owned() })
                .collect(),
        }
    }

    #[test]
    fn a_requirement_is_taken_whole_and_in_its_parts() {
        let entry = entry("Thirty days.", &[("Day 31", "WHEN it is late THEN it is declined")]);
        assert_eq!(
            passages("Refunds", &entry),
            [
                "Refunds: Return Window\nThirty days.\nDay 31. WHEN it is late THEN it is declined",
                "Refunds: Return Window\nThirty days.",
                "Refunds: Return Window\nDay 31. WHEN it is late THEN it is declined",
            ]
        );
    }

    #[test]
    fn what_has_one_part_is_taken_once() {
        assert_eq!(
            passages("Refunds", &entry("Thirty days.", &[])),
            ["Refunds: Return Window\nThirty days."]
        );
        assert_eq!(passages("", &entry("", &[("Late", "x")])), ["Return Window\nLate. x"]);
    }

    #[test]
    fn a_long_text_is_taken_as_far_as_it_is_read_and_in_pieces() {
        let text = "word ".repeat(400);
        let passages = passages("Refunds", &entry(&text, &[]));
        assert_eq!(passages.len(), 4);
        assert!(passages.iter().all(|passage| passage.len() <= READ));
    }

    #[test]
    fn an_entry_without_any_text_is_its_heading() {
        assert_eq!(passages("Refunds", &entry(" ", &[])), ["Refunds: Return Window"]);
    }

    #[test]
    fn a_sentence_is_not_cut_when_its_end_is_near() {
        let text = format!("{}. {}", "a".repeat(700), "b".repeat(700));
        let cut: Vec<&str> = pieces(&text).collect();
        assert_eq!(cut.len(), 2);
        assert!(cut[0].ends_with("a."), "{cut:?}");
    }

    proptest! {
        #[test]
        fn no_text_is_lost_and_no_piece_is_too_long(text in "[a-zé ✓.\u{5d0}]{0,4000}") {
            let cut: Vec<&str> = pieces(&text).collect();
            let joined: String = cut.concat();
            let without_space = |text: &str| text.split_whitespace().collect::<String>();
            prop_assert_eq!(without_space(&joined), without_space(&text));
            prop_assert!(cut.iter().all(|piece| piece.len() <= LONGEST && !piece.is_empty()));
        }

        #[test]
        fn passages_are_few_and_never_none(text in "\\PC{0,3000}", clauses in "\\PC{0,3000}") {
            let passages = passages("Title", &entry(&text, &[("name", &clauses)]));
            prop_assert!((1..=MOST).contains(&passages.len()));
        }
    }
}
