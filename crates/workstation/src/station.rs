//! The workstation: the allowed folders together with what is allowed in them.

use std::sync::OnceLock;

use crate::confine::Roots;
use crate::git::GitProgram;
use crate::settings::{Limits, Settings};

/// Opened once at start, shared by all calls.
#[derive(Debug)]
pub struct Workstation {
    roots: Roots,
    settings: Settings,
    git: OnceLock<GitProgram>,
}

impl Workstation {
    pub fn new(roots: Roots, settings: Settings) -> Self {
        Self { roots, settings, git: OnceLock::new() }
    }

    pub fn roots(&self) -> &Roots {
        &self.roots
    }

    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.settings.limits
    }

    /// The git program, once it has been found and its version was good enough.
    pub(crate) fn git(&self) -> &OnceLock<GitProgram> {
        &self.git
    }
}
