//! Where the server works: the workspace, looked for at each call until there is one (D-2), and what begins with it.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use hewto_engine::decision::Interviewer;
use hewto_engine::{Context, Result, Start, Workspace};

use crate::audit::Trail;
use crate::office::Office;
use crate::rate::{Bucket, RateLimit};

/// The folder from which the workspace is looked for.
#[derive(Debug)]
pub(crate) struct Site {
    start: PathBuf,
    /// The option or variable that named the folder.
    named_by: Option<String>,
    found: OnceLock<Workspace>,
    office: Office,
    trail: Trail,
    bucket: Arc<Bucket>,
    /// What the server was started with; the workspace's configuration counts when it is none.
    rate: Option<RateLimit>,
}

impl Site {
    pub(crate) fn new(
        start: PathBuf,
        named_by: Option<String>,
        trail: Trail,
        bucket: Arc<Bucket>,
        rate: Option<RateLimit>,
        interviewer: Interviewer,
    ) -> Self {
        let office = Office::new(start.clone(), interviewer);
        Self { start, named_by, found: OnceLock::new(), office, trail, bucket, rate }
    }

    /// Where decisions are made, with or without a workspace.
    pub(crate) fn office(&self) -> &Office {
        &self.office
    }

    /// Begins the logs: in the workspace or, where there is none, in the git folder of the repository (D-3).
    pub(crate) fn open_logs(&self, context: &Context) {
        if self.workspace(context).is_err()
            && let Ok(repository) = self.office.repository(None)
        {
            self.trail.open(repository.layout(), context);
        }
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
        Ok(self.found.get_or_init(|| {
            self.trail.open(workspace.layout(), context);
            if self.rate.is_none()
                && let Some(limit) = workspace.config_text(context).ok().as_deref().and_then(RateLimit::read)
            {
                self.bucket.set_limit(limit);
            }
            workspace
        }))
    }
}
