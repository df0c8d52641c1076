//! The table of D-3: what each layout calls the things it owns.

use std::fmt;
use std::str::FromStr;

use super::{DocFolder, Nesting};
use crate::path::RelPath;

/// Whose layout a marker stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LayoutKind {
    Native,
    Airsspec,
    Spox,
    Specman,
    Openspec,
}

/// What makes a folder a workspace.
#[derive(Debug, Clone, Copy)]
pub(super) enum Marker {
    File(&'static str),
    Folder(&'static str),
}

/// The single places of a workspace: one path each, relative to the root. `clarify`, the logs, the search index, lock and
/// journal belong to the machine and are relative to the folder that holds the state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    /// The folder of settings and machinery that names the workspace to seed 002.
    pub dot: RelPath,
    pub config: RelPath,
    /// Decisions that wait for a person, and what people said of them.
    pub waiting_decisions: DocFolder,
    pub clarify: DocFolder,
    pub implementations: DocFolder,
    pub scratchpad: DocFolder,
    pub templates: DocFolder,
    pub prompts: DocFolder,
    pub decisions: DocFolder,
    pub task_archive: DocFolder,
    pub wire_logs: DocFolder,
    pub operation_log: RelPath,
    pub cache: RelPath,
    pub search_index: RelPath,
    /// What people say of proof: known debt, waivers, accepted drift.
    pub proof: DocFolder,
    /// Drift that somebody accepted, by capability.
    pub accepted: DocFolder,
    /// Runs of checks.
    pub runs: DocFolder,
    /// What was imported from other tools, with hashes.
    pub imports: DocFolder,
    /// Documents that bind everybody, and prose of other tools.
    pub documents: DocFolder,
    pub(crate) state: RelPath,
    pub(crate) lock: RelPath,
    pub(crate) journal: RelPath,
}

/// The folder of hewto itself: its configuration and, unless another layout has its own place for it, the machine's part.
pub const OWN_FOLDER: &str = ".hewto";
/// The record of the commit under way, inside the journal.
pub(crate) const JOURNAL_PENDING: &str = "pending";
/// The record of the last commit, by which readers see that there was one.
pub(crate) const JOURNAL_LAST: &str = "last";
/// What `Own::Gitignore` says: git leaves out all that belongs to one machine.
pub const STATE_GITIGNORE: &str = "# Written by hewto: these belong to one machine.\n/logs/\n/cache/\n/lock\n/journal/\n/clarify/\n/claims.json\n/claims.lock\n/claims.high\n/proof/runs/\n/proof/locks/\n/live/\n";

pub(super) const SPOX_SPECS: &str = "specs";
pub(super) const SPOX_CHANGES: &str = "specs/_changes";
pub(super) const SPOX_ARCHIVE: &str = "specs/_archive";
/// The operation log, inside a folder of logs.
pub(super) const OPERATION_LOG: &str = "operations.jsonl";
pub(super) const SPOX_CONFIG: &str = ".spox/config.toml";

impl LayoutKind {
    /// All of them, in the order in which their markers are looked for.
    pub const ALL: [Self; 5] = [Self::Native, Self::Airsspec, Self::Spox, Self::Specman, Self::Openspec];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Airsspec => "airsspec",
            Self::Spox => "spox",
            Self::Specman => "specman",
            Self::Openspec => "openspec",
        }
    }

    pub(crate) fn nesting(self) -> Nesting {
        match self {
            Self::Native | Self::Openspec => Nesting::Deep,
            Self::Airsspec | Self::Spox | Self::Specman => Nesting::Flat,
        }
    }

    pub(super) fn marker(self) -> Marker {
        match self {
            Self::Native => Marker::File(".hewto/config.toml"),
            Self::Airsspec => Marker::File(".airsspec/config.toml"),
            Self::Spox => Marker::File(SPOX_CONFIG),
            Self::Specman => Marker::Folder(".specman"),
            Self::Openspec => Marker::Folder("openspec"),
        }
    }

    /// The folder of specs; spox's is in its configuration, this is the default.
    pub(super) fn specs(self) -> RelPath {
        RelPath::known(match self {
            Self::Native => "specs",
            Self::Airsspec => ".airsspec/specs",
            Self::Spox => SPOX_SPECS,
            Self::Specman => "spec",
            Self::Openspec => "openspec/specs",
        })
    }

    /// The folder with the project's own kinds of changes.
    pub(super) fn change_schemas(self) -> Option<RelPath> {
        (self == Self::Openspec).then(|| RelPath::known("openspec/schemas"))
    }

    /// The folders of changes and of archived changes, for the layouts that have their own.
    pub(super) fn changes(self) -> Option<(RelPath, RelPath)> {
        let (changes, archive) = match self {
            Self::Native => ("changes", "changes/archive"),
            Self::Spox => (SPOX_CHANGES, SPOX_ARCHIVE),
            Self::Openspec => ("openspec/changes", "openspec/changes/archive"),
            Self::Airsspec | Self::Specman => return None,
        };
        Some((RelPath::known(changes), RelPath::known(archive)))
    }
}

impl Places {
    /// Whether the configuration is hewto's own, rather than another tool's.
    pub fn has_own_config(&self) -> bool {
        self.config.below(&self.state).is_some()
    }

    /// The places of a workspace with these markers: the native path, unless a marker owns it.
    pub(super) fn of(kinds: &[LayoutKind]) -> Self {
        let has = |kind| kinds.contains(&kind);
        let specman = |own, native| RelPath::known(if has(LayoutKind::Specman) { own } else { native });
        let folder = |path| DocFolder::from(RelPath::known(path));
        let config = match () {
            () if has(LayoutKind::Native) => ".hewto/config.toml",
            () if has(LayoutKind::Airsspec) => ".airsspec/config.toml",
            () if has(LayoutKind::Spox) => SPOX_CONFIG,
            () => ".hewto/config.toml",
        };
        let wire_logs = if has(LayoutKind::Airsspec) { ".airsspec/logs" } else { ".hewto/logs" };
        Self {
            dot: specman(".specman", OWN_FOLDER),
            config: RelPath::known(config),
            waiting_decisions: folder(".hewto/decisions"),
            clarify: folder(".hewto/clarify"),
            implementations: folder("impl"),
            scratchpad: specman(".specman/scratchpad", ".hewto/scratchpad").into(),
            templates: specman(".specman/templates", ".hewto/templates").into(),
            prompts: specman("templates/prompts", ".hewto/templates/prompts").into(),
            decisions: folder("docs/adr"),
            task_archive: folder("docs/archive/task"),
            wire_logs: folder(wire_logs),
            operation_log: specman(".specman/logs/specman-mcp.jsonl", ".hewto/logs/operations.jsonl"),
            cache: RelPath::known(".hewto/cache"),
            search_index: RelPath::known(".hewto/cache/search"),
            proof: folder(".hewto/proof"),
            accepted: folder(".hewto/proof/accepted"),
            runs: folder(".hewto/proof/runs"),
            imports: folder(".hewto/imports"),
            documents: folder("docs"),
            state: RelPath::known(".hewto"),
            lock: RelPath::known(".hewto/lock"),
            journal: RelPath::known(".hewto/journal"),
        }
    }

    /// The places of a git repository that is no workspace: what belongs to the machine goes to `state`, a folder
    /// inside the git folder.
    pub(super) fn of_repository(state: &RelPath) -> Self {
        let inside = |name: &str| state.join(name).expect("a plain name can be joined");
        Self {
            clarify: inside("clarify").into(),
            wire_logs: inside("logs").into(),
            operation_log: inside("logs/operations.jsonl"),
            cache: inside("cache"),
            search_index: inside("cache/search"),
            lock: inside("lock"),
            journal: inside("journal"),
            state: state.clone(),
            ..Self::of(&[LayoutKind::Native])
        }
    }
}

impl fmt::Display for LayoutKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for LayoutKind {
    type Err = hewto_core::lifecycle::UnknownName;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text).ok_or(hewto_core::lifecycle::UnknownName)
    }
}
