//! How values are written, so that YAML reads back the very same text.

use std::fmt::Write as _;

use crate::document::EolStyle;

/// A value to be written to a front matter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// A text, quoted where YAML would take it for something else.
    Text(String),
    /// A moment, written bare as the seeds show it.
    Timestamp(String),
    Bool(bool),
    /// A number, written as it is.
    Number(String),
    List(Vec<Self>),
    Map(Vec<(String, Self)>),
}

/// Where a scalar stands: on lines of its own, or in a list or map written on one line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Context {
    Block,
    Flow,
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

/// How texts of several lines are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LongTexts {
    /// As literal blocks, where a person would.
    Literal,
    /// Quoted on one line, where a block would swallow the comment that follows it.
    Quoted,
}

/// The lines of `key: value`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Style {
    /// Blanks before the key.
    pub(super) indent: usize,
    pub(super) eol: &'static str,
    pub(super) long_texts: LongTexts,
}

impl Style {
    fn deeper(self) -> Self {
        Self { indent: self.indent + 2, ..self }
    }
}

/// Writes a whole front matter.
pub(crate) fn render<'v>(entries: impl IntoIterator<Item = (&'v str, &'v Value)>, eol: EolStyle) -> String {
    let eol = eol.as_str();
    let style = Style { indent: 0, eol, long_texts: LongTexts::Literal };
    let keys: String = entries.into_iter().map(|(key, value)| render_entry(key, value, style)).collect();
    format!("---{eol}{keys}---{eol}")
}

/// Writes `key: value` as whole lines.
pub(super) fn render_entry(key: &str, value: &Value, style: Style) -> String {
    let mut out = " ".repeat(style.indent);
    write_scalar(&mut out, key, Context::Flow);
    out.push(':');
    write_value(&mut out, value, style, "");
    out
}

/// Writes a value behind `key:`, to the end of its last line; `comment`, with the blanks before
/// it, stays on the key's line.
pub(super) fn write_value(out: &mut String, value: &Value, style: Style, comment: &str) {
    match value {
        Value::Text(text) if style.long_texts == LongTexts::Literal && is_literal(text) => {
            write_literal(out, text, style.deeper(), comment);
        }
        Value::List(items) if !items.is_empty() => {
            write_comment(out, comment);
            for item in items {
                out.push_str(style.eol);
                write_item(out, item, style.deeper());
            }
            out.push_str(style.eol);
        }
        Value::Map(entries) if !entries.is_empty() => {
            write_comment(out, comment);
            out.push_str(style.eol);
            for (key, value) in entries {
                out.push_str(&render_entry(key, value, style.deeper()));
            }
        }
        inline => {
            out.push(' ');
            write_inline(out, inline, Context::Block);
            write_comment(out, comment);
            out.push_str(style.eol);
        }
    }
}

fn write_comment(out: &mut String, comment: &str) {
    if !comment.is_empty() && !comment.starts_with([' ', '\t']) {
        out.push(' ');
    }
    out.push_str(comment);
}

/// Writes one list item without its last line end.
pub(super) fn write_item(out: &mut String, item: &Value, style: Style) {
    out.push_str(&" ".repeat(style.indent));
    out.push_str("- ");
    match item {
        Value::Map(entries) if !entries.is_empty() => {
            let lines: String =
                entries.iter().map(|(key, value)| render_entry(key, value, style.deeper())).collect();
            // The first key stands behind the dash, which is as wide as its indentation.
            out.push_str(lines.trim_start_matches(' ').trim_end_matches(['\r', '\n']));
        }
        other => write_inline(out, other, Context::Block),
    }
}

/// Writes a value as an item of a list in brackets.
pub(super) fn write_inline_flow(out: &mut String, value: &Value) {
    write_inline(out, value, Context::Flow);
}

/// Writes a value on one line.
fn write_inline(out: &mut String, value: &Value, context: Context) {
    match value {
        Value::Timestamp(text) if is_timestamp(text) => out.push_str(text),
        Value::Text(text) | Value::Timestamp(text) => write_scalar(out, text, context),
        Value::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Value::Number(number) => out.push_str(number),
        Value::List(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index == 0 { "" } else { ", " });
                write_inline(out, item, Context::Flow);
            }
            out.push(']');
        }
        Value::Map(entries) => {
            out.push('{');
            for (index, (key, value)) in entries.iter().enumerate() {
                out.push_str(if index == 0 { "" } else { ", " });
                write_scalar(out, key, Context::Flow);
                out.push_str(": ");
                write_inline(out, value, Context::Flow);
            }
            out.push('}');
        }
    }
}

fn write_scalar(out: &mut String, text: &str, context: Context) {
    if is_plain(text, context) {
        out.push_str(text);
    } else if text.contains(['"', '\\']) && !text.contains('\'') && !text.chars().any(must_escape) {
        out.push('\'');
        out.push_str(text);
        out.push('\'');
    } else {
        write_double_quoted(out, text);
    }
}

fn write_double_quoted(out: &mut String, text: &str) {
    out.push('"');
    for ch in text.chars() {
        match ch {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            _ if must_escape(ch) => {
                let code = u32::from(ch);
                let written = if code <= 0xff {
                    write!(out, "\\x{code:02x}")
                } else if code <= 0xffff {
                    write!(out, "\\u{code:04x}")
                } else {
                    write!(out, "\\U{code:08x}")
                };
                written.expect("a string takes every write");
            }
            _ => out.push(ch),
        }
    }
    out.push('"');
}

fn write_literal(out: &mut String, text: &str, style: Style, comment: &str) {
    out.push_str(if text.ends_with('\n') { " |" } else { " |-" });
    write_comment(out, comment);
    out.push_str(style.eol);
    for line in text.lines() {
        if !line.is_empty() {
            out.push_str(&" ".repeat(style.indent));
            out.push_str(line);
        }
        out.push_str(style.eol);
    }
}

/// Whether a text of several lines can stand in a literal block as a person would write it.
fn is_literal(text: &str) -> bool {
    let body = text.strip_suffix('\n').unwrap_or(text);
    body.contains('\n')
        && !body.starts_with([' ', '\t', '\n'])
        && !body.ends_with('\n')
        && body.split('\n').all(|line| !line.ends_with([' ', '\t']) && !line.chars().any(must_escape))
}

/// Whether a text can stand bare: one line that no YAML reader takes for anything but this text.
fn is_plain(text: &str, context: Context) -> bool {
    let Some(first) = text.chars().next() else { return false };
    let begins_otherwise = "-?:,[]{}#&*!|>'\"%@`=<".contains(first) || first.is_whitespace();
    let ends_otherwise = text.ends_with(|ch: char| ch.is_whitespace() || ch == ':');
    let is_cut = text.contains(": ") || text.contains(" #");
    let is_cut_in_flow = context == Context::Flow && text.contains([',', '[', ']', '{', '}']);
    let is_other_type = is_keyword(text) || looks_like_number_or_date(text);
    let is_unprintable = text.chars().any(must_escape);
    !(begins_otherwise || ends_otherwise || is_cut || is_cut_in_flow || is_other_type || is_unprintable)
}

fn is_keyword(text: &str) -> bool {
    const KEYWORDS: [&str; 10] = ["null", "true", "false", "yes", "no", "on", "off", "y", "n", "~"];
    KEYWORDS.iter().any(|keyword| text.eq_ignore_ascii_case(keyword))
}

/// Numbers in all YAML spellings, versions, times and dates.
fn looks_like_number_or_date(text: &str) -> bool {
    let bare = text.strip_prefix('+').unwrap_or(text);
    let special = [".inf", ".nan"].iter().any(|name| bare.eq_ignore_ascii_case(name));
    let digits = bare.strip_prefix('.').unwrap_or(bare);
    let based =
        digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0o")).or_else(|| digits.strip_prefix("0b"));
    special
        || based.is_some_and(|rest| rest.chars().all(|ch| ch.is_ascii_hexdigit() || ch == '_'))
        || digits.starts_with(|ch: char| ch.is_ascii_digit())
            && digits.chars().all(|ch| ch.is_ascii_digit() || "_.:+-eETtZz ".contains(ch))
}

/// A date or time that reads back as the same text although it stands bare.
fn is_timestamp(text: &str) -> bool {
    text.starts_with(|ch: char| ch.is_ascii_digit())
        && !text.ends_with(':')
        && text.chars().all(|ch| ch.is_ascii_digit() || "TZ:.+-".contains(ch))
}

/// Characters that are not printable in YAML, or that some readers take for a line end.
fn must_escape(ch: char) -> bool {
    ch.is_control()
        || matches!(ch, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
        // Blanks that a reader or an editor may trim or take for a plain one.
        || (ch.is_whitespace() && ch != ' ')
}
