//! What other tools have written, read into one model: a reader a format, pure, from texts to parts.
//!
//! Every sentence of a source is placed in a part, kept as prose, or told of with the reason. [`render`] makes the texts of
//! specs and plans of it, [`renew`] the change that brings what came later, [`Memory`] remembers what was brought.

mod adr;
mod backlog;
mod brief;
mod checklist;
mod clauses;
mod decode;
mod ears;
mod front;
mod ids;
mod kiro;
mod memory;
mod model;
mod openspec;
mod phases;
pub mod render;
pub mod renew;
mod scan;
mod spec_kit;
mod spec_workflow;
mod stories;
mod task_master;

use std::fmt;
use std::str::FromStr;

pub use adr::{Links, is_madr, number_of, render as render_decision, superseding};
pub use brief::{AdrBrief, adr_brief};
pub use decode::{Encoding, decode};
pub use ids::without_number;
pub use memory::{FileMemory, Memory, Remembered, hash};
pub use model::{
    Bundle, ChangeCopy, Decision, Document, Item, ItemPlan, LeftOut, Parts, Prose, Requirement, Scenario,
    SourceFile, SpecText, Step,
};
pub use scan::conflict;

use crate::lifecycle::{Lifecycle, UnknownName};
use crate::plan::StepStatus;

/// A tool whose files can be brought in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    Openspec,
    SpecKit,
    Kiro,
    Backlog,
    SpecWorkflow,
    TaskMaster,
    AdrTools,
    Madr,
    Ears,
}

impl Format {
    pub const ALL: [Self; 9] = [
        Self::Openspec,
        Self::SpecKit,
        Self::Kiro,
        Self::Backlog,
        Self::SpecWorkflow,
        Self::TaskMaster,
        Self::AdrTools,
        Self::Madr,
        Self::Ears,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Openspec => "openspec",
            Self::SpecKit => "spec-kit",
            Self::Kiro => "kiro",
            Self::Backlog => "backlog",
            Self::SpecWorkflow => "spec-workflow",
            Self::TaskMaster => "task-master",
            Self::AdrTools => "adr-tools",
            Self::Madr => "madr",
            Self::Ears => "ears",
        }
    }

    /// What it is called.
    pub fn tool(self) -> &'static str {
        match self {
            Self::Openspec => "OpenSpec",
            Self::SpecKit => "spec-kit",
            Self::Kiro => "Kiro",
            Self::Backlog => "Backlog.md",
            Self::SpecWorkflow => "spec-workflow-mcp",
            Self::TaskMaster => "Task Master",
            Self::AdrTools => "adr-tools",
            Self::Madr => "MADR",
            Self::Ears => "EARS sentences",
        }
    }

    /// The folders and files in which it keeps what is read, below the root of a project.
    pub fn places(self) -> &'static [&'static str] {
        match self {
            Self::Openspec => &["openspec"],
            Self::SpecKit => &["specs", ".specify/memory", "memory"],
            Self::Kiro => &[".kiro"],
            Self::Backlog => &["backlog", ".backlog"],
            Self::SpecWorkflow => &[".spec-workflow"],
            Self::TaskMaster => &[".taskmaster", "tasks/tasks.json", "tasks.json"],
            Self::AdrTools => {
                &["doc/adr", "docs/adr", "doc/architecture/decisions", "docs/architecture/decisions"]
            }
            Self::Madr => &["docs/decisions", "docs/adr", "doc/decisions", "doc/adr"],
            Self::Ears => &[
                "requirements.md",
                "REQUIREMENTS.md",
                "docs/requirements.md",
                "requirements",
                "docs/requirements",
            ],
        }
    }

    /// Folders that are read along where one of its own places is.
    pub fn companions(self) -> &'static [&'static str] {
        if self == Self::Openspec { &openspec::COMPANIONS } else { &[] }
    }

    /// Whether a file, by its path below the root of a project, is read.
    pub fn wants(self, path: &str) -> bool {
        match self {
            Self::Openspec => openspec::wants(path),
            Self::SpecKit => spec_kit::wants(path),
            Self::Kiro => kiro::wants(path),
            Self::Backlog => backlog::wants(path),
            Self::SpecWorkflow => spec_workflow::wants(path),
            Self::TaskMaster => task_master::wants(path),
            Self::AdrTools | Self::Madr => adr::wants(path),
            Self::Ears => [".md", ".txt", ".markdown"].iter().any(|end| path.ends_with(end)),
        }
    }

    /// The other format whose record a file is, where both have the same folders.
    pub fn rival(self, path: &str, text: &str) -> Option<Self> {
        let own = if is_madr(text) { Self::Madr } else { Self::AdrTools };
        (matches!(self, Self::AdrTools | Self::Madr) && own != self && number_of(path).is_some())
            .then_some(own)
    }

    /// Whether its files stand in any folder, so that the folder has to be named.
    pub fn is_loose(self) -> bool {
        matches!(self, Self::AdrTools | Self::Madr | Self::Ears)
    }

    /// Reads the files of a source.
    pub fn read(self, files: &[SourceFile]) -> Bundle {
        match self {
            Self::Openspec => openspec::read(files),
            Self::SpecKit => spec_kit::read(files),
            Self::Kiro => kiro::read(files),
            Self::Backlog => backlog::read(files),
            Self::SpecWorkflow => spec_workflow::read(files),
            Self::TaskMaster => task_master::read(files),
            Self::AdrTools | Self::Madr => adr::read(files),
            Self::Ears => ears::read(files),
        }
    }

    /// Whether a part is called by its file or folder; else any file that cannot be read may be the one that has it.
    pub fn is_called_by_file(self, key: &str) -> bool {
        match self {
            Self::TaskMaster => false,
            Self::Backlog => !key.starts_with(backlog::TASK),
            _ => true,
        }
    }

    /// What has to be read as one: where one file of it cannot be, none is.
    pub fn unit_of(self, path: &str) -> String {
        let depth = match self {
            Self::SpecKit if path.starts_with("specs/") => 2,
            Self::Kiro if path.starts_with(".kiro/specs/") => 3,
            Self::SpecWorkflow if path.starts_with(".spec-workflow/specs/") => 3,
            Self::SpecWorkflow if path.starts_with(".spec-workflow/archive/specs/") => 4,
            Self::Openspec if path.starts_with("openspec/changes/archive/") => 4,
            Self::Openspec
                if path.starts_with("openspec/changes/") || path.starts_with("openspec/specs/") =>
            {
                3
            }
            _ => usize::MAX,
        };
        path.split('/').take(depth).collect::<Vec<_>>().join("/")
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Format {
    type Err = UnknownName;
    fn from_str(text: &str) -> Result<Self, UnknownName> {
        Self::ALL.into_iter().find(|format| format.as_str() == text).ok_or(UnknownName)
    }
}

/// How far an item is, by its steps.
fn progress(steps: &[Step]) -> (Lifecycle, String) {
    let done = steps.iter().filter(|step| step.status == StepStatus::Completed).count();
    let begun = done > 0 || steps.iter().any(|step| step.status == StepStatus::InProgress);
    let told = format!("{done} of {} tasks done", steps.len());
    match () {
        () if steps.is_empty() || !begun => (Lifecycle::Draft, told),
        () if done == steps.len() => (Lifecycle::Done, told),
        () => (Lifecycle::Active, told),
    }
}

/// What is wrong with a JSON file, in the words of its reader without the place.
fn json_fault(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let what = text.split(" at line ").next().unwrap_or(&text);
    format!("it is not valid JSON: {what} (column {})", error.column())
}

/// A text as a YAML value.
fn quoted(text: &str) -> String {
    serde_json::Value::String(text.to_owned()).to_string()
}

#[cfg(test)]
mod tests;
