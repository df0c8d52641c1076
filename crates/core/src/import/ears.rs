//! Plain documents with EARS sentences: each that says what shall be becomes a requirement.

use super::checklist::is_rule;
use super::clauses::{is_ears, scenario};
use super::model::{Bundle, Item, Parts, Requirement, SourceFile, SpecText};
use super::scan::{Fences, bullet, joined, sections, short, without_comments};
use super::stories::{Sections, join, unique, unique_id};
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
    let mut placed = Sections::default();
    for section in sections(&text, front.body_line) {
        placed.pass(&section);
        if section.level == 1 && title.is_none() {
            title = Some(section.title.to_owned());
        }
        let mut rest = Vec::new();
        for told in statements(&section.body, &mut rest) {
            let name = add(&mut parts, &told);
            for text in [told.before, told.behind].into_iter().filter(|text| !text.is_empty()) {
                prose.push((told.line, format!("around `{name}`"), text));
            }
        }
        let rest: Vec<_> = rest.into_iter().filter(|(_, line)| !is_rule(line)).collect();
        let body = joined(&rest);
        if section.level == 0 || (section.level == 1 && title.as_deref() == Some(section.title)) {
            join(&mut parts.purpose, &body);
        } else if body.trim().is_empty() {
            headings.push((section.line, section.title.to_owned()));
        } else {
            prose.push((section.line, section.title.to_owned(), body.clone()));
            placed.add(&mut parts, &section, &body);
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

/// A sentence that says `shall`, with the prose around it in the same paragraph.
#[derive(Debug, Default, PartialEq, Eq)]
struct Statement {
    line: usize,
    before: String,
    sentence: String,
    behind: String,
}

/// The sentences that say `shall`; paragraphs without one go to `rest`.
fn statements<'t>(lines: &[(usize, &'t str)], rest: &mut Vec<(usize, &'t str)>) -> Vec<Statement> {
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
            let line = block.first().map_or(1, |(number, _)| *number);
            found.extend(told(&bare).into_iter().map(|one| Statement { line, ..one }));
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

/// A paragraph sentence by sentence: each that says `shall` is a statement, prose belongs to the one before it, or to
/// the first.
fn told(paragraph: &str) -> Vec<Statement> {
    let mut found: Vec<Statement> = Vec::new();
    let mut before = String::new();
    for sentence in sentences(paragraph) {
        let text = match found.last_mut() {
            _ if is_ears(sentence) => {
                let before = std::mem::take(&mut before);
                found.push(Statement { before, sentence: sentence.to_owned(), ..Statement::default() });
                continue;
            }
            Some(last) => &mut last.behind,
            None => &mut before,
        };
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(sentence);
    }
    found
}

/// The sentences of a paragraph. A point ends one where a capital follows, behind more than a number or two words.
fn sentences(text: &str) -> Vec<&str> {
    const SHORT_FORMS: [&str; 8] = ["e.g.", "i.e.", "etc.", "cf.", "vs.", "resp.", "approx.", "incl."];
    let mut found = Vec::new();
    let (mut start, mut at) = (0, 0);
    let mut is_code = false;
    for word in text.split_inclusive(' ') {
        at += word.len();
        is_code ^= word.matches('`').count() % 2 == 1;
        let bare = word.trim_end();
        let ends = bare.trim_end_matches(['*', '"', ')', '_']).ends_with(['.', '!', '?'])
            && !SHORT_FORMS.contains(&bare.trim_start_matches('(').to_lowercase().as_str());
        let next = text[at..].trim_start_matches(['*', '"', '(', '_', '`']).chars().next();
        let is_new = next.is_some_and(|ch| ch.is_alphabetic() && !ch.is_lowercase());
        if ends && is_new && !is_code && text[start..at].split_whitespace().count() > 2 {
            found.push(text[start..at].trim());
            start = at;
        }
    }
    if !text[start..].trim().is_empty() {
        found.push(text[start..].trim());
    }
    found
}

/// Adds the requirement of a statement; what it is called.
fn add(parts: &mut Parts, told: &Statement) -> String {
    let (code, statement) = coded(&told.sentence);
    let id = code.map(|code| unique_id(parts, code));
    let name = unique(parts, &id.clone().unwrap_or_else(|| short(statement, 10)));
    let scenario = scenario(None, short(statement, 9), statement);
    let mut text = told.before.clone();
    join(&mut text, &shouted(statement));
    join(&mut text, &told.behind);
    parts.requirements.push(Requirement { id, name: name.clone(), text, scenarios: vec![scenario] });
    name
}

/// `REQ-1: The system shall …`: a code in front of the sentence.
fn coded(sentence: &str) -> (Option<&str>, &str) {
    let inner = sentence.trim_start_matches(['*', '[', '`']);
    let end = inner.find(|ch: char| !(ch.is_alphanumeric() || matches!(ch, '-' | '_' | '.'))).unwrap_or(0);
    let code = inner[..end].trim_end_matches('.');
    let rest = inner[end..].trim_start_matches(['*', ']', '`', ':', ' ', '-', '–']);
    let is_code = code.bytes().any(|byte| byte.is_ascii_digit())
        && code.chars().next().is_some_and(char::is_alphabetic)
        && inner[end..].starts_with([':', '*', ']', '`']);
    if is_code && is_ears(rest) { (Some(code), rest) } else { (None, sentence) }
}

/// The keyword in capitals, as rules look for it.
fn shouted(statement: &str) -> String {
    statement.replace(" shall ", " SHALL ").replace(" Shall ", " SHALL ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_behind_a_sentence_belongs_to_it_and_says_nothing_of_the_scenario() {
        let found = told(
            "Carts are small. When an item is added, the shop shall count it (e.g. The Hat). This keeps the total right. \
             The shop shall refuse v2. Nobody likes surprises.",
        );
        let parts: Vec<[&str; 3]> =
            found.iter().map(|one| [&*one.before, &*one.sentence, &*one.behind]).collect();
        assert_eq!(
            parts,
            [
                [
                    "Carts are small.",
                    "When an item is added, the shop shall count it (e.g. The Hat).",
                    "This keeps the total right."
                ],
                ["", "The shop shall refuse v2.", "Nobody likes surprises."]
            ]
        );
        let mut all = Parts::default();
        add(&mut all, &found[0]);
        let requirement = &all.requirements[0];
        assert_eq!(requirement.scenarios[0].steps[1].1, "the shop shall count it (e.g. The Hat).");
        assert!(requirement.text.ends_with("\n\nThis keeps the total right."), "{}", requirement.text);
    }
}
