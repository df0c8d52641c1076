//! Pieces of a file that links stand at: declarations, lines, titles, the file as a whole.

use super::Anchor;
use super::source::{
    Language, Tokens, block_end, hash_tokens, hash_words, lex, read_declaration, with_attributes_above,
};

/// The declaration that starts on a line, or the lines of a range, for links that stand elsewhere.
pub fn anchor_lines(path: &str, text: &str, lines: std::ops::RangeInclusive<u32>) -> Option<Anchor> {
    let language = Language::of(path);
    let tokens = lex(text, &language);
    let first = usize::try_from(*lines.start()).ok()?.checked_sub(1)?;
    let last = usize::try_from(*lines.end()).ok()?.min(tokens.lines());
    let range = tokens.on_lines(first..last);
    let (start, end) = (range.start, range.end.checked_sub(1).filter(|end| *end >= range.start)?);
    Some(anchor(&tokens, start, end, None, &language))
}

/// The part of a file that carries a title: a test that a sidecar names.
pub fn anchor_title(path: &str, text: &str, title: &str) -> Option<Anchor> {
    let language = Language::of(path);
    let tokens = lex(text, &language);
    let is_title = |line: &usize| {
        let line = tokens.line_text(*line);
        line.trim() == title || line.match_indices(title).any(|(at, _)| is_whole(line, at, title.len()))
    };
    let line = (0..tokens.lines()).find(is_title)?;
    let start = tokens.on_lines(line..line + 1).start;
    if start >= tokens.all.len() {
        return None;
    }
    let start = with_attributes_above(&tokens, start, &language);
    let declaration = read_declaration(&tokens, start, &language);
    let end = block_end(&tokens, declaration.body.min(tokens.all.len() - 1), &language);
    let named = anchor(&tokens, start, end, Some(title.to_owned()), &language);
    Some(Anchor { opens: opens(&tokens, declaration.body..=end, &language), ..named })
}

/// A file as a whole.
pub fn anchor_file(path: &str, text: &str) -> Anchor {
    let language = Language::of(path);
    whole(&lex(text, &language), &language)
}

pub(super) fn anchor(
    tokens: &Tokens<'_>,
    start: usize,
    end: usize,
    name: Option<String>,
    language: &Language,
) -> Anchor {
    let line = |line: usize| u32::try_from(line + 1).unwrap_or(u32::MAX);
    Anchor {
        start: line(tokens.all[start].line),
        end: line(tokens.end_line(end)),
        opens: None,
        name,
        token_hash: hash_tokens(tokens, start..=end, language),
    }
}

/// The line on which the body of a declaration opens; `tokens` begin behind its attributes.
pub(super) fn opens(
    tokens: &Tokens<'_>,
    declaration: std::ops::RangeInclusive<usize>,
    language: &Language,
) -> Option<u32> {
    let mark = if language.is("python") { b':' } else { b'{' };
    let mut at = *declaration.start();
    while at <= *declaration.end() {
        if tokens.is_mark(at, mark) {
            return u32::try_from(tokens.all[at].line + 1).ok();
        }
        let is_bracket = tokens.is_mark(at, b'(') || tokens.is_mark(at, b'[');
        at = if is_bracket { tokens.closing(at).max(at) + 1 } else { at + 1 };
    }
    None
}

pub(super) fn whole(tokens: &Tokens<'_>, language: &Language) -> Anchor {
    if tokens.all.is_empty() {
        return Anchor { start: 1, end: 1, opens: None, name: None, token_hash: hash_words([]) };
    }
    Anchor { start: 1, ..anchor(tokens, 0, tokens.all.len() - 1, None, language) }
}

fn is_whole(line: &str, at: usize, length: usize) -> bool {
    let is_word = |ch: char| ch.is_alphanumeric() || ch == '_';
    !line[..at].chars().next_back().is_some_and(is_word)
        && !line[at + length..].chars().next().is_some_and(is_word)
}

#[cfg(test)]
mod tests {
    use crate::proof::{FileRole, read_file_tags};

    #[test]
    fn a_test_that_is_awaited_is_one_of_its_own_and_a_step_is_none() {
        let text = "test('group', async (t) => {\n  // @spec a#b\n  await t.test('inner', () => {})\n  // @spec a#c\n  await test.step('step', () => {})\n})\n";
        let links = read_file_tags("a.test.mjs", text, FileRole::Other).links;
        let titles: Vec<_> =
            links.iter().map(|link| (link.title.as_deref().unwrap(), link.suites.len())).collect();
        assert_eq!(titles, [("inner", 1), ("group", 0)]);
    }

    #[test]
    fn it_is_known_where_the_body_of_a_function_opens() {
        let opens = |path: &str, text: &str| {
            read_file_tags(path, text, FileRole::Other).links[0].anchor.as_ref().unwrap().opens
        };
        assert_eq!(
            opens("a.py", "# @spec a#b\n@cached\ndef f(\n    a: int = {},\n):\n    return a\n"),
            Some(5)
        );
        assert_eq!(opens("a.ts", "// @spec a#b\nexport const f = ({ a }) => {\n  return a\n}\n"), Some(2));
        assert_eq!(opens("a.rs", "// @spec a#b\nfn f<T>(a: T)\nwhere\n    T: Copy,\n{\n}\n"), Some(5));
        assert_eq!(opens("a.sql", "-- @spec a#b\nselect 1;\n"), None);
    }
}
