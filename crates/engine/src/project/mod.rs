//! The root of the engine: one project, opened once and asked for everything else (D-17).
//!
//! A project is a folder that somebody works in. It may be a workspace, lie in one, become one while a server runs
//! (D-2), or only be a git repository, which is all that decisions need. Whatever is expensive to open is opened at the
//! first call that needs it and shared from then on.

mod decisions;

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use hewto_store::Start;

use crate::decision::{Flow, Interviewer, Interviews};
use crate::error::{Error, Key, Kind, Result};
use crate::history::GitHistory;
use crate::search::{Finder, IndexCare, ModelChoice};
use crate::workspace::Workspace;
use crate::workstation::{Machine, OpenWorkstation};

/// Where a project is looked for, and what it may use.
#[derive(Debug, Default)]
pub struct ProjectOptions {
    /// The folder from which the workspace is looked for.
    pub start: PathBuf,
    /// The option or variable that named the folder; errors then say so.
    pub named_by: Option<String>,
    /// The allowed folders and the machine around them.
    pub machine: Machine,
    /// Who turns texts into vectors for searches.
    pub search_model: ModelChoice,
    /// How the search index is looked after.
    pub index_care: IndexCare,
    /// The file of the operation log, when it has one of its own.
    pub operation_log: Option<PathBuf>,
    /// Who asks the questions of a clarification.
    pub interviewer: Interviewer,
    /// Lets work through as the server of seed 000 does.
    pub seed_flow: bool,
    /// How much a clarification knows, and whom it talks to.
    pub questions: Flow,
}

/// A project and everything that belongs to it.
#[derive(Debug)]
pub struct Project {
    start: PathBuf,
    named_by: Option<String>,
    operation_log: Option<PathBuf>,
    seed_flow: bool,
    questions: Flow,
    pub(crate) machine: Machine,
    git: Arc<GitHistory>,
    finder: Arc<Finder>,
    interviews: Interviews,
    workspace: OnceLock<Workspace>,
    pub(crate) workstation: OnceLock<OpenWorkstation>,
    /// The folder that calls cannot leave, where there is one.
    bounds: OnceLock<PathBuf>,
}

impl Project {
    /// Opens nothing yet: that there is no workspace is said by what needs one.
    pub fn new(options: ProjectOptions) -> Self {
        Self {
            git: Arc::new(GitHistory::new(options.machine.search_path.clone())),
            finder: Arc::new(Finder::new(options.search_model).with_care(options.index_care)),
            interviews: Interviews::new(options.interviewer),
            start: options.start,
            named_by: options.named_by,
            operation_log: options.operation_log,
            seed_flow: options.seed_flow,
            questions: options.questions,
            machine: options.machine,
            workspace: OnceLock::new(),
            workstation: OnceLock::new(),
            bounds: OnceLock::new(),
        }
    }

    /// The workspace. It is looked for at each call until there is one; one that was found stays, as long as its folder does.
    pub fn workspace(&self) -> Result<&Workspace> {
        match self.workspace.get() {
            Some(workspace) if workspace.store().is_in_place() => return Ok(workspace),
            Some(workspace) => return Err(not_in_place(workspace.root())),
            None => {}
        }
        let start = match &self.named_by {
            Some(by) => Start::Override { path: &self.start, by },
            None => Start::Here(&self.start),
        };
        let (git, finder) = (Arc::clone(&self.git), Arc::clone(&self.finder));
        let workspace = Workspace::discover_with(start, self.operation_log.as_deref())?
            .sharing(git, finder)
            .with_trust(self.machine.trust.clone())
            .with_hub(self.machine.hub.clone());
        // Only a command line is given trust by its arguments.
        let machine = &self.machine;
        let workspace =
            workspace.with_children(machine.search_path.clone(), machine.environment.clone(), None);
        let workspace = if self.seed_flow { workspace.with_seed_flow() } else { workspace };
        Ok(self.workspace.get_or_init(|| workspace))
    }

    /// The root of the workspace, else the folder from which it is looked for.
    pub fn root(&self) -> &Path {
        self.workspace.get().map_or(&self.start, Workspace::root)
    }

    /// Keeps calls inside the workspace or, where there is none, inside the repository (D-15).
    pub fn confine(&self) {
        let root = match self.workspace() {
            Ok(workspace) => Some(workspace.root().to_owned()),
            Err(_) => self.repository(None).ok().map(|repository| repository.root().to_owned()),
        };
        self.bounds.get_or_init(|| root.unwrap_or_else(|| self.start.clone()));
    }

    /// Whether the allowed folders were named, rather than being the workspace.
    pub fn has_named_roots(&self) -> bool {
        !self.machine.roots.is_empty()
    }

    /// Another project of the same server: the same machine and the same people, from another folder.
    #[must_use]
    pub fn beside(&self, start: PathBuf) -> Self {
        let options = ProjectOptions {
            start,
            named_by: None,
            machine: self.machine.clone(),
            search_model: self.finder.model().clone(),
            index_care: self.finder.care(),
            operation_log: self.operation_log.clone(),
            interviewer: self.interviews.interviewer().clone(),
            seed_flow: self.seed_flow,
            questions: self.questions,
        };
        Self::new(options)
    }

    /// Whether somebody named the folder, rather than starting in it.
    pub fn is_named(&self) -> bool {
        self.named_by.is_some()
    }

    /// Whether calls are kept inside the workspace.
    pub fn is_confined(&self) -> bool {
        self.bounds.get().is_some()
    }

    /// Lets go of the workspace, so that commands which took it by value can keep it.
    pub fn into_workspace(self) -> Result<Workspace> {
        self.workspace()?;
        Ok(self.workspace.into_inner().expect("a workspace that was found stays"))
    }
}

/// What was opened is gone, and what came in its place was never opened: neither is read or written as if it were the other.
fn not_in_place(root: &Path) -> Error {
    let message = format!(
        "the folder of the workspace was removed or replaced since it was opened: {}",
        root.display()
    );
    Error::new(Kind::Refused, Key::WorkspaceNotFound, message).hint("put it back, or start hewto again")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_workspace_whose_folder_was_removed_or_replaced_is_not_taken_for_an_empty_one() {
        let home = tempfile::tempdir().unwrap();
        let (root, away) = (home.path().join("shop"), home.path().join("away"));
        let make = || {
            fs_err::create_dir_all(root.join(".hewto")).unwrap();
            fs_err::write(root.join(".hewto/config.toml"), "[project]\nname = \"shop\"\n").unwrap();
        };
        make();
        let project = Project::new(ProjectOptions { start: root.clone(), ..ProjectOptions::default() });
        assert!(project.workspace().is_ok());

        fs_err::rename(&root, &away).unwrap();
        assert!(project.workspace().is_ok(), "under another name it is the same");
        make();
        let gone = project.workspace().expect_err("another folder is another workspace");
        assert_eq!(gone.key, Key::WorkspaceNotFound);
        assert!(gone.to_string().contains("removed or replaced"), "{gone}");

        fs_err::remove_dir_all(&root).unwrap();
        fs_err::rename(&away, &root).unwrap();
        assert!(project.workspace().is_ok(), "what came back is the same");
        fs_err::remove_dir_all(&root).unwrap();
        assert!(project.workspace().is_err());
    }
}
