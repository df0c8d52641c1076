//! Where decisions are made: any git repository, with no workspace and no set-up (D-2).

use super::Project;
use crate::decision::{Climb, Flow, Interviews, Repository, RepositoryScope, Where};
use crate::error::Result;

impl Project {
    /// The clarifications that are under way.
    pub fn interviews(&self) -> &Interviews {
        &self.interviews
    }

    /// How a clarification asks here.
    pub fn questions(&self) -> Flow {
        self.questions
    }

    /// The place that a call names, or the one where the project is. Unless calls are confined any repository may be
    /// named: whoever calls runs on this machine, as this user.
    pub fn decisions_at(&self, named: Option<String>) -> Where {
        let reach = self
            .bounds
            .get()
            .map_or(RepositoryScope::Anywhere, |folder| RepositoryScope::Inside(folder.clone()));
        let trust = self.machine.trust.clone();
        let search_path = self.machine.search_path.clone();
        Where { named, start: self.start.clone(), climb: Climb::Up, reach, trust, search_path }
    }

    /// The repository at that place.
    pub fn repository(&self, named: Option<String>) -> Result<Repository> {
        Repository::find(&self.decisions_at(named))
    }
}
