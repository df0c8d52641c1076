//! A part that hewto adds to a file: what it looks like, whether it is there, how it comes and goes.

use std::collections::BTreeMap;
use std::path::Path;

use hewto_store::{Agent, RelPath};
use serde_json::Value;

use super::{json, section, toml};
use crate::client::{Client, ConfigFormat, Reach, SERVER_NAME};

/// Why a file cannot be edited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unreadable(pub(crate) String);

/// How an agent is to start the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ServerEntry {
    pub(crate) agent: Agent,
    /// The program, a name on the search path or a path.
    pub(crate) command: String,
}

/// A server as an agent's configuration names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfiguredServer {
    pub agent: Agent,
    /// The configuration file, relative to the workspace.
    pub file: String,
    pub command: String,
    pub args: Vec<String>,
    pub env: BTreeMap<String, String>,
    /// Where it is started, when that is not the workspace.
    pub cwd: Option<String>,
}

/// What hewto adds to a file of somebody else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Part {
    Entry(ServerEntry),
    Section,
}

impl Part {
    /// The part in the form in which two of them are compared, as it would be written now.
    pub(crate) fn canonical(&self) -> String {
        match self {
            Self::Entry(entry) => entry.value().to_string(),
            Self::Section => section::TEXT.to_owned(),
        }
    }

    /// The part that is there, in the same form.
    pub(crate) fn find(&self, text: &str) -> Result<Option<String>, Unreadable> {
        match self {
            Self::Entry(entry) => Ok(entry.format().find(text)?.map(|value| value.to_string())),
            Self::Section => section::find(text),
        }
    }

    /// The text with the part, which must not be there yet.
    pub(crate) fn add(&self, text: &str) -> Result<String, Unreadable> {
        match self {
            Self::Entry(entry) => entry.format().add(text, &entry.value()),
            Self::Section => Ok(section::add(text)),
        }
    }

    /// The text without the part.
    pub(crate) fn remove(&self, text: &str) -> Result<String, Unreadable> {
        match self {
            Self::Entry(entry) => entry.format().remove(text),
            Self::Section => section::remove(text),
        }
    }

    /// Whether nothing of anybody is left in a file.
    pub(crate) fn is_shell(&self, text: &str) -> bool {
        let bare = text.trim_start_matches('\u{feff}').trim();
        bare.is_empty() || (matches!(self, Self::Entry(_)) && bare == "{}")
    }

    /// What to tell people that is in the file.
    pub(crate) fn what(&self) -> &'static str {
        match self {
            Self::Entry(_) => "the hewto server",
            Self::Section => "a marked section on hewto",
        }
    }
}

impl ServerEntry {
    fn value(&self) -> Value {
        let client = Client::from(self.agent);
        let reach = Reach::Stdio { command: self.command.clone(), args: client.serve_args("") };
        Value::Object(client.entry(&reach))
    }

    fn format(&self) -> Format {
        Format::of(self.agent)
    }
}

impl From<Agent> for Client {
    fn from(agent: Agent) -> Self {
        match agent {
            Agent::Claude => Self::ClaudeCode,
            Agent::Cursor => Self::Cursor,
            Agent::Vscode => Self::VsCode,
            Agent::Codex => Self::Codex,
            Agent::Gemini => Self::Gemini,
        }
    }
}

/// The part that hewto may have put into this file.
pub(crate) fn part_of(path: &RelPath) -> Option<Part> {
    let agent = Agent::ALL.into_iter().find(|agent| settings(*agent) == *path);
    match agent {
        Some(agent) => Some(Part::Entry(ServerEntry { agent, command: String::new() })),
        None => Some(Part::Section).filter(|_| path.as_str().to_ascii_lowercase().ends_with(".md")),
    }
}

/// Where an agent keeps the servers of a project.
pub(crate) fn settings(agent: Agent) -> RelPath {
    RelPath::parse(Client::from(agent).file()).expect("these clients keep their servers with the project")
}

/// How an agent's configuration is written.
#[derive(Debug, Clone, Copy)]
enum Format {
    /// JSON, comments allowed, with the servers under this key.
    Json(&'static str),
    Toml,
}

impl Format {
    fn of(agent: Agent) -> Self {
        let client = Client::from(agent);
        match client.format() {
            ConfigFormat::Json => Self::Json(client.section()),
            ConfigFormat::Toml => Self::Toml,
        }
    }

    fn find(self, text: &str) -> Result<Option<Value>, Unreadable> {
        match self {
            Self::Json(key) => json::find(text, key),
            Self::Toml => toml::find(text),
        }
    }

    fn add(self, text: &str, entry: &Value) -> Result<String, Unreadable> {
        match self {
            Self::Json(key) => json::add(text, key, entry),
            Self::Toml => toml::add(text, entry),
        }
    }

    fn remove(self, text: &str) -> Result<String, Unreadable> {
        match self {
            Self::Json(key) => json::remove(text, key),
            Self::Toml => toml::remove(text),
        }
    }
}

impl ConfiguredServer {
    /// The server that a configuration names `hewto`; `None` when it names none.
    pub(crate) fn read(agent: Agent, text: &str) -> Result<Option<Self>, Unreadable> {
        let Some(value) = Format::of(agent).find(text)? else { return Ok(None) };
        let text = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
        let Some(command) = text("command") else {
            return Err(Unreadable(format!("the entry `{SERVER_NAME}` has no `command`")));
        };
        let args = value.get("args").and_then(Value::as_array).into_iter().flatten();
        let env = value.get("env").and_then(Value::as_object).into_iter().flatten();
        Ok(Some(Self {
            agent,
            file: settings(agent).to_string(),
            command,
            args: args.filter_map(Value::as_str).map(str::to_owned).collect(),
            env: env.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned()))).collect(),
            cwd: text("cwd"),
        }))
    }

    /// The server with the variables filled in that editors fill in.
    pub(crate) fn resolved(mut self, root: &Path) -> Self {
        let root = root.to_string_lossy();
        let fill = |text: &mut String| *text = text.replace("${workspaceFolder}", &root);
        fill(&mut self.command);
        self.args.iter_mut().for_each(fill);
        self.env.values_mut().for_each(fill);
        self.cwd.as_mut().map(fill);
        self
    }
}
