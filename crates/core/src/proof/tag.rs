//! The tags themselves: `@spec capability#requirement/scenario, …`.

use std::collections::BTreeMap;

use super::{LinkKind, Ref, RefError};

/// What every tag opens with.
pub const MARK: &str = "@spec";

/// One tag of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tag {
    /// The byte of its `@`.
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// What it says of itself: `@spec-code`, `@spec-test`, `@spec-file`.
    pub(crate) kind: Option<LinkKind>,
    pub(crate) names: Vec<TagName>,
}

/// One of the names in a tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TagName {
    pub(crate) text: String,
    pub(crate) start: usize,
    pub(crate) reference: Result<Ref, RefError>,
}

/// All tags of a text in their order. What only looks like one (`@spec` of Elixir, an address, `@specs`) is none, but
/// comes along with a name without `#`: it may still be a capability that somebody meant.
pub(crate) fn find_tags(text: &str) -> Vec<Tag> {
    let mut tags: Vec<Tag> = Vec::new();
    let mut from = 0;
    while let Some(at) = text[from..].find(MARK).map(|at| from + at) {
        from = at + MARK.len();
        if let Some(tag) = read_tag(text, at) {
            from = tag.end.max(from);
            tags.push(tag);
        }
    }
    tags
}

/// A text without its tags, and without the blanks and brackets that only set them apart.
pub(crate) fn without_tags(text: &str) -> String {
    if !text.contains(MARK) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for tag in find_tags(text) {
        let before = text[from..tag.start].trim_end_matches([' ', '[', '(']);
        out.push_str(before);
        from = tag.end;
        let rest = &text[from..];
        from += rest.len() - rest.trim_start_matches([']', ')', '"']).len();
    }
    out.push_str(&text[from..]);
    out
}

/// A text whose tags carry other names; every byte outside of those names stays.
pub fn rename_tags(text: &str, names: &BTreeMap<Ref, Ref>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for name in find_tags(text).iter().flat_map(|tag| &tag.names) {
        let Some(new) = name.reference.as_ref().ok().and_then(|reference| names.get(reference)) else {
            continue;
        };
        out.push_str(&text[from..name.start]);
        out.push_str(&new.to_string());
        from = name.start + name.text.len();
    }
    out.push_str(&text[from..]);
    out
}

fn read_tag(text: &str, start: usize) -> Option<Tag> {
    let before = text[..start].chars().next_back();
    if before.is_some_and(|ch| ch.is_alphanumeric() || matches!(ch, '_' | '@' | '.' | '/')) {
        return None;
    }
    let mut at = start + MARK.len();
    let mut kind = None;
    for (word, meant) in [("-code", LinkKind::Code), ("-test", LinkKind::Test), ("-file", LinkKind::File)] {
        if text[at..].starts_with(word) {
            kind = Some(meant);
            at += word.len();
        }
    }
    let behind = text[at..].chars().next()?;
    if !(behind.is_whitespace() || matches!(behind, ':' | '(' | '[' | '=' | '{')) {
        return None;
    }
    let mut names = Vec::new();
    let mut end = at;
    loop {
        at += leading(&text[at..], |ch| {
            matches!(ch, ' ' | '\t' | ':' | '(' | '[' | '{' | '=' | '"' | '\'' | '`')
        });
        let length = leading(&text[at..], |ch| !ends_name(ch));
        let name = text[at..at + length].trim_end_matches(['.', '-', '!', '?']);
        if name.is_empty() {
            break;
        }
        end = at + name.len();
        let reference = Ref::parse(name);
        names.push(TagName { text: name.to_owned(), start: at, reference });
        at = end;
        let gap = leading(&text[at..], |ch| matches!(ch, ' ' | '\t' | '"' | '\'' | '`'));
        if !text[at + gap..].starts_with(',') {
            break;
        }
        at = behind_comma(text, at + gap + 1)?;
        // Prose may follow a list: only what looks like a reference belongs to it.
        let next = &text[at..at + leading(&text[at..], |ch| !ends_name(ch) || matches!(ch, '"' | '\''))];
        if !next.contains('#') {
            break;
        }
    }
    (!names.is_empty()).then_some(Tag { start, end, kind, names })
}

/// Where a list goes on behind a comma; on the next line it may open like any comment.
fn behind_comma(text: &str, at: usize) -> Option<usize> {
    let rest = text.get(at..)?;
    let line = leading(rest, |ch| matches!(ch, ' ' | '\t'));
    if !rest[line..].starts_with(['\n', '\r']) {
        return Some(at + line);
    }
    let opener = leading(&rest[line..], |ch| {
        ch.is_whitespace() || matches!(ch, '/' | '*' | '#' | ';' | '-' | '%' | '!')
    });
    Some(at + line + opener)
}

fn ends_name(ch: char) -> bool {
    ch.is_whitespace()
        || matches!(
            ch,
            ',' | ';'
                | '"'
                | '\''
                | '`'
                | '('
                | ')'
                | '['
                | ']'
                | '{'
                | '}'
                | '<'
                | '>'
                | '|'
                | '\\'
                | '*'
                | ':'
                | '='
                | '@'
        )
}

fn leading(text: &str, admits: impl Fn(char) -> bool) -> usize {
    text.find(|ch| !admits(ch)).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn names(text: &str) -> Vec<String> {
        let tags = find_tags(text);
        let refs = tags.into_iter().flat_map(|tag| tag.names).filter_map(|name| name.reference.ok());
        refs.map(|reference| reference.to_string()).collect()
    }

    #[test]
    fn tags_are_found_in_every_dress() {
        for text in [
            "// @spec a#b/c",
            "/* @spec a#b/c */",
            "/** @spec: a#b/c. */",
            "<!-- @spec a#b/c-->",
            "# @spec a#b/c: why",
            "@spec(\"a#b/c\")",
            "it('works [@spec a#b/c]')",
            "  @spec:a#b/c @slow",
            "-- @spec-test a#b/c",
            "\"\"\"@spec `a#b/c`\"\"\"",
            "¤¤ @spec a#b/c ¤¤",
            "@spec a#B/C",
        ] {
            assert_eq!(names(text), ["a#b/c"], "{text}");
        }
    }

    #[test]
    fn one_tag_may_name_several() {
        assert_eq!(names("// @spec a#b/c, a#d, shop/x#e"), ["a#b/c", "a#d", "shop/x#e"]);
        assert_eq!(names("// @spec a#b,\n//   a#c, and more"), ["a#b", "a#c"]);
        assert_eq!(names("# @spec a#b,\n#   a#c"), ["a#b", "a#c"]);
        assert_eq!(names("@spec:a#b @spec:a#c"), ["a#b", "a#c"]);
        assert_eq!(names("@spec(\"a#b\", \"a#c\")"), ["a#b", "a#c"]);
    }

    #[test]
    fn what_only_looks_like_a_tag_is_none() {
        for text in [
            "me@spec.com a#b",
            "@specs a#b",
            "@spec_helper a#b",
            "@spec",
            "@spec.rb",
            "@@spec a#b",
            "x/@spec a#b",
        ] {
            assert!(find_tags(text).is_empty(), "{text}");
        }
        assert_eq!(names("@spec add(integer, integer) :: integer"), Vec::<String>::new());
    }

    #[test]
    fn names_are_rewritten_and_nothing_else() {
        let names = [(Ref::parse("a#b").unwrap(), Ref::parse("a#c").unwrap())].into();
        let text = "// a#b\r\n// @spec a#b, a#d\r\nfn x() { \"a#b\" }";
        assert_eq!(rename_tags(text, &names), "// a#b\r\n// @spec a#c, a#d\r\nfn x() { \"a#b\" }");
    }

    #[test]
    fn tags_go_and_the_title_stays() {
        assert_eq!(without_tags("works [@spec a#b/c]"), "works");
        assert_eq!(without_tags("works @spec a#b, a#c well"), "works well");
        assert_eq!(without_tags("plain"), "plain");
    }

    proptest! {
        #[test]
        fn any_text_has_tags_within_it(text in "(@spec|[ -~\n#/,é]){0,60}") {
            let mut end = 0;
            for tag in find_tags(&text) {
                prop_assert!(tag.start >= end && tag.end <= text.len());
                prop_assert!(text[tag.start..tag.end].starts_with(MARK));
                end = tag.end;
            }
            without_tags(&text);
        }

        #[test]
        fn a_written_tag_is_read_back(capability in "[a-z][a-z0-9-]{0,10}[a-z]", requirement in "[a-zäß日]{1,8}", scenario in "[a-z0-9]{1,8}") {
            let reference = Ref::new(&capability, &requirement, Some(&scenario));
            prop_assert_eq!(names(&format!("// @spec {reference}")), vec![reference.to_string()]);
        }
    }
}
