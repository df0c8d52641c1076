//! Plain documents with EARS sentences: each that says what shall be becomes a requirement.

use super::checklist::is_rule;
use super::clauses::{is_ears, scenario};
use super::model::{Bundle, Item, Parts, Requirement, SourceFile, SpecText};
use super::scan::{Fences, bullet, joined, sections, short, without_comments};
use super::stories::{add_section, join, unique, unique_id};
use super::{front, ids};

pub(super) fn read(files: &[SourceFile]) -> Bundle {
    let mut bundle = Bundle::default();
    for file in files {
        let item = document(&mut bundle, file);
        match item {
            Some(item) => bundle.items.push(item),
            None => bundle.leave_out(&file.path, 1, "", "no sentence of it says `shall`"),
        }
    }
    bundle
}

fn document(bundle: &mut Bundle, file: &SourceFile) -> Option<Item> {
    let front = front::read(&file.text);
    let (text, comments) = without_comments(&file.text[front.body_start..]);
    let mut parts = Parts::default();
    let mut title = None;
    let mut prose = Vec::new();
    let mut headings = Vec::new();
    for section in sections(&text, front.body_line) {
        if section.level == 1 && title.is_none() {
            title = Some(section.title.to_owned());
        }
        let mut rest = Vec::new();
        for sentence in statements(&section.body, &mut rest) {
            add(&mut parts, &sentence);
        }
        let rest: Vec<_> = rest.into_iter().filter(|(_, line)| !is_rule(line)).collect();
        let body = joined(&rest);
        if section.level == 0 || (section.level == 1 && title.as_deref() == Some(section.title)) {
            join(&mut parts.purpose, &body);
        } else if body.trim().is_empty() {
            headings.push((section.line, section.title.to_owned()));
        } else {
            prose.push((section.line, section.title.to_owned(), body.clone()));
            add_section(&mut parts, &section, &body);
        }
    }
    if parts.requirements.is_empty() {
        return None;
    }
    for (line, comment) in comments {
        bundle.leave_out(&file.path, line + front.body_line - 1, &comment, "a comment");
    }
    for (line, heading) in headings {
        bundle.leave_out(&file.path, line, &heading, "a heading of requirements");
    }
    let stem = file.name().rsplit_once('.').map_or(file.name(), |(stem, _)| stem);
    for (line, title, text) in prose {
        bundle.keep_prose(&file.path, &file.path, line, &title, &text);
    }
    for (key, values) in front.entries {
        parts.sections.push((key.clone(), values.join(", ")));
    }
    Some(Item {
        key: file.path.clone(),
        id: ids::plain(stem),
        title: title.unwrap_or_else(|| ids::in_words(stem)),
        text: SpecText::Parts(parts),
        ..Item::default()
    })
}

/// The sentences that say `shall`; everything else goes to `rest`.
fn statements<'t>(lines: &[(usize, &'t str)], rest: &mut Vec<(usize, &'t str)>) -> Vec<String> {
    let mut found = Vec::new();
    let mut block: Vec<(usize, &'t str)> = Vec::new();
    let mut fences = Fences::default();
    let mut flush = |block: &mut Vec<(usize, &'t str)>, rest: &mut Vec<(usize, &'t str)>| {
        let text = block.iter().map(|(_, line)| line.trim()).collect::<Vec<_>>().join(" ");
        let bare = block.first().and_then(|(_, line)| bullet(line)).map_or_else(
            || text.clone(),
            |(_, _, first)| {
                let more = block[1..].iter().map(|(_, line)| line.trim());
                std::iter::once(first).chain(more).collect::<Vec<_>>().join(" ")
            },
        );
        if is_ears(&bare) && !bare.starts_with('|') {
            found.push(bare);
        } else {
            rest.append(block);
        }
        block.clear();
    };
    for &(number, line) in lines {
        let is_code = fences.hides(line);
        if is_code || line.trim().is_empty() {
            flush(&mut block, rest);
            rest.push((number, line));
            continue;
        }
        let is_row = |line: &str| line.trim_start().starts_with('|');
        if bullet(line).is_some() || is_row(line) || block.last().is_some_and(|(_, last)| is_row(last)) {
            flush(&mut block, rest);
        }
        block.push((number, line));
    }
    flush(&mut block, rest);
    found
}

fn add(parts: &mut Parts, sentence: &str) {
    let (code, statement) = coded(sentence);
    let id = code.map(|code| unique_id(parts, code));
    let name = unique(parts, &id.clone().unwrap_or_else(|| short(statement, 10)));
    let told = scenario(None, short(statement, 9), statement);
    parts.requirements.push(Requirement { id, name, text: shouted(statement), scenarios: vec![told] });
}

/// `REQ-1: The system shall …`: a code in front of the sentence.
fn coded(sentence: &str) -> (Option<&str>, &str) {
    let inner = sentence.trim_start_matches(['*', '[', '`']);
    let end =
        inner.find(|ch: char| !(ch.is_ascii_alphanumeric() || matches!(ch, '-' | '_' | '.'))).unwrap_or(0);
    let code = inner[..end].trim_end_matches('.');
    let rest = inner[end..].trim_start_matches(['*', ']', '`', ':', ' ', '-', '–']);
    let is_code = code.bytes().any(|byte| byte.is_ascii_digit())
        && code.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic())
        && inner[end..].starts_with([':', '*', ']', '`']);
    if is_code && is_ears(rest) { (Some(code), rest) } else { (None, sentence) }
}

/// The keyword in capitals, as rules look for it.
fn shouted(statement: &str) -> String {
    statement.replace(" shall ", " SHALL ").replace(" Shall ", " SHALL ")
}
