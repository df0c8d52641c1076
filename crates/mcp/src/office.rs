//! Where decisions are made: any git repository, with no workspace and no set-up (D-2).

use std::path::PathBuf;
use std::sync::OnceLock;

use hewto_engine::Result;
use hewto_engine::decision::{Climb, Desk, Interviewer, Reach, Repository, Where};

/// The clarifications of one server.
#[derive(Debug)]
pub(crate) struct Office {
    desk: Desk,
    start: PathBuf,
    /// The folder that calls cannot leave, where there is one.
    bounds: OnceLock<PathBuf>,
}

impl Office {
    pub(crate) fn new(start: PathBuf, interviewer: Interviewer) -> Self {
        Self { desk: Desk::new(interviewer), start, bounds: OnceLock::new() }
    }

    /// From now on only repositories inside this folder, a real path, can be named (D-15).
    pub(crate) fn confine(&self, folder: PathBuf) {
        self.bounds.get_or_init(|| folder);
    }

    pub(crate) fn desk(&self) -> &Desk {
        &self.desk
    }

    /// The place that a call names, or the one where the server stands. On stdio any repository may be named: the
    /// client runs on this machine, as this user.
    pub(crate) fn place(&self, named: Option<String>) -> Where {
        let reach = self.bounds.get().map_or(Reach::Anywhere, |folder| Reach::Inside(folder.clone()));
        Where { named, start: self.start.clone(), climb: Climb::Up, reach }
    }

    pub(crate) fn repository(&self, named: Option<String>) -> Result<Repository> {
        Repository::find(&self.place(named))
    }
}
