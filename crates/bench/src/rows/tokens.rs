//! What an agent's journey costs: the tools it is offered and the replies it gets, as a model reads them.
//!
//! Three recorded journeys are replayed against the real server, each in a workspace of its own. The control is
//! Backlog.md's MCP server on the task of the first one, where it is installed.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use serde_json::{Value, json};

use super::Outcome;
use crate::client::Client;
use crate::programs::Programs;
use crate::report::{Report, complain};

const JOURNEYS: &str = include_str!("../../journeys/journeys.json");
const GOAL: &str = "≤ 28 KB";

/// A journey as it was recorded.
#[derive(Debug, Deserialize)]
struct Journey {
    name: String,
    /// The workspace, by path.
    files: BTreeMap<String, String>,
    /// Tools and arguments. A text `${name}` stands for what a reply before it had under that name.
    calls: Vec<(String, Value)>,
}

pub(crate) fn tokens(programs: &Programs, report: &mut Report) -> Outcome {
    let journeys: Vec<Journey> = serde_json::from_str(JOURNEYS)?;
    for (index, journey) in journeys.iter().enumerate() {
        let folder = tempfile::tempdir()?;
        for (path, text) in &journey.files {
            let path = folder.path().join(path);
            fs_err::create_dir_all(path.parent().ok_or("a file has a folder")?)?;
            fs_err::write(path, text)?;
        }
        let mut client = Client::start(&programs.hewto, &["serve"], folder.path())?;
        let mut bytes = offered(&mut client)?;
        let mut replies = Vec::new();
        for (tool, arguments) in &journey.calls {
            client.call(tool, &filled_in(arguments, &replies))?;
            bytes += read_of(client.answer());
            replies
                .push(serde_json::from_str::<Value>(client.answer())?["result"]["structuredContent"].take());
        }
        let control = if index == 0 { backlog() } else { None };
        let control = control.map(|bytes| (kilobytes(bytes), "Backlog.md's MCP server"));
        report.add(&format!("tokens: {}", journey.name), kilobytes(bytes), control, "KB", GOAL);
    }
    Ok(())
}

/// Arguments with what replies said in the place of names; the latest reply counts.
fn filled_in(arguments: &Value, replies: &[Value]) -> Value {
    match arguments {
        Value::String(text) => {
            let name = text.strip_prefix("${").and_then(|rest| rest.strip_suffix('}'));
            let said = name.and_then(|name| replies.iter().rev().find_map(|reply| said_in(reply, name)));
            said.unwrap_or_else(|| arguments.clone())
        }
        Value::Object(object) => {
            object.iter().map(|(key, value)| (key.clone(), filled_in(value, replies))).collect()
        }
        Value::Array(items) => items.iter().map(|item| filled_in(item, replies)).collect(),
        other => other.clone(),
    }
}

fn said_in(reply: &Value, name: &str) -> Option<Value> {
    let inside = || {
        reply.as_array().into_iter().flatten().chain(reply.as_object().into_iter().flat_map(|o| o.values()))
    };
    reply
        .get(name)
        .filter(|value| value.is_string())
        .cloned()
        .or_else(|| inside().find_map(|one| said_in(one, name)))
}

fn kilobytes(bytes: usize) -> f64 {
    bytes as f64 / 1024.0
}

/// What a model reads of the tools.
fn offered(client: &mut Client) -> Result<usize, Box<dyn std::error::Error>> {
    client.request("tools/list", &json!({}))?;
    let answer: Value = serde_json::from_str(client.answer())?;
    let tools = answer["result"]["tools"].as_array().cloned().unwrap_or_default();
    let read = |tool: &Value| {
        json!({ "name": tool["name"], "description": tool["description"], "inputSchema": tool["inputSchema"] })
            .to_string()
            .len()
    };
    Ok(tools.iter().map(read).sum())
}

/// What a model reads of a reply: its text, which says the same as its structured content.
fn read_of(line: &str) -> usize {
    let answer: Value = serde_json::from_str(line).unwrap_or_default();
    let blocks = answer["result"]["content"].as_array().cloned().unwrap_or_default();
    blocks.iter().filter_map(|block| block["text"].as_str()).map(str::len).sum()
}

/// The same task with Backlog.md: a task with its plan, worked on and finished.
fn backlog() -> Option<usize> {
    let folder = tempfile::tempdir().ok()?;
    let run = |program: &str, arguments: &[&str]| {
        let mut command = std::process::Command::new(program);
        let command = command.args(arguments).current_dir(folder.path()).stdin(std::process::Stdio::null());
        command.output().is_ok_and(|output| output.status.success())
    };
    // Outside a repository it would ask.
    if !run("git", &["init", "-q"]) || !run("backlog", &["init", "shop", "--defaults"]) {
        complain("no `backlog` on the path: the journey has no control");
        return None;
    }
    let mut client = Client::start(Path::new("backlog"), &["mcp", "start"], folder.path()).ok()?;
    let mut bytes = offered(&mut client).ok()?;
    let calls = [
        ("task_list", json!({})),
        (
            "task_create",
            json!({ "title": "Add rate limiting", "description": "One client can flood the interface.", "acceptanceCriteria": ["the 101st call of a key in a minute is refused with 429"] }),
        ),
        (
            "task_edit",
            json!({ "id": "task-1", "status": "In Progress", "planSet": "1. Count the calls of a key\n2. Refuse what is too much" }),
        ),
        ("task_view", json!({ "id": "task-1" })),
        ("task_edit", json!({ "id": "task-1", "status": "Done", "notesSet": "Counts calls for each key." })),
    ];
    for (tool, arguments) in calls {
        client.call(tool, &arguments).ok()?;
        bytes += read_of(client.answer());
    }
    Some(bytes)
}
