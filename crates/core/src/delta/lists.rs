//! The two kinds of section that are lists: removals and renames.

use super::{Oddity, Operation, Removal, Rename, RenameNotation};
use crate::document::Span;
use crate::outline::{Grammar, Line, Outline, strip_label};
use crate::requirement::read_requirements;

/// Headings and bullets that name a requirement, in their order.
pub(super) fn removals<'t>(outline: &Outline<'t>, body: Span) -> Vec<Removal<'t>> {
    let mut found: Vec<Removal<'t>> = read_requirements(outline, body.clone())
        .into_iter()
        .map(|requirement| Removal {
            name: requirement.name,
            text: outline.text[requirement.heading.end..requirement.whole().end].trim(),
            span: requirement.heading,
        })
        .collect();
    found.extend(outline.prose(body).filter_map(|line| {
        let bullet = strip_bullet(line.text)?;
        let name = header_name(bullet, outline.grammar)?;
        Some(Removal { name, span: line_span(&line), text: "" })
    }));
    found.sort_by_key(|removal| removal.span.start);
    found
}

/// Pairs of lines `FROM:` and `TO:`, and headings with an arrow.
pub(super) fn renames<'t>(
    outline: &Outline<'t>,
    body: Span,
    renamed: &mut Vec<Rename<'t>>,
    oddities: &mut Vec<Oddity<'t>>,
) {
    let first = renamed.len();
    for requirement in read_requirements(outline, body.clone()) {
        let span = requirement.heading;
        match split_arrow(requirement.name) {
            Some((from, to)) => renamed.push(Rename { from, to, notation: RenameNotation::Arrow, span }),
            None => {
                oddities.push(Oddity::Heading {
                    operation: Operation::Renamed,
                    title: requirement.name,
                    span,
                });
            }
        }
    }
    let mut pending: Option<(&'t str, Span)> = None;
    for line in outline.prose(body) {
        let Some((side, name)) = side(line.text, outline.grammar) else { continue };
        let span = line_span(&line);
        match (side, pending.take()) {
            (Side::From, before) => {
                oddities.extend(before.map(|(name, span)| Oddity::FromAlone { name, span }));
                pending = Some((name, span));
            }
            (Side::To, Some((from, start))) => {
                let span = start.start..span.end;
                renamed.push(Rename { from, to: name, notation: RenameNotation::Lines, span });
            }
            (Side::To, None) => oddities.push(Oddity::ToAlone { name, span }),
        }
    }
    oddities.extend(pending.map(|(name, span)| Oddity::FromAlone { name, span }));
    renamed[first..].sort_by_key(|rename| rename.span.start);
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    From,
    To,
}

fn side(line: &str, grammar: Grammar) -> Option<(Side, &str)> {
    let text = strip_bullet(line).unwrap_or(line).trim();
    let text = match grammar {
        Grammar::CommonMark => text.trim_start_matches(['*', '_']),
        Grammar::OpenSpec => text,
    };
    let label = |label: &str| match grammar {
        Grammar::CommonMark => strip_label(text, label),
        Grammar::OpenSpec => text.strip_prefix(label).map(str::trim),
    };
    let (side, rest) = match (label("FROM:"), label("TO:")) {
        (Some(rest), _) => (Side::From, rest),
        (_, Some(rest)) => (Side::To, rest),
        _ => return None,
    };
    match grammar {
        Grammar::OpenSpec => header_name(rest, grammar),
        Grammar::CommonMark => {
            let rest = rest.trim_start_matches(['*', '_', ' ']);
            header_name(rest, grammar).or_else(|| Some(unquoted(rest)).filter(|name| !name.is_empty()))
        }
    }
    .map(|name| (side, name))
}

/// The name in `### Requirement: name`, with or without backticks round it.
fn header_name(text: &str, grammar: Grammar) -> Option<&str> {
    let inner = text.trim().strip_prefix('`').unwrap_or(text.trim());
    let inner = inner.strip_prefix("###")?.trim_start();
    let name = match grammar {
        Grammar::CommonMark => strip_label(inner, "Requirement:")?,
        Grammar::OpenSpec => inner.strip_prefix("Requirement:")?,
    };
    let name = name.trim();
    let name = name.strip_suffix('`').unwrap_or(name).trim();
    let open = name.trim_end_matches('#');
    let name = if open.ends_with([' ', '\t']) { open.trim_end() } else { name };
    (!name.is_empty()).then_some(name)
}

fn unquoted(text: &str) -> &str {
    let text = text.trim();
    let inner = text.strip_prefix('`').and_then(|inner| inner.strip_suffix('`')).unwrap_or(text);
    strip_label(inner, "Requirement:").unwrap_or(inner).trim()
}

fn strip_bullet(line: &str) -> Option<&str> {
    line.trim_start().strip_prefix(['-', '*', '+'])
}

/// `Old → New` or `Old -> New`, in backticks or not.
fn split_arrow(name: &str) -> Option<(&str, &str)> {
    let (from, to) = name.split_once('→').or_else(|| name.split_once("->"))?;
    let (from, to) = (unquoted(from), unquoted(to));
    (!from.is_empty() && !to.is_empty()).then_some((from, to))
}

fn line_span(line: &Line<'_>) -> Span {
    line.start..line.start + line.text.trim_end().len()
}
