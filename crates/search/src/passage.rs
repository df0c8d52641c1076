//! Which texts of an entry have their meaning taken.
//!
//! First the whole of it, as far as the model reads. Of what is longer its parts too: the description and each scenario, cut again
//! where one would outgrow what the model reads at once. Each passage begins with heading and name, so that "the window" says
//! whose window. The cut depends on the text alone: the same entry gives the same passages.

use crate::document::{Entry, Scenario, short_hash};

/// A passage is closed before it exceeds this many bytes (about 200 word pieces of the model's 256).
const LONGEST: usize = 960;
/// Of the whole the model reads about this many bytes.
const READ: usize = 1_280;
/// As many of an entry that is embedded in bulk: more than most of them have. Reading on found no more.
const READ_IN_BULK: usize = 480;
/// Beyond this an entry adds no further passages: such texts are found by their words.
const MOST: usize = 12;

/// The passages of an entry, never none: the whole, then its parts if not all of it is read.
pub(crate) fn passages(heading: &str, entry: &Entry) -> Vec<String> {
    let head = head(heading, entry.requirement.as_deref());
    let whole = uncut(&head, entry);
    let fits = whole.len() <= LONGEST;
    let mut passages = vec![cut(whole, READ)];
    // Parts of what is read whole rank it no better than its tokens do.
    if !fits {
        let mut parts = parts(entry);
        if parts.len() >= MOST {
            parts = gathered(&parts);
        }
        passages.extend(under(&head, &parts));
    }
    passages.truncate(MOST);
    passages
}

/// The parts of an entry that has but one passage, the first few of them: one that says just what was asked is a sign that
/// the entry answers.
pub(crate) fn parts_of_whole(heading: &str, entry: &Entry, most: usize) -> Vec<String> {
    let head = head(heading, entry.requirement.as_deref());
    if entry.scenarios.is_empty() || uncut(&head, entry).len() > LONGEST {
        return Vec::new();
    }
    under(&head, &parts(entry)).take(most).collect()
}

/// The description and each scenario.
fn parts(entry: &Entry) -> Vec<String> {
    let scenarios: Vec<String> = entry.scenarios.iter().map(in_one_line).collect();
    let parts = std::iter::once(&entry.text).chain(&scenarios);
    parts.flat_map(|part| pieces(part)).map(str::to_owned).collect()
}

fn under<'p>(head: &'p str, parts: &'p [String]) -> impl Iterator<Item = String> + 'p {
    parts.iter().map(move |piece| {
        let mut part = head.to_owned();
        add_line(&mut part, piece);
        part
    })
}

/// Neighbours in one piece, as far as it holds them: better than none for the last of them.
fn gathered(parts: &[String]) -> Vec<String> {
    let mut pieces: Vec<String> = Vec::new();
    for part in parts {
        match pieces.last_mut() {
            Some(last) if last.len() + 1 + part.len() <= LONGEST => add_line(last, part),
            _ => pieces.push(part.clone()),
        }
    }
    pieces
}

/// The first of them alone.
pub(crate) fn whole(heading: &str, entry: &Entry) -> String {
    cut(uncut(&head(heading, entry.requirement.as_deref()), entry), READ)
}

/// What is embedded in bulk in the place of the whole. Of a long one the beginning, in which every scenario is named before
/// the first says what happens: most of what it is about, at half the cost.
pub(crate) fn gist(heading: &str, entry: &Entry) -> String {
    let head = head(heading, entry.requirement.as_deref());
    let whole = uncut(&head, entry);
    if whole.len() <= READ_IN_BULK {
        return whole;
    }
    let mut gist = head;
    let names = entry.scenarios.iter().map(|scenario| &scenario.name);
    let clauses = entry.scenarios.iter().map(|scenario| &scenario.text);
    for part in std::iter::once(&entry.text).chain(names).chain(clauses) {
        add_line(&mut gist, part);
    }
    cut(gist, READ_IN_BULK)
}

fn uncut(head: &str, entry: &Entry) -> String {
    let mut whole = head.to_owned();
    add_line(&mut whole, &entry.text);
    for scenario in &entry.scenarios {
        add_line(&mut whole, &in_one_line(scenario));
    }
    whole
}

fn in_one_line(scenario: &Scenario) -> String {
    format!("{}. {}", scenario.name, scenario.text)
}

fn cut(mut text: String, longest: usize) -> String {
    text.truncate(text.floor_char_boundary(longest));
    text
}

/// The key under which a passage's vector is kept.
pub(crate) fn key(passage: &str) -> u64 {
    short_hash(passage.as_bytes())
}

/// The key of a vector that was made in bulk for the passage with this key.
pub(crate) fn bulk_key(key: u64) -> u64 {
    key.rotate_left(17) ^ 0x6769_7374_6769_7374
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
    use crate::document::Kind;

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
    fn a_requirement_that_is_read_whole_is_taken_once() {
        let entry = entry("Thirty days.", &[("Day 31", "WHEN it is late THEN it is declined")]);
        assert_eq!(
            passages("Refunds", &entry),
            ["Refunds: Return Window\nThirty days.\nDay 31. WHEN it is late THEN it is declined"]
        );
    }

    #[test]
    fn parts_of_what_is_taken_once_are_told_when_asked_for() {
        let short = entry("Thirty days.", &[("Day 31", "THEN it is declined"), ("Day 32", "THEN as well")]);
        let parts = parts_of_whole("Refunds", &short, 2);
        assert_eq!(
            parts,
            ["Refunds: Return Window\nThirty days.", "Refunds: Return Window\nDay 31. THEN it is declined"]
        );
        let long = entry("Thirty days.", &[("Day 31", &"THEN it goes on ".repeat(90))]);
        assert!(parts_of_whole("Refunds", &long, 4).is_empty(), "its parts have vectors of their own");
        assert!(parts_of_whole("Refunds", &entry("Thirty days.", &[]), 4).is_empty());
    }

    #[test]
    fn of_a_longer_one_its_parts_are_taken_too() {
        let clauses = "WHEN it goes on THEN it does ".repeat(30);
        let passages =
            passages("Refunds", &entry("Thirty days.", &[("Day 31", &clauses), ("Day 32", &clauses)]));
        assert_eq!(passages.len(), 4);
        assert_eq!(passages[1], "Refunds: Return Window\nThirty days.");
        assert!(passages[3].starts_with("Refunds: Return Window\nDay 32. WHEN"), "{passages:?}");
    }

    #[test]
    fn many_short_scenarios_share_passages_so_that_the_last_has_one() {
        let names: Vec<String> = (0..40).map(|number| format!("Case {number}")).collect();
        let scenarios: Vec<(&str, &str)> =
            names.iter().map(|name| (name.as_str(), "WHEN somebody buys a map THEN it is printed")).collect();
        let passages = passages("Zoo", &entry("The zoo SHALL do much.", &scenarios));
        assert!(passages.len() <= 5, "{}", passages.len());
        assert!(passages.last().is_some_and(|last| last.contains("Case 39")), "{passages:?}");
    }

    #[test]
    fn a_long_text_is_taken_as_far_as_it_is_read_and_in_pieces() {
        let text = "word ".repeat(400);
        let passages = passages("Refunds", &entry(&text, &[]));
        assert_eq!(passages.len(), 4);
        assert!(passages.iter().all(|passage| passage.len() <= READ));
    }

    #[test]
    fn in_bulk_a_short_entry_is_taken_whole_and_a_long_one_by_its_beginning_and_all_names() {
        let short = entry("Thirty days.", &[("Day 31", "WHEN it is late THEN it is declined")]);
        assert_eq!(gist("Refunds", &short), whole("Refunds", &short));
        assert_eq!(whole("Refunds", &short), passages("Refunds", &short)[0]);
        let clauses = "WHEN it goes on THEN it does ".repeat(20);
        let long = entry("Thirty days.", &[("Day 31", &clauses), ("Day 32", &clauses)]);
        let gist = gist("Refunds", &long);
        assert!(gist.starts_with("Refunds: Return Window\nThirty days.\nDay 31\nDay 32\nWHEN it"), "{gist}");
        assert_eq!(gist.len(), READ_IN_BULK);
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
