//! Artifacts: what the workspace graph is made of, how they are named and what they say about themselves (seed 002).
//!
//! A spec, an implementation or a scratch pad is a folder with a document in it; [`ArtifactHead`] is what such a
//! document says beyond a spec's own head. [`Locator`] is how a client points at one. No file is looked at here.

mod head;
mod locator;
mod name;
mod reference;
mod version;
mod work_type;

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::document::front_matter::FrontMatter;

pub use head::{ArtifactHead, Reference};
pub use locator::{Handle, HandleView, Locator, LocatorError};
pub use name::{NameError, check_implementation_name, check_name};
pub use reference::{ReferenceTarget, folder_of, is_url, resolve};
pub use version::is_semantic_version;
pub use work_type::{Profile, WorkType, WorkTypeError, branch_name};

/// What an artifact is. The first three are seed 002's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum ArtifactKind {
    Specification,
    Implementation,
    ScratchPad,
    Plan,
    Change,
    Decision,
    Task,
}

/// How handles begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scheme {
    Spec,
    Impl,
    Scratch,
    Change,
    Adr,
}

impl ArtifactKind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Specification => "Specification",
            Self::Implementation => "Implementation",
            Self::ScratchPad => "ScratchPad",
            Self::Plan => "Plan",
            Self::Change => "Change",
            Self::Decision => "Decision",
            Self::Task => "Task",
        }
    }

    /// The scheme of its handles; plans and tasks are addressed by their path.
    pub fn scheme(self) -> Option<Scheme> {
        match self {
            Self::Specification => Some(Scheme::Spec),
            Self::Implementation => Some(Scheme::Impl),
            Self::ScratchPad => Some(Scheme::Scratch),
            Self::Change => Some(Scheme::Change),
            Self::Decision => Some(Scheme::Adr),
            Self::Plan | Self::Task => None,
        }
    }

    /// What a document is that stands outside the folders of artifacts: its keys tell, else its path.
    pub fn of_document(front: &FrontMatter, path: &str) -> Self {
        let has = |key: &str| front.get(key).is_some();
        match () {
            () if has("work_type") || has("target") => Self::ScratchPad,
            () if has("spec") => Self::Implementation,
            () => Self::of_path(path),
        }
    }

    /// What a document is taken for of which only the path is known.
    pub fn of_path(path: &str) -> Self {
        let mut segments = path.split('/');
        if segments.clone().any(|segment| segment == "impl") {
            Self::Implementation
        } else if segments.any(|segment| segment == "scratchpad") {
            Self::ScratchPad
        } else {
            Self::Specification
        }
    }
}

impl Scheme {
    pub const ALL: [Self; 5] = [Self::Spec, Self::Impl, Self::Scratch, Self::Change, Self::Adr];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Spec => "spec",
            Self::Impl => "impl",
            Self::Scratch => "scratch",
            Self::Change => "change",
            Self::Adr => "adr",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scheme| scheme.as_str() == name)
    }

    pub fn kind(self) -> ArtifactKind {
        match self {
            Self::Spec => ArtifactKind::Specification,
            Self::Impl => ArtifactKind::Implementation,
            Self::Scratch => ArtifactKind::ScratchPad,
            Self::Change => ArtifactKind::Change,
            Self::Adr => ArtifactKind::Decision,
        }
    }
}

impl fmt::Display for ArtifactKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for Scheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
