//! spec-workflow-mcp: `.spec-workflow/specs/<name>/`, `approvals/`, `steering/`, `archive/` and implementation logs.
//!
//! Approvals of that tool never open a gate here: they become records that say where they are from. What a log says was
//! done is evidence that somebody reported, and nothing more.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::Value;

use super::kiro::{feature, standard};
use super::model::{Bundle, Document, Item, SourceFile};
use super::{ids, json_fault, quoted};
use crate::lifecycle::Lifecycle;

const ROOT: &str = ".spec-workflow/";
const LOGS: &str = "Implementation Logs/";

pub(super) fn wants(path: &str) -> bool {
    ["specs/", "approvals/", "steering/", "archive/specs/"]
        .iter()
        .any(|folder| path.strip_prefix(ROOT).is_some_and(|below| below.starts_with(folder)))
        && !path.ends_with("/metadata.json")
}

pub(super) fn read(files: &[SourceFile]) -> Bundle {
    let mut bundle = Bundle::default();
    let mut specs: BTreeMap<(bool, &str), Vec<&SourceFile>> = BTreeMap::new();
    let mut approvals: Vec<(&str, &SourceFile)> = Vec::new();
    for file in files {
        let Some(below) = file.path.strip_prefix(ROOT) else { continue };
        let (below, archived) = match below.strip_prefix("archive/") {
            Some(rest) => (rest, true),
            None => (below, false),
        };
        match below.split_once('/') {
            Some(("specs", rest)) if rest.contains('/') => {
                specs.entry((archived, rest.split('/').next().unwrap_or(rest))).or_default().push(file);
            }
            Some(("approvals", rest)) if rest.ends_with(".json") => approvals.push((rest, file)),
            Some(("steering", rest)) => standard(&mut bundle, file, rest),
            _ => bundle.leave_out(&file.path, 1, "", "not a file of a spec"),
        }
    }
    for ((archived, name), files) in specs {
        let folder = if archived { "archive/specs" } else { "specs" };
        let key = format!("{ROOT}{folder}/{name}");
        let logs = format!("{key}/{LOGS}");
        let (logs, own): (Vec<&SourceFile>, Vec<&SourceFile>) = files
            .into_iter()
            .partition(|file| file.path.starts_with(&logs) || file.name() == "implementation-log.json");
        let mut item = feature(&mut bundle, &key, name, &own);
        for log in logs {
            evidence(&mut bundle, &mut item, log);
        }
        if archived {
            item.state = Some((Lifecycle::Archived, "archived".to_owned()));
        }
        bundle.items.push(item);
    }
    for (below, file) in approvals {
        approval(&mut bundle, below, file);
    }
    bundle
}

/// What somebody said they did.
fn evidence(bundle: &mut Bundle, item: &mut Item, file: &SourceFile) {
    let name = ids::plain(file.name().trim_end_matches(".md").trim_end_matches(".json"));
    let is_json = file.path.ends_with(".json");
    let body =
        if is_json { format!("```json\n{}\n```", file.text.trim()) } else { file.text.trim().to_owned() };
    let summary =
        file.text.lines().find_map(|line| line.split_once("**Summary:**")).map(|(_, text)| text.trim());
    let task =
        file.text.lines().find_map(|line| line.strip_prefix("# Implementation Log: Task ")).map(str::trim);
    if let (Some(task), Some(plan)) = (task, item.plan.as_mut())
        && let Some(step) = plan.steps.iter_mut().find(|step| step.number == task)
        && let Some(summary) = summary.filter(|text| !text.is_empty())
    {
        if !step.notes.is_empty() {
            step.notes.push('\n');
        }
        let _ = write!(step.notes, "Reported in spec-workflow: {summary}");
    }
    bundle.keep_file(&item.key, &file.path);
    let text = format!(
        "---\nimported: true\nkind: evidence\nstatus: reported\nimported_from: {}\n---\n\n{body}\n",
        quoted(&file.path)
    );
    item.files.push(Document { from: file.path.clone(), to: format!("imported/evidence-{name}.md"), text });
}

/// A verdict of the other tool's dashboard.
fn approval(bundle: &mut Bundle, below: &str, file: &SourceFile) {
    let value: Value = match serde_json::from_str(&file.text) {
        Ok(value) => value,
        Err(error) => return bundle.fault(&file.path, Some(error.line()), json_fault(&error)),
    };
    if file.path.contains("/.snapshots/") && value["trigger"] == "initial" {
        return bundle.leave_out(
            &file.path,
            1,
            "",
            "an earlier version of a document, before anybody decided",
        );
    }
    let category = value["categoryName"].as_str().or_else(|| below.split_once('/').map(|(name, _)| name));
    let key = |archived: &str| format!("{ROOT}{archived}specs/{}", category.unwrap_or_default());
    let Some(at) = bundle.items.iter().position(|item| item.key == key("") || item.key == key("archive/"))
    else {
        return bundle.leave_out(&file.path, 1, &file.text, "an approval of a spec that is not here");
    };
    let said = |key: &str| value[key].as_str().unwrap_or_default();
    let mut text = String::from("---\nimported: true\nkind: approval\ncounts_at_gates: false\n");
    // A snapshot was taken before its verdict was written down: what it was taken for says more than its status.
    let is_snapshot = !said("trigger").is_empty();
    for (name, value) in [
        ("verdict", if is_snapshot { "" } else { said("status") }),
        ("taken_for", said("trigger")),
        ("document", said("filePath")),
        ("requested_at", said("createdAt")),
        ("decided_at", said("respondedAt")),
        ("snapshot_at", said("timestamp")),
        ("approval", said("approvalId")),
        ("imported_from", &file.path),
    ] {
        if !value.is_empty() {
            let _ = writeln!(text, "{name}: {}", quoted(value));
        }
    }
    let title = if said("title").is_empty() { said("approvalTitle") } else { said("title") };
    let _ = write!(text, "---\n\n# {title}\n\n");
    for part in ["response", "annotations"] {
        if !said(part).is_empty() {
            let _ = write!(text, "{}\n\n", said(part));
        }
    }
    for comment in value["comments"].as_array().into_iter().flatten() {
        let quoted = comment["selectedText"].as_str().unwrap_or_default();
        let _ = writeln!(
            text,
            "- {}: {}",
            quoted.replace('\n', " "),
            comment["comment"].as_str().unwrap_or_default()
        );
    }
    if !said("content").is_empty() {
        // The document as it was shown: longer fences than any inside.
        let _ = write!(text, "\nWhat was shown:\n\n`````markdown\n{}\n`````\n", said("content").trim_end());
    }
    let document =
        below.split_once(".snapshots/").and_then(|(_, rest)| rest.split('/').next()).unwrap_or_default();
    let name = ids::plain(
        &format!("{document}-{}", file.name().trim_end_matches(".json"))
            .trim_start_matches('-')
            .replace(".md", ""),
    );
    let item = &mut bundle.items[at];
    item.files.push(Document { from: file.path.clone(), to: format!("imported/approval-{name}.md"), text });
    let key = item.key.clone();
    bundle.keep_file(&key, &file.path);
}
