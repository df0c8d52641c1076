//! How a person's words get into a document and out of it again, without ever becoming part of its structure.
//!
//! One line is written in place, with the few characters escaped that a reader or a renderer would swallow. Text of
//! several lines, or text that Markdown reads as anything but a plain paragraph, is written as a block quote: a
//! heading, a fence or a comment inside a quote stays inside it.

use crate::document::{Block, BlockKind, Document};

/// Longest text that is taken from a person, in bytes: more than anybody writes by hand.
pub(super) const MAX_TEXT_BYTES: usize = 256 * 1024;

/// The text as it is kept: `\n` ends lines, control characters are gone, no blanks at either end.
pub fn clean(text: &str) -> String {
    let unified = text.replace("\r\n", "\n").replace('\r', "\n");
    let kept: String = unified.chars().filter(|ch| !ch.is_control() || matches!(ch, '\n' | '\t')).collect();
    kept.trim().to_owned()
}

/// The text on one line: line ends and tabs become single blanks.
pub fn one_line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for part in clean(text).split(['\n', '\t']).map(str::trim).filter(|part| !part.is_empty()) {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(part);
    }
    out
}

/// One line of text as it stands in a heading or a list item.
pub(crate) fn escape(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut chars = line.chars().peekable();
    while let Some(ch) = chars.next() {
        let next = chars.peek().copied();
        let swallowed = match ch {
            '<' => true,
            '\\' => next.is_none_or(|next| next.is_ascii_punctuation()),
            // At the end of a heading it would close the heading.
            '#' => next.is_none(),
            _ => false,
        };
        if swallowed {
            out.push('\\');
        }
        out.push(ch);
    }
    out
}

/// The opposite of [`escape`].
pub(super) fn unescape(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut chars = line.chars().peekable();
    while let Some(ch) = chars.next() {
        match chars.peek() {
            Some(next) if ch == '\\' && next.is_ascii_punctuation() => out.extend(chars.next()),
            _ => out.push(ch),
        }
    }
    out
}

/// A text as blocks of a document: a plain paragraph where it is one, else a quote. Ends with a line end.
pub(super) fn block(text: &str) -> String {
    if is_plain_paragraph(text) { format!("{text}\n") } else { quote(text) }
}

/// A text as a block quote. Ends with a line end.
pub(super) fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for line in text.split('\n') {
        out.push_str(if line.is_empty() { ">" } else { "> " });
        out.push_str(line);
        out.push('\n');
    }
    out
}

/// What [`block`] or [`quote`] was given.
pub(super) fn read_block(document: &Document<'_>, block: &Block<'_>) -> String {
    let source = document.slice(block.span.clone());
    if !matches!(block.kind, BlockKind::Quote) {
        return clean(source);
    }
    let unquoted = source.lines().map(|line| {
        let line = line.trim_start_matches(' ');
        let inside = line.strip_prefix('>').unwrap_or(line);
        inside.strip_prefix(' ').unwrap_or(inside)
    });
    clean(&unquoted.collect::<Vec<_>>().join("\n"))
}

/// Whether a reader sees this text as one paragraph of one line, exactly as it stands.
fn is_plain_paragraph(text: &str) -> bool {
    if text.contains('\n') || text.is_empty() {
        return false;
    }
    // Something before and after it, as in the document it goes into.
    let framed = format!("# t\n\n{text}\n\n# t\n");
    let document = Document::parse(&framed);
    matches!(document.blocks(), [_, only, _]
        if matches!(only.kind, BlockKind::Paragraph) && document.slice(only.span.clone()) == text)
}

/// A path or name in backticks, whatever it contains.
pub(super) fn code_span(text: &str) -> String {
    let longest = text.split(|ch| ch != '`').map(str::len).max().unwrap_or(0);
    let ticks = "`".repeat(longest + 1);
    let padding = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{ticks}{padding}{text}{padding}{ticks}")
}

/// The opposite of [`code_span`]; a text without backticks is taken as it stands.
pub(super) fn read_code_span(span: &str) -> String {
    let ticks = span.len() - span.trim_start_matches('`').len();
    let inside = span
        .get(ticks..)
        .and_then(|rest| rest.strip_suffix(&span[..ticks]))
        .filter(|_| ticks > 0)
        .unwrap_or(span);
    let padded = inside.strip_prefix(' ').and_then(|inside| inside.strip_suffix(' '));
    padded.filter(|inside| inside.starts_with('`') || inside.ends_with('`')).unwrap_or(inside).to_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn text_is_kept_without_what_nobody_types() {
        assert_eq!(clean("  a\r\nb\rc\0\u{1b}[0m \n"), "a\nb\nc[0m");
        assert_eq!(one_line("a\n\n  b\tc  d "), "a b c  d");
    }

    #[test]
    fn one_line_values_stay_readable() {
        for plain in ["next-auth", "Email/Password", "CI_CD", "C# and F#, mostly", "a \\d b", "2 > 1"] {
            assert_eq!(escape(plain), plain);
        }
        for (raw, escaped) in [("<!-- x -->", "\\<!-- x -->"), ("C#", "C\\#"), ("a\\*b", "a\\\\*b")] {
            assert_eq!(escape(raw), escaped);
        }
    }

    #[test]
    fn a_plain_sentence_is_a_paragraph_and_all_else_a_quote() {
        assert_eq!(block("Add authentication"), "Add authentication\n");
        for (text, quoted) in [
            ("# heading", "> # heading\n"),
            ("two\n\nlines", "> two\n>\n> lines\n"),
            ("> quoted", "> > quoted\n"),
            ("<!-- hidden", "> <!-- hidden\n"),
            ("- item", "> - item\n"),
            ("```", "> ```\n"),
            ("---", "> ---\n"),
            ("[a]: /b", "> [a]: /b\n"),
        ] {
            assert_eq!(block(text), quoted);
        }
    }

    fn hostile() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            Just("```"),
            Just("~~~"),
            Just("#"),
            Just("## Context"),
            Just("<!--"),
            Just("-->"),
            Just("> "),
            Just("- [ ] "),
            Just("---"),
            Just("==="),
            Just("\n"),
            Just("\n\n"),
            Just("\t"),
            Just("    "),
            Just("`"),
            Just("\\"),
            Just("<div>"),
            Just("[a]: /b"),
            Just("|a|b|\n|-|-|"),
            Just("1. "),
            Just("é"),
            Just("<![CDATA["),
            Just("<?php"),
            Just("&amp;"),
            Just("**"),
            Just("word "),
            Just("\u{2028}"),
            Just("\r"),
        ];
        proptest::collection::vec(piece, 0..14).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn one_line_comes_back_as_it_went_in(text in hostile()) {
            let line = one_line(&text);
            prop_assert!(!line.contains(['\n', '\r']));
            prop_assert_eq!(unescape(&escape(&line)), line.clone());
            if !line.is_empty() {
                prop_assert_eq!(read_code_span(&code_span(&line)), line);
            }
        }

        #[test]
        fn a_text_comes_back_and_what_follows_it_stands(text in hostile()) {
            let text = clean(&text);
            prop_assume!(!text.is_empty());
            for written in [block(&text), quote(&text)] {
                let source = format!("# Title\n\n{written}\nnext paragraph\n\n## Next\n");
                let document = Document::parse(&source);
                let top: Vec<&Block<'_>> = document.blocks().iter().filter(|block| block.nesting == 0).collect();
                prop_assert_eq!(top.len(), 4, "{}", source);
                prop_assert_eq!(read_block(&document, top[1]), text.clone());
                prop_assert_eq!(document.slice(top[2].span.clone()), "next paragraph");
            }
        }
    }
}
