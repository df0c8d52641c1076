//! The workstation: the allowed folders together with what is allowed in them.

use crate::confine::Roots;
use crate::settings::{Limits, Settings};

/// Opened once at start, shared by all calls.
#[derive(Debug)]
pub struct Workstation {
    roots: Roots,
    settings: Settings,
}

impl Workstation {
    pub fn new(roots: Roots, settings: Settings) -> Self {
        Self { roots, settings }
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
}
