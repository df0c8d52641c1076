//! `git_branch_create` and `git_switch`: a new branch, and going to one. Nothing is ever overwritten for it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::argument::{Wants, plain};
use super::command::{Git, Task, failed};
use crate::call::Call;
use crate::error::{Action, Error, Hint, Key, Result};
use crate::station::Workstation;

/// Which branch to make.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BranchCreate {
    /// A folder of the repository; default the first root
    pub repo: Option<String>,
    pub name: String,
    /// A revision; default HEAD
    pub from: Option<String>,
}

/// Which branch to go to.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Switch {
    /// A folder of the repository; default the first root
    pub repo: Option<String>,
    pub name: String,
}

/// A new branch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BranchCreatedView {
    /// The top folder of the repository
    pub root: String,
    pub name: String,
    pub commit: String,
}

/// The branch that is checked out now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SwitchView {
    /// The top folder of the repository
    pub root: String,
    pub branch: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub previous: Option<String>,
    pub commit: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub note: Option<String>,
}

/// Makes a branch without going to it.
pub fn branch_create(
    station: &Workstation,
    call: &Call<'_>,
    request: &BranchCreate,
) -> Result<BranchCreatedView> {
    let git = Git::open(station, call, request.repo.as_deref())?;
    let name = git.branch_name("name", &request.name)?;
    if git.has_branch(name)? {
        return Err(Error::refused(Key::AlreadyExists, format!("a branch named `{name}` exists"))
            .hint(Hint::from("choose another name, or ").action(Action::SwitchBranch)));
    }
    let from = request.from.as_deref().unwrap_or("HEAD");
    let commit = git.resolve("from", from, Wants::Commit)?;
    git.must(&Task::new(["branch", "--no-track", name, &commit]).writing().doing("make the branch"))?;
    Ok(BranchCreatedView { root: git.repository.shown, name: name.to_owned(), commit })
}

/// Goes to a branch, unless changes here would be lost by it.
pub fn switch(station: &Workstation, call: &Call<'_>, request: &Switch) -> Result<SwitchView> {
    let git = Git::open(station, call, request.repo.as_deref())?;
    let name = git.branch_name("name", &request.name)?;
    if !git.has_branch(name)? {
        return Err(Error::refused(Key::BranchNotFound, format!("no branch named `{name}`"))
            .hint(Action::ListBranches.to("see the names, or ").action(Action::CreateBranch)));
    }
    let previous = git.current_branch()?;
    let options = ["switch", "--quiet", "--no-guess", "--no-recurse-submodules", name];
    let output = git.run(&Task::new(options).writing())?;
    if output.exit_code != 0 {
        let error = failed("switch", &output);
        return Err(if output.stderr.contains("would be overwritten") {
            let message = format!("changes here would be lost by going to `{name}`");
            Error::refused(Key::WouldOverwrite, message)
                .hint(Hint::from("commit them, or ").action(Action::StashFiles))
                .detail("stderr", output.stderr.trim())
        } else {
            error
        });
    }
    let commit = git.resolve("name", "HEAD", Wants::Commit)?;
    let note = git.note();
    Ok(SwitchView { root: git.repository.shown, branch: name.to_owned(), previous, commit, note })
}

impl Git<'_> {
    fn branch_name<'n>(&self, field: &str, name: &'n str) -> Result<&'n str> {
        let name = plain(field, name)?;
        let full = format!("refs/heads/{name}");
        let output = self.run(&Task::new(["check-ref-format", &full]))?;
        // These would be branches that nobody could name.
        let means_another = matches!(name, "HEAD" | "@") || name.starts_with("refs/");
        if output.exit_code == 0 && !means_another {
            return Ok(name);
        }
        Err(Error::invalid_argument(field, "a name that git allows", format!("`{name}` cannot be a branch")))
    }

    fn has_branch(&self, name: &str) -> Result<bool> {
        let full = format!("refs/heads/{name}");
        Ok(self.run(&Task::new(["show-ref", "--verify", "--quiet", &full]))?.exit_code == 0)
    }
}
