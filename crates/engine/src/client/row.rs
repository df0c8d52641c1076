//! What is known of a coding agent.

use super::{ConfigFormat, SkillFiles};

/// Everything that is known of an agent.
#[derive(Debug)]
pub(super) struct Row {
    /// On the command line.
    pub(super) name: &'static str,
    /// Other spellings that people type.
    pub(super) aliases: &'static [&'static str],
    /// For people.
    pub(super) title: &'static str,
    /// The file that names its servers, and others that it reads in its place; `~` is the person's home.
    pub(super) files: &'static [&'static str],
    pub(super) format: ConfigFormat,
    /// The member of the file under which servers stand.
    pub(super) section: &'static str,
    pub(super) shape: Shape,
    /// The `type` of a server that is reached by URL, if it needs one, and the name of the URL.
    pub(super) http: (&'static str, &'static str),
    /// How a header takes its value from the variable of the token; empty when the shape has its own way.
    pub(super) token: &'static str,
    /// Files and folders of a project that tell of the agent.
    pub(super) traces: &'static [&'static str],
    /// The folder in a person's home that tells of it.
    pub(super) home: &'static str,
    /// What it reads before it works; empty when it reads nothing of a project.
    pub(super) instructions: &'static str,
    pub(super) skills: SkillFiles,
    /// How to get to its prompt.
    pub(super) open: &'static str,
    /// What else has to be known of its file.
    pub(super) note: &'static str,
}

/// How a server that the agent starts is written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// `command` and `args`.
    Plain,
    /// The same with `type: stdio`.
    Typed,
    /// The same with `type: local`, and the tools that are allowed.
    Local,
    /// Command and arguments in one list.
    Argv,
    /// An item of a list that says its name.
    Named,
    /// Goose's own words.
    Goose,
}

pub(super) const JSON: Row = Row {
    name: "",
    aliases: &[],
    title: "",
    files: &[],
    format: ConfigFormat::Json,
    section: "mcpServers",
    shape: Shape::Plain,
    http: ("", "url"),
    token: "YOUR_TOKEN",
    traces: &[],
    home: "",
    instructions: "AGENTS.md",
    skills: SkillFiles::None,
    open: "",
    note: "",
};
