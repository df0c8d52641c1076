//! Columns that line up, by what a terminal shows rather than by bytes.

use std::fmt::Write as _;

use anstyle::Style;
use unicode_width::UnicodeWidthStr;

use super::fit::{cut, size};
use super::{DIM, one_line, paint};

const GAP: &str = "  ";

/// One field of a row: text on one line, in a style.
#[derive(Debug, Clone)]
pub(crate) struct Cell {
    text: String,
    style: Style,
}

impl Cell {
    pub(crate) fn plain(text: impl AsRef<str>) -> Self {
        Self::styled(text, Style::new())
    }

    pub(crate) fn styled(text: impl AsRef<str>, style: Style) -> Self {
        Self { text: one_line(text.as_ref()), style }
    }

    fn width(&self) -> usize {
        self.text.width()
    }
}

/// Rows of cells under an optional header; the last column runs free.
#[derive(Debug, Default)]
pub(crate) struct Table {
    indent: &'static str,
    has_header: bool,
    rows: Vec<Vec<Cell>>,
}

impl Table {
    pub(crate) fn with_header<const N: usize>(titles: [&str; N]) -> Self {
        let header = titles.iter().map(|title| Cell::styled(title, DIM)).collect();
        Self { indent: "", has_header: true, rows: vec![header] }
    }

    pub(crate) fn indented() -> Self {
        Self { indent: "  ", ..Self::default() }
    }

    pub(crate) fn row<const N: usize>(&mut self, cells: [Cell; N]) {
        self.rows.push(cells.into());
    }

    pub(crate) fn render(&self) -> String {
        // A list is read at a glance; short answers fold, so that nothing of them is lost.
        match size().filter(|_| self.has_header) {
            Some((columns, _)) => self.lines(Some(columns)),
            None => self.lines(None),
        }
    }

    /// The rows; those of a list no wider than this. An id that takes most of a line has one of its own, uncut.
    fn lines(&self, most: Option<usize>) -> String {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let is_long = |column: usize, width: usize| {
            column == 0 && most.is_some_and(|most| columns > 1 && width > most * 3 / 5)
        };
        let widths: Vec<usize> = (0..columns)
            .map(|column| {
                let widths = self.rows.iter().filter_map(|row| row.get(column)).map(Cell::width);
                widths.filter(|width| !is_long(column, *width)).max().unwrap_or(0)
            })
            .collect();
        let mut out = String::new();
        for row in &self.rows {
            let mut line = self.indent.to_owned();
            let filled = row.iter().rposition(|cell| !cell.text.is_empty()).map_or(0, |last| last + 1);
            for (column, cell) in row[..filled].iter().enumerate() {
                let mut cell_width = cell.width();
                line.push_str(&paint(cell.style, &cell.text));
                if is_long(column, cell_width) {
                    let _ = writeln!(out, "{line}");
                    self.indent.clone_into(&mut line);
                    cell_width = 0;
                }
                if column + 1 < filled {
                    line.push_str(&" ".repeat(widths[column] - cell_width));
                    line.push_str(GAP);
                }
            }
            let line = line.trim_end();
            if line.is_empty() && filled > 0 {
                continue;
            }
            out.push_str(&most.map_or_else(|| line.to_owned(), |most| cut(line, most)));
            out.push('\n');
        }
        out
    }
}

/// A short answer: names on the left, what they are on the right.
pub(crate) fn facts<const N: usize>(facts: [(&str, Cell); N]) -> String {
    let mut table = Table::default();
    for (name, cell) in facts {
        table.row([Cell::styled(name, DIM), cell]);
    }
    table.render()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str) -> String {
        anstream::adapter::strip_str(text).to_string()
    }

    #[test]
    fn columns_line_up_by_what_the_terminal_shows() {
        let mut table = Table::with_header(["ID", "TITLE"]);
        table.row([Cell::plain("日本"), Cell::plain("wide")]);
        table.row([Cell::plain("größe"), Cell::plain("narrow\nand folded")]);
        assert_eq!(plain(&table.render()), "ID     TITLE\n日本   wide\ngröße  narrow and folded\n");
    }

    #[test]
    fn a_list_is_cut_to_the_terminal_but_a_long_id_is_not() {
        let mut table = Table::with_header(["ID", "STATE", "TITLE"]);
        table.row([Cell::plain("short"), Cell::plain("draft"), Cell::plain("A title of many words")]);
        table.row([Cell::plain("an-id-that-is-wider-than-all"), Cell::plain("done"), Cell::plain("B")]);
        assert_eq!(
            plain(&table.lines(Some(20))),
            "ID     STATE  TITLE\nshort  draft  A tit…\nan-id-that-is-wider-than-all\n       done   B\n"
        );
    }

    #[test]
    fn empty_cells_at_the_end_leave_no_blanks_behind() {
        let mut table = Table::indented();
        table.row([Cell::plain("a"), Cell::plain("")]);
        table.row([Cell::plain("long"), Cell::plain("b")]);
        assert_eq!(plain(&table.render()), "  a\n  long  b\n");
    }
}
