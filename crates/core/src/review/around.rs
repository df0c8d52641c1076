//! What documents say beside the texts that are read from them: between steps, and in their front matter.

use crate::document::front_matter::{Entry, FrontMatter, Node};
use crate::document::{Span, opening};
use crate::spec::{Category, DependencyKind};

use super::plain::plain;

/// The pieces of a text before, between and behind its steps, without the approach: one more than there are steps.
pub(super) fn around(text: &str, start: usize, steps: &[Span], approach: &Span) -> Vec<String> {
    let ends = steps.iter().map(|step| step.start).chain([text.len()]);
    let mut from = start;
    let mut pieces = Vec::with_capacity(steps.len() + 1);
    for (at, end) in ends.enumerate() {
        let end = end.max(from);
        let cut = approach.start.clamp(from, end)..approach.end.clamp(from, end);
        pieces.push(plain(&format!("{}\n{}", &text[from..cut.start], &text[cut.end..end])));
        from = steps.get(at).map_or(end, |step| step.end.max(end));
    }
    pieces
}

/// The lines of a front matter, without what `is_told` says is covered elsewhere or changes as work goes on.
pub(super) fn front_matter(text: &str, is_told: impl Fn(&Entry) -> bool) -> String {
    let Some(block) = opening(text).block else { return String::new() };
    let front = FrontMatter::read(text, &block);
    let mut kept = String::new();
    let mut from = block.yaml.start;
    for (at, entry) in front.entries.iter().enumerate() {
        // Of a key that stands twice the last one is read.
        let is_read = !front.entries[at + 1..].iter().any(|later| later.key == entry.key);
        let start = entry.key_span.start;
        if !is_read || start < from || !(is_clock(entry) || is_told(entry)) {
            continue;
        }
        kept.push_str(&text[from..start]);
        from = end_of(text, entry).min(block.yaml.end);
    }
    kept.push_str(&text[from..block.yaml.end.max(from)]);
    plain(&kept)
}

/// Where a value ends; one that says nothing ends with its line.
fn end_of(text: &str, entry: &Entry) -> usize {
    let end = entry.node.span.end.max(entry.key_span.end);
    if entry.node.is_null() { text[end..].find('\n').map_or(text.len(), |at| end + at) } else { end }
}

/// Whether a key tells a time; words under the name of one are words.
fn is_clock(entry: &Entry) -> bool {
    let tells_time =
        |text: &str| text.bytes().all(|byte| byte.is_ascii_digit() || b"TZtz:-+. ".contains(&byte));
    let node = &entry.node;
    matches!(entry.key.as_str(), "created_at" | "updated_at")
        && (node.is_null() || node.as_str().is_some_and(tells_time))
}

/// Whether a value is the name of a state, known or not, and no sentence.
fn is_name(node: &Node) -> bool {
    let is_letter = |ch: char| ch.is_alphanumeric() || matches!(ch, '-' | '_');
    node.is_null()
        || node.as_str().is_some_and(|name| name.chars().count() <= 32 && name.chars().all(is_letter))
}

/// Whether a key of a spec is read as a field of its own, or says how far the work is.
pub(super) fn is_told_of_spec(entry: &Entry) -> bool {
    let node = &entry.node;
    match entry.key.as_str() {
        "state" => is_name(node),
        "title" | "description" => node.as_str().is_some(),
        "category" => node.as_str().is_some_and(|name| name.parse::<Category>().is_ok()),
        "dependencies" => node.as_list().is_some_and(|items| items.iter().all(is_plain_dependency)),
        _ => false,
    }
}

fn is_plain_dependency(item: &Node) -> bool {
    // A kind that nobody knows is read as the usual one, and is words.
    let is_known = |entry: &Entry| match entry.key.as_str() {
        "spec_id" => entry.node.as_str().is_some(),
        "kind" => entry.node.as_str().is_some_and(|name| name.parse::<DependencyKind>().is_ok()),
        _ => false,
    };
    item.as_str().is_some() || item.as_map().is_some_and(|entries| entries.iter().all(is_known))
}
