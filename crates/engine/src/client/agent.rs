//! An agent, by its row of the table.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::path::Path;
use std::str::FromStr;

use hewto_core::lifecycle::UnknownName;
use hewto_store::RelPath;
use serde_json::{Map, Value, json};

use super::row::{Row, Shape};
use super::table::ROWS;
use super::{ConfigFormat, Connection, SERVER_NAME, Scope, SkillFiles, TOKEN_VARIABLE, is_loopback};

/// How long Goose waits for an answer, in seconds; its own default.
const GOOSE_TIMEOUT: u32 = 300;

/// A program that speaks MCP.
#[derive(Debug, Clone, Copy)]
pub struct Agent(&'static Row);

impl Agent {
    /// All of them, in the order of the table.
    pub fn all() -> impl Iterator<Item = Self> + Clone {
        ROWS.iter().map(Self)
    }

    /// The agent of this name.
    ///
    /// # Panics
    /// When there is none: for names that stand in the code.
    #[cfg(test)]
    pub(crate) fn known(name: &str) -> Self {
        Self::all().find(|agent| agent.name() == name).expect("the name stands in the table")
    }

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// Other spellings that are understood.
    pub fn aliases(self) -> &'static [&'static str] {
        self.0.aliases
    }

    /// The name for people.
    pub fn title(self) -> &'static str {
        self.0.title
    }

    /// The file that names its servers, where there is none yet.
    pub fn file(self) -> &'static str {
        self.0.files[0]
    }

    /// Every file that may name its servers.
    pub(crate) fn files(self) -> &'static [&'static str] {
        self.0.files
    }

    /// The file of a project that names its servers: the one that is there, else the usual one; `None` when it has none.
    pub(crate) fn project_file(self, root: &Path) -> Option<RelPath> {
        if self.scope() == Scope::Person {
            return None;
        }
        let there = self.0.files.iter().find(|file| root.join(file).is_file());
        RelPath::parse(there.unwrap_or(&self.0.files[0])).ok()
    }

    /// The file in a person's home, as [`Agent::files`] writes it: the one that is there, else the one whose folder is.
    pub(crate) fn home_file(self, home: &Path) -> Option<&'static str> {
        if self.scope() == Scope::Project {
            return None;
        }
        let at = |file: &str| home.join(file.trim_start_matches("~/"));
        let files = || self.0.files.iter();
        let there = files().find(|file| at(file).is_file());
        let beside = || files().find(|file| at(file).parent().is_some_and(Path::is_dir));
        there.or_else(beside).or(self.0.files.first()).copied()
    }

    pub fn scope(self) -> Scope {
        if self.file().starts_with('~') { Scope::Person } else { Scope::Project }
    }

    pub fn format(self) -> ConfigFormat {
        self.0.format
    }

    /// The member of the file under which servers stand by name, or one after the other.
    pub fn section(self) -> &'static str {
        self.0.section
    }

    /// Whether servers stand one after the other and say their names.
    pub(crate) fn is_list(self) -> bool {
        self.0.shape == Shape::Named
    }

    /// Files and folders of a project that tell of this agent.
    pub fn traces(self) -> &'static [&'static str] {
        self.0.traces
    }

    /// The folder in a person's home that tells of this agent.
    pub fn home_trace(self) -> &'static str {
        self.0.home
    }

    /// What the agent reads before it works.
    pub fn instructions(self) -> Option<RelPath> {
        RelPath::parse(self.0.instructions).ok()
    }

    pub(crate) fn skill_files(self) -> SkillFiles {
        self.0.skills
    }

    /// How to get to its prompt.
    pub(crate) fn open(self) -> &'static str {
        self.0.open
    }

    /// The arguments of a server that this agent starts for the workspace at `root`.
    pub fn serve_args(self, root: &str) -> Vec<String> {
        let root = match (self.name(), self.scope()) {
            ("cursor", _) => Some("${workspaceFolder}"),
            (_, Scope::Project) => None,
            (_, Scope::Person) => Some(root),
        };
        let mut args = vec!["serve".to_owned()];
        args.extend(root.into_iter().flat_map(|root| ["--workspace".to_owned(), root.to_owned()]));
        args
    }

    /// What stands under the server's name.
    pub fn entry(self, reach: &Connection) -> Map<String, Value> {
        let entry = match reach {
            Connection::Stdio { command, args } => match self.0.shape {
                Shape::Plain => json!({ "command": command, "args": args }),
                Shape::Typed => json!({ "type": "stdio", "command": command, "args": args }),
                Shape::Local => json!({ "type": "local", "command": command, "args": args, "tools": ["*"] }),
                Shape::Argv => {
                    let words: Vec<&String> = std::iter::once(command).chain(args).collect();
                    json!({ "type": "local", "command": words, "enabled": true })
                }
                Shape::Named => json!({ "name": SERVER_NAME, "command": command, "args": args }),
                Shape::Goose => json!({
                    "name": SERVER_NAME,
                    "type": "stdio",
                    "cmd": command,
                    "args": args,
                    "enabled": true,
                    "timeout": GOOSE_TIMEOUT,
                }),
            },
            Connection::Http { url } => self.http_entry(url),
        };
        match entry {
            Value::Object(entry) => entry,
            _ => Map::new(),
        }
    }

    fn http_entry(self, url: &str) -> Value {
        let needs_token = !is_loopback(url);
        if self.name() == "claude-desktop" {
            // It starts programs only; this one passes on what it is told.
            return if needs_token {
                json!({
                    "command": "npx",
                    "args": ["-y", "mcp-remote", url, "--header", format!("Authorization:${{{TOKEN_VARIABLE}}}")],
                    "env": { TOKEN_VARIABLE: "Bearer YOUR_TOKEN" },
                })
            } else {
                json!({ "command": "npx", "args": ["-y", "mcp-remote", url] })
            };
        }
        let (kind, url_key) = self.0.http;
        let mut entry = Map::new();
        if matches!(self.0.shape, Shape::Named | Shape::Goose) {
            entry.insert("name".to_owned(), SERVER_NAME.into());
        }
        if !kind.is_empty() {
            entry.insert("type".to_owned(), kind.into());
        }
        entry.insert(url_key.to_owned(), url.into());
        match self.0.shape {
            Shape::Local => drop(entry.insert("tools".to_owned(), json!(["*"]))),
            Shape::Argv => drop(entry.insert("enabled".to_owned(), true.into())),
            Shape::Goose => {
                entry.insert("enabled".to_owned(), true.into());
                entry.insert("timeout".to_owned(), GOOSE_TIMEOUT.into());
            }
            Shape::Plain | Shape::Typed | Shape::Named => {}
        }
        if needs_token && self.0.token.is_empty() {
            entry.insert("bearer_token_env_var".to_owned(), TOKEN_VARIABLE.into());
        } else if needs_token {
            let headers = json!({ "Authorization": format!("Bearer {}", self.0.token) });
            if self.0.shape == Shape::Named {
                entry.insert("requestOptions".to_owned(), json!({ "headers": headers }));
            } else {
                entry.insert("headers".to_owned(), headers);
            }
        }
        Value::Object(entry)
    }

    /// What else has to be done, or known.
    pub(super) fn note(self, reach: &Connection) -> Option<String> {
        if let Connection::Http { url } = reach
            && !is_loopback(url)
        {
            let is_placeholder = self.0.token == "YOUR_TOKEN" || self.name() == "claude-desktop";
            return Some(if is_placeholder {
                "put the server's token in place of YOUR_TOKEN".to_owned()
            } else {
                format!("put the server's token into the variable {TOKEN_VARIABLE}")
            });
        }
        Some(self.0.note.to_owned()).filter(|note| !note.is_empty())
    }
}

impl PartialEq for Agent {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Agent {}

impl Hash for Agent {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name().hash(state);
    }
}

impl fmt::Display for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.title())
    }
}

impl FromStr for Agent {
    type Err = UnknownName;
    /// Reads a name; the products' own spellings are understood too.
    fn from_str(text: &str) -> Result<Self, UnknownName> {
        let wanted = text.trim().to_ascii_lowercase().replace(['_', ' '], "-");
        Self::all()
            .find(|agent| agent.name() == wanted || agent.aliases().contains(&wanted.as_str()))
            .ok_or(UnknownName)
    }
}
