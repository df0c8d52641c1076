//! Adding an item to a list of a front matter and taking one out, without disturbing a byte beside it.
//!
//! What was added can be taken out again and the text is what it was: a key that had to be made goes with its last
//! item, a key without a value keeps its line, a list in brackets keeps its brackets.

use super::edit::{readable, same_but_for};
use super::write::{LongTexts, Style, Value, render_entry, write_inline_flow, write_item};
use super::{BOM, Data, EditError, Entry, FrontMatter, FrontMatterBlock, Node, find};
use crate::document::{EolStyle, Span};

/// Puts an item at the end of a list; the key, and the front matter, are made when they are missing.
pub fn add_item(text: &str, key: &str, item: &Value) -> Result<String, EditError> {
    let Some(block) = closed_block(text)? else { return Ok(with_new_block(text, key, item)) };
    let front = readable(text, &block)?;
    let page = Page { text, block: &block };
    let new = match only(&front, key)? {
        None => page.insert(block.yaml.end, &render_entry(key, &one(item), page.style(0))),
        Some(entry) => page.add(entry, item)?,
    };
    confirm(&front, key, new, 1)
}

/// Takes the item at an index out of a list.
pub fn remove_item(text: &str, key: &str, index: usize) -> Result<String, EditError> {
    let block = closed_block(text)?.ok_or(EditError::Missing)?;
    let front = readable(text, &block)?;
    let page = Page { text, block: &block };
    let entry = only(&front, key)?.ok_or_else(|| EditError::Unsafe(key.to_owned()))?;
    let new = page.remove(entry, index, &front)?;
    if find(&new).block.is_none() {
        // The last key went, and the front matter with it.
        return Ok(new);
    }
    confirm(&front, key, new, -1)
}

fn one(item: &Value) -> Value {
    Value::List(vec![item.clone()])
}

/// The front matter; one that is opened and never closed is broken, not missing.
fn closed_block(text: &str) -> Result<Option<FrontMatterBlock>, EditError> {
    let opening = find(text);
    match opening.block {
        None if !opening.diagnostics.is_empty() => {
            Err(EditError::Unreadable { line: 1, message: "the front matter is never closed".to_owned() })
        }
        block => Ok(block),
    }
}

fn only<'f>(front: &'f FrontMatter, key: &str) -> Result<Option<&'f Entry>, EditError> {
    let mut found = front.entries.iter().filter(|entry| entry.key == key);
    let entry = found.next();
    if found.next().is_some() { Err(EditError::DuplicateKey(key.to_owned())) } else { Ok(entry) }
}

/// A new front matter, with exactly one line end between it and the body: so much is taken away with it again.
fn with_new_block(text: &str, key: &str, item: &Value) -> String {
    let eol = EolStyle::of(text).as_str();
    let bom = if text.starts_with(BOM) { BOM.len_utf8() } else { 0 };
    let style = Style { indent: 0, eol, long_texts: LongTexts::Quoted };
    let entry = render_entry(key, &one(item), style);
    format!("{}---{eol}{entry}---{eol}{eol}{}", &text[..bom], &text[bom..])
}

struct Page<'t> {
    text: &'t str,
    block: &'t FrontMatterBlock,
}

impl Page<'_> {
    fn style(&self, indent: usize) -> Style {
        let eol = EolStyle::of(&self.text[self.block.span.clone()]).as_str();
        Style { indent, eol, long_texts: LongTexts::Quoted }
    }

    fn add(&self, entry: &Entry, item: &Value) -> Result<String, EditError> {
        let unsafe_key = || EditError::Unsafe(entry.key.clone());
        if entry.node.is_null() && entry.node.span.is_empty() {
            // Items at the key's own indentation are how a key that had no value is known again.
            let at = self.line_end(entry.key_span.end);
            let mut line = String::new();
            write_item(&mut line, item, self.style(self.indent_of(entry)));
            return Ok(self.insert(at, &(line + self.style(0).eol)));
        }
        let Data::List(items) = &entry.node.data else { return Err(unsafe_key()) };
        if self.is_flow(&entry.node) {
            let mut written = String::new();
            write_inline_flow(&mut written, item);
            return Ok(match items.last() {
                Some(last) => self.insert(last.span.end, &format!(", {written}")),
                None => self.insert(entry.node.span.start + 1, &written),
            });
        }
        let last = items.last().ok_or_else(unsafe_key)?;
        let indent = self.dash_of(last).ok_or_else(unsafe_key)?;
        let mut line = String::new();
        write_item(&mut line, item, self.style(indent));
        Ok(self.insert(self.lines_of(last).end, &(line + self.style(0).eol)))
    }

    fn remove(&self, entry: &Entry, index: usize, front: &FrontMatter) -> Result<String, EditError> {
        let unsafe_key = || EditError::Unsafe(entry.key.clone());
        let items = entry.node.as_list().ok_or_else(unsafe_key)?;
        let item = items.get(index).ok_or_else(unsafe_key)?;
        if self.is_flow(&entry.node) {
            let span = match (index, items.get(index + 1)) {
                (0, None) => item.span.clone(),
                (0, Some(next)) => item.span.start..next.span.start,
                (_, _) => items[index - 1].span.end..item.span.end,
            };
            return Ok(self.cut(span));
        }
        let dash = self.dash_of(item).ok_or_else(unsafe_key)?;
        if items.len() > 1 || dash == self.indent_of(entry) {
            return Ok(self.cut(self.lines_of(item)));
        }
        let lines = self.line_start(entry.key_span.start)..self.lines_of(item).end;
        let is_all_there_is = front.entries.len() == 1 && lines == self.block.yaml;
        Ok(if is_all_there_is { self.without_block() } else { self.cut(lines) })
    }

    fn without_block(&self) -> String {
        let rest = &self.text[self.block.span.end..];
        let rest = rest.strip_prefix("\r\n").or_else(|| rest.strip_prefix('\n')).unwrap_or(rest);
        format!("{}{rest}", &self.text[..self.block.span.start])
    }

    fn is_flow(&self, node: &Node) -> bool {
        self.text[node.span.start..].starts_with('[')
    }

    /// How far the dash of an item is indented, if only blanks stand before it.
    fn dash_of(&self, item: &Node) -> Option<usize> {
        let line = &self.text[self.line_start(item.span.start)..item.span.start];
        let dash = line.trim_start_matches(' ');
        dash.starts_with('-').then_some(line.len() - dash.len())
    }

    fn indent_of(&self, entry: &Entry) -> usize {
        entry.key_span.start - self.line_start(entry.key_span.start)
    }

    fn lines_of(&self, item: &Node) -> Span {
        let start = self.line_start(item.span.start);
        let end = start + self.text[start..item.span.end.max(item.span.start)].trim_end().len();
        start..self.line_end(end)
    }

    fn line_start(&self, offset: usize) -> usize {
        self.text[..offset].rfind('\n').map_or(0, |at| at + 1)
    }

    fn line_end(&self, offset: usize) -> usize {
        self.text[offset..].find('\n').map_or(self.text.len(), |at| offset + at + 1)
    }

    fn insert(&self, at: usize, piece: &str) -> String {
        format!("{}{piece}{}", &self.text[..at], &self.text[at..])
    }

    fn cut(&self, span: Span) -> String {
        format!("{}{}", &self.text[..span.start], &self.text[span.end..])
    }
}

/// Lets a new text out only when all other keys say what they said, and the list is longer or shorter by one.
fn confirm(old: &FrontMatter, key: &str, new: String, by: isize) -> Result<String, EditError> {
    let fault = || EditError::Unsafe(key.to_owned());
    let block = find(&new).block.ok_or_else(fault)?;
    let front = readable(&new, &block).map_err(|_| fault())?;
    let length = |front: &FrontMatter| front.list(key).map_or(0, <[Node]>::len).cast_signed();
    let counted = length(&front) == length(old) + by;
    if counted && same_but_for(old, &front, &[key]) { Ok(new) } else { Err(fault()) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn reference(target: &str) -> Value {
        Value::Map(vec![("ref".into(), target.into()), ("optional".into(), Value::Bool(true))])
    }

    #[test]
    fn an_item_is_added_in_the_style_of_its_list_and_taken_out_again() {
        for (before, after) in [
            ("a: 1\n", "a: 1\nd:\n  - x\n"),
            ("d:\nb: 1\n", "d:\n- x\nb: 1\n"),
            ("d: # none yet\nb: 1\n", "d: # none yet\n- x\nb: 1\n"),
            ("d: []\n", "d: [x]\n"),
            ("d: [ a, b ] # two\n", "d: [ a, b, x ] # two\n"),
            ("d:\n  - a # first\n  # and\n  - b\nb: 1\n", "d:\n  - a # first\n  # and\n  - b\n  - x\nb: 1\n"),
            ("d:\n    - ref: a\n      optional: true\n", "d:\n    - ref: a\n      optional: true\n    - x\n"),
            ("d:\n- a\n", "d:\n- a\n- x\n"),
        ] {
            let wrap = |yaml: &str| format!("\u{feff}---\n{yaml}---\nbody\n");
            let added = add_item(&wrap(before), "d", &"x".into()).unwrap();
            assert_eq!(added, wrap(after), "{before:?}");
            let index = FrontMatter::read(&added, &find(&added).block.unwrap()).list("d").unwrap().len() - 1;
            assert_eq!(remove_item(&added, "d", index).unwrap(), wrap(before), "{before:?}");
        }
    }

    #[test]
    fn a_front_matter_is_made_and_goes_again() {
        for text in ["# T\n", "\n# T\r\n", "", "\u{feff}body"] {
            let added = add_item(text, "d", &reference("x")).unwrap();
            assert_eq!(remove_item(&added, "d", 0).unwrap(), text, "{text:?}");
        }
    }

    #[test]
    fn what_is_no_list_is_left_alone() {
        for yaml in ["d: text\n", "d: {a: 1}\n", "d: [\n", "d: 1\nd: 2\n", "- d\n"] {
            assert!(add_item(&format!("---\n{yaml}---\n"), "d", &"x".into()).is_err(), "{yaml}");
        }
        assert!(add_item("---\nopen: 1\n", "d", &"x".into()).is_err());
        assert!(remove_item("# T\n", "d", 0).is_err());
    }

    proptest! {
        #[test]
        fn adding_and_taking_out_restores_every_byte(
            items in prop::collection::vec("[a-z./]{1,12}", 0..4),
            indent in 0_usize..5,
            flow in any::<bool>(),
            crlf in any::<bool>(),
            added in ".{1,30}",
        ) {
            let eol = if crlf { "\r\n" } else { "\n" };
            let list = if flow {
                format!("d: [{}]{eol}", items.join(", "))
            } else {
                let lines = items.iter().fold(String::new(), |lines, item| {
                    lines + &format!("{}- {item} # c{eol}", " ".repeat(indent))
                });
                format!("d:{eol}{lines}")
            };
            let text = format!("---{eol}# top{eol}title: T{eol}{list}mine: [1, 2]{eol}---{eol}# Body{eol}");
            for item in [Value::from(added.as_str()), reference(&added)] {
                if let Ok(new) = add_item(&text, "d", &item) {
                    prop_assert_eq!(remove_item(&new, "d", items.len()).unwrap(), text.as_str());
                }
            }
        }
    }
}
