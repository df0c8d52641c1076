//! Text on lines that are no wider than the terminal, broken between words.
//!
//! What people copy stays in one piece: an id, a path, an address, and a command that is quoted. One that is wider than the
//! terminal has a line of its own, and is the only thing that may be too wide.

use std::borrow::Cow;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::args::is_command;

/// How far the rest of a line stands to the right of its beginning.
const HANG: usize = 2;
/// What a tab leads to a multiple of.
const TAB: usize = 8;

/// The text with every line that is too wide folded.
pub(super) fn fold(text: &str, columns: usize) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let (line, end) = line.strip_suffix('\n').map_or((line, ""), |line| (line, "\n"));
        fold_line(line, columns.max(1), &mut out);
        out.push_str(end);
    }
    out
}

fn fold_line(line: &str, columns: usize, out: &mut String) {
    if width(line) <= columns {
        out.push_str(line);
        return;
    }
    let line = &*without_tabs(line);
    let indent = line.len() - line.trim_start_matches(' ').len();
    let hang = if indent + HANG > columns / 2 { 0 } else { indent + HANG };
    out.push_str(&line[..indent]);
    let mut at = indent;
    let mut gap = 0;
    let mut is_first = true;
    for piece in pieces(&line[indent..], columns) {
        if piece.starts_with(' ') {
            gap += piece.len();
            continue;
        }
        let wide = width(piece);
        if wide == 0 {
            // The end of a style stands with what it ends, and not beyond the blanks.
            out.push_str(piece);
            continue;
        }
        if at + gap + wide <= columns {
            out.push_str(&" ".repeat(gap));
            at += gap + wide;
        } else {
            let hang = if is_first || hang + wide > columns { 0 } else { hang };
            if !is_first {
                out.push('\n');
            } else if out.ends_with(&line[..indent]) {
                out.truncate(out.len() - indent);
            }
            out.push_str(&" ".repeat(hang));
            at = hang + wide;
        }
        out.push_str(piece);
        (gap, is_first) = (0, false);
    }
}

/// The words of a line and the blanks between them. A quotation in backticks is one word where it fits on a line, and a command
/// in any case.
fn pieces(line: &str, columns: usize) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = line;
    while !rest.is_empty() {
        let blank = rest.starts_with(' ');
        let end =
            if blank { rest.find(|ch| ch != ' ').unwrap_or(rest.len()) } else { word_end(rest, columns) };
        let (piece, more) = rest.split_at(end);
        if blank || width(piece) <= columns {
            pieces.push(piece);
        } else {
            pieces.extend(parts(piece));
        }
        rest = more;
    }
    pieces
}

/// Where the word at the beginning ends.
fn word_end(text: &str, columns: usize) -> usize {
    let blank = |text: &str| text.find(' ').unwrap_or(text.len());
    let end = blank(text);
    if let Some(end) = command_end(text) {
        return end;
    }
    let Some(open) = text[..end].find('`') else { return end };
    let Some(close) = text[open + 1..].find('`').map(|close| open + 1 + close + 1) else { return end };
    if close <= end {
        // The quotation ends within the word; another may begin in it.
        return close + if close == text.len() { 0 } else { word_end_after(&text[close..], columns) };
    }
    let whole = close + blank(&text[close..]);
    let is_command = text[open + 1..].starts_with("hewto ");
    if is_command || width(&text[..whole]) <= columns { whole } else { end }
}

/// Where a command ends that begins here without being quoted: at a comma, before two blanks, or with the line.
fn command_end(text: &str) -> Option<usize> {
    let name = text.strip_prefix("hewto ")?.split([' ', ',']).next()?;
    if !is_command(name) {
        return None;
    }
    let comma = text.find(", ").map(|at| at + 1);
    [comma, text.find("  ")].into_iter().flatten().min().or(Some(text.len()))
}

fn word_end_after(text: &str, columns: usize) -> usize {
    if text.starts_with(' ') { 0 } else { word_end(text, columns) }
}

/// The parts of a word that is wider than a line: scripts without blanks are broken between their signs.
fn parts(word: &str) -> Vec<&str> {
    let is_wide = |ch: char| ch.width().unwrap_or(0) > 1;
    let mut parts = Vec::new();
    let mut from = 0;
    for (at, ch) in word.char_indices().skip(1) {
        let before = word[..at].chars().next_back().is_some_and(is_wide);
        if is_wide(ch) || before {
            parts.push(&word[from..at]);
            from = at;
        }
    }
    parts.push(&word[from..]);
    parts
}

/// The line with blanks in the place of its tabs, as a terminal would show them.
fn without_tabs(line: &str) -> Cow<'_, str> {
    if !line.contains('\t') {
        return line.into();
    }
    let mut out = String::with_capacity(line.len());
    for (n, part) in line.split('\t').enumerate() {
        if n > 0 {
            out.push_str(&" ".repeat(TAB - width(&out) % TAB));
        }
        out.push_str(part);
    }
    out.into()
}

/// How many columns a text takes. Escape sequences take none.
fn width(text: &str) -> usize {
    if text.is_ascii() && !text.contains(['\u{1b}', '\t']) {
        return text.len();
    }
    let mut columns = 0;
    let mut plain = String::new();
    let mut chars = text.chars();
    while let Some(ch) = chars.next() {
        match ch {
            '\u{1b}' => drop(chars.by_ref().find(char::is_ascii_alphabetic)),
            '\t' => {
                columns += plain.width();
                plain.clear();
                columns = (columns / TAB + 1) * TAB;
            }
            ch => plain.push(ch),
        }
    }
    columns + plain.width()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_line_is_broken_between_words_and_hangs_below_its_beginning() {
        assert_eq!(fold("short\n", 10), "short\n");
        assert_eq!(fold("  one two three four", 12), "  one two\n    three\n    four");
        assert_eq!(fold("a\n\nlong enough to fold\n", 11), "a\n\nlong enough\n  to fold\n");
        assert_eq!(fold("exactly ten", 11), "exactly ten");
        assert_eq!(fold("  a-word-too-wide b", 10), "a-word-too-wide\n    b");
        assert_eq!(
            fold("\u{1b}[1mname   \u{1b}[0m  what it is", 14),
            "\u{1b}[1mname\u{1b}[0m     what\n  it is"
        );
        assert_eq!(fold("name      what it is about", 16), "name      what\n  it is about");
    }

    #[test]
    fn what_people_copy_stays_in_one_piece() {
        let command = "run `hewto gate plan terminal` now";
        assert_eq!(fold(command, 28), "run\n  `hewto gate plan terminal`\n  now");
        assert_eq!(fold(command, 20), "run\n`hewto gate plan terminal`\n  now");
        let two = "a: hewto plan new some-spec, or hewto next  because";
        assert_eq!(fold(two, 20), "a:\nhewto plan new some-spec,\n  or hewto next\n  because");
        assert_eq!(fold("hewto is no command", 12), "hewto is no\n  command");
        assert_eq!(fold("at `a/very/long/path/of/it`, too", 12), "at\n`a/very/long/path/of/it`,\n  too");
        assert_eq!(
            fold("no `words that are only quoted` here", 16),
            "no `words that\n  are only\n  quoted` here"
        );
        assert_eq!(fold("a `b`, `c d` e", 8), "a `b`,\n  `c d`\n  e");
    }

    #[test]
    fn scripts_without_blanks_are_broken_between_their_signs() {
        assert_eq!(fold("日本語日本語日本語", 10), "日本語日本\n  語日本語");
        assert_eq!(fold("\u{1b}[1mone two\u{1b}[0m three", 9), "\u{1b}[1mone two\u{1b}[0m\n  three");
    }

    proptest! {
        #[test]
        fn nothing_is_lost_and_only_what_is_in_one_piece_is_too_wide(
            text in "[a-z` \t日é\n]{0,200}",
            columns in 1usize..60,
        ) {
            let folded = fold(&text, columns);
            let bare = |text: &str| text.chars().filter(|ch| !ch.is_whitespace()).collect::<String>();
            prop_assert_eq!(bare(&folded), bare(&text));
            for line in folded.lines() {
                let is_one = pieces(line.trim(), columns).iter().filter(|piece| !piece.trim().is_empty()).count() <= 1;
                prop_assert!(width(line.trim_end()) <= columns || is_one, "{:?} in {:?}", line, folded);
            }
        }
    }
}
