//! GIVEN, WHEN and THEN of a scenario.
//!
//! A keyword opens a list item or a line, bold or plain, in any case. Inside a wrapped sentence only an emphasised or
//! upper-case keyword counts, since `and` is also a word. What follows a clause without a keyword of its own (deeper
//! items, code, wrapped lines) belongs to that clause.

use serde::Serialize;

use super::Scenario;
use crate::document::{Block, BlockKind, Document, Marker};

/// What a scenario says.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Clauses {
    /// GIVEN with what is ANDed to it.
    pub given: Option<String>,
    /// WHEN with what is ANDed to it.
    pub when: Option<String>,
    /// THEN and each AND or BUT after it.
    pub then: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Keyword {
    Given,
    When,
    Then,
    And,
    But,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Given,
    When,
    Then,
}

/// Where a line stands in its block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Position {
    First,
    Wrapped,
}

impl Scenario<'_> {
    /// Reads the clauses. `document` is the one that the scenario was read from.
    pub fn clauses(&self, document: &Document<'_>) -> Clauses {
        let mut reader = Reader { document, clauses: Clauses::default(), open: None };
        for block in document.blocks_in(self.body.clone()) {
            reader.take(block);
        }
        reader.close();
        reader.clauses
    }
}

struct Reader<'d, 't> {
    document: &'d Document<'t>,
    clauses: Clauses,
    open: Option<Open>,
}

/// The clause that is being read.
struct Open {
    part: Part,
    joint: &'static str,
    text: String,
    /// How many lists the clause is in; a deeper item is a detail of it.
    depth: usize,
}

impl<'t> Reader<'_, 't> {
    fn take(&mut self, block: &Block<'t>) {
        match &block.kind {
            BlockKind::Item(item) => {
                let text = self.document.slice(block.content.clone());
                self.item(text, item.depth, item.marker);
            }
            BlockKind::Paragraph if block.nesting == 0 => {
                self.close();
                self.lines(self.document.slice(block.content.clone()), 0);
            }
            BlockKind::Paragraph => {
                let depth = self.open.as_ref().map_or(0, |open| open.depth);
                self.lines(self.document.slice(block.content.clone()), depth);
            }
            BlockKind::Code(_) | BlockKind::Table => {
                let text = dedented(self.document.slice(block.span.clone()));
                self.detail(&text);
            }
            BlockKind::Heading(_) => self.close(),
            BlockKind::Html | BlockKind::Quote | BlockKind::Rule => {}
        }
    }

    fn item(&mut self, text: &str, depth: usize, marker: Marker) {
        let first = text.lines().next().unwrap_or_default();
        if keyword(first, Position::First).is_some() {
            return self.lines(text, depth);
        }
        let Some(open) = &self.open else { return };
        if depth > open.depth {
            let indent = "  ".repeat(depth - open.depth - 1);
            let mark = match marker {
                Marker::Bullet(_) => "-".to_owned(),
                Marker::Ordered { number, delimiter } => format!("{number}{delimiter}"),
            };
            return self.detail(&format!("{indent}{mark} {}", one_line(text)));
        }
        let part = open.part;
        self.begin(part, " and ", text, depth);
    }

    fn lines(&mut self, text: &str, depth: usize) {
        let mut position = Position::First;
        for line in text.lines().map(str::trim) {
            match keyword(line, position) {
                Some((word, rest)) => self.keyword(word, &rest, depth),
                None => self.continued(line),
            }
            position = Position::Wrapped;
        }
    }

    fn keyword(&mut self, word: Keyword, rest: &str, depth: usize) {
        let before = self.open.as_ref().map(|open| open.part).or_else(|| self.last_part());
        let (part, joint) = match (word, before) {
            (Keyword::Given, _) => (Part::Given, " and "),
            (Keyword::When, _) => (Part::When, " and "),
            (Keyword::Then, _) => (Part::Then, " and "),
            (Keyword::And, Some(part)) => (part, " and "),
            (Keyword::But, Some(part)) => (part, " but "),
            // An AND with nothing before it is a line like any other.
            (Keyword::And | Keyword::But, None) => return,
        };
        self.begin(part, joint, rest, depth);
    }

    /// The part that the next AND would join when plain text stands between.
    fn last_part(&self) -> Option<Part> {
        if !self.clauses.then.is_empty() {
            Some(Part::Then)
        } else if self.clauses.when.is_some() {
            Some(Part::When)
        } else {
            self.clauses.given.as_ref().map(|_| Part::Given)
        }
    }

    fn begin(&mut self, part: Part, joint: &'static str, text: &str, depth: usize) {
        self.close();
        self.open = Some(Open { part, joint, text: one_line(text), depth });
    }

    fn continued(&mut self, line: &str) {
        let Some(open) = &mut self.open else { return };
        if !open.text.is_empty() && !line.is_empty() {
            open.text.push(' ');
        }
        open.text.push_str(line);
    }

    fn detail(&mut self, text: &str) {
        let Some(open) = &mut self.open else { return };
        if !open.text.is_empty() {
            open.text.push('\n');
        }
        open.text.push_str(text);
    }

    fn close(&mut self) {
        let Some(Open { part, joint, text, .. }) = self.open.take() else { return };
        let text = text.trim().to_owned();
        if text.is_empty() {
            return;
        }
        let slot = match part {
            Part::Then => return self.clauses.then.push(text),
            Part::Given => &mut self.clauses.given,
            Part::When => &mut self.clauses.when,
        };
        match slot {
            Some(before) => {
                before.push_str(joint);
                before.push_str(&text);
            }
            None => *slot = Some(text),
        }
    }
}

/// The keyword that opens a line, and what follows it.
fn keyword(line: &str, position: Position) -> Option<(Keyword, String)> {
    let inner = line.trim_start_matches(['*', '_']);
    let (marks, inner) = (&line[..line.len() - inner.len()], inner);
    let length = inner.bytes().take_while(u8::is_ascii_alphabetic).count();
    let (word, rest) = inner.split_at(length);
    let keyword = [
        ("GIVEN", Keyword::Given),
        ("WHEN", Keyword::When),
        ("THEN", Keyword::Then),
        ("AND", Keyword::And),
        ("BUT", Keyword::But),
    ]
    .into_iter()
    .find_map(|(name, keyword)| word.eq_ignore_ascii_case(name).then_some(keyword))?;
    let shouted = word.bytes().all(|byte| byte.is_ascii_uppercase());
    if position == Position::Wrapped && marks.is_empty() && !shouted {
        return None;
    }
    let rest = rest.strip_prefix(':').unwrap_or(rest);
    let rest = if marks.is_empty() { rest.to_owned() } else { without_closing(rest, marks) };
    let ends_word = rest.is_empty() || rest.starts_with([' ', '\t', ':', ',', '\u{a0}']) || !marks.is_empty();
    let rest = rest.trim_start_matches([':', ',']).trim();
    ends_word.then(|| (keyword, rest.to_owned()))
}

/// The text without the marks that close the emphasis a keyword stands in.
fn without_closing(rest: &str, marks: &str) -> String {
    let closing: String = marks.chars().rev().collect();
    match rest.find(&closing) {
        Some(at) => format!("{}{}", &rest[..at], &rest[at + closing.len()..]),
        None => rest.to_owned(),
    }
}

fn one_line(text: &str) -> String {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

/// The lines of a block without the indentation that they share.
fn dedented(text: &str) -> String {
    let indent = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let shared = text.lines().filter(|line| !line.trim().is_empty()).map(indent).min().unwrap_or(0);
    let lines = text.lines().map(|line| line.get(shared..).unwrap_or_default().trim_end());
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::super::SpecDoc;
    use super::*;

    fn clauses(body: &str) -> Clauses {
        let text = format!("## Requirements\n### Requirement: R\nIt SHALL.\n#### Scenario: S\n{body}");
        let document = Document::parse(&text);
        SpecDoc::read(&document).requirements[0].scenarios[0].clauses(&document)
    }

    fn expect(body: &str, given: Option<&str>, when: Option<&str>, then: &[&str]) {
        let expected = Clauses {
            given: given.map(str::to_owned),
            when: when.map(str::to_owned),
            then: then.iter().map(|&text| text.to_owned()).collect(),
        };
        for body in [body.to_owned(), body.replace('\n', "\r\n")] {
            assert_eq!(clauses(&body), expected, "{body:?}");
        }
    }

    #[test]
    fn keywords_are_found_in_every_dress() {
        for body in [
            "- **WHEN** a\n- **THEN** b\n",
            "- WHEN a\n- THEN b\n",
            "* When a\n* then b\n",
            "+ *when* a\n+ _Then_ b\n",
            "WHEN a\nTHEN b\n",
            "**WHEN** a\n**THEN** b\n",
            "**When:** a\n\n**Then**: b\n",
            "1. ***WHEN*** a\n2. __THEN__ b\n",
            "- **WHEN a**\n- **THEN b**\n",
            "- WHEN: a\n- THEN, b\n",
            "  - **WHEN** a\n  - **THEN** b\n",
            "- [ ] **WHEN** a\n- [x] **THEN** b\n",
        ] {
            expect(body, None, Some("a"), &["b"]);
        }
    }

    #[test]
    fn and_and_but_join_what_stands_before_them() {
        expect(
            "- **GIVEN** a\n- **AND** b\n- **WHEN** c\n- **AND** d\n- **BUT** e\n- **THEN** f\n- **AND** g\n- **BUT** h\n",
            Some("a and b"),
            Some("c and d but e"),
            &["f", "g", "h"],
        );
    }

    #[test]
    fn wrapped_lines_are_one_sentence() {
        expect(
            "- **WHEN** a user\n  and an admin\n  log in\n- **THEN** both\nare in\n",
            None,
            Some("a user and an admin log in"),
            &["both are in"],
        );
        expect("WHEN a\nAND b\nand c\nTHEN d\n", None, Some("a and b and c"), &["d"]);
    }

    #[test]
    fn details_belong_to_their_clause() {
        expect(
            "- **WHEN** x\n- **THEN** it has:\n  - `id`\n    - deep\n  - `title`\n- **AND** it prints\n  ```\n  - **WHEN** no\n  ```\n",
            None,
            Some("x"),
            &["it has:\n- `id`\n  - deep\n- `title`", "it prints\n```\n- **WHEN** no\n```"],
        );
    }

    #[test]
    fn items_without_a_keyword_continue_the_part_before_them() {
        expect("- **WHEN** a\n- b\n- **THEN** c\n- d\n", None, Some("a and b"), &["c", "d"]);
    }

    #[test]
    fn keywords_may_be_nested_under_one_another() {
        expect("- **WHEN** a\n  - **AND** b\n  - **THEN** c\n", None, Some("a and b"), &["c"]);
    }

    #[test]
    fn plain_text_comments_and_code_are_no_clauses() {
        expect(
            "Some words. When in doubt.\n<!-- - **WHEN** no -->\n\n```\n- **WHEN** no\n```\n\n    - **WHEN** no\n",
            None,
            None,
            &[],
        );
        expect("- Whenever it rains\n- Thenar\n- Andy\n- **WHEN**\n", None, None, &[]);
    }

    #[test]
    fn an_and_after_plain_text_joins_the_last_clause() {
        expect("- **WHEN** a\n\nA note.\n\n- **AND** b\n- **THEN** c\n", None, Some("a and b"), &["c"]);
    }
}
