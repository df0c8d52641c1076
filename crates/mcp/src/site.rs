//! Where the server works: the workspace, looked for at each call until there is one (D-2).

use std::path::PathBuf;
use std::sync::OnceLock;

use hewto_engine::{Result, Start, Workspace};

/// The folder from which the workspace is looked for.
#[derive(Debug)]
pub(crate) struct Site {
    start: PathBuf,
    /// The option or variable that named the folder.
    named_by: Option<String>,
    found: OnceLock<Workspace>,
}

impl Site {
    pub(crate) fn new(start: PathBuf, named_by: Option<String>) -> Self {
        Self { start, named_by, found: OnceLock::new() }
    }

    /// The workspace; one that was found stays.
    pub(crate) fn workspace(&self) -> Result<&Workspace> {
        if let Some(workspace) = self.found.get() {
            return Ok(workspace);
        }
        let workspace = Workspace::discover(match &self.named_by {
            Some(by) => Start::Override { path: &self.start, by },
            None => Start::Here(&self.start),
        })?;
        Ok(self.found.get_or_init(|| workspace))
    }
}
