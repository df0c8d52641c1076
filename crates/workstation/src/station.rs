//! The workstation: the allowed folders together with what is allowed in them.

use std::ffi::OsString;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use crate::confine::Roots;
use crate::error::{Error, Key, Result};
use crate::git::GitProgram;
use crate::process::search_path;
use crate::settings::{Limits, Settings};
use crate::turns::Turns;

/// Opened once at start, shared by all calls.
#[derive(Debug)]
pub struct Workstation {
    roots: Arc<Roots>,
    turns: Arc<Turns>,
    settings: Settings,
    git: OnceLock<GitProgram>,
    search_path: OnceLock<OsString>,
}

impl Workstation {
    pub fn new(roots: Roots, settings: Settings) -> Self {
        Self::sharing(Arc::new(roots), Arc::default(), settings)
    }

    /// The same folders with other settings.
    #[must_use]
    pub fn with_settings(&self, settings: Settings) -> Self {
        Self::sharing(Arc::clone(&self.roots), Arc::clone(&self.turns), settings)
    }

    fn sharing(roots: Arc<Roots>, turns: Arc<Turns>, settings: Settings) -> Self {
        Self { roots, turns, settings, git: OnceLock::new(), search_path: OnceLock::new() }
    }

    /// Who changes which file.
    pub(crate) fn turns(&self) -> &Turns {
        &self.turns
    }

    /// Refuses to run a project's code in a folder that the owner of the machine does not trust.
    pub(crate) fn permit_run(&self, folder: &Path, shown: &str) -> Result<()> {
        let places = &self.settings.run_places;
        let innermost = places
            .iter()
            .filter(|place| folder.starts_with(&place.folder))
            .max_by_key(|place| place.folder.components().count());
        match innermost.map(|place| place.refusal.as_ref()) {
            Some(None) => Ok(()),
            Some(Some(refusal)) => {
                let mut error =
                    Error::refused(Key::NotTrusted, refusal.message.clone()).hint(refusal.hint.clone());
                error.details.extend(refusal.details.clone());
                Err(error.detail("path", shown))
            }
            None => Err(Error::refused(Key::NotTrusted, format!("nothing may be run in `{shown}`"))
                .hint("ask the person at this machine to run `hewto trust` there, in a terminal")
                .detail("path", shown)),
        }
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
