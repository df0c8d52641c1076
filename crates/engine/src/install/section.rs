//! The marked section in `AGENTS.md`, `CLAUDE.md` and `GEMINI.md`: at most 1 KB that tells an agent what hewto is for.

use super::part::Unreadable;

const BEGIN: &str = "<!-- hewto:begin";
const END: &str = "<!-- hewto:end -->";

/// The section as it is written today, with plain line feeds and none at the end.
pub(super) const TEXT: &str = "\
<!-- hewto:begin (written by `hewto init`, removed by `hewto uninstall`) -->
## What is to be built, and why: hewto

Specs, changes and decisions are plain files here, kept by the MCP server `hewto`.

- Begin with `workspace_status`: what is open, and what comes next.
- A vague or structural wish: `require_clarification` before writing code.
- What holds now: `list_specs`, `get_requirement`, `read_architecture`.
- New behaviour, create → plan → build: `change_create`; its tasks are the plan. Let the user approve; then `build_start`, \
`plan_step_complete` for each step when really done, `build_complete`, `change_archive`. Work without a new promise: \
`spec_create`, `plan_create`, then the same.
- A typo needs no change. A one-line fix: `change_create` with one task, then archive.
- Never edit `state.toon` by hand. When a tool refuses, follow its hint.
- Without the tools, `hewto --help` does the same from a shell.
<!-- hewto:end -->";

/// The section that is there, with plain line feeds.
pub(super) fn find(text: &str) -> Result<Option<String>, Unreadable> {
    Ok(span(text)?.map(|(start, end)| text[start..end].replace("\r\n", "\n")))
}

/// The text with the section after it, in the file's own line ends.
pub(super) fn add(text: &str) -> String {
    let line_end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let section = TEXT.replace('\n', line_end);
    let content = text.strip_prefix('\u{feff}').unwrap_or(text);
    if content.is_empty() {
        return format!("{text}{section}{line_end}");
    }
    // A file that ends without a line end goes on doing so.
    if content.ends_with('\n') {
        let gap = if content.ends_with(&line_end.repeat(2)) { "" } else { line_end };
        format!("{text}{gap}{section}{line_end}")
    } else {
        format!("{text}{line_end}{line_end}{section}")
    }
}

/// The text without the section and the blank line before it.
pub(super) fn remove(text: &str) -> Result<String, Unreadable> {
    let Some((start, end)) = span(text)? else { return Ok(text.to_owned()) };
    let (head, tail) = (&text[..start], &text[end..]);
    let tail = tail.strip_prefix("\r\n").or_else(|| tail.strip_prefix('\n')).unwrap_or(tail);
    let blank_before = ["\r\n\r\n", "\n\n"].iter().find(|blank| head.ends_with(**blank));
    let head = blank_before.map_or(head, |blank| &head[..head.len() - blank.len() / 2]);
    Ok([head, tail].concat())
}

/// Where the section begins and ends.
fn span(text: &str) -> Result<Option<(usize, usize)>, Unreadable> {
    let begins: Vec<usize> = text.match_indices(BEGIN).map(|(at, _)| at).collect();
    let ends: Vec<usize> = text.match_indices(END).map(|(at, _)| at).collect();
    match (begins.as_slice(), ends.as_slice()) {
        ([], []) => Ok(None),
        ([begin], [end]) if begin < end => Ok(Some((*begin, end + END.len()))),
        _ => Err(Unreadable("the marks of hewto's section are damaged".to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_section_takes_at_most_one_kilobyte_even_with_long_line_ends() {
        let long = format!("\r\n\r\n{}\r\n", TEXT.replace('\n', "\r\n"));
        assert!(long.len() <= 1024, "{}", long.len());
    }

    proptest! {
        #[test]
        fn what_is_added_is_found_and_removed_without_a_trace(
            bom in prop::bool::ANY,
            lines in prop::collection::vec("[ -~äß]{0,9}", 0..6),
            crlf in prop::bool::ANY,
        ) {
            let line_end = if crlf { "\r\n" } else { "\n" };
            let text = format!("{}{}", if bom { "\u{feff}" } else { "" }, lines.join(line_end));
            prop_assume!(!text.contains("hewto"));
            let added = add(&text);
            prop_assert!(added.starts_with(text.as_str()));
            prop_assert_eq!(added.ends_with('\n'), lines.join("").is_empty() && lines.len() < 2 || text.ends_with('\n'));
            prop_assert_eq!(find(&added).unwrap(), Some(TEXT.to_owned()));
            let removed = remove(&added).unwrap();
            prop_assert_eq!(find(&removed).unwrap(), None);
            prop_assert_eq!(removed.trim_end(), text.trim_end());
        }
    }

    #[test]
    fn damaged_marks_are_reported() {
        for text in
            ["<!-- hewto:begin -->\n", "x <!-- hewto:end -->", "<!-- hewto:end -->\n<!-- hewto:begin -->"]
        {
            assert!(find(text).is_err(), "{text}");
        }
        let twice = format!("{TEXT}\n\n{TEXT}\n");
        assert!(find(&twice).is_err());
    }

    #[test]
    fn text_after_the_section_stays() {
        let text = format!("# Mine\n\n{TEXT}\n\nMore of mine\n");
        assert_eq!(remove(&text).unwrap(), "# Mine\n\nMore of mine\n");
    }
}
