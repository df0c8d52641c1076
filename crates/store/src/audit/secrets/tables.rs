//! Secrets in tables: a column whose head is the name of one, in Markdown or between commas and tabs.

use std::ops::Range;

use super::is_secret_key;
use super::named::QUOTES;

/// The cells below a head such as `| user | password |` or `user,password`.
pub(super) fn in_tables(text: &str) -> Vec<Range<usize>> {
    let mut spans = Vec::new();
    if !text.contains('\n') {
        return spans;
    }
    let mut head: Option<Head> = None;
    let mut end = 0;
    for line in text.split_inclusive('\n') {
        let start = end;
        end += line.len();
        let line = line.trim_end();
        let rows = head.as_ref().and_then(|head| {
            let cells: Vec<&str> = line.split(head.sign).collect();
            (cells.len() == head.cells).then_some((cells, head))
        });
        let Some((cells, Head { sign, secret, .. })) = rows else {
            head = Head::of(line);
            continue;
        };
        for cell in secret.iter().map(|column| cells[*column]) {
            let inner = cell.trim_matches(|ch| QUOTES.contains(&ch));
            // A rule below the head of a table of Markdown.
            let is_rule = inner.bytes().all(|byte| b"-: ".contains(&byte));
            // Between commas several words are prose.
            let is_prose = matches!(sign, ',' | ';') && inner.contains(char::is_whitespace);
            if inner.is_empty() || is_rule || is_prose {
                continue;
            }
            let at = start + (inner.as_ptr().addr() - line.as_ptr().addr());
            spans.push(at..at + inner.len());
        }
    }
    spans
}

/// The names of the columns.
struct Head {
    sign: char,
    cells: usize,
    secret: Vec<usize>,
}

impl Head {
    fn of(line: &str) -> Option<Self> {
        let sign = ['|', '\t', ';', ','].into_iter().find(|sign| line.contains(*sign))?;
        let cells: Vec<&str> =
            line.split(sign).map(|cell| cell.trim_matches(|ch| QUOTES.contains(&ch))).collect();
        let is_name = |cell: &str| !cell.is_empty() && cell.split_whitespace().count() <= 2;
        // All of them are names: a line of prose has longer parts between its commas.
        let are_names = cells.iter().all(|cell| cell.is_empty() || is_name(cell));
        let secret: Vec<usize> =
            cells.iter().enumerate().filter(|(_, cell)| is_secret_key(cell)).map(|(at, _)| at).collect();
        (are_names && !secret.is_empty()).then_some(Self { sign, cells: cells.len(), secret })
    }
}
