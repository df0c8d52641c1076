//! Lines cut to what an answer may hold: whole ones, from the start or from the end.

use std::fmt::Write as _;

use super::lines::Lines;
use super::read_lines::Window;
use super::text::without_bom;
use crate::show::{beginning, ending, json_chars, show_bytes};

/// The lines of a window that fit into the budget.
pub(super) struct Fitted {
    pub(super) text: String,
    pub(super) exact: bool,
    pub(super) first_line: Option<u64>,
    pub(super) last_line: Option<u64>,
    pub(super) total_lines: Option<u64>,
    pub(super) cut: bool,
    /// Whether the only line shown is itself cut.
    within_a_line: bool,
}

pub(super) fn fit(window: Window, from_the_end: bool, line_numbers: bool, budget: usize) -> Fitted {
    let Window { bytes, first_line, total_lines, mut cut } = window;
    let at_the_start = first_line.is_none_or(|first| first == 1);
    let bytes = if at_the_start { without_bom(&bytes).0 } else { &bytes };
    let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
    let count = lines.len() as u64;
    // The tail knows where it ends, the others where they begin.
    let first = first_line.or_else(|| total_lines.map(|total| total + 1 - count.min(total)));
    let mut exact = true;
    let mut show = |index: u64, line: &[u8]| {
        let shown = show_bytes(line);
        exact &= shown.exact;
        match first {
            Some(first) if line_numbers => format!("{:>6}\t{}", first + index, shown.text),
            _ => shown.text,
        }
    };
    let mut taken: Vec<String> = Vec::new();
    let mut used = 0;
    let mut within_a_line = false;
    let numbered: Vec<(u64, &[u8])> = (0..).zip(lines.iter().copied()).collect();
    let order: Box<dyn Iterator<Item = &(u64, &[u8])>> =
        if from_the_end { Box::new(numbered.iter().rev()) } else { Box::new(numbered.iter()) };
    for (index, line) in order {
        let text = show(*index, line);
        let cost = json_chars(&text);
        if used + cost > budget {
            cut = true;
            if taken.is_empty() {
                within_a_line = true;
                let part = if from_the_end { ending(&text, budget) } else { beginning(&text, budget) };
                taken.push(part.to_owned());
            }
            break;
        }
        used += cost;
        taken.push(text);
    }
    let shown = taken.len() as u64;
    if from_the_end {
        taken.reverse();
    }
    let first = if from_the_end { first.map(|first| first + count - shown) } else { first };
    Fitted {
        text: taken.concat(),
        exact,
        first_line: first.filter(|_| shown > 0),
        last_line: first.filter(|_| shown > 0).map(|first| first + shown - 1),
        total_lines,
        cut,
        within_a_line,
    }
}

impl Fitted {
    pub(super) fn note(&self, lines: Lines) -> Option<String> {
        if !self.cut {
            return None;
        }
        let mut note = String::new();
        if self.within_a_line {
            note.push_str("a line is too long to be shown whole; ask for more with `max_chars`");
        } else if matches!(lines, Lines::Tail(_)) {
            note.push_str("earlier lines are left out; ask for more with `max_chars`");
        } else if let Some(last) = self.last_line {
            let _ = write!(note, "go on with `start_line`: {}, or ask for more with `max_chars`", last + 1);
        }
        Some(note)
    }
}
