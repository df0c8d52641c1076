//! The plain text of a heading: what a person reads once inline markup is gone.
//!
//! It depends on the heading alone. Reference links (`[text][label]`) stay as written, since their meaning may
//! stand anywhere in the document and a title must not change with it.

use std::borrow::Cow;

use pulldown_cmark::{Event, Options, Parser};

/// Bytes that can begin inline markup.
const MARKUP: [char; 9] = ['*', '_', '`', '[', '<', '&', '\\', '\n', '\r'];
/// Put behind the text while it is parsed as a heading, so that `#` at its end is no closing sequence.
const END: &str = " |";

pub(super) fn plain_text(raw: &str) -> Cow<'_, str> {
    let raw = raw.trim();
    if !raw.contains(MARKUP) {
        return Cow::Borrowed(raw);
    }
    let one_line = raw.split(['\n', '\r']).map(str::trim).filter(|line| !line.is_empty());
    let one_line = one_line.collect::<Vec<_>>().join(" ");
    let mut out = String::with_capacity(one_line.len());
    for event in Parser::new_ext(&format!("# {one_line}{END}"), Options::empty()) {
        match event {
            Event::Text(text) | Event::Code(text) => out.push_str(&text),
            // Nobody can tell what a name says if half of it is gone; whoever shows it escapes it.
            Event::InlineHtml(markup) if !markup.starts_with("<!--") => out.push_str(&markup),
            Event::SoftBreak | Event::HardBreak => out.push(' '),
            _ => {}
        }
    }
    Cow::Owned(out.strip_suffix(END).unwrap_or(&out).trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inline_markup_is_dropped_and_text_kept() {
        for (raw, expected) in [
            ("Requirement: Login", "Requirement: Login"),
            ("**Bold** and *soft* `code`", "Bold and soft code"),
            ("[label](https://example.org) here", "label here"),
            ("[label] stays", "[label] stays"),
            ("1. not a list *x*", "1. not a list x"),
            ("a \\# b", "a # b"),
            ("trailing \\#", "trailing #"),
            ("`x` # #", "x # #"),
            ("`C` #", "C #"),
            ("Tom &amp; Jerry", "Tom & Jerry"),
            ("two\n  lines *here*", "two lines here"),
            ("gone <!-- note -->", "gone"),
            ("<img src=x onerror=y> *b*", "<img src=x onerror=y> b"),
            ("Show <b>all</b>", "Show <b>all</b>"),
            ("snake_case_name", "snake_case_name"),
        ] {
            assert_eq!(plain_text(raw), expected, "{raw}");
        }
    }
}
