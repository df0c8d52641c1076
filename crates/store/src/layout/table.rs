//! The table of D-3: what each layout calls the things it owns.

use std::fmt;
use std::str::FromStr;

use super::{Nesting, Own};
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
/// journal belong to the machine and are relative to [`super::Layout::state_root`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    pub(crate) dot: RelPath,
    pub config: RelPath,
    pub questions: RelPath,
    /// Decisions that wait for a person, and what people said of them.
    pub waiting_decisions: RelPath,
    pub clarify: RelPath,
    pub implementations: RelPath,
    pub scratchpad: RelPath,
    pub templates: RelPath,
    pub prompts: RelPath,
    pub decisions: RelPath,
    pub current_task: RelPath,
    pub architecture_state: RelPath,
    pub agent_prompt: RelPath,
    pub task_archive: RelPath,
    pub wire_logs: RelPath,
    pub operation_log: RelPath,
    pub cache: RelPath,
    /// What `init` wrote, so that `uninstall` can take it back.
    pub manifest: RelPath,
    pub search_index: RelPath,
    /// What was imported from other tools, with hashes.
    pub imports: RelPath,
    /// Documents that bind everybody, and prose of other tools.
    pub documents: RelPath,
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
/// What [`Own::Gitignore`] says: git leaves out all that belongs to one machine.
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

    pub fn nesting(self) -> Nesting {
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
    /// The places of a workspace with these markers: the native path, unless a marker owns it.
    pub(super) fn of(kinds: &[LayoutKind]) -> Self {
        let has = |kind| kinds.contains(&kind);
        let specman = |own, native| RelPath::known(if has(LayoutKind::Specman) { own } else { native });
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
            questions: RelPath::known(".hewto/questions.toml"),
            waiting_decisions: RelPath::known(".hewto/decisions"),
            clarify: RelPath::known(".hewto/clarify"),
            implementations: RelPath::known("impl"),
            scratchpad: specman(".specman/scratchpad", ".hewto/scratchpad"),
            templates: specman(".specman/templates", ".hewto/templates"),
            prompts: specman("templates/prompts", ".hewto/templates/prompts"),
            decisions: RelPath::known("docs/adr"),
            current_task: Own::CurrentTask.place(),
            architecture_state: Own::ArchitectureState.place(),
            agent_prompt: Own::AgentPrompt.place(),
            task_archive: RelPath::known("docs/archive/task"),
            wire_logs: RelPath::known(wire_logs),
            operation_log: specman(".specman/logs/specman-mcp.jsonl", ".hewto/logs/operations.jsonl"),
            cache: RelPath::known(".hewto/cache"),
            manifest: Own::Manifest.place(),
            search_index: RelPath::known(".hewto/cache/search"),
            imports: RelPath::known(".hewto/imports"),
            documents: RelPath::known("docs"),
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
            clarify: inside("clarify"),
            wire_logs: inside("logs"),
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
