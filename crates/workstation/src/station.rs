//! The workstation: the allowed folders together with what is allowed in them.

use std::ffi::OsString;
use std::sync::OnceLock;

use crate::confine::Roots;
use crate::git::GitProgram;
use crate::process::search_path;
use crate::settings::{Limits, Settings};

/// Opened once at start, shared by all calls.
#[derive(Debug)]
pub struct Workstation {
    roots: Roots,
    settings: Settings,
    git: OnceLock<GitProgram>,
    search_path: OnceLock<OsString>,
}

impl Workstation {
    pub fn new(roots: Roots, settings: Settings) -> Self {
        Self { roots, settings, git: OnceLock::new(), search_path: OnceLock::new() }
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

    /// The `PATH` of children, looked at once: nobody beneath the roots can change what lies outside.
    pub(crate) fn search_path(&self) -> &OsString {
        self.search_path.get_or_init(|| search_path(&self.settings, &self.roots))
    }

    /// The git program, once it has been found and its version was good enough.
    pub(crate) fn git(&self) -> &OnceLock<GitProgram> {
        &self.git
    }
}
