//! Kiro: `.kiro/specs/<name>/{requirements,design,tasks}.md` and `.kiro/steering/*.md`.

use std::collections::BTreeMap;

use super::model::{Bundle, Document, Item, ItemPlan, SourceFile, SpecText};
use super::{checklist, ids, progress, stories};
use crate::import::scan::without_comments;

const ROOT: &str = ".kiro/";

pub(super) fn wants(path: &str) -> bool {
    path.starts_with(".kiro/specs/") || path.starts_with(".kiro/steering/")
}

pub(super) fn read(files: &[SourceFile]) -> Bundle {
    let mut bundle = Bundle::default();
    let mut specs: BTreeMap<&str, Vec<&SourceFile>> = BTreeMap::new();
    for file in files {
        let Some(below) = file.path.strip_prefix(ROOT) else { continue };
        match below.split_once('/') {
            Some(("specs", rest)) if rest.contains('/') => {
                specs.entry(rest.split('/').next().unwrap_or(rest)).or_default().push(file);
            }
            Some(("steering", rest)) => standard(&mut bundle, file, rest),
            _ => bundle.leave_out(&file.path, 1, "", "not a file of a spec"),
        }
    }
    for (name, files) in specs {
        let item = feature(&mut bundle, &format!(".kiro/specs/{name}"), name, &files);
        bundle.items.push(item);
    }
    bundle
}

/// A document that binds everybody: it stays whole.
pub(super) fn standard(bundle: &mut Bundle, file: &SourceFile, name: &str) {
    bundle.keep_file("", &file.path);
    bundle.documents.push(Document {
        from: file.path.clone(),
        to: format!("standards/{name}"),
        text: file.text.clone(),
    });
}

/// A folder with requirements, design and tasks.
pub(super) fn feature(bundle: &mut Bundle, key: &str, name: &str, files: &[&SourceFile]) -> Item {
    let mut item = Item {
        key: key.to_owned(),
        id: ids::plain(name),
        title: ids::in_words(name),
        state: Some(progress(&[])),
        ..Item::default()
    };
    for file in files {
        let below =
            file.path.strip_prefix(key).map_or(file.path.as_str(), |rest| rest.trim_start_matches('/'));
        match below {
            "requirements.md" => {
                let (title, parts) = stories::read(bundle, &item.key, file);
                item.title = title.filter(|title| !is_generic(title)).unwrap_or_else(|| ids::in_words(name));
                item.text = SpecText::Parts(parts);
            }
            "tasks.md" => tasks(bundle, &mut item, file),
            _ => keep_beside(bundle, &mut item, file, below),
        }
    }
    item
}

/// `Requirements Document` says nothing of the feature.
fn is_generic(title: &str) -> bool {
    let folded = title.to_lowercase();
    matches!(folded.as_str(), "requirements document" | "requirements" | "requirement document")
}

pub(super) fn keep_beside(bundle: &mut Bundle, item: &mut Item, file: &SourceFile, below: &str) {
    bundle.keep_file(&item.key, &file.path);
    item.files.push(Document { from: file.path.clone(), to: ids::beside(below), text: file.text.clone() });
}

fn tasks(bundle: &mut Bundle, item: &mut Item, file: &SourceFile) {
    let (text, comments) = without_comments(&file.text);
    for (line, comment) in comments {
        bundle.leave_out(&file.path, line, &comment, "a comment");
    }
    let list = checklist::read(&text);
    for (title, line, text) in &list.prose {
        bundle.keep_prose(&item.key, &file.path, *line, title, text);
    }
    let notes = list.notes();
    let steps: Vec<_> = list
        .tasks
        .iter()
        .map(|task| {
            let mut step = checklist::numbered_step(task);
            let group = &list.groups[task.group];
            if !group.title.is_empty() && group.title != list.title {
                step.description = phase(&group.title, &step.description);
            }
            step
        })
        .collect();
    item.state = Some(progress(&steps));
    item.plan = Some(ItemPlan { approach: String::new(), steps });
    if !notes.is_empty() {
        item.files.push(Document {
            from: file.path.clone(),
            to: "task-notes.md".to_owned(),
            text: notes + "\n",
        });
    }
}

/// A description that names the group of its step first.
pub(super) fn phase(title: &str, description: &str) -> String {
    let line = format!("- **Phase:** {title}");
    if description.is_empty() { line } else { format!("{line}\n\n{description}") }
}
