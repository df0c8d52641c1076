//! Nothing that a verdict is about goes unsaid: what the cards of requirements would leave out, and the pieces that no card
//! is about.

use std::collections::HashSet;

use hewto_core::delta::Operation;
use hewto_core::document::Document;
use hewto_core::requirement::{Requirement, Scenario};
use hewto_core::review::{Meaning, Part, Unit};

use crate::view::{ReviewPage, UnitText};

/// How many bytes are searched for lines that are told within others.
const MOST_SEARCHED: usize = 64 << 20;

/// A requirement in its document.
#[derive(Clone, Copy)]
pub(super) struct Side<'a, 't> {
    pub(super) document: &'a Document<'t>,
    pub(super) found: &'a Requirement<'t>,
}

impl Side<'_, '_> {
    /// Everything between its heading and its end that no scenario is about, as it is written.
    fn written(self) -> String {
        let Self { document, found } = self;
        let mut out = String::new();
        let mut from = found.heading.end;
        for scenario in &found.scenarios {
            out.push_str(document.slice(from..scenario.span.start.max(from)));
            from = scenario.span.end.max(from);
        }
        out.push_str(document.slice(from..found.span.end.max(from)));
        out.trim().to_owned()
    }

    /// Whether its statement is all that it says, in one paragraph.
    fn is_one_statement(self) -> bool {
        let written = self.written();
        let opens_block = |line: &str| {
            let line = line.trim_start();
            let marked = ["- ", "* ", "+ ", "|", ">", "```", "~~~", "<", "#"];
            line.is_empty() || marked.iter().any(|mark| line.starts_with(mark)) || is_numbered(line)
        };
        !written.lines().any(opens_block) && written.split_whitespace().eq(self.found.text.split_whitespace())
    }
}

/// What a requirement says itself, before and after: a statement as one, anything else line by line as it is written.
pub(super) fn statements(before: Option<Side<'_, '_>>, after: Option<Side<'_, '_>>) -> (String, String) {
    let plain = [before, after].into_iter().flatten().all(Side::is_one_statement);
    let told = |side: Option<Side<'_, '_>>| {
        side.map(|side| if plain { side.found.text.to_string() } else { side.written() }).unwrap_or_default()
    };
    (told(before), told(after))
}

/// The lines of a scenario that none of its clauses has.
pub(super) fn unsaid(
    document: &Document<'_>,
    scenario: &Scenario<'_>,
    clauses: &[(String, String)],
) -> String {
    let told = clauses.iter().map(|(keyword, text)| format!("{keyword} {text}"));
    lines_beyond(document.slice(scenario.body.clone()), &told.collect::<Vec<_>>().join("\n"))
}

/// The pieces of a meaning that stand nowhere else on the page.
pub(super) fn rest(meaning: &Meaning, page: &ReviewPage) -> Vec<UnitText> {
    let about = [&page.why, &page.what_changes, &page.text].into_iter().flatten();
    let told = about.chain([&page.review.title]).cloned().collect::<Vec<_>>().join("\n");
    let cards: HashSet<String> = page.promises.iter().map(|card| card.name.to_ascii_lowercase()).collect();
    let has_card = |name: &str| cards.contains(&name.to_ascii_lowercase());
    let mut rest = Vec::new();
    for unit in meaning.units() {
        let text = match unit.place.part {
            Part::Step | Part::Design => continue,
            Part::Approach if page.design.is_some() => continue,
            Part::Proposal | Part::Delta if unit.place.requirement.as_deref().is_some_and(has_card) => {
                continue;
            }
            Part::Proposal => lines_beyond(without_heading(&unit), &told),
            Part::Delta
                if unit
                    .place
                    .section
                    .as_deref()
                    .is_some_and(|title| is_section(title, Operation::Renamed)) =>
            {
                let renames =
                    |line: &&str| !bare(line).starts_with("from ") && !bare(line).starts_with("to ");
                without_heading(&unit).lines().filter(renames).collect::<Vec<_>>().join("\n")
            }
            _ => without_heading(&unit).to_owned(),
        };
        if !text.trim().is_empty() {
            let place = unit.place.section.clone().unwrap_or_else(|| unit.place.label());
            let of = unit.place.capability.map(|capability| format!("{capability}, {place}"));
            rest.push(UnitText { place: of.unwrap_or(place), text: text.trim().to_owned() });
        }
    }
    rest
}

/// What a unit says below a heading that every document has; another heading says something itself.
fn without_heading(unit: &Unit) -> &str {
    let (first, below) = unit.text.split_once('\n').unwrap_or((&unit.text, ""));
    let title = first.trim_start_matches('#').trim();
    let is_usual = ["Requirements", "Why", "What Changes", "Purpose"].into_iter().any(|usual| usual == title)
        || Operation::ALL.into_iter().any(|operation| is_section(title, operation));
    if first.starts_with('#') && is_usual { below } else { &unit.text }
}

/// `ADDED Requirements`
fn is_section(title: &str, operation: Operation) -> bool {
    title.eq_ignore_ascii_case(&format!("{} Requirements", operation.as_str()))
}

/// The lines of a text whose words do not stand together in another. Of very long ones some are told again that are part of a longer
/// line there.
fn lines_beyond(text: &str, told: &str) -> String {
    let lines: HashSet<String> = told.lines().map(bare).collect();
    let whole = format!(" {} ", bare(told));
    let may_search = text.lines().count().saturating_mul(whole.len()) <= MOST_SEARCHED;
    let is_new = |line: &&str| {
        let words = bare(line);
        let is_told = || lines.contains(&words) || (may_search && whole.contains(&format!(" {words} ")));
        !words.is_empty() && !is_told()
    };
    text.lines().filter(is_new).collect::<Vec<_>>().join("\n")
}

/// The words of a text, without marks of headings, lists and emphasis.
fn bare(text: &str) -> String {
    let words = text.lines().flat_map(|line| {
        let mut words = line.split_whitespace().peekable();
        let is_mark =
            |word: &&str| matches!(*word, "-" | "*" | "+" | ">") || word.bytes().all(|byte| byte == b'#');
        while words.next_if(|word| is_mark(word) || is_numbered(&format!("{word} "))).is_some() {}
        words
    });
    let words =
        words.map(|word| word.trim_matches(['*', '_', ':', ',', ';'])).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ").to_lowercase()
}

/// `1. `, `2) `
fn is_numbered(line: &str) -> bool {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    digits > 0 && [". ", ") "].iter().any(|mark| line[digits..].starts_with(mark))
}

#[cfg(test)]
mod tests {
    use hewto_core::requirement::SpecDoc;

    use super::*;

    fn read(text: &str, check: impl Fn(&str, &str)) {
        let document = Document::parse(text);
        let doc = SpecDoc::read(&document);
        let found = &doc.requirements[0];
        let (_, told) = statements(None, Some(Side { document: &document, found }));
        let scenario = &found.scenarios[0];
        let steps = scenario.steps(&document).into_iter();
        let steps: Vec<_> = steps.map(|step| (step.keyword.to_string(), step.text)).collect();
        check(&told, &unsaid(&document, scenario, &steps));
    }

    #[test]
    fn a_statement_and_its_clauses_are_all_there_is_to_a_usual_requirement() {
        for clauses in [
            "- **WHEN** a\n- **THEN** b",
            "- **When**: a, and more\n  of it\n- **Then** b\n  - detail",
            "WHEN a, THEN b",
            "1. GIVEN x\n2. WHEN a\n3. THEN b\n\n```json\n{\"a\": 1}\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |",
        ] {
            let text = format!(
                "## Requirements\n\n### Requirement: R\nIt SHALL\nhold.\n\n#### Scenario: S\n{clauses}\n"
            );
            read(&text, |told, more| assert_eq!((told, more), ("It SHALL hold.", ""), "{clauses}"));
        }
    }

    #[test]
    fn what_is_more_than_that_is_told_as_it_is_written() {
        let text = "## Requirements\n\n### Requirement: R\nIt SHALL hold:\n\n- one\n\n```\ncode\n```\n\n#### Scenario: S\nfirst\n\n- **WHEN** a\n- **THEN** b\n\nlast\n";
        read(text, |told, more| {
            assert_eq!(told, "It SHALL hold:\n\n- one\n\n```\ncode\n```");
            assert_eq!(more, "first\nlast");
        });
    }

    #[test]
    fn a_text_of_very_many_lines_is_compared_line_by_line() {
        let told: String = (0..20_000).map(|n| format!("- line {n} of many\n")).collect();
        let text = format!("{told}and one more\n");
        assert_eq!(lines_beyond(&text, &told), "and one more");
        assert_eq!(lines_beyond("one\ntwo\n", "one two three"), "");
    }
}
