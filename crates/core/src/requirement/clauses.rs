//! GIVEN, WHEN and THEN of a scenario.
//!
//! A keyword opens a list item or a line, bold or plain, in any case. Inside a wrapped sentence only an emphasised or
//! upper-case keyword counts, since `and` is also a word. What follows a clause without a keyword of its own (deeper
//! items, code, wrapped lines) belongs to that clause.

use serde::Serialize;

use super::Scenario;
use super::steps::{Keyword, Step};
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
        self.read(document).0
    }

    /// The same, clause by clause with the keyword of each, so that nothing has to be taken apart again.
    pub fn steps(&self, document: &Document<'_>) -> Vec<Step> {
        self.read(document).1
    }

    fn read(&self, document: &Document<'_>) -> (Clauses, Vec<Step>) {
        let mut reader = Reader { document, clauses: Clauses::default(), steps: Vec::new(), open: None };
        for block in document.blocks_in(self.body.clone()) {
            reader.take(block);
        }
        reader.close();
        (reader.clauses, reader.steps)
    }
}

impl Clauses {
    /// What steps say when they are told as clauses.
    pub fn of(steps: &[Step]) -> Self {
        let mut clauses = Self::default();
        let mut before = None;
        for step in steps {
            let text = step.text.trim();
            let (part, joint) = match (step.keyword, before) {
                (Keyword::Given, _) => (Part::Given, " and "),
                (Keyword::When, _) => (Part::When, " and "),
                (Keyword::Then, _) => (Part::Then, " and "),
                (Keyword::But, Some(part)) => (part, " but "),
                (Keyword::And, Some(part)) => (part, " and "),
                (Keyword::And | Keyword::But, None) => continue,
            };
            before = Some(part);
            if !text.is_empty() {
                clauses.add(part, joint, text);
            }
        }
        clauses
    }

    fn add(&mut self, part: Part, joint: &str, text: &str) {
        let slot = match part {
            Part::Then => return self.then.push(text.to_owned()),
            Part::Given => &mut self.given,
            Part::When => &mut self.when,
        };
        match slot {
            Some(before) => {
                before.push_str(joint);
                before.push_str(text);
            }
            None => *slot = Some(text.to_owned()),
        }
    }
}

struct Reader<'d, 't> {
    document: &'d Document<'t>,
    clauses: Clauses,
    steps: Vec<Step>,
    open: Option<Open>,
}

/// The clause that is being read.
struct Open {
    part: Part,
    keyword: Keyword,
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
        self.begin(part, Keyword::And, " and ", text, depth);
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
        self.begin(part, word, joint, rest, depth);
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

    fn begin(&mut self, part: Part, keyword: Keyword, joint: &'static str, text: &str, depth: usize) {
        self.close();
        self.open = Some(Open { part, keyword, joint, text: one_line(text), depth });
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
        let Some(Open { part, keyword, joint, text, .. }) = self.open.take() else { return };
        let text = text.trim();
        if !text.is_empty() {
            self.clauses.add(part, joint, text);
            self.steps.push(Step { keyword, text: text.to_owned() });
        }
    }
}

/// The keyword that opens a line, and what follows it.
fn keyword(line: &str, position: Position) -> Option<(Keyword, String)> {
    let inner = line.trim_start_matches(['*', '_']);
    let (marks, inner) = (&line[..line.len() - inner.len()], inner);
    let length = inner.bytes().take_while(u8::is_ascii_alphabetic).count();
    let (word, rest) = inner.split_at(length);
    let keyword = Keyword::of(word)?;
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
#[path = "clauses_tests.rs"]
mod tests;
