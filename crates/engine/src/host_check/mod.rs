//! What hosts refuse in an MCP server: names, schemas, sizes. Pure judgement of what a server has answered; starting it and
//! asking it is done by whoever may start programs.

mod schema;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// How much it matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Some host refuses the tool, or the whole server.
    Error,
    /// Some host does worse with it.
    Warning,
    Info,
}

/// One thing that a host would take amiss.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct HostFinding {
    pub level: Level,
    /// `name`, `schema`, `size`, `era`, `stdout`, `answer`
    pub rule: String,
    /// The tool or part that it is about; empty for the server as a whole
    pub subject: String,
    pub message: String,
}

/// Hosts put their own name and the server's before a tool's; what is longer together is cut or refused.
const MAX_NAME: usize = 64;
const PREFIX_OF_HOSTS: usize = "mcp__".len() + "__".len();
/// More than this no host takes.
const MOST_TOOLS: usize = 128;
/// More than this some hosts drop.
const MANY_TOOLS: usize = 40;
const MAX_DESCRIPTION: usize = 1024;
const MAX_INSTRUCTIONS: usize = 2048;
/// About 25,000 tokens.
const MAX_LIST_BYTES: usize = 100_000;

/// Gathers findings.
#[derive(Debug, Default)]
pub struct Judge {
    findings: Vec<HostFinding>,
}

impl Judge {
    pub fn add(&mut self, level: Level, rule: &str, subject: &str, message: impl Into<String>) {
        let (rule, subject) = (rule.to_owned(), subject.to_owned());
        self.findings.push(HostFinding { level, rule, subject, message: message.into() });
    }

    /// The findings, what matters most first.
    pub fn finish(mut self) -> Vec<HostFinding> {
        self.findings.sort_by(|a, b| (a.level, &a.rule, &a.subject).cmp(&(b.level, &b.rule, &b.subject)));
        self.findings
    }

    /// The answer to `initialize`; `asked` is the version that was asked for.
    pub fn initialize(&mut self, asked: &str, result: &Value) {
        let text = |pointer: &str| result.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        if text("/serverInfo/name").is_empty() || text("/serverInfo/version").is_empty() {
            self.add(Level::Error, "answer", "initialize", "`serverInfo` has to say `name` and `version`");
        }
        if !result.get("capabilities").is_some_and(Value::is_object) {
            self.add(Level::Error, "answer", "initialize", "`capabilities` has to be an object");
        }
        let version = text("/protocolVersion");
        let known = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
        if !known.contains(&version) {
            let message =
                format!("asked for {asked}, it answered the version `{version}`, which hosts do not know");
            self.add(Level::Error, "era", "initialize", message);
        } else if version != asked {
            let message =
                format!("asked for {asked}, it answered {version}: hosts that know only {asked} leave");
            self.add(Level::Info, "era", "initialize", message);
        }
        let length = text("/instructions").chars().count();
        if length > MAX_INSTRUCTIONS {
            let message =
                format!("the instructions have {length} characters; hosts cut them at {MAX_INSTRUCTIONS}");
            self.add(Level::Warning, "size", "instructions", message);
        }
    }

    /// All tools, as `tools/list` gave them; `server` is the name that a host would give the server.
    pub fn tools(&mut self, server: &str, tools: &[Value]) {
        let count = tools.len();
        if count > MOST_TOOLS {
            self.add(Level::Error, "size", "", format!("{count} tools: hosts take at most {MOST_TOOLS}"));
        } else if count > MANY_TOOLS {
            self.add(
                Level::Warning,
                "size",
                "",
                format!("{count} tools: some hosts drop those after {MANY_TOOLS}"),
            );
        }
        let bytes: usize = tools.iter().map(|tool| tool.to_string().len()).sum();
        if bytes > MAX_LIST_BYTES {
            let message = format!(
                "the list of tools has {bytes} bytes, about {} tokens of every conversation",
                bytes / 4
            );
            self.add(Level::Warning, "size", "", message);
        }
        let mut seen = std::collections::BTreeSet::new();
        for tool in tools {
            let name = tool.get("name").and_then(Value::as_str).unwrap_or_default();
            self.name(server, name);
            if !seen.insert(name) {
                self.add(Level::Error, "name", name, "two tools have this name");
            }
            match tool.get("description").and_then(Value::as_str) {
                None | Some("") => self.add(Level::Warning, "answer", name, "it has no description"),
                Some(text) if text.chars().count() > MAX_DESCRIPTION => {
                    let message = format!(
                        "its description has {} characters; hosts refuse or cut more than {MAX_DESCRIPTION}",
                        text.chars().count()
                    );
                    self.add(Level::Error, "size", name, message);
                }
                Some(_) => {}
            }
            schema::judge(self, name, tool);
        }
    }

    fn name(&mut self, server: &str, name: &str) {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        if name.is_empty() {
            return self.add(Level::Error, "name", name, "a tool has no name");
        }
        if !name.chars().all(is_plain) {
            self.add(
                Level::Error,
                "name",
                name,
                "hosts take letters, digits, `_` and `-` only, and refuse the whole server for others",
            );
        }
        let length = name.chars().count();
        if length > MAX_NAME {
            self.add(
                Level::Error,
                "name",
                name,
                format!("it has {length} characters; hosts take {MAX_NAME}"),
            );
        } else if length + server.chars().count() + PREFIX_OF_HOSTS > MAX_NAME {
            let message = format!(
                "with the names that hosts put before it (`mcp__{server}__`) it has more than {MAX_NAME} characters"
            );
            self.add(Level::Warning, "name", name, message);
        }
        if name.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
            self.add(Level::Warning, "name", name, "some hosts want a letter or `_` first");
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[expect(clippy::needless_pass_by_value, reason = "made where it is passed")]
    fn rules(tools: Value) -> Vec<String> {
        let mut judge = Judge::default();
        judge.tools("sample", tools.as_array().unwrap());
        judge.finish().iter().map(|one| format!("{:?} {} {}", one.level, one.rule, one.subject)).collect()
    }

    #[expect(clippy::needless_pass_by_value, reason = "made where it is passed")]
    fn tool(name: &str, schema: Value) -> Value {
        json!([{ "name": name, "description": "Does it", "inputSchema": schema }])
    }

    #[test]
    fn a_plain_tool_is_taken_by_everybody() {
        let schema =
            json!({ "type": "object", "properties": { "id": { "type": "string" } }, "required": ["id"] });
        assert_eq!(rules(tool("spec_list", schema)), Vec::<String>::new());
    }

    #[test]
    fn each_thing_that_a_host_refuses_is_named() {
        let plain = || json!({ "type": "object" });
        for (tools, expected) in [
            (tool("a.b", plain()), "Error name a.b"),
            (tool("fs/read", plain()), "Error name fs/read"),
            (tool(&"x".repeat(65), plain()), &format!("Error name {}", "x".repeat(65))),
            (tool(&"x".repeat(58), plain()), &format!("Warning name {}", "x".repeat(58))),
            (tool("a", json!({ "type": "string" })), "Error schema a"),
            (tool("a", json!({ "type": "object", "anyOf": [] })), "Error schema a"),
            (
                tool("a", json!({ "type": "object", "properties": { "x y": { "type": "string" } } })),
                "Error schema a",
            ),
            (
                tool("a", json!({ "type": "object", "properties": { "x": { "type": "array" } } })),
                "Error schema a",
            ),
            (
                tool(
                    "a",
                    json!({ "type": "object", "properties": { "x": { "$ref": "https://x.example/s.json" } } }),
                ),
                "Error schema a",
            ),
            (tool("a", json!({ "type": "object", "required": ["x"] })), "Error schema a"),
            (json!([{ "name": "a", "inputSchema": plain() }]), "Warning answer a"),
            (json!([{ "name": "a", "description": "x" }]), "Error schema a"),
        ] {
            assert!(
                rules(tools.clone()).iter().any(|rule| rule == expected),
                "{expected}: {:?}",
                rules(tools)
            );
        }
    }

    #[test]
    fn too_much_is_too_much() {
        let many: Vec<Value> = (0..130).map(|n| json!({ "name": format!("tool_{n}"), "description": "x".repeat(900), "inputSchema": { "type": "object" } })).collect();
        let found = rules(Value::Array(many));
        assert!(
            found.contains(&"Error size ".to_owned()) && found.contains(&"Warning size ".to_owned()),
            "{found:?}"
        );
    }
}
