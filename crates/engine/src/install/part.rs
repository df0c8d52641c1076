//! A part that hewto adds to a file: what it looks like, whether it is there, how it comes and goes.

use std::collections::BTreeMap;
use std::path::Path;

use hewto_store::RelPath;
use serde_json::Value;

use super::{json, section, toml, yaml};
use crate::client::{Agent, ConfigFormat, Connection, SERVER_NAME};

/// Why a file cannot be edited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unreadable(pub(crate) String);

/// How an agent is to start the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ServerEntry {
    pub(crate) agent: Agent,
    /// The program, a name on the search path or a path.
    pub(crate) command: String,
    /// The workspace, for agents that keep one file for all projects.
    pub(crate) root: String,
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
        bare.is_empty()
            || (matches!(self, Self::Entry(_)) && (bare == "{}" || bare == yaml::BLOCK_HEAD.trim_end()))
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
        let args = self.agent.serve_args(&self.root);
        let reach = Connection::Stdio { command: self.command.clone(), args };
        Value::Object(self.agent.entry(&reach))
    }

    fn format(&self) -> Format {
        Format::of(self.agent)
    }
}

/// The part that hewto may have put into this file of a project.
pub(crate) fn part_of(path: &RelPath) -> Option<Part> {
    let agent = Agent::all().find(|agent| agent.files().contains(&path.as_str()));
    match agent {
        Some(agent) => Some(Part::Entry(ServerEntry::of(agent))),
        None => Some(Part::Section).filter(|_| path.as_str().to_ascii_lowercase().ends_with(".md")),
    }
}

impl ServerEntry {
    /// An entry by which another can be looked for.
    pub(crate) fn of(agent: Agent) -> Self {
        Self { agent, command: String::new(), root: String::new() }
    }
}

/// A file with nothing but this entry.
pub(crate) fn yaml_document(agent: Agent, entry: &Value) -> String {
    Format::of(agent).add("", entry).unwrap_or_default()
}

/// How an agent's configuration is written.
#[derive(Debug, Clone, Copy)]
enum Format {
    /// JSON, comments allowed, with the servers under this key.
    Json(&'static str),
    Toml,
    Yaml(yaml::YamlPlace),
}

impl Format {
    fn of(agent: Agent) -> Self {
        match agent.format() {
            ConfigFormat::Json => Self::Json(agent.section()),
            ConfigFormat::Toml => Self::Toml,
            ConfigFormat::Yaml => {
                Self::Yaml(yaml::YamlPlace { key: agent.section(), is_list: agent.is_list() })
            }
        }
    }

    fn find(self, text: &str) -> Result<Option<Value>, Unreadable> {
        match self {
            Self::Json(key) => json::find(text, key),
            Self::Toml => toml::find(text),
            Self::Yaml(place) => yaml::find(text, place),
        }
    }

    fn add(self, text: &str, entry: &Value) -> Result<String, Unreadable> {
        match self {
            Self::Json(key) => json::add(text, key, entry),
            Self::Toml => toml::add(text, entry),
            Self::Yaml(place) => yaml::add(text, place, entry),
        }
    }

    fn remove(self, text: &str) -> Result<String, Unreadable> {
        match self {
            Self::Json(key) => json::remove(text, key),
            Self::Toml => toml::remove(text),
            Self::Yaml(place) => yaml::remove(text, place),
        }
    }
}

impl ConfiguredServer {
    /// The server that a configuration names `hewto`; `None` when it names none.
    pub(crate) fn read(agent: Agent, file: &str, text: &str) -> Result<Option<Self>, Unreadable> {
        let Some(value) = Format::of(agent).find(text)? else { return Ok(None) };
        let text = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
        let words = |key: &str| -> Vec<String> {
            let list = value.get(key).and_then(Value::as_array).into_iter().flatten();
            list.filter_map(Value::as_str).map(str::to_owned).collect()
        };
        // Some agents have program and arguments in one list.
        let mut argv = words("command").into_iter();
        let Some(command) = text("command").or_else(|| text("cmd")).or_else(|| argv.next()) else {
            return Err(Unreadable(format!("the entry `{SERVER_NAME}` has no `command`")));
        };
        let env = ["env", "envs", "environment"].iter().find_map(|key| value.get(key)?.as_object());
        let env = env.into_iter().flatten();
        Ok(Some(Self {
            agent,
            file: file.to_owned(),
            command,
            args: argv.chain(words("args")).collect(),
            env: env.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned()))).collect(),
            cwd: text("cwd").or_else(|| text("working_directory")),
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
