//! The `hewto` entry in a YAML configuration: a member of a map, or an item of a list that says its name. Everything else
//! keeps its bytes.
//!
//! Text is put in or taken out by lines, where the reader says that the neighbours stand; then the whole is read again, and
//! an edit that would have changed what anything else says is refused.

mod tree;

use std::fmt::Write as _;

use serde_json::Value;

use self::tree::{Kind, Node, parse};
use super::part::Unreadable;
use crate::client::SERVER_NAME as SERVER;

/// What a new file of a single server begins with, where servers are listed: Continue's blocks have a name and a version.
pub(super) const BLOCK_HEAD: &str = "name: hewto\nversion: 0.0.1\nschema: v1\n";

/// Where the servers stand: under this key, by name or one after the other.
#[derive(Debug, Clone, Copy)]
pub(super) struct YamlPlace {
    pub(super) key: &'static str,
    pub(super) is_list: bool,
}

/// The entry, if there is one.
pub(super) fn find(text: &str, place: YamlPlace) -> Result<Option<Value>, Unreadable> {
    let root = parse(bare(text))?;
    Ok(entry(root.as_ref(), place)?.map(|Entry { value, .. }| value.value()))
}

/// The text with the entry, after the other servers.
pub(super) fn add(text: &str, place: YamlPlace, value: &Value) -> Result<String, Unreadable> {
    let content = bare(text);
    if place.is_list && content.is_empty() {
        return Ok(format!("{text}{BLOCK_HEAD}{}", block(place, value, 0, true)));
    }
    let root = parse(content)?;
    entry(root.as_ref(), place)?;
    let line_end = if content.contains("\r\n") { "\r\n" } else { "\n" };
    let servers = root.as_ref().and_then(|root| root.field(place.key));
    let lines = |column, with_key| block(place, value, column, with_key).replace('\n', line_end);
    let drafts = match (&root, servers) {
        (Some(root), None) if root.is_flow(content) => Vec::new(),
        (_, None) => vec![append(content, &lines(0, true), line_end)],
        (_, Some((_, servers))) if servers.is_null() => {
            let lines = format!("{line_end}{}", lines(0, false).trim_end());
            vec![replace(content, servers.start, servers.end, &lines)]
        }
        (_, Some((key, servers))) if servers.is_flow(content) && is_empty(servers) => {
            let start = content[..servers.start].trim_end().len();
            let lines = format!("{line_end}{}", lines(key.column, false).trim_end());
            vec![replace(content, start, servers.end, &lines)]
        }
        (_, Some((_, servers))) if servers.is_flow(content) => {
            vec![add_to_flow(content, place, servers, value)]
        }
        (_, Some((_, servers))) => {
            let lines = lines(servers.indent(content), false);
            // A text over several lines may reach further than what is seen of it.
            let ends = [servers.end, next_text(content, servers.end)];
            ends.map(|end| insert_line(content, line_of(content, end), &lines, line_end)).to_vec()
        }
    };
    let bom = &text[..text.len() - content.len()];
    let is_kept = |draft: &String| says_the_same(root.as_ref(), draft, place, Some(value));
    let draft = drafts.into_iter().find(is_kept);
    draft.map(|draft| format!("{bom}{draft}")).ok_or_else(|| {
        Unreadable(format!("`{}` cannot be extended without changing other parts of the file", place.key))
    })
}

/// The text without the entry; a list of servers that is empty then goes too.
pub(super) fn remove(text: &str, place: YamlPlace) -> Result<String, Unreadable> {
    let content = bare(text);
    let root = parse(content)?;
    let Some(found) = entry(root.as_ref(), place)? else { return Ok(text.to_owned()) };
    let (start, end) =
        if found.is_alone { (found.section, found.value.end) } else { (found.start, found.value.end) };
    let (from, to) = (start_of_line(content, start), line_of(content, end));
    let draft = format!("{}{}", &content[..from], &content[to..]);
    if !says_the_same(root.as_ref(), &draft, place, None) {
        return Err(Unreadable("it cannot be edited without changing other parts of it".to_owned()));
    }
    Ok(format!("{}{draft}", &text[..text.len() - content.len()]))
}

struct Entry<'a> {
    value: &'a Node,
    /// Where its line begins to say something.
    start: usize,
    /// Where the key of all servers stands.
    section: usize,
    is_alone: bool,
}

fn entry(root: Option<&Node>, place: YamlPlace) -> Result<Option<Entry<'_>>, Unreadable> {
    let Some(root) = root else { return Ok(None) };
    if !matches!(root.kind, Kind::Map(_)) {
        return Err(Unreadable("the file is not a map".to_owned()));
    }
    let Some((key, servers)) = root.field(place.key) else { return Ok(None) };
    let section = key.start;
    match &servers.kind {
        Kind::Map(fields) if !place.is_list => Ok(servers.field(SERVER).map(|(name, value)| Entry {
            value,
            start: name.start,
            section,
            is_alone: fields.len() == 1,
        })),
        Kind::List(items) if place.is_list => {
            let is_ours = |item: &&Node| item.field("name").is_some_and(|(_, name)| name.name() == SERVER);
            let found = items.iter().find(is_ours);
            Ok(found.map(|value| Entry { value, start: value.start, section, is_alone: items.len() == 1 }))
        }
        _ if servers.is_null() => Ok(None),
        _ => {
            let what = if place.is_list { "list" } else { "map" };
            Err(Unreadable(format!("`{}` is not a {what}", place.key)))
        }
    }
}

/// Whether the draft says what the text says, with this entry or without any.
fn says_the_same(before: Option<&Node>, draft: &str, place: YamlPlace, entry: Option<&Value>) -> bool {
    let Ok(after) = parse(draft) else { return false };
    if find(draft, place).ok().flatten().as_ref() != entry {
        return false;
    }
    let rest = |node: Option<&Node>| {
        let mut value = node.map_or(Value::Null, Node::value);
        if let Some(servers) = value.get_mut(place.key) {
            match servers {
                Value::Object(fields) => drop(fields.shift_remove(SERVER)),
                Value::Array(items) => items.retain(|item| item["name"] != SERVER),
                _ => {}
            }
        }
        if let Value::Object(fields) = &mut value {
            let is_empty = |servers: &Value| match servers {
                Value::Object(fields) => fields.is_empty(),
                Value::Array(items) => items.is_empty(),
                other => other.is_null(),
            };
            if fields.get(place.key).is_some_and(is_empty) {
                fields.shift_remove(place.key);
            }
        }
        if value.as_object().is_some_and(serde_json::Map::is_empty) { Value::Null } else { value }
    };
    rest(before) == rest(after.as_ref())
}

/// The lines of the entry, each with a line feed; with the key of all servers above it, where there is none.
fn block(place: YamlPlace, value: &Value, column: usize, with_key: bool) -> String {
    let indent = " ".repeat(if column == 0 && !place.is_list || with_key { column + 2 } else { column });
    let mut out = if with_key { format!("{}:\n", place.key) } else { String::new() };
    let mut lead = if place.is_list {
        format!("{indent}- ")
    } else {
        let _ = writeln!(out, "{indent}{SERVER}:");
        format!("{indent}  ")
    };
    for (key, value) in value.as_object().into_iter().flatten() {
        let _ = writeln!(out, "{lead}{key}: {}", inline(value));
        lead = format!("{indent}  ");
    }
    out
}

/// A value on one line: words as they are where no reader could take them for anything else.
fn inline(value: &Value) -> String {
    match value {
        Value::String(text) if is_plain(text) => text.clone(),
        other => other.to_string(),
    }
}

fn is_plain(text: &str) -> bool {
    let reserved = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"];
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c))
        && !reserved.contains(&text.to_ascii_lowercase().as_str())
}

fn is_empty(servers: &Node) -> bool {
    match &servers.kind {
        Kind::List(items) => items.is_empty(),
        Kind::Map(fields) => fields.is_empty(),
        Kind::Scalar(_) | Kind::Alias => false,
    }
}

fn add_to_flow(text: &str, place: YamlPlace, servers: &Node, value: &Value) -> String {
    let own = if place.is_list { value.to_string() } else { format!("\"{SERVER}\": {value}") };
    let last = match &servers.kind {
        Kind::List(items) => items.last().map_or(servers.start, |item| item.end),
        Kind::Map(fields) => fields.last().map_or(servers.start, |(_, value)| value.end),
        Kind::Scalar(_) | Kind::Alias => servers.start,
    };
    replace(text, last, last, &format!(", {own}"))
}

fn append(text: &str, lines: &str, line_end: &str) -> String {
    if text.is_empty() || text.ends_with('\n') {
        format!("{text}{lines}")
    } else {
        // A file that ends without a line end goes on doing so.
        format!("{text}{line_end}{}", lines.trim_end())
    }
}

fn insert_line(text: &str, at: usize, lines: &str, line_end: &str) -> String {
    let (head, tail) = text.split_at(at);
    if head.is_empty() || head.ends_with('\n') {
        format!("{head}{lines}{tail}")
    } else {
        format!("{head}{line_end}{}{tail}", lines.trim_end())
    }
}

fn replace(text: &str, start: usize, end: usize, with: &str) -> String {
    format!("{}{with}{}", &text[..start], &text[end..])
}

fn bare(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

fn start_of_line(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |end| end + 1)
}

/// Behind the line in which `at` stands, or ends.
fn line_of(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |end| at + end + 1)
}

/// Before the next line that is not blank.
fn next_text(text: &str, at: usize) -> usize {
    let rest = &text[at..];
    let blank = rest.len() - rest.trim_start().len();
    let end = start_of_line(text, at + blank);
    end.saturating_sub(1).max(at)
}

#[cfg(test)]
mod tests;
