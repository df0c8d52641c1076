//! Changing keys of a front matter without disturbing a byte beside them.
//!
//! The new text is read again before it leaves: it must say what the old one said, with exactly the edited keys
//! changed. Whatever cannot be edited so (flow maps, keys that stand twice, anchors in use) is refused.

use super::write::{LongTexts, Style, Value, render, render_entry, write_value};
use super::{BOM, Data, Entry, FrontMatter, FrontMatterBlock, Node, ScalarStyle, find};
use crate::document::{EolStyle, Span};

/// Why a front matter was left as it is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    #[error("line {line}: {message}")]
    Unreadable { line: usize, message: String },
    #[error("the key `{0}` appears twice in the front matter")]
    DuplicateKey(String),
    #[error("the front matter is a map in braces")]
    FlowMap,
    #[error("the key `{0}` is written in a way that cannot be edited safely")]
    Unsafe(String),
    #[error("the text has no front matter")]
    Missing,
    #[error("the content begins with its own front matter")]
    Content,
}

impl EditError {
    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Unreadable { .. } => "correct the YAML between the `---` lines, then try again",
            Self::DuplicateKey(_) => "keep one of the two lines, then try again",
            Self::FlowMap => "write the front matter as `key: value` lines, then try again",
            Self::Unsafe(_) => "write it as a simple `key: value` line, then try again",
            Self::Content => "leave the front matter out of the content",
            Self::Missing => "add a front matter between two `---` lines",
        }
    }
}

/// What to do with a text that has no front matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MissingBlock {
    Refuse,
    Create,
}

/// A set of changes to the keys of one front matter.
#[derive(Debug, Clone)]
pub struct FrontMatterEdit<'o> {
    order: &'o [&'o str],
    missing: MissingBlock,
    changes: Vec<(String, Option<Value>)>,
}

impl<'o> FrontMatterEdit<'o> {
    pub fn new(missing: MissingBlock) -> Self {
        Self { order: &[], missing, changes: Vec::new() }
    }

    /// The order in which new keys take their place among known ones; others go to the end.
    #[must_use]
    pub fn in_order(mut self, order: &'o [&'o str]) -> Self {
        self.order = order;
        self
    }

    /// Sets a key, in its place when it exists.
    #[must_use]
    pub fn set(self, key: &str, value: Value) -> Self {
        self.change(key, Some(value))
    }

    /// Removes a key, when it exists.
    #[must_use]
    pub fn remove(self, key: &str) -> Self {
        self.change(key, None)
    }

    fn change(mut self, key: &str, value: Option<Value>) -> Self {
        self.changes.retain(|(changed, _)| changed != key);
        self.changes.push((key.to_owned(), value));
        self
    }

    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// The text with the changes made.
    pub fn apply(&self, text: &str) -> Result<String, EditError> {
        if self.changes.is_empty() {
            return Ok(text.to_owned());
        }
        let opening = find(text);
        match opening.block {
            // A literal block can swallow an indented comment behind it; the check notices.
            Some(block) => self
                .edit(text, &block, LongTexts::Literal)
                .or_else(|_| self.edit(text, &block, LongTexts::Quoted)),
            // A block that is opened and never closed is broken, not missing: a second one above it would hide it.
            None if !opening.diagnostics.is_empty() => {
                Err(EditError::Unreadable { line: 1, message: "the front matter is never closed".to_owned() })
            }
            None if self.missing == MissingBlock::Create => self.create(text),
            None => Err(EditError::Missing),
        }
    }

    fn create(&self, text: &str) -> Result<String, EditError> {
        let eol = EolStyle::of(text);
        let bom = if text.starts_with(BOM) { BOM.len_utf8() } else { 0 };
        let body = &text[bom..];
        let gap = if body.is_empty() || body.starts_with(['\n', '\r']) { "" } else { eol.as_str() };
        let sets = self.changes.iter().filter_map(|(key, value)| Some((key.as_str(), value.as_ref()?)));
        let new = format!("{}{}{gap}{body}", &text[..bom], render(sets, eol));
        self.check(&FrontMatter::default(), new)
    }

    fn edit(&self, text: &str, block: &FrontMatterBlock, long_texts: LongTexts) -> Result<String, EditError> {
        let front = readable(text, block)?;
        let shape = Shape::of(text, block, &front, long_texts)?;
        let mut pieces: Vec<(Span, String)> = Vec::new();
        for (key, value) in &self.changes {
            let mut found = front.entries.iter().filter(|entry| entry.key == *key);
            let entry = found.next();
            if found.next().is_some() {
                return Err(EditError::DuplicateKey(key.clone()));
            }
            pieces.push(match (entry, value) {
                (Some(entry), Some(value)) => shape.replacement(entry, value)?,
                (Some(entry), None) => (shape.lines_of(entry), String::new()),
                (None, Some(value)) => {
                    let at = self.place_for(key, &front, &shape);
                    (at..at, render_entry(key, value, shape.style))
                }
                (None, None) => continue,
            });
        }
        // Stable: keys inserted at the same place keep the order in which they were given.
        pieces.sort_by_key(|(span, _)| (span.start, span.end));
        let mut new = String::with_capacity(text.len() + 64);
        let mut at = 0;
        for (span, piece) in pieces {
            if span.start < at {
                return Err(EditError::Unsafe(piece.split(':').next().unwrap_or_default().trim().to_owned()));
            }
            new.push_str(&text[at..span.start]);
            new.push_str(&piece);
            at = span.end;
        }
        new.push_str(&text[at..]);
        self.check(&front, new)
    }

    /// Where a new key goes: behind the nearest known key that precedes it, else before the nearest that follows.
    fn place_for(&self, key: &str, front: &FrontMatter, shape: &Shape<'_>) -> usize {
        let Some(rank) = self.order.iter().position(|known| known == &key) else { return shape.end };
        let entry = |known: &&str| front.entries.iter().find(|entry| entry.key == **known);
        if let Some(before) = self.order[..rank].iter().rev().find_map(entry) {
            return shape.lines_of(before).end;
        }
        self.order[rank + 1..].iter().find_map(entry).map_or(shape.end, |after| shape.lines_of(after).start)
    }

    /// Lets a new text out only when it says what it should.
    fn check(&self, old: &FrontMatter, new: String) -> Result<String, EditError> {
        let fault = || {
            EditError::Unsafe(
                self.changes.iter().map(|(key, _)| key.as_str()).collect::<Vec<_>>().join("`, `"),
            )
        };
        let block = find(&new).block.ok_or_else(fault)?;
        let front = FrontMatter::read(&new, &block);
        let changed: Vec<&str> = self.changes.iter().map(|(key, _)| key.as_str()).collect();
        let same = same_but_for(old, &front, &changed);
        let done = self.changes.iter().all(|(key, value)| match (front.get(key), value) {
            (None, None) => true,
            (Some(node), Some(value)) => says(node, value),
            _ => false,
        });
        if same && done && front.fault().is_none() { Ok(new) } else { Err(fault()) }
    }
}

/// Whether two front matters say the same in the same order, these keys left out.
pub(super) fn same_but_for(old: &FrontMatter, new: &FrontMatter, keys: &[&str]) -> bool {
    let is_kept = |entry: &&Entry| !keys.contains(&entry.key.as_str());
    let mut kept = new.entries.iter().filter(is_kept);
    let same = |entry: &Entry| {
        kept.next().is_some_and(|other| entry.key == other.key && entry.node.says_the_same_as(&other.node))
    };
    old.entries.iter().filter(is_kept).all(same) && kept.next().is_none()
}

pub(super) fn readable(text: &str, block: &FrontMatterBlock) -> Result<FrontMatter, EditError> {
    let front = FrontMatter::read(text, block);
    match front.fault() {
        Some(fault) => Err(EditError::Unreadable { line: fault.line, message: fault.message.clone() }),
        None => Ok(front),
    }
}

/// How the keys of one front matter are laid out.
struct Shape<'t> {
    text: &'t str,
    /// Where the line of the closing marker begins.
    end: usize,
    style: Style,
}

impl<'t> Shape<'t> {
    fn of(
        text: &'t str,
        block: &FrontMatterBlock,
        front: &FrontMatter,
        long_texts: LongTexts,
    ) -> Result<Self, EditError> {
        let eol = EolStyle::of(&text[block.span.clone()]).as_str();
        let shape = Self { text, end: block.yaml.end, style: Style { indent: 0, eol, long_texts } };
        let Some(first) = front.entries.first() else {
            // `{}` is an empty map too, and no line can be put beside it.
            let is_blank = |line: &str| line.trim().is_empty() || line.trim_start().starts_with('#');
            let blank = text[block.yaml.clone()].lines().all(is_blank);
            return if blank { Ok(shape) } else { Err(EditError::FlowMap) };
        };
        let before = &text[shape.line_start(first.key_span.start)..first.key_span.start];
        if before.contains('{') {
            return Err(EditError::FlowMap);
        }
        Ok(Self { style: Style { indent: before.len(), ..shape.style }, ..shape })
    }

    /// The whole lines of a key and its value.
    fn lines_of(&self, entry: &Entry) -> Span {
        let start = self.line_start(entry.key_span.start);
        let end = entry.node.span.end.max(entry.key_span.end);
        // The span of a block scalar ends with a line.
        let ended = end > start && self.text[..end].ends_with('\n');
        let end = if ended { end } else { self.line_end(end) };
        start..end.min(self.end)
    }

    /// The bytes behind the colon of a key that a new value replaces, and what replaces them.
    fn replacement(&self, entry: &Entry, value: &Value) -> Result<(Span, String), EditError> {
        let after_key = &self.text[entry.key_span.end..];
        let colon = after_key.trim_start_matches([' ', '\t']);
        if !colon.starts_with(':') {
            return Err(EditError::Unsafe(entry.key.clone()));
        }
        let start = self.text.len() - colon.len() + 1;
        let key_line_end = self.line_end(start);
        let (end, comment) = self.value_end(&entry.node, start, key_line_end);
        let mut written = String::new();
        write_value(&mut written, value, self.style, comment);
        Ok((start..end, written))
    }

    /// Where the lines of an old value end, and the comment on the key's line that outlives it.
    fn value_end(&self, node: &Node, start: usize, key_line_end: usize) -> (usize, &'t str) {
        let is_block = matches!(node.data, Data::Scalar { style: ScalarStyle::Block, .. });
        if !is_block && node.span.start < key_line_end && node.span.end <= key_line_end {
            let rest = &self.text[node.span.end.max(start)..key_line_end];
            return (key_line_end, comment_in(rest));
        }
        let first_line = &self.text[start..key_line_end];
        let comment = if is_block || node.span.start >= key_line_end { comment_in(first_line) } else { "" };
        // Blank lines at the end of a block scalar separate it from the next key: they stay.
        let last = start + self.text[start..node.span.end.max(start)].trim_end().len();
        (self.line_end(last).max(key_line_end), comment)
    }

    fn line_start(&self, offset: usize) -> usize {
        self.text[..offset].rfind('\n').map_or(0, |at| at + 1)
    }

    /// The start of the next line.
    fn line_end(&self, offset: usize) -> usize {
        self.text[offset..].find('\n').map_or(self.text.len(), |at| offset + at + 1)
    }
}

/// The comment at the end of what stands behind a value, with the blanks before it.
fn comment_in(rest: &str) -> &str {
    rest.find('#').map_or("", |at| rest[rest[..at].trim_end().len()..].trim_end())
}

fn says(node: &Node, value: &Value) -> bool {
    match value {
        Value::Text(text) | Value::Timestamp(text) => node.as_str() == Some(text),
        Value::Bool(value) => node.as_bool() == Some(*value),
        Value::Number(number) => node.as_str() == Some(number),
        Value::List(items) => node.as_list().is_some_and(|nodes| {
            nodes.len() == items.len() && nodes.iter().zip(items).all(|(node, item)| says(node, item))
        }),
        Value::Map(entries) => node.as_map().is_some_and(|nodes| {
            nodes.len() == entries.len()
                && nodes
                    .iter()
                    .zip(entries)
                    .all(|(entry, (key, value))| entry.key == *key && says(&entry.node, value))
        }),
    }
}
