//! Documents by what they are: the engine asks for these, and the layout knows where they stand.

use std::fmt;

use hewto_core::id::{SpecId, WorkItem};
use hewto_core::template::Pointer;

use super::{PLAN_FILE, SPEC_FILE, STATE_FILE, Shelf, change_files};
use crate::path::RelPath;

/// A document by its meaning; the layout knows its path.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum DocKey {
    Spec(SpecId),
    /// `plan.md` of a spec, `tasks.md` of a change.
    Plan(WorkItem),
    State(WorkItem),
    /// The workspace's own configuration.
    Config,
    Own(Own),
    /// What says which template counts.
    TemplatePointer(Pointer),
    /// The document of an artifact that stands on a shelf.
    Shelved(Shelf, SpecId),
    /// A scratch pad's list of tasks.
    ScratchTasks(SpecId),
    /// Any other file of the workspace. [`super::DocFolder::document`] names those of a folder.
    File(RelPath),
}

/// A document of hewto's own, of which every workspace has one at the most, in the same place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Own {
    /// The checks that prove what the specs promise, and the gates.
    Proof,
    /// Links to promises from files that cannot carry a tag.
    Links,
    /// Promises that were renamed.
    Aliases,
    /// Known debt.
    Baseline,
    /// Promises that somebody let pass for a while.
    Waivers,
    /// Whose signatures count.
    AllowedSigners,
    /// What `init` wrote, so that `uninstall` can take it back.
    Manifest,
    /// Keeps what belongs to one machine out of git.
    Gitignore,
    /// The repository's own questions.
    Questions,
    CurrentTask,
    ArchitectureState,
    AgentPrompt,
}

impl Own {
    /// Its path from the root, as people see it.
    pub const fn path(self) -> &'static str {
        match self {
            Self::Proof => ".hewto/proof.toml",
            Self::Links => ".hewto/links.toml",
            Self::Aliases => ".hewto/proof/aliases.toml",
            Self::Baseline => ".hewto/proof/baseline.toml",
            Self::Waivers => ".hewto/proof/waivers.toml",
            Self::AllowedSigners => ".hewto/allowed_signers",
            Self::Manifest => ".hewto/manifest.json",
            Self::Gitignore => ".hewto/.gitignore",
            Self::Questions => ".hewto/questions.toml",
            Self::CurrentTask => "docs/CURRENT_TASK.md",
            Self::ArchitectureState => "docs/ARCHITECTURE_STATE.md",
            Self::AgentPrompt => "docs/AGENT_PROMPT.md",
        }
    }

    pub fn place(self) -> RelPath {
        RelPath::known(self.path())
    }
}

impl DocKey {
    /// The file at a path that somebody wrote; `None` when it is not a path inside the workspace.
    pub fn named(path: &str) -> Option<Self> {
        RelPath::parse(path).ok().map(Self::File)
    }

    /// The name of the document inside the folder of its work item; `None` for documents that stand alone.
    pub(crate) fn name_in_folder(&self) -> Option<&'static str> {
        match self {
            Self::Spec(_) => Some(SPEC_FILE),
            Self::Plan(WorkItem::Spec(_)) => Some(PLAN_FILE),
            Self::Plan(WorkItem::Change(_)) => Some(change_files::TASKS),
            Self::State(_) => Some(STATE_FILE),
            Self::Config
            | Self::Own(_)
            | Self::TemplatePointer(_)
            | Self::Shelved(..)
            | Self::ScratchTasks(_)
            | Self::File(_) => None,
        }
    }
}

impl fmt::Display for DocKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Spec(id) | Self::Shelved(_, id) | Self::ScratchTasks(id) => id.fmt(f),
            Self::Plan(item) | Self::State(item) => item.fmt(f),
            Self::Config => f.write_str("the configuration"),
            Self::Own(own) => f.write_str(own.path()),
            Self::TemplatePointer(pointer) => f.write_str(pointer.as_str()),
            Self::File(path) => path.fmt(f),
        }
    }
}
