//! What fits on a terminal: lines no wider than it is, and no more of them than it has.

use std::borrow::Cow;
use std::io::IsTerminal;
use std::os::fd::AsFd;

use unicode_width::UnicodeWidthChar;

use super::fold::fold;

/// Columns and rows of the terminal that standard output is; `None` where it is none.
pub(crate) fn size() -> Option<(usize, usize)> {
    size_of(&std::io::stdout())
}

/// The same for any stream.
fn size_of(stream: &(impl IsTerminal + AsFd)) -> Option<(usize, usize)> {
    if !stream.is_terminal() {
        return None;
    }
    let size = rustix::termios::tcgetwinsize(stream).ok()?;
    (size.ws_col > 0 && size.ws_row > 0).then(|| (usize::from(size.ws_col), usize::from(size.ws_row)))
}

/// The text as a stream shows it: on a terminal with lines no wider than that is, else as it is.
pub(super) fn folded<'t>(text: &'t str, stream: &(impl IsTerminal + AsFd)) -> Cow<'t, str> {
    match size_of(stream) {
        Some((columns, _)) => fold(text, columns).into(),
        None => text.into(),
    }
}

/// The text as the terminal can show it; as it is where nobody knows how wide it is.
pub(crate) fn fitted(text: &str) -> String {
    match size() {
        Some((columns, rows)) => fit(text, columns, rows),
        None => text.to_owned(),
    }
}

/// One line as it fits on a stream.
pub(super) fn cut_on(line: &str, stream: &(impl IsTerminal + AsFd)) -> String {
    match size_of(stream) {
        Some((columns, _)) => cut(line, columns),
        None => line.to_owned(),
    }
}

/// The text with long lines cut, and with the lines that do not fit counted.
fn fit(text: &str, columns: usize, rows: usize) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let room = rows.saturating_sub(1).max(1);
    let mut out = String::new();
    let shown = if lines.len() > room { room.saturating_sub(1) } else { lines.len() };
    for line in &lines[..shown] {
        out.push_str(&cut(line, columns));
        out.push('\n');
    }
    if shown < lines.len() {
        out.push_str(&cut(&format!("and {} more lines", lines.len() - shown), columns));
        out.push('\n');
    }
    out
}

/// A line that is no wider than this. Escape sequences take no room and stay whole.
pub(crate) fn cut(line: &str, columns: usize) -> String {
    let mut out = String::with_capacity(line.len());
    let mut width = 0;
    let mut chars = line.chars().peekable();
    let mut is_cut = false;
    while let Some(ch) = chars.next() {
        if ch == '\u{1b}' {
            out.push(ch);
            for ch in chars.by_ref() {
                out.push(ch);
                if ch.is_ascii_alphabetic() {
                    break;
                }
            }
            continue;
        }
        let wide = ch.width().unwrap_or(0);
        // The last column is for the sign that something is missing.
        let is_last = plain_rest_is_empty(chars.clone());
        if !is_cut && (width + wide < columns || (width + wide == columns && is_last)) {
            out.push(ch);
            width += wide;
        } else if !is_cut {
            is_cut = true;
            out.push('…');
        }
    }
    out
}

/// Whether nothing that can be seen follows.
fn plain_rest_is_empty(rest: impl Iterator<Item = char>) -> bool {
    let mut in_escape = false;
    for ch in rest {
        match (in_escape, ch) {
            (false, '\u{1b}') => in_escape = true,
            (true, ch) => in_escape = !ch.is_ascii_alphabetic(),
            (false, _) => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use unicode_width::UnicodeWidthStr;

    use super::*;

    #[test]
    fn lines_are_cut_by_what_they_show() {
        assert_eq!(cut("abc", 3), "abc");
        assert_eq!(cut("abcd", 3), "ab…");
        assert_eq!(cut("日本語", 5), "日本…");
        assert_eq!(cut("\u{1b}[31mabcd\u{1b}[0m", 3), "\u{1b}[31mab…\u{1b}[0m");
        assert_eq!(cut("\u{1b}[31mabc\u{1b}[0m", 3), "\u{1b}[31mabc\u{1b}[0m");
    }

    #[test]
    fn what_does_not_fit_below_is_counted() {
        let text = "a\nb\nc\nd\n";
        assert_eq!(fit(text, 80, 5), text);
        assert_eq!(fit(text, 80, 4), "a\nb\nand 2 more lines\n");
        assert!(fit(&"x".repeat(200), 40, 9).lines().all(|line| line.width() <= 40));
    }
}
