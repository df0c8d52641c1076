//! Which texts of an entry have their meaning taken.
//!
//! A short entry is one passage. A long one is cut where its meaning changes, between description and scenarios,
//! and again where a piece would outgrow what the model reads at once. Each passage begins with title and name, so
//! that "the window" says whose window. The cut depends on the text alone: the same entry gives the same passages.

use crate::document::{Entry, short_hash};

/// Up to this many bytes an entry is one passage (about 130 word pieces).
const WHOLE: usize = 640;
/// A passage is closed before it exceeds this many bytes (about 200 word pieces of the model's 256).
const LONGEST: usize = 960;
/// Beyond this an entry adds no further passages: such texts are found by their words.
const MOST: usize = 8;

/// The passages of an entry, never none.
pub(crate) fn passages(title: &str, entry: &Entry) -> Vec<String> {
    let head = head(title, entry.requirement.as_deref());
    let scenarios: Vec<String> =
        entry.scenarios.iter().map(|scenario| format!("{}. {}", scenario.name, scenario.text)).collect();
    let length = entry.text.len() + scenarios.iter().map(String::len).sum::<usize>();
    if length <= WHOLE {
        let mut whole = head;
        for part in std::iter::once(&entry.text).chain(&scenarios) {
            add_line(&mut whole, part);
        }
        return vec![whole];
    }
    let mut passages = packed(&head, pieces(&entry.text));
    passages.extend(packed(&head, scenarios.iter().flat_map(|text| pieces(text))));
    passages.truncate(MOST);
    passages
}

/// The key under which a passage's vector is kept.
pub(crate) fn key(passage: &str) -> u64 {
    short_hash(passage.as_bytes())
}

fn head(title: &str, requirement: Option<&str>) -> String {
    match requirement {
        Some(name) if title.is_empty() => name.to_owned(),
        Some(name) => format!("{title}: {name}"),
        None => title.to_owned(),
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

/// Puts pieces together while they fit.
fn packed<'t>(head: &str, pieces: impl Iterator<Item = &'t str>) -> Vec<String> {
    let mut passages = Vec::new();
    let mut current = head.to_owned();
    let mut holds_text = false;
    for piece in pieces {
        if holds_text && current.len() + piece.len() > LONGEST {
            passages.push(std::mem::replace(&mut current, head.to_owned()));
        }
        add_line(&mut current, piece);
        holds_text = true;
    }
    if holds_text {
        passages.push(current);
    }
    passages
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
    fn a_short_requirement_is_one_passage_with_its_spec_and_name() {
        let entry = entry("Thirty days.", &[("Day 31", "WHEN it is late THEN it is declined")]);
        assert_eq!(
            passages("Refunds", &entry),
            ["Refunds: Return Window\nThirty days.\nDay 31. WHEN it is late THEN it is declined"]
        );
    }

    #[test]
    fn a_long_requirement_is_cut_between_description_and_scenarios() {
        let description = "d".repeat(400);
        let clauses = "s".repeat(400);
        let passages = passages("Refunds", &entry(&description, &[("Late", &clauses)]));
        assert_eq!(
            passages,
            [
                format!("Refunds: Return Window\n{description}"),
                format!("Refunds: Return Window\nLate. {clauses}")
            ]
        );
    }

    #[test]
    fn scenarios_without_a_description_make_no_bare_heading() {
        let clauses = "s".repeat(700);
        assert_eq!(
            passages("", &entry("", &[("Late", &clauses)])),
            [format!("Return Window\nLate. {clauses}")]
        );
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
