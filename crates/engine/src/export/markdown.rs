//! One document to read, or a folder of them.

use std::fmt::Write as _;

use hewto_core::plan::StepStatus;
use hewto_store::SPEC_FILE;

use super::Shape;
use super::collect::{ChangeOut, Collected, StepOut};

pub(super) fn render(all: &Collected, shape: Shape) -> Vec<(String, String)> {
    match shape {
        Shape::One => vec![("hewto.md".to_owned(), whole(all))],
        Shape::Tree => tree(all),
    }
}

fn tree(all: &Collected) -> Vec<(String, String)> {
    let mut files = Vec::new();
    let mut index = format!("# {}\n\n{}\n\n## Specs\n\n", all.name, coverage(all));
    for spec in &all.specs {
        let _ = writeln!(
            index,
            "- [{}](specs/{}/spec.md): {} ({})",
            spec.id,
            spec.id,
            line(&spec.title),
            spec.state
        );
        files.extend(
            spec.files.iter().map(|(name, text)| (format!("specs/{}/{name}", spec.id), text.clone())),
        );
    }
    index.push_str("\n## Changes\n\n");
    for change in &all.changes {
        let folder = if change.archived { "changes/archive" } else { "changes" };
        let _ =
            writeln!(index, "- [{}]({folder}/{}/proposal.md): {}", change.id, change.id, line(&change.title));
        files.extend(
            change.files.iter().map(|(name, text)| (format!("{folder}/{}/{name}", change.id), text.clone())),
        );
    }
    index.push_str("\n## Decisions\n\n");
    for one in &all.decisions {
        let _ = writeln!(index, "- [{}](decisions/{}): {}", one.id, one.file, line(&one.title));
        files.push((format!("decisions/{}", one.file), one.text.clone()));
    }
    if !all.documents.is_empty() {
        index.push_str("\n## Documents\n\n");
    }
    for (path, text) in &all.documents {
        let _ = writeln!(index, "- [{path}]({path})");
        files.push((path.clone(), text.clone()));
    }
    files.insert(0, ("index.md".to_owned(), index));
    files
}

fn whole(all: &Collected) -> String {
    let mut out = format!("# {}\n\nExported {}. {}\n\n## Specs\n\n", all.name, all.at, coverage(all));
    for spec in &all.specs {
        let _ = write!(out, "### {}: {}\n\nState: {}\n\n", spec.id, line(&spec.title), spec.state);
        if !spec.depends_on.is_empty() {
            let _ = write!(out, "Depends on: {}\n\n", spec.depends_on.join(", "));
        }
        let text = spec.files.get(SPEC_FILE).map(String::as_str).unwrap_or_default();
        let _ = write!(out, "{}\n\n", lowered(without_front(text), 3));
        if !spec.steps.is_empty() {
            let _ = write!(out, "#### Plan\n\n{}\n\n", lowered(&spec.approach, 4));
            out.push_str(&steps(&spec.steps));
        }
    }
    out.push_str("## Changes\n\n");
    for one in &all.changes {
        out.push_str(&change(one));
    }
    out.push_str("## Decisions\n\n");
    for one in &all.decisions {
        let _ = write!(
            out,
            "### {}: {}\n\n{}\n\n",
            one.id,
            line(&one.title),
            lowered(without_head(&one.text), 3)
        );
    }
    if !all.documents.is_empty() {
        out.push_str("## Documents\n\n");
    }
    for (path, text) in &all.documents {
        let _ = write!(out, "### {path}\n\n{}\n\n", lowered(without_front(text), 3));
    }
    out.trim_end().to_owned() + "\n"
}

fn change(change: &ChangeOut) -> String {
    let archived = if change.archived { " (archived)" } else { "" };
    let mut out = format!("### {}: {}{archived}\n\n", change.id, line(&change.title));
    for (name, text) in change.files.iter().filter(|(name, _)| name.ends_with(".md")) {
        let _ = write!(out, "#### {name}\n\n{}\n\n", lowered(without_front(text), 4));
    }
    out
}

fn steps(all: &[StepOut]) -> String {
    let mut out = String::new();
    for step in all {
        let mark = if step.status == StepStatus::Completed { 'x' } else { ' ' };
        let _ = writeln!(out, "- [{mark}] {}", line(&step.title));
        for text in step.description.lines() {
            let _ = writeln!(out, "  {text}");
        }
    }
    out + "\n"
}

fn coverage(all: &Collected) -> String {
    all.coverage.as_ref().map(|view| view.summary.line.clone()).unwrap_or_default()
}

fn line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A text without the block between its first two `---`.
fn without_front(text: &str) -> &str {
    let Some(rest) = text.strip_prefix("---\n") else { return text };
    rest.find("\n---\n").map_or(text, |at| &rest[at + 5..])
}

/// A record without the comments at its top.
fn without_head(text: &str) -> &str {
    text.find("\n# ").map_or(text, |at| &text[at..])
}

/// Headings moved down, code left alone.
fn lowered(text: &str, by: usize) -> String {
    let mut is_code = false;
    let mut out = Vec::new();
    for line in text.trim().lines() {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        }
        let level = line.bytes().take_while(|byte| *byte == b'#').count();
        let is_heading = !is_code && (1..=6).contains(&level) && line[level..].starts_with(' ');
        out.push(if is_heading {
            format!("{}{}", "#".repeat((level + by).min(6)), &line[level..])
        } else {
            line.to_owned()
        });
    }
    out.join("\n")
}
