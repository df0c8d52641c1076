//! Where the server works: the workspace, looked for at each call until there is one (D-2).

use std::path::PathBuf;
use std::sync::OnceLock;

use hewto_engine::{Context, Result, Start, Workspace};

use crate::audit::Trail;

/// The folder from which the workspace is looked for.
#[derive(Debug)]
pub(crate) struct Site {
    start: PathBuf,
    /// The option or variable that named the folder.
    named_by: Option<String>,
    found: OnceLock<Workspace>,
    /// Begins where the workspace is found.
    trail: Trail,
}

impl Site {
    pub(crate) fn new(start: PathBuf, named_by: Option<String>, trail: Trail) -> Self {
        Self { start, named_by, found: OnceLock::new(), trail }
    }

    /// The workspace; one that was found stays.
    pub(crate) fn workspace(&self, context: &Context) -> Result<&Workspace> {
        if let Some(workspace) = self.found.get() {
            return Ok(workspace);
        }
        let workspace = Workspace::discover(match &self.named_by {
            Some(by) => Start::Override { path: &self.start, by },
            None => Start::Here(&self.start),
        })?;
        self.trail.open(&workspace, context);
        Ok(self.found.get_or_init(|| workspace))
    }
}
