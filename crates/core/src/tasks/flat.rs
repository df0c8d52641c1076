//! Steps in an order in which nothing can stay nested: each takes the place of an old one, and all between them stays.

use super::NewStep;
use super::edit::{in_line_ends, whole_lines};
use super::render::step_lines;
use super::replace::{block, is_read};
use super::tree::{Numbers, Tree};
use crate::document::Span;

/// Puts one step after the other into the places of the old ones, none below another; what is over comes behind the last.
/// `None` when the result would not be read as these steps.
pub(super) fn flattened(
    text: &str,
    tree: &Tree<'_, '_>,
    steps: &[NewStep],
    matched: &[Option<usize>],
) -> Option<String> {
    let old = &tree.tasks;
    let places: Vec<Span> = old.iter().map(|task| whole_lines(text, task)).collect();
    let end = places.last()?.end;
    let mut numbers = Numbers::default();
    let mut blocks = steps.iter().zip(matched).enumerate().map(|(place, (step, found))| {
        let given = old.get(place).map(|task| task.number.map(str::to_owned));
        let number = given.unwrap_or_else(|| Some(numbers.on_top(tree, old.len().checked_sub(1))));
        match *found {
            Some(at) => outdented(&block(text, old[at], step, number.as_deref()), old[at].indent),
            None => in_line_ends(text, &step_lines(step, number.as_deref().unwrap_or_default(), ' ')),
        }
    });
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for place in &places {
        out.push_str(text.get(from..place.start)?);
        out.push_str(&blocks.next().unwrap_or_default());
        from = place.end;
    }
    blocks.for_each(|block| out.push_str(&block));
    out.push_str(&text[end..]);
    is_read(&out, steps).then_some(out)
}

/// Lines without so many blanks at their start, where they have them.
fn outdented(lines: &str, indent: usize) -> String {
    let less = |line: &str| {
        let blanks = line.bytes().take(indent).take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        line[blanks..].to_owned()
    };
    lines.split_inclusive('\n').map(less).collect()
}
