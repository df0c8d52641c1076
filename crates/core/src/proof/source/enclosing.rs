//! What a declaration stands in.

use super::block::block_end;
use super::declaration::{Declaration, read_declaration};
use super::language::{Language, Shape};
use super::statement::{statement_start, with_attributes_above};
use super::token::Tokens;

/// How many levels are looked at.
const MAX_DEPTH: usize = 64;

/// The names that reports put before the test that starts at `start`, outermost first.
pub(crate) fn suites_of(tokens: &Tokens<'_>, start: usize, language: &Language) -> Vec<String> {
    let mut suites = Vec::new();
    let mut at = start;
    for _ in 0..MAX_DEPTH {
        let Some((outer, declaration)) = outer(tokens, at, language) else { break };
        if (declaration.groups || declaration.is_test)
            && let Some(title) = declaration.title
        {
            suites.push(title);
        }
        at = outer;
    }
    suites.reverse();
    suites
}

/// The innermost declaration that a place is in.
pub(crate) fn enclosing_declaration(
    tokens: &Tokens<'_>,
    index: usize,
    language: &Language,
) -> Option<(usize, Declaration)> {
    let mut at = index;
    for _ in 0..MAX_DEPTH {
        let (start, declaration) = outer(tokens, at, language)?;
        if declaration.declares {
            return Some((start, declaration));
        }
        at = start;
    }
    None
}

/// The statement whose block holds a place, with its attributes.
fn outer(tokens: &Tokens<'_>, index: usize, language: &Language) -> Option<(usize, Declaration)> {
    let start = match language.shape {
        Shape::Braces | Shape::BracesOrLine | Shape::Parens => {
            let open = tokens.around(index)?;
            statement_start(tokens, open, language)
        }
        Shape::Indent | Shape::End => shallower(tokens, index, language)?,
        Shape::Gherkin => feature(tokens, index)?,
        Shape::Semicolon | Shape::Paragraph => return None,
    };
    let start = with_attributes_above(tokens, start, language);
    (start < index).then(|| (start, read_declaration(tokens, start, language)))
}

/// The nearest line above that is indented less and opens a block around a place.
fn shallower(tokens: &Tokens<'_>, index: usize, language: &Language) -> Option<usize> {
    let line_start = (0..=index).rev().find(|&at| tokens.all[at].first).unwrap_or(0);
    let mut column = tokens.column(line_start);
    // A comment at the end of a block belongs to it, though the block ends with its last token.
    let inside = tokens.code_before(index + 1).unwrap_or(0);
    for at in (0..line_start).rev() {
        let token = &tokens.all[at];
        if !token.first || token.kind == super::TokenKind::Comment || tokens.column(at) >= column {
            continue;
        }
        // A line inside brackets belongs to a statement that starts above.
        let in_brackets = tokens.around(at).is_some() || matches!(tokens.mark(at), Some(b')' | b']' | b'}'));
        if in_brackets && language.shape == Shape::Indent {
            continue;
        }
        column = tokens.column(at);
        if block_end(tokens, at, language) >= inside {
            return Some(at);
        }
    }
    None
}

fn feature(tokens: &Tokens<'_>, index: usize) -> Option<usize> {
    let line = tokens.all[index].line;
    let is_group = |line: &usize| {
        let text = tokens.line_text(*line).trim_start();
        ["Feature:", "Rule:", "Ability:", "Business Need:"].iter().any(|word| text.starts_with(word))
    };
    let found = (0..line).rev().find(is_group)?;
    Some(tokens.on_lines(found..found + 1).start)
}
