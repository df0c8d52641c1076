//! `requirements.md` as Kiro and spec-workflow-mcp write it: numbered requirements with user stories and EARS criteria.

use super::checklist::{is_rule, list_items};
use super::clauses::scenario;
use super::model::{Bundle, Parts, Requirement, SourceFile};
use super::scan::{Sect, begins, joined, sections, short, without_comments};

/// Reads the requirements of one file; what is no requirement becomes sections.
pub(super) fn read(bundle: &mut Bundle, item: &str, file: &SourceFile) -> (Option<String>, Parts) {
    let (text, comments) = without_comments(&file.text);
    for (line, comment) in comments {
        bundle.leave_out(&file.path, line, &comment, "a comment");
    }
    let mut parts = Parts::default();
    let mut title = None;
    let mut open = Open::Prose;
    for section in sections(&text, 1) {
        let body = text_of(&section);
        if let Some((number, name)) = numbered(&section) {
            let name = unique(&parts, &if name.is_empty() { format!("Requirement {number}") } else { name });
            parts.requirements.push(Requirement {
                id: Some(unique_id(&parts, &number)),
                name,
                text: body,
                scenarios: Vec::new(),
            });
            open = Open::Requirement { level: section.level, number };
            continue;
        }
        if let Open::Requirement { level, number } = &open
            && section.level > *level
        {
            let number = number.clone();
            add_below(&mut parts, &section, &number, &body);
            continue;
        }
        open = Open::Prose;
        match section.level {
            0 => parts.purpose = body,
            1 if title.is_none() => {
                title = Some(section.title.to_owned());
                join(&mut parts.purpose, &body);
            }
            _ if section.is("Introduction") || section.is("Overview") => join(&mut parts.purpose, &body),
            _ if section.is("Requirements") && body.is_empty() => {}
            _ => {
                bundle.keep_prose(item, &file.path, section.line, section.title, &body);
                add_section(&mut parts, &section, &body);
            }
        }
    }
    (title, parts)
}

enum Open {
    Prose,
    Requirement { level: usize, number: String },
}

fn text_of(section: &Sect<'_>) -> String {
    let lines: Vec<_> = section.body.iter().copied().filter(|(_, line)| !is_rule(line)).collect();
    joined(&lines)
}

/// `Requirement 1`, `Requirement 1: Title`, `1. Title` below level 2.
fn numbered(section: &Sect<'_>) -> Option<(String, String)> {
    if section.level < 2 {
        return None;
    }
    let rest =
        if begins(section.title, "Requirement ") { section.title[12..].trim_start() } else { return None };
    let end =
        rest.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-')).count();
    let number = rest[..end].trim_end_matches(['.', '-']);
    if !number.bytes().any(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let name = rest[end..].trim_start_matches([':', '-', '–', '—', '.', ' ']).trim();
    Some((number.to_owned(), name.split_whitespace().collect::<Vec<_>>().join(" ")))
}

/// What stands below a requirement's own text: criteria become scenarios, everything else stays in its text.
fn add_below(parts: &mut Parts, section: &Sect<'_>, number: &str, body: &str) {
    let Some(requirement) = parts.requirements.last_mut() else { return };
    if !section.title.to_lowercase().contains("criteria") {
        join(&mut requirement.text, &format!("**{}**\n\n{body}", section.title));
        return;
    }
    let (items, rest) = list_items(&section.body);
    for (_, marker, text) in items {
        let asked =
            if marker.bytes().all(|byte| byte.is_ascii_digit()) { marker.to_owned() } else { String::new() };
        let position = requirement.scenarios.len() + 1;
        let taken = |id: &str| requirement.scenarios.iter().any(|one| one.id.as_deref() == Some(id));
        let mut id = format!("{number}.{asked}");
        if asked.is_empty() || taken(&id) {
            id = format!("{number}.{position}");
        }
        while taken(&id) {
            id.push('a');
        }
        let mut told = scenario(Some(id.clone()), String::new(), &text);
        let then = told.steps.last().map(|(_, text)| text.clone()).unwrap_or_default();
        told.name = format!("{id} {}", short(&then, 9)).trim().to_owned();
        requirement.scenarios.push(told);
    }
    let rest: Vec<_> = rest.into_iter().filter(|(_, line)| !is_rule(line)).collect();
    join(&mut requirement.text, &joined(&rest));
}

/// A section of its own, or a part of the one above where its heading is deeper.
pub(super) fn add_section(parts: &mut Parts, section: &Sect<'_>, body: &str) {
    match parts.sections.last_mut() {
        Some((_, text)) if section.level > 2 => {
            join(text, &format!("### {}", section.title));
            join(text, body);
        }
        _ => parts.sections.push((section.title.to_owned(), body.to_owned())),
    }
}

/// Puts a paragraph behind a text.
pub(super) fn join(text: &mut String, more: &str) {
    if !text.is_empty() && !more.is_empty() {
        text.push_str("\n\n");
    }
    text.push_str(more);
}

/// A name that no other requirement has.
pub(super) fn unique(parts: &Parts, name: &str) -> String {
    let taken = |name: &str| parts.requirements.iter().any(|one| one.name.eq_ignore_ascii_case(name));
    let mut free = name.to_owned();
    let mut count = 1;
    while taken(&free) {
        count += 1;
        free = format!("{name} ({count})");
    }
    free
}

/// An id that no other requirement has.
pub(super) fn unique_id(parts: &Parts, id: &str) -> String {
    let taken = |id: &str| {
        parts
            .requirements
            .iter()
            .any(|one| one.id.as_deref().is_some_and(|known| known.eq_ignore_ascii_case(id)))
    };
    let mut free = id.to_owned();
    let mut count = 1;
    while taken(&free) {
        count += 1;
        free = format!("{id}-{count}");
    }
    free
}
