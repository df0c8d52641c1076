//! Backlog.md: `backlog/{tasks,completed,drafts,archive,decisions,docs,milestones}/*.md`.

use std::fmt::Write as _;

use super::adr;
use super::checklist::list_items;
use super::clauses::scenario;
use super::front::{self, Front};
use super::ids;
use super::model::{Bundle, Document, Item, ItemPlan, Parts, Requirement, SourceFile, SpecText, Step};
use super::scan::{Sect, checkbox, sections, short, without_comments};
use crate::lifecycle::Lifecycle;
use crate::plan::StepStatus;

/// Begins the name of a task: it keeps it when its file is renamed.
pub(super) const TASK: &str = "task ";

const ROOTS: [&str; 2] = ["backlog/", ".backlog/"];
/// Keys that have a place of their own.
const PLACED: [&str; 4] = ["id", "title", "status", "dependencies"];

pub(super) fn wants(path: &str) -> bool {
    below(path).is_some_and(|below| {
        below.ends_with(".md") && !below.to_lowercase().ends_with("readme.md") || below == "config.yml"
    })
}

fn below(path: &str) -> Option<&str> {
    ROOTS.iter().find_map(|root| path.strip_prefix(root))
}

pub(super) fn read(files: &[SourceFile]) -> Bundle {
    let mut bundle = Bundle::default();
    // What is open keeps its id when an old task has the same.
    let mut files: Vec<&SourceFile> = files.iter().collect();
    files.sort_by_key(|file| (rank(&file.path), file.path.as_str()));
    for file in files {
        let Some(below) = below(&file.path) else { continue };
        let (folder, name) = below.rsplit_once('/').unwrap_or(("", below));
        match folder.split('/').next().unwrap_or_default() {
            "tasks" | "completed" | "drafts" => task(&mut bundle, file, folder),
            "archive" if folder != "archive/milestones" => task(&mut bundle, file, folder),
            "decisions" if front::never_ends(&file.text) => {
                bundle.fault(&file.path, Some(1), front::NEVER_ENDS);
            }
            "decisions" => {
                let decision = adr::with_front(&mut bundle, file, &number(name));
                bundle.decisions.push(decision);
            }
            "" => bundle.leave_out(&file.path, 1, "", "settings of the tool"),
            _ => {
                bundle.keep_file("", &file.path);
                let to = format!("imported/backlog/{below}");
                bundle.documents.push(Document { from: file.path.clone(), to, text: file.text.clone() });
            }
        }
    }
    settle_dependencies(&mut bundle);
    bundle
}

fn rank(path: &str) -> usize {
    let folder = below(path).and_then(|below| below.split('/').next()).unwrap_or_default();
    ["tasks", "completed", "drafts", "archive"].iter().position(|known| *known == folder).unwrap_or(4)
}

/// `decision-1 - Use-Tailwind` as `1`.
fn number(name: &str) -> String {
    let stem = name.split(" - ").next().unwrap_or(name).trim_end_matches(".md");
    stem.rsplit_once('-').map_or(stem, |(_, number)| number).to_owned()
}

fn task(bundle: &mut Bundle, file: &SourceFile, folder: &str) {
    if front::never_ends(&file.text) {
        return bundle.fault(&file.path, Some(1), front::NEVER_ENDS);
    }
    let front = front::read(&file.text);
    let own = front.first("id");
    let id = if own.is_empty() { file.name().split(" - ").next().unwrap_or_default() } else { own };
    if id.is_empty() {
        return bundle.fault(&file.path, Some(1), "it has no `id`");
    }
    let title = match front.first("title") {
        "" => file.name().trim_end_matches(".md"),
        title => title,
    };
    let mut item = Item {
        key: format!("{TASK}{}", id.to_lowercase()),
        id: ids::plain(&id.to_lowercase()),
        alias: Some(id.to_owned()),
        title: title.to_owned(),
        depends_on: front.all("dependencies").to_vec(),
        state: Some(state(front.first("status"), folder)),
        ..Item::default()
    };
    let is_twin = |other: &&Item| other.alias.as_deref().is_some_and(|known| known.eq_ignore_ascii_case(id));
    let twins = bundle.items.iter().filter(is_twin).count();
    if twins > 0 {
        item.key.clone_from(&file.path);
        item.id = format!("{}-{}", item.id, twins + 1);
        bundle.keep_prose(
            &item.key,
            &file.path,
            1,
            &format!("another task has the id `{id}` too; this one is `{}` here", item.id),
            title,
        );
    }
    let is_done = matches!(item.state, Some((Lifecycle::Done | Lifecycle::Archived, _)));
    let (text, comments) = without_comments(&file.text[front.body_start..]);
    for (line, comment) in comments.into_iter().filter(|(_, comment)| !is_marker(comment)) {
        bundle.leave_out(&file.path, line + front.body_line - 1, &comment, "a comment");
    }
    let mut parts = Parts::default();
    let mut plan = ItemPlan::default();
    let mut done_steps = Vec::new();
    let mut placed = super::stories::Sections::default();
    for section in sections(&text, front.body_line) {
        placed.pass(&section);
        let title = section.title.trim_end_matches(" (Optional)");
        match (section.level, title.to_lowercase().as_str()) {
            (0, _) => parts.purpose = section.text(),
            (2, "description") => super::stories::join(&mut parts.purpose, &section.text()),
            (2, "acceptance criteria") => criteria(bundle, &mut parts, &mut plan, &item, file, &section),
            (2, "definition of done") => {
                done_steps.extend(boxes(&section, "DOD").0);
                keep_rest(bundle, &mut parts, &item, file, &section);
            }
            (2, "implementation plan") => implementation(&mut plan, &section, is_done),
            (level, _) if level > 2 && parts.sections.is_empty() && !plan.approach.is_empty() => {
                let _ = write!(plan.approach, "\n\n**{}**\n\n{}", section.title, section.text());
            }
            _ => {
                bundle.keep_prose(&item.key, &file.path, section.line, section.title, &section.text());
                placed.add(&mut parts, &section, &section.text());
            }
        }
    }
    plan.steps.extend(done_steps);
    if let Some(metadata) = metadata(&front) {
        bundle.keep_prose(&item.key, &file.path, 1, "front matter", &metadata);
        parts.sections.push(("Metadata".to_owned(), metadata));
    }
    item.text = SpecText::Parts(parts);
    item.plan = Some(plan).filter(|plan| !plan.steps.is_empty() || !plan.approach.trim().is_empty());
    bundle.items.push(item);
}

/// `SECTION:DESCRIPTION:BEGIN` and the like.
fn is_marker(comment: &str) -> bool {
    comment.lines().all(|line| {
        let line = line.trim();
        line.ends_with(":BEGIN") || line.ends_with(":END")
    })
}

pub(super) fn state(status: &str, folder: &str) -> (Lifecycle, String) {
    let folded = status.to_lowercase();
    let state = match folded.as_str() {
        _ if folder.starts_with("archive") => Lifecycle::Archived,
        _ if folder.starts_with("drafts") => Lifecycle::Draft,
        "done" | "completed" | "complete" | "closed" | "merged" => Lifecycle::Done,
        "in progress" | "in-progress" | "doing" | "review" | "in review" | "started" | "testing" => {
            Lifecycle::Active
        }
        "blocked" => Lifecycle::Blocked,
        "cancelled" | "canceled" | "wontfix" | "won't do" => Lifecycle::Cancelled,
        _ => Lifecycle::Draft,
    };
    (state, status.to_owned())
}

/// The checkboxes of a section as steps with `#1` behind a prefix, and the lines that are none.
fn boxes(section: &Sect<'_>, prefix: &str) -> (Vec<Step>, Vec<String>) {
    let mut steps: Vec<Step> = Vec::new();
    let mut rest = Vec::new();
    for (_, line) in &section.body {
        match checkbox(line) {
            Some((_, mark, text)) => {
                let (own, text) = match text.strip_prefix('#').and_then(|rest| rest.split_once(' ')) {
                    Some((number, text)) if number.bytes().all(|byte| byte.is_ascii_digit()) => {
                        (number, text.trim())
                    }
                    _ => ("", text),
                };
                let position = (steps.len() + 1).to_string();
                let free = |id: &str| !steps.iter().any(|step| step.number == format!("{prefix}-{id}"));
                let number = if !own.is_empty() && free(own) { own } else { &position };
                steps.push(Step {
                    number: format!("{prefix}-{number}"),
                    title: text.to_owned(),
                    status: if matches!(mark, 'x' | 'X') {
                        StepStatus::Completed
                    } else {
                        StepStatus::Pending
                    },
                    ..Step::default()
                });
            }
            None if line.trim().is_empty() => {}
            None => rest.push((*line).to_owned()),
        }
    }
    (steps, rest)
}

/// Each criterion is a scenario, and a step that proves it.
fn criteria(
    bundle: &mut Bundle,
    parts: &mut Parts,
    plan: &mut ItemPlan,
    item: &Item,
    file: &SourceFile,
    section: &Sect<'_>,
) {
    let (steps, _) = boxes(section, "AC");
    let scenarios = steps.iter().map(|step| {
        let name = format!("{} {}", step.number, short(&step.title, 9));
        scenario(Some(step.number.clone()), name, &step.title)
    });
    if !steps.is_empty() {
        parts.requirements.push(Requirement {
            id: Some("AC".to_owned()),
            name: "Acceptance criteria".to_owned(),
            text: String::new(),
            scenarios: scenarios.collect(),
        });
    }
    plan.steps.extend(steps.into_iter().map(|step| Step { proves: vec![step.number.clone()], ..step }));
    keep_rest(bundle, parts, item, file, section);
}

fn keep_rest(bundle: &mut Bundle, parts: &mut Parts, item: &Item, file: &SourceFile, section: &Sect<'_>) {
    let (_, rest) = boxes(section, "");
    if !rest.is_empty() {
        let text = rest.join("\n");
        bundle.keep_prose(&item.key, &file.path, section.line, section.title, &text);
        parts.sections.push((section.title.to_owned(), text));
    }
}

/// The plan in words is the approach; its list, where it is nothing else, the steps.
fn implementation(plan: &mut ItemPlan, section: &Sect<'_>, is_done: bool) {
    let (items, rest) = list_items(&section.body);
    if rest.is_empty() && !items.is_empty() {
        let status = if is_done { StepStatus::Completed } else { StepStatus::Pending };
        let steps = items.into_iter().map(|(_, _, text)| {
            let (title, description) = text.split_once('\n').unwrap_or((&text, ""));
            Step { title: title.to_owned(), description: description.to_owned(), status, ..Step::default() }
        });
        let own: Vec<Step> = steps.collect();
        plan.steps.splice(0..0, own);
    } else {
        super::stories::join(&mut plan.approach, &section.text());
    }
}

fn metadata(front: &Front) -> Option<String> {
    let mut out = String::new();
    for (key, values) in
        front.entries.iter().filter(|(key, values)| !PLACED.contains(&key.as_str()) && !values.is_empty())
    {
        let _ = writeln!(out, "- {key}: {}", values.join(", "));
    }
    let status = front.first("status");
    if !status.is_empty() {
        let _ = writeln!(out, "- status: {status}");
    }
    Some(out).filter(|out| !out.is_empty())
}

/// Names of dependencies as keys; projects that changed their prefix still say `task-4`.
fn settle_dependencies(bundle: &mut Bundle) {
    let keys: std::collections::HashMap<String, String> = bundle
        .items
        .iter()
        .flat_map(|item| {
            let name = item.key.strip_prefix("task ").unwrap_or_default().to_owned();
            let number = name.split_once('-').map(|(_, number)| format!("#{number}"));
            std::iter::once(name)
                .filter(|name| !name.is_empty())
                .chain(number)
                .map(|name| (name, item.key.clone()))
        })
        .collect();
    let mut unknown = Vec::new();
    for item in &mut bundle.items {
        let own = item.key.clone();
        item.depends_on = std::mem::take(&mut item.depends_on)
            .into_iter()
            .filter_map(|name| {
                let folded = name.trim().to_lowercase();
                let number = folded.split_once('-').map_or(folded.as_str(), |(_, number)| number);
                let found = keys.get(&folded).or_else(|| keys.get(&format!("#{number}"))).cloned();
                if found.is_none() {
                    unknown.push((own.clone(), name));
                }
                found.filter(|key| *key != own)
            })
            .collect();
    }
    for (item, name) in unknown {
        bundle.leave_out(&item, 1, &name, "a dependency on a task that is not here");
    }
}
