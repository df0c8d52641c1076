//! spec-kit: `specs/NNN-name/{spec,plan,tasks,research,data-model,quickstart}.md`, `contracts/` and the constitution.

use std::collections::BTreeMap;

use super::checklist::{self, Checklist, is_rule, list_items};
use super::clauses::{scenario, split_code};
use super::kiro::{keep_beside, phase, standard};
use super::model::{Bundle, Document, Item, ItemPlan, Parts, Requirement, SourceFile, SpecText, Step};
use super::scan::{Line, Sect, begins, joined, sections, short, without_comments};
use super::stories::{Sections, join, unique, unique_id};
use super::{ids, progress};

const CONSTITUTIONS: [&str; 2] = [".specify/memory/constitution.md", "memory/constitution.md"];

pub(super) fn wants(path: &str) -> bool {
    CONSTITUTIONS.contains(&path) || feature_of(path).is_some()
}

/// The folder of a feature: `NNN-name`, or one with a moment in front.
fn feature_of(path: &str) -> Option<(&str, &str)> {
    let (name, below) = path.strip_prefix("specs/")?.split_once('/')?;
    (ids::without_number(name) != name).then_some((name, below))
}

pub(super) fn read(files: &[SourceFile]) -> Bundle {
    let mut bundle = Bundle::default();
    let mut features: BTreeMap<&str, Vec<(&str, &SourceFile)>> = BTreeMap::new();
    for file in files {
        if let Some((name, below)) = feature_of(&file.path) {
            features.entry(name).or_default().push((below, file));
        } else if CONSTITUTIONS.contains(&file.path.as_str()) {
            standard(&mut bundle, file, "constitution.md");
        }
    }
    for (name, files) in features {
        if !files.iter().any(|(below, _)| matches!(*below, "spec.md" | "tasks.md" | "plan.md")) {
            continue;
        }
        let item = feature(&mut bundle, name, &files);
        bundle.items.push(item);
    }
    bundle
}

fn feature(bundle: &mut Bundle, name: &str, files: &[(&str, &SourceFile)]) -> Item {
    let mut item = Item {
        key: format!("specs/{name}"),
        id: ids::plain(name),
        title: ids::in_words(name),
        ..Item::default()
    };
    let mut plan = ItemPlan::default();
    for (below, file) in files {
        match *below {
            "spec.md" => spec(bundle, &mut item, file),
            "plan.md" => {
                plan.approach = summary(&file.text);
                keep_beside(bundle, &mut item, file, below);
            }
            "tasks.md" => plan.steps = tasks(bundle, &mut item, file),
            // hewto's own, where it works in the same folder.
            "state.toon" => bundle.leave_out(&file.path, 1, "", "a file of hewto"),
            _ => keep_beside(bundle, &mut item, file, below),
        }
    }
    item.state = Some(progress(&plan.steps));
    item.plan = Some(plan).filter(|plan| !plan.steps.is_empty() || !plan.approach.is_empty());
    item
}

/// The section `## Summary` of a plan.
fn summary(text: &str) -> String {
    let (text, _) = without_comments(text);
    let found = sections(&text, 1).into_iter().find(|section| section.is("Summary"));
    found.map(|section| section.text().trim().to_owned()).unwrap_or_default()
}

fn spec(bundle: &mut Bundle, item: &mut Item, file: &SourceFile) {
    let (text, comments) = without_comments(&file.text);
    for (line, comment) in comments {
        bundle.leave_out(&file.path, line, &comment, "a comment");
    }
    let mut parts = Parts::default();
    let mut level_2 = "";
    let mut placed = Sections::default();
    for section in sections(&text, 1) {
        placed.pass(&section);
        if section.level == 1 && begins(section.title, "Feature Specification:") {
            section.title[22..].trim().clone_into(&mut item.title);
            join(&mut parts.purpose, &text_of(&section.body));
            continue;
        }
        if section.level == 2 {
            level_2 = section.title;
        }
        let is_of_stories = begins(level_2, "User Scenarios") && section.level > 3;
        if let Some((id, name)) = story(&section) {
            let name = unique(&mut parts, &name);
            let id = Some(unique_id(&mut parts, &id));
            parts.requirements.push(Requirement { id, name, ..Requirement::default() });
            take_story(&mut parts, &section);
        } else if is_of_stories && !parts.requirements.is_empty() {
            take_story(&mut parts, &section);
        } else {
            take_section(bundle, (&mut parts, &mut placed), item, file, &section);
        }
    }
    item.text = SpecText::Parts(parts);
}

/// `User Story 1 - Title (Priority: P1)`.
fn story(section: &Sect<'_>) -> Option<(String, String)> {
    let rest = section.title.get(11..).filter(|_| section.level == 3 && section.begins("User Story "))?;
    let digits = rest.trim_start().bytes().take_while(u8::is_ascii_digit).count();
    let number = rest.trim_start().get(..digits).filter(|number| !number.is_empty())?;
    Some((format!("US{number}"), section.title.split_whitespace().collect::<Vec<_>>().join(" ")))
}

/// The text of a story, and its acceptance scenarios.
fn take_story(parts: &mut Parts, section: &Sect<'_>) {
    let Some(requirement) = parts.requirements.last_mut() else { return };
    let is_own = section.begins("User Story ");
    let starts = |line: &str| {
        line.to_lowercase().trim_start_matches(['*', '#', ' ']).starts_with("acceptance scenario")
    };
    let at = section.body.iter().position(|(_, line)| starts(line));
    let (text, listed) = match at {
        // The line itself says nothing, unless somebody wrote behind it.
        Some(at) if section.body[at].1.len() < 40 => (&section.body[..at], &section.body[at + 1..]),
        Some(at) => (&section.body[..=at], &section.body[at + 1..]),
        None if starts(section.title) => (&[][..], &section.body[..]),
        None => (&section.body[..], &[][..]),
    };
    if !is_own && at.is_some() | !starts(section.title) {
        join(&mut requirement.text, &format!("**{}**", section.title));
    }
    join(&mut requirement.text, &text_of(text));
    let (items, rest) = list_items(listed);
    let number = requirement.id.clone().unwrap_or_default();
    for (_, _, text) in items {
        let id = format!("{number}.{}", requirement.scenarios.len() + 1);
        let mut told = scenario(Some(id.clone()), String::new(), &text);
        let then = told.steps.iter().find(|(keyword, _)| keyword == "THEN");
        let then = then.map(|(_, text)| short(split_code(text).0, 9));
        let own = Some(told.name.clone()).filter(|name| !name.is_empty());
        let name = format!("{id} {}", own.or(then).unwrap_or_default());
        name.trim().clone_into(&mut told.name);
        requirement.scenarios.push(told);
    }
    join(&mut requirement.text, &text_of(&rest));
}

/// Numbered bullets become requirements, everything else stays a section.
fn take_section(
    bundle: &mut Bundle,
    (parts, placed): (&mut Parts, &mut Sections),
    item: &Item,
    file: &SourceFile,
    section: &Sect<'_>,
) {
    let (items, mut rest) = list_items(&section.body);
    let mut found = Vec::new();
    for (line, _, text) in &items {
        match coded(text) {
            Some((code, statement)) => found.push((*line, code, statement)),
            None => rest
                .extend(section.body.iter().filter(|(number, _)| belongs(*number, *line, &items, section))),
        }
    }
    rest.sort_by_key(|(number, _)| *number);
    rest.dedup_by_key(|(number, _)| *number);
    let text = if found.is_empty() { text_of(&section.body) } else { text_of(&rest) };
    if section.level == 0 {
        join(&mut parts.purpose, &text);
    } else if !text.is_empty() || (found.is_empty() && !is_usual(section.title)) {
        let what = if text.is_empty() { section.title } else { &text };
        bundle.keep_prose(&item.key, &file.path, section.line, section.title, what);
        placed.add(parts, section, &text);
    } else if !is_usual(section.title) {
        bundle.leave_out(&file.path, section.line, section.title, "a heading of requirements");
    }
    for (line, code, statement) in found {
        let id = Some(unique_id(parts, &code));
        if id.as_deref() != Some(code.as_str()) {
            let name = id.clone().unwrap_or_default();
            let what = format!("`{code}` appears twice; the second is `{name}` here");
            bundle.keep_prose(&item.key, &file.path, line, &what, &statement);
        }
        let name = id.clone().unwrap_or_else(|| code.clone());
        let told = scenario(None, short(split_code(&statement).0, 9), &statement);
        let name = unique(parts, &name);
        parts.requirements.push(Requirement {
            name,
            id,
            text: statement,
            scenarios: vec![told].into_iter().filter(|told| !told.name.is_empty()).collect(),
        });
    }
}

/// Headings of the template, whose text has places of its own.
fn is_usual(title: &str) -> bool {
    let known = [
        "user scenarios & testing",
        "requirements",
        "functional requirements",
        "success criteria",
        "measurable outcomes",
    ];
    let bare = title.split("*(").next().unwrap_or(title).trim().to_lowercase();
    known.contains(&bare.as_str())
}

/// Whether a line belongs to the list item that begins at `line`.
fn belongs(number: usize, line: usize, items: &[(usize, &str, String)], section: &Sect<'_>) -> bool {
    let next = items.iter().map(|(at, _, _)| *at).find(|at| *at > line);
    let next = next.unwrap_or_else(|| section.body.last().map_or(line, |(last, _)| last + 1));
    (line..next).contains(&number)
}

/// `**FR-001**: System MUST …`: code and statement.
fn coded(text: &str) -> Option<(String, String)> {
    let inner = text.strip_prefix("**").unwrap_or(text);
    let end = inner.find(|ch: char| !(ch.is_alphanumeric() || ch == '-')).unwrap_or(inner.len());
    let code = &inner[..end];
    let (letters, digits) = code.rsplit_once('-')?;
    // Not every script has capitals.
    let is_code = !letters.is_empty()
        && letters.chars().all(|ch| ch == '-' || (ch.is_alphabetic() && !ch.is_lowercase()))
        && digits.bytes().next().is_some_and(|byte| byte.is_ascii_digit());
    let rest = inner[end..].trim_start_matches(['*', ':', ' ']);
    let is_named = inner[end..].starts_with(['*', ':']);
    (is_code && is_named && !rest.is_empty()).then(|| (code.to_owned(), rest.to_owned()))
}

fn text_of(lines: &[Line<'_>]) -> String {
    let lines: Vec<Line<'_>> = lines.iter().copied().filter(|(_, line)| !is_rule(line)).collect();
    joined(&lines)
}

fn tasks(bundle: &mut Bundle, item: &mut Item, file: &SourceFile) -> Vec<Step> {
    let (text, comments) = without_comments(&file.text);
    for (line, comment) in comments {
        bundle.leave_out(&file.path, line, &comment, "a comment");
    }
    let body = without_front(&text);
    let list = checklist::read(&body);
    for (title, line, text) in &list.prose {
        bundle.keep_prose(&item.key, &file.path, *line, title, text);
    }
    let notes = list.notes();
    if !notes.is_empty() {
        item.files.push(Document {
            from: file.path.clone(),
            to: "task-notes.md".to_owned(),
            text: notes + "\n",
        });
    }
    let mut steps: Vec<Step> = list.tasks.iter().map(|task| step(task, &list)).collect();
    super::phases::add_dependencies(&list, &mut steps);
    steps
}

/// A text with its front matter blanked; lines keep their numbers.
fn without_front(text: &str) -> String {
    if !text.starts_with("---\n") {
        return text.to_owned();
    }
    let Some(end) = text[4..].find("\n---\n") else { return text.to_owned() };
    let head = &text[..end + 9];
    // Its lines stay as prose.
    let kept: String = head
        .lines()
        .map(|line| if line.starts_with("---") { "\n".to_owned() } else { format!("{line}\n") })
        .collect();
    kept + &text[head.len()..]
}

/// `T001 [P] [US1] Description`.
fn step(task: &checklist::Task<'_>, list: &Checklist<'_>) -> Step {
    let mut rest = task.text;
    let mut number = String::new();
    let end = rest.bytes().take_while(u8::is_ascii_alphanumeric).count();
    if rest.starts_with('T') && end > 1 && rest.as_bytes()[1].is_ascii_digit() {
        rest[..end].clone_into(&mut number);
        rest = rest[end..].trim_start_matches(['.', ':', ' ']);
    }
    let mut flags = Vec::new();
    while let Some((flag, after)) = rest.strip_prefix('[').and_then(|inner| inner.split_once(']')) {
        let is_flag =
            flag == "P" || flag.strip_prefix("US").is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit()));
        if !is_flag {
            break;
        }
        flags.push(flag);
        rest = after.trim_start();
    }
    let group = &list.groups[task.group];
    let mut description = task.description();
    let stories: Vec<&str> = flags.iter().copied().filter(|flag| *flag != "P").collect();
    if !stories.is_empty() {
        let whole = format!("- **Story:** {}\n\n{description}", stories.join(", "));
        whole.trim_end().clone_into(&mut description);
    }
    if flags.contains(&"P") {
        description =
            if description.is_empty() { PARALLEL.to_owned() } else { format!("{PARALLEL}\n\n{description}") };
    }
    let place = if group.title == group.phase {
        group.title.clone()
    } else {
        format!("{}: {}", group.phase, group.title)
    };
    Step {
        number,
        title: rest.to_owned(),
        description: phase(&place, &description),
        status: task.status(),
        proves: stories.iter().map(|story| (*story).to_owned()).collect(),
        ..Step::default()
    }
}

pub(super) const PARALLEL: &str = "- **Parallel:** yes [P]";
