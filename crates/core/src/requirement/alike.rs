//! Whether two texts say the same, however they are written.
//!
//! Whoever reads a scenario gets its clauses joined, and writes them back so. That is no edit, and a merge that took it
//! for one would find conflicts where there are none.

use super::clauses::Clauses;
use super::read_scenario;
use crate::document::Document;
use crate::outline::Outline;

/// What opens a clause.
const KEYWORDS: [&str; 5] = ["GIVEN", "WHEN", "THEN", "AND", "BUT"];

/// Whether two texts have the same lines: line ends, blank lines and blanks at the end of lines do not count, but for
/// those in code, where they are what is said.
pub(crate) fn same_words(a: &str, b: &str) -> bool {
    a == b || words(a.trim()).eq(words(b.trim()))
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut fence: Option<&str> = None;
    text.lines().filter_map(move |line| {
        let bare = line.trim();
        let mark = ["```", "~~~"].into_iter().find(|mark| bare.starts_with(mark));
        match (fence, mark) {
            (None, Some(_)) => fence = mark,
            (Some(open), Some(mark)) if open == mark => fence = None,
            (Some(_), _) => return Some(line),
            (None, None) => {}
        }
        Some(line.trim_end()).filter(|line| !line.is_empty())
    })
}

/// Whether two scenarios, each with its heading, say the same: clauses joined by `and` or in lines of their own,
/// wrapped or not, with whatever bullets.
pub(crate) fn same_scenario(a: &str, b: &str) -> bool {
    same_words(a, b) || (said(a).eq(said(b)) && clauses(a) == clauses(b))
}

/// Whether two statements of a requirement say the same, wrapped or not.
pub(crate) fn same_statement(a: &str, b: &str) -> bool {
    same_words(a, b) || (is_prose(a) && is_prose(b) && a.split_whitespace().eq(b.split_whitespace()))
}

/// The words of a scenario without its bullets, keywords without their dress.
fn said(scenario: &str) -> impl Iterator<Item = String> {
    let words = scenario.split_whitespace().filter(|word| !matches!(*word, "-" | "*" | "+"));
    words.map(|word| {
        let bare = word.trim_matches(['*', '_', ':']);
        match KEYWORDS.iter().find(|keyword| keyword.eq_ignore_ascii_case(bare)) {
            Some(keyword) => (*keyword).to_owned(),
            None => word.to_owned(),
        }
    })
}

fn clauses(scenario: &str) -> Clauses {
    let document = Document::parse(scenario);
    let outline = Outline::read(&document);
    match outline.headings.first() {
        Some(_) => read_scenario(&outline, 0, scenario.len()).clauses(&document),
        None => Clauses::default(),
    }
}

/// Whether line breaks mean nothing in a text.
fn is_prose(text: &str) -> bool {
    let opens_block = |line: &str| {
        ["- ", "* ", "+ ", "|", ">", "#", "```", "~~~"].iter().any(|mark| line.trim_start().starts_with(mark))
    };
    !text.lines().any(opens_block)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blank_lines_count_in_code_and_nowhere_else() {
        assert!(same_words("a\n\nb  \n", "a\nb"));
        assert!(same_words("```\na\n\nb\n```", "```\na\n\nb\n```  \n"));
        assert!(!same_words("```\na\n\nb\n```", "```\na\nb\n```"));
        assert!(!same_words("```\na\n~~~\n\n```", "```\na\n~~~\n```"));
        assert!(same_words("```\na\n```\n\nb", "```\na\n```\nb"));
    }

    const APART: &str =
        "#### Scenario: S\n- **GIVEN** a user\n- **AND** a store\n- **WHEN** it fits\n- **THEN** in\n";

    #[test]
    fn a_scenario_written_back_with_its_clauses_joined_is_the_same() {
        for same in [
            "#### Scenario: S\n\n- **GIVEN** a user and a store\n- **WHEN** it fits\n- **THEN** in",
            "#### Scenario: S\r\n* GIVEN a user\r\n* AND a\r\n  store\r\n* WHEN it fits\r\n* THEN in\r\n",
        ] {
            assert!(same_scenario(APART, same), "{same}");
        }
        for other in [
            APART.replace("in\n", "out\n"),
            APART.replace("a store", "a *store*"),
            format!("{APART}\nA note.\n"),
            APART.replace("- **AND** a store\n", ""),
        ] {
            assert!(!same_scenario(APART, &other), "{other}");
        }
        let code = "#### Scenario: S\n- **WHEN** x\n  ```\n  a:\n    b\n  ```\n";
        assert!(!same_scenario(code, &code.replace("    b", "  b")), "blanks in code count");
    }

    #[test]
    fn a_statement_may_be_wrapped_anew_but_not_a_list() {
        assert!(same_statement("It SHALL\nwork.\n", "It SHALL work."));
        assert!(!same_statement("It SHALL:\n- a\n- b", "It SHALL: - a - b"));
        assert!(!same_statement("It SHALL work.", "It SHALL not work."));
    }
}
