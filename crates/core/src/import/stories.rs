//! `requirements.md` as Kiro and spec-workflow-mcp write it: numbered requirements with user stories and EARS criteria.

use super::checklist::{is_rule, list_items, wanted_items};
use super::clauses::{is_ears, scenario, split_code};
use super::model::{Bundle, Parts, Requirement, SourceFile};
use super::scan::{Line, Sect, begins, joined, sections, short, without_comments};

/// Reads the requirements of one file; what is no requirement becomes sections.
pub(super) fn read(bundle: &mut Bundle, item: &str, file: &SourceFile) -> (Option<String>, Parts) {
    let (text, comments) = without_comments(&file.text);
    for (line, comment) in comments {
        bundle.leave_out(&file.path, line, &comment, "a comment");
    }
    let mut parts = Parts::default();
    let mut title = None;
    let mut open = Open::Prose;
    let mut placed = Sections::default();
    let mut chapter = "";
    for section in sections(&text, 1) {
        placed.pass(&section);
        if section.level == 2 {
            chapter = section.title;
        }
        let body = text_of(&section.body);
        if let Some((number, name)) = numbered(&section, chapter) {
            let name =
                unique(&mut parts, &if name.is_empty() { format!("Requirement {number}") } else { name });
            let (text, criteria) = own_criteria(&section);
            let id = unique_id(&mut parts, &number);
            if id != number {
                let what = format!("`{number}` appears twice; the second is `{id}` here");
                bundle.keep_prose(item, &file.path, section.line, &what, section.title);
            }
            parts.requirements.push(Requirement { id: Some(id), name, text, scenarios: Vec::new() });
            add_criteria(&mut parts, criteria, &number);
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
                placed.add(&mut parts, &section, &body);
            }
        }
    }
    (title, parts)
}

enum Open {
    Prose,
    Requirement { level: usize, number: String },
}

fn text_of(lines: &[Line<'_>]) -> String {
    let lines: Vec<_> = lines.iter().copied().filter(|(_, line)| !is_rule(line)).collect();
    joined(&lines)
}

/// A list of criteria: line, marker and text of each.
type Criteria<'t> = Vec<(usize, &'t str, String)>;

/// The text of a requirement, and the criteria that stand in it without a heading of their own: behind a line that
/// announces them, else every EARS sentence of a list.
fn own_criteria<'t>(section: &Sect<'t>) -> (String, Criteria<'t>) {
    let announces = |line: &str| {
        let bare = line.trim().trim_matches(['*', '_', ':', ' ']).to_lowercase();
        bare.starts_with("acceptance criteri") && bare.len() < 40
    };
    if let Some(at) = section.body.iter().position(|(_, line)| announces(line)) {
        let (criteria, rest) = list_items(&section.body[at + 1..]);
        let mut text = text_of(&section.body[..at]);
        join(&mut text, &text_of(&rest));
        return (text, criteria);
    }
    let (criteria, rest) = wanted_items(&section.body, is_ears);
    (text_of(&rest), criteria)
}

/// `Requirement 1`, `Requirement 1: Title`, and `1. Title` below `## Requirements`.
fn numbered(section: &Sect<'_>, chapter: &str) -> Option<(String, String)> {
    if section.level < 2 {
        return None;
    }
    let is_counted = section.level > 2
        && chapter.eq_ignore_ascii_case("requirements")
        && section.title.starts_with(|first: char| first.is_ascii_digit())
        && section.title.trim_start_matches(|ch: char| ch.is_ascii_digit()).starts_with(['.', ':', ')']);
    let rest = match () {
        () if begins(section.title, "Requirement ") => section.title[12..].trim_start(),
        () if is_counted => section.title,
        () => return None,
    };
    let end =
        rest.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-')).count();
    let number = rest[..end].trim_end_matches(['.', '-']);
    if !number.bytes().any(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let name = rest[end..].trim_start_matches([':', '-', '–', '—', '.', ')', ' ']).trim();
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
    let rest: Vec<_> = rest.into_iter().filter(|(_, line)| !is_rule(line)).collect();
    join(&mut requirement.text, &joined(&rest));
    add_criteria(parts, items, number);
}

/// Makes scenarios of criteria, in the last requirement.
fn add_criteria(parts: &mut Parts, criteria: Criteria<'_>, number: &str) {
    let Some(requirement) = parts.requirements.last_mut() else { return };
    for (_, marker, text) in criteria {
        // `1.2.` below the requirement 1 is its second.
        let own = marker.strip_prefix(number).and_then(|rest| rest.strip_prefix('.')).unwrap_or(marker);
        let is_number = own.bytes().all(|byte| byte.is_ascii_digit());
        let asked = if is_number { own.to_owned() } else { String::new() };
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
        let own = Some(told.name.clone()).filter(|name| !name.is_empty());
        let name = format!("{id} {}", own.unwrap_or_else(|| short(split_code(&then).0, 9)));
        name.trim().clone_into(&mut told.name);
        requirement.scenarios.push(told);
    }
}

/// Follows which section is open: one below a heading that has a place elsewhere does not belong to the section before
/// that heading.
#[derive(Debug, Default)]
pub(super) struct Sections {
    /// The level of the heading that opened the last section; 0 when it is closed.
    open: usize,
}

impl Sections {
    /// Has to see every heading of a text.
    pub(super) fn pass(&mut self, section: &Sect<'_>) {
        if section.level <= self.open {
            self.open = 0;
        }
    }

    /// A section of its own, or a part of the one above where its heading is deeper.
    pub(super) fn add(&mut self, parts: &mut Parts, section: &Sect<'_>, body: &str) {
        match parts.sections.last_mut() {
            Some((_, text)) if self.open > 0 && section.level > self.open => {
                join(text, &format!("### {}", section.title));
                join(text, body);
            }
            _ => {
                parts.sections.push((section.title.to_owned(), body.to_owned()));
                self.open = section.level;
            }
        }
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
pub(super) fn unique(parts: &mut Parts, name: &str) -> String {
    parts.names.take(name, |count| format!("{name} ({count})"))
}

/// An id that no other requirement has.
pub(super) fn unique_id(parts: &mut Parts, id: &str) -> String {
    parts.ids.take(id, |count| format!("{id}-{count}"))
}
