//! Task Master: `tasks.json`, with tags or without, and the documents it was made from.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use super::model::{Bundle, Document, Item, ItemPlan, Parts, SourceFile, SpecText, Step};
use super::{backlog, ids, json_fault, quoted};
use crate::lifecycle::Lifecycle;
use crate::plan::StepStatus;

const FILES: [&str; 3] = [".taskmaster/tasks/tasks.json", "tasks/tasks.json", "tasks.json"];
/// Keys that have a place of their own.
const PLACED: [&str; 8] =
    ["id", "title", "description", "status", "dependencies", "details", "testStrategy", "subtasks"];

pub(super) fn wants(path: &str) -> bool {
    FILES.contains(&path) || path.starts_with(".taskmaster/docs/")
}

pub(super) fn read(files: &[SourceFile]) -> Bundle {
    let mut bundle = Bundle::default();
    // Older projects keep a copy in the old place.
    let tasks = FILES.iter().find_map(|path| files.iter().find(|file| file.path == *path));
    for file in files {
        if Some(file) == tasks {
            list(&mut bundle, file);
        } else if FILES.contains(&file.path.as_str()) {
            bundle.leave_out(&file.path, 1, "", "an older copy of the tasks");
        } else {
            bundle.keep_file("", &file.path);
            let below = file.path.trim_start_matches(".taskmaster/docs/");
            let to = format!("imported/task-master/{below}");
            bundle.documents.push(Document { from: file.path.clone(), to, text: file.text.clone() });
        }
    }
    bundle
}

fn list(bundle: &mut Bundle, file: &SourceFile) {
    let value: Value = match serde_json::from_str(file.text.trim_start_matches('\u{feff}')) {
        Ok(value) => value,
        Err(error) => return bundle.fault(&file.path, Some(error.line()), json_fault(&error)),
    };
    let Some(object) = value.as_object() else {
        return bundle.fault(&file.path, Some(1), "it is not an object with tasks");
    };
    if object.get("tasks").is_some_and(Value::is_array) {
        return tag(bundle, file, "master", object);
    }
    for (name, value) in object {
        if let Some(inner) = value.as_object().filter(|inner| inner.get("tasks").is_some_and(Value::is_array))
        {
            tag(bundle, file, name, inner);
        } else {
            let line = Cursor::new(&file.text).find(&quoted(name));
            bundle.leave_out(&file.path, line, &format!("{name}: {value}"), "no list of tasks");
        }
    }
}

fn tag(bundle: &mut Bundle, file: &SourceFile, name: &str, object: &Map<String, Value>) {
    let mut cursor = Cursor::new(&file.text);
    cursor.go(&quoted(name));
    for (key, value) in object.iter().filter(|(key, _)| *key != "tasks") {
        let line = cursor.find(&quoted(key));
        bundle.leave_out(&file.path, line, &format!("{name}: {key}: {value}"), "settings of the tag");
        bundle.of(name);
    }
    let first = bundle.items.len();
    let mut lines = std::collections::HashMap::new();
    let mut seen = std::collections::HashSet::new();
    for task in object["tasks"].as_array().into_iter().flatten() {
        let Some(task) = task.as_object() else {
            bundle.leave_out(&file.path, cursor.find(&task.to_string()), &task.to_string(), "no task");
            continue;
        };
        let id = scalar(task.get("id"));
        if let Some(title) = task.get("title") {
            cursor.go(&title.to_string());
        }
        if id.is_empty() || !seen.insert(id.clone()) {
            let why = if id.is_empty() {
                "a task without an id".to_owned()
            } else {
                format!("another task of `{name}` has the id {id} too")
            };
            let line = cursor.line;
            bundle.fault(&file.path, Some(line), format!("{why}: {}", scalar(task.get("title"))));
            bundle.of(&id);
            bundle.saying(&Value::Object(task.clone()).to_string());
            continue;
        }
        let item = item(bundle, (file, &cursor), name, &id, task);
        lines.insert(item.key.clone(), cursor.line);
        bundle.items.push(item);
    }
    let known: std::collections::HashSet<String> =
        bundle.items[first..].iter().map(|item| item.key.clone()).collect();
    let mut unknown = Vec::new();
    for item in &mut bundle.items[first..] {
        item.depends_on.retain(|key| {
            let is_known = known.contains(key) && *key != item.key;
            if !is_known {
                unknown.push((item.alias.clone(), item.key.clone(), key.clone()));
            }
            is_known
        });
    }
    for (alias, own, key) in unknown {
        let line = lines.get(&own).copied().unwrap_or(1);
        let text = format!("{own} depends on {key}");
        bundle.leave_out(&file.path, line, &text, "a dependency on a task that is not here");
        bundle.of(alias.as_deref().unwrap_or(&own));
    }
}

/// How far the text of the file has been followed; the parsed values have no places of their own.
struct Cursor<'t> {
    text: &'t str,
    at: usize,
    line: usize,
}

impl<'t> Cursor<'t> {
    /// So far ahead something is looked for.
    const WINDOW: usize = 1 << 16;

    fn new(text: &'t str) -> Self {
        Self { text, at: 0, line: 1 }
    }

    /// Goes to the next place where this stands, if it is near.
    fn go(&mut self, wanted: &str) {
        if let Some((at, line)) = self.ahead(wanted) {
            (self.at, self.line) = (at, line);
        }
    }

    /// The line on which this stands next, else where one is.
    fn find(&self, wanted: &str) -> usize {
        self.ahead(wanted).map_or(self.line, |(_, line)| line)
    }

    fn ahead(&self, wanted: &str) -> Option<(usize, usize)> {
        let mut end = (self.at + Self::WINDOW).min(self.text.len());
        while !self.text.is_char_boundary(end) {
            end -= 1;
        }
        let near = &self.text[self.at..end];
        let found = near.find(wanted).filter(|_| !wanted.is_empty())?;
        Some((self.at + found, self.line + near[..found].matches('\n').count()))
    }
}

fn key(tag: &str, id: &str) -> String {
    format!("{tag} {id}")
}

fn item(
    bundle: &mut Bundle,
    (file, cursor): (&SourceFile, &Cursor<'_>),
    tag: &str,
    id: &str,
    task: &Map<String, Value>,
) -> Item {
    let name = if tag == "master" { format!("task-{id}") } else { format!("{tag}-task-{id}") };
    let own = key(tag, id);
    let mut parts = Parts { purpose: scalar(task.get("description")), ..Parts::default() };
    let steps: Vec<Step> = subtasks(task).map(step).collect();
    let details = scalar(task.get("details"));
    let mut plan = ItemPlan { approach: String::new(), steps };
    if plan.steps.is_empty() {
        if !details.is_empty() {
            bundle.keep_prose(&own, &file.path, cursor.find("\"details\""), "details", &details);
            parts.sections.push(("Details".to_owned(), details));
        }
    } else {
        plan.approach = details;
    }
    let strategy = scalar(task.get("testStrategy"));
    if !strategy.is_empty() {
        parts.sections.push(("Test strategy".to_owned(), strategy));
    }
    let mut metadata = metadata(task);
    for odd in list_of(task.get("subtasks")).filter(|one| !one.is_object()) {
        let _ = writeln!(metadata, "- subtask: {odd}");
    }
    if !scalar(task.get("status")).is_empty() {
        let _ = writeln!(metadata, "- status: {}", scalar(task.get("status")));
    }
    if tag != "master" {
        let _ = writeln!(metadata, "- tag: {tag}");
    }
    if !metadata.is_empty() {
        parts.sections.push(("Metadata".to_owned(), metadata));
    }
    Item {
        key: own,
        id: ids::plain(&name),
        alias: Some(if tag == "master" { id.to_owned() } else { format!("{tag}:{id}") }),
        title: scalar(task.get("title")),
        text: SpecText::Parts(parts),
        depends_on: list_of(task.get("dependencies"))
            .map(|one| scalar(Some(one)))
            // A dependency on a subtask is one on its task.
            .map(|id| key(tag, id.split('.').next().unwrap_or(&id)))
            .collect(),
        plan: Some(plan).filter(|plan| !plan.steps.is_empty()),
        state: Some(state(&scalar(task.get("status")))),
        files: Vec::new(),
    }
}

fn step(task: &Map<String, Value>) -> Step {
    let mut description = scalar(task.get("description"));
    for (label, key) in [("", "details"), ("**Test strategy:** ", "testStrategy")] {
        let text = scalar(task.get(key));
        if !text.is_empty() {
            super::stories::join(&mut description, &format!("{label}{text}"));
        }
    }
    let mut more = metadata(task);
    for below in subtasks(task) {
        // The tool has one level of them; what somebody wrote deeper stays in words.
        let _ = writeln!(more, "- subtask: {}", Value::Object(below.clone()));
    }
    if !more.is_empty() {
        super::stories::join(&mut description, more.trim_end());
    }
    let status = scalar(task.get("status"));
    if !matches!(status.as_str(), "" | "pending" | "done" | "in-progress") {
        super::stories::join(&mut description, &format!("- status: {status}"));
    }
    Step {
        number: scalar(task.get("id")),
        title: scalar(task.get("title")),
        description,
        status: match status.as_str() {
            "done" | "completed" => StepStatus::Completed,
            "in-progress" | "review" => StepStatus::InProgress,
            "cancelled" | "deferred" => StepStatus::Skipped,
            _ => StepStatus::Pending,
        },
        depends_on: list_of(task.get("dependencies")).map(|one| scalar(Some(one))).collect(),
        ..Step::default()
    }
}

fn state(status: &str) -> (Lifecycle, String) {
    match status {
        "deferred" => (Lifecycle::Cancelled, status.to_owned()),
        other => backlog::state(other, ""),
    }
}

/// What has no place of its own, one line each.
fn metadata(task: &Map<String, Value>) -> String {
    let mut out = String::new();
    for (key, value) in task.iter().filter(|(key, value)| !is_placed(key, value)) {
        let value = scalar(Some(value));
        if !value.is_empty() {
            let _ = writeln!(out, "- {key}: {}", value.replace('\n', " "));
        }
    }
    out
}

/// Whether a value has a place of its own; a list that is none has not.
fn is_placed(key: &str, value: &Value) -> bool {
    PLACED.contains(&key) && (value.is_array() || !matches!(key, "dependencies" | "subtasks"))
}

fn subtasks(task: &Map<String, Value>) -> impl Iterator<Item = &Map<String, Value>> {
    list_of(task.get("subtasks")).filter_map(Value::as_object)
}

fn list_of(value: Option<&Value>) -> impl Iterator<Item = &Value> {
    value.and_then(Value::as_array).into_iter().flatten()
}

fn scalar(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.trim().to_owned(),
        Some(Value::Array(list)) if list.is_empty() => String::new(),
        Some(other) => other.to_string(),
    }
}
