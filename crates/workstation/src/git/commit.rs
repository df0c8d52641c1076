//! `git_commit`: what is staged, as a commit. Hooks run only where the user says so.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::command::{Git, Task};
use super::commits::{FORMAT, parse};
use crate::call::Call;
use crate::error::{Action, Error, Key, Result};
use crate::settings::CommitHooks;
use crate::station::Workstation;

/// One argument of a process can hold about this much.
const MAX_MESSAGE: usize = 64 * 1024;

/// What to say about it.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Commit {
    /// A folder of the repository; default the first root
    pub repo: Option<String>,
    pub message: String,
}

/// A commit that was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CommitMadeView {
    /// The top folder of the repository
    pub root: String,
    pub commit: String,
    /// Absent when `HEAD` is detached
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub branch: Option<String>,
    pub subject: String,
    pub author: String,
    /// How many files it changed
    pub files: usize,
}

/// Commits what is staged.
pub fn commit(station: &Workstation, call: &Call<'_>, request: &Commit) -> Result<CommitMadeView> {
    let bad = |message: &str| Error::invalid_argument("message", "a commit message", message);
    if request.message.trim().is_empty() {
        return Err(bad("the message is empty"));
    }
    if request.message.contains('\0') || request.message.len() > MAX_MESSAGE {
        return Err(bad("the message is too long or contains a NUL character"));
    }
    let git = Git::open(station, call, request.repo.as_deref())?;
    let files = git.staged(&[])?.len();
    // A merge may end with nothing staged.
    let merging = git.run(&Task::new(["rev-parse", "--verify", "--quiet", "MERGE_HEAD"]))?.exit_code == 0;
    if files == 0 && !merging {
        return Err(
            Error::refused(Key::NothingToCommit, "nothing is staged").hint(Action::StageFiles.then(" first"))
        );
    }
    let hooks = station.settings().commit_hooks;
    let message = format!("--message={}", request.message);
    let mut task = Task::new(["commit", "--quiet", "--no-gpg-sign", "--cleanup=whitespace", &message])
        .writing()
        .hooks(hooks)
        .doing("commit");
    if hooks == CommitHooks::Skip {
        task = task.with(["--no-verify"]);
    }
    git.must(&task)?;
    let last = Task::new(["log", "-z", "--max-count=1", "--no-patch", "--no-show-signature", FORMAT, "HEAD"]);
    let made = parse(&git.must(&last.paths(&[]))?.stdout).into_iter().next();
    let made = made.ok_or_else(|| Error::machine(Key::GitFailed, "the commit cannot be found"))?;
    Ok(CommitMadeView {
        branch: git.current_branch()?,
        root: git.repository.shown,
        commit: made.commit,
        subject: made.subject,
        author: made.author,
        files,
    })
}
