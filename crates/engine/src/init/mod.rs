//! `init`: makes a workspace where there is none, and connects the agents that are in use.
//!
//! Planning ([`plan()`]) only reads. Carrying the plan out ([`Plan::carry_out`]) is one commit, which goes ahead only if every
//! file still is what the plan has seen. Files that people have edited are told of and left as they are.

mod agents;
mod plan;
mod planner;
mod upgrade;

use std::path::Path;

use hewto_store::{Context, LayoutKind};
use schemars::JsonSchema;
use serde::Serialize;

use crate::client::{Agent, SERVER_NAME};
use crate::error::Result;
use crate::install::Personal;

pub use self::plan::{Plan, plan};
pub use self::upgrade::plan_upgrade;

/// The layout that suits what stands in a folder: SpecMan's where its documents are, though it has no marker; else ours.
pub fn layout_of(folder: &Path) -> LayoutKind {
    if hewto_store::is_unmarked_specman(folder) { LayoutKind::Specman } else { LayoutKind::Native }
}

/// What says that a folder is a package of its own, with a workspace of its own where somebody asks for one.
const MANIFESTS: [&str; 12] = [
    "package.json",
    "Cargo.toml",
    "pyproject.toml",
    "setup.py",
    "go.mod",
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "composer.json",
    "Gemfile",
    "mix.exs",
    "deno.json",
];

/// Whether a folder is a package: it has the manifest of one, or a project of .NET.
pub fn is_package(folder: &Path) -> bool {
    let is_project = |entry: std::io::Result<fs_err::DirEntry>| {
        let kinds = ["csproj", "fsproj", "vbproj", "sln"];
        entry.is_ok_and(|entry| {
            entry.path().extension().is_some_and(|end| kinds.iter().any(|kind| end == *kind))
        })
    };
    MANIFESTS.iter().any(|name| folder.join(name).is_file())
        || fs_err::read_dir(folder).is_ok_and(|mut entries| entries.any(is_project))
}

/// What is wanted of a workspace and its agents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InitOptions {
    /// The layout of a new workspace; the one that is there stays.
    pub layout: LayoutKind,
    /// The folder's name when absent.
    pub name: Option<String>,
    pub description: Option<String>,
    pub agents: AgentChoice,
    /// The program that agents are told to start.
    pub command: String,
    /// Agents whose entry is written anew although there is one: their program has moved.
    pub renewed: Vec<Agent>,
    /// Whether agents get skills and slash commands, where they have a place for them.
    pub skills: bool,
    /// The person's own files, where agents keep their servers there.
    pub personal: Option<Personal>,
    /// Whether those files may be written for agents that were not named one by one.
    pub user: bool,
    pub purpose: Purpose,
    /// Whether the folder itself is meant, though it lies in a workspace: a package of a repository gets its own.
    pub nested: bool,
}

/// Why files are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// To connect agents. What somebody has edited is told of.
    Connect,
    /// To bring what was written before to this version. What somebody has edited gets the new text beside it.
    Upgrade,
}

impl InitOptions {
    /// A workspace of this layout and no agents.
    pub fn new(layout: LayoutKind) -> Self {
        let agents = AgentChoice::Named(Vec::new());
        Self {
            layout,
            name: None,
            description: None,
            agents,
            command: SERVER_NAME.to_owned(),
            renewed: Vec::new(),
            skills: false,
            personal: None,
            user: false,
            purpose: Purpose::Connect,
            nested: false,
        }
    }
}

/// Which agents are connected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AgentChoice {
    /// Those whose files are there.
    Found,
    /// Exactly these.
    Named(Vec<Agent>),
    /// All that there are.
    All,
}

/// What `init` did, or would do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct InitView {
    pub root: String,
    pub layout: String,
    /// False when there was a workspace already
    pub created: bool,
    /// What was created or changed, relative to the root
    pub files: Vec<String>,
    /// The agents that are connected, or would be
    pub agents: Vec<AgentView>,
    /// One line for every file that was looked at
    pub plan: Vec<PlannedView>,
    /// False when a file was left alone that should have been written
    pub complete: bool,
    /// The unified diff of what would be written; with `--dry-run` only
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
}

/// An agent in use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AgentView {
    pub agent: String,
    pub name: String,
    /// The files and folders that told of it
    pub found_by: Vec<String>,
    /// How to get to its prompt
    pub open: String,
    /// What to type there
    pub sentence: String,
}

/// What happens to one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PlannedView {
    pub file: String,
    pub action: Action,
    /// What the file gets, or why it is left alone
    pub why: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    Create,
    /// Something is added to what is there.
    Merge,
    /// An earlier version of what hewto wrote is replaced.
    Update,
    /// It is as it should be.
    Unchanged,
    /// It should be written and is not: somebody else's text is in the way.
    LeftAlone,
    /// It is the person's own, and nobody has asked for it.
    NotAsked,
    /// Somebody has edited the file; what hewto would write now stands beside it.
    Beside,
}

/// Plans and carries out at once.
pub fn init(folder: &Path, ctx: &Context, options: &InitOptions) -> Result<InitView> {
    plan(folder, ctx, options)?.carry_out(ctx)
}
