//! `git_add` and `git_restore`: staging exactly the named paths, and taking that back.

use std::ffi::OsString;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::command::{Git, Task, failed};
use super::patch::ChangeKind;
use crate::call::Call;
use crate::error::{Error, Key, Result};
use crate::show::show_bytes;
use crate::station::Workstation;

/// How many staged paths are named in an answer.
const MAX_NAMED: usize = 200;

/// What to stage.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Add {
    /// A folder of the repository; default the first root
    pub repo: Option<String>,
    pub paths: Vec<String>,
}

/// What to take out of the index again.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Restore {
    /// A folder of the repository; default the first root
    pub repo: Option<String>,
    pub paths: Vec<String>,
}

/// A staged path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StagedView {
    pub path: String,
    pub change: ChangeKind,
}

/// What is staged now of the named paths.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AddView {
    /// The top folder of the repository
    pub root: String,
    pub staged: Vec<StagedView>,
    /// How many paths are staged in all
    pub total: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub note: Option<String>,
}

/// What was unstaged. The files themselves are as they were.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RestoreView {
    /// The top folder of the repository
    pub root: String,
    pub unstaged: Vec<StagedView>,
    /// How many paths are still staged
    pub still_staged: usize,
}

/// Stages the named paths, all of them or none. A folder means everything in it that is not ignored.
pub fn add(station: &Workstation, call: &Call<'_>, request: &Add) -> Result<AddView> {
    refuse_no_paths(&request.paths)?;
    let git = Git::open(station, call, request.repo.as_deref())?;
    let paths = git.paths("paths", &request.paths)?;
    let submodules = git.submodules(&paths)?;
    let left_out = [submodules.clone(), git.kept_back(&paths)?].concat();
    let others: Vec<OsString> = paths.iter().filter(|path| !submodules.contains(path)).cloned().collect();
    if !others.is_empty() {
        git.stage_files(&others, &left_out)?;
    }
    git.stage_submodules(&submodules)?;
    let staged = git.staged(&paths)?;
    let total = git.staged(&[])?.len();
    let note = git.note();
    let staged = staged.into_iter().take(MAX_NAMED).collect();
    Ok(AddView { root: git.repository.shown, staged, total, note })
}

/// Takes the named paths out of the index; the work tree stays as it is.
pub fn restore(station: &Workstation, call: &Call<'_>, request: &Restore) -> Result<RestoreView> {
    refuse_no_paths(&request.paths)?;
    let git = Git::open(station, call, request.repo.as_deref())?;
    let paths = git.paths("paths", &request.paths)?;
    let unstaged = git.staged(&paths)?;
    if !unstaged.is_empty() {
        git.must(&Task::new(["reset", "--quiet"]).writing().paths(&paths).doing("unstage"))?;
    }
    let still_staged = git.staged(&[])?.len();
    let unstaged = unstaged.into_iter().take(MAX_NAMED).collect();
    Ok(RestoreView { root: git.repository.shown, unstaged, still_staged })
}

impl Git<'_> {
    /// Git stages the rest when one path is ignored; a rehearsal keeps it all or nothing.
    fn stage_files(&self, paths: &[OsString], left_out: &[OsString]) -> Result<()> {
        let add = |options: &[&str]| {
            Task::new(["add"]).with(options).insisting_on_filters().paths_without(paths, left_out)
        };
        let rehearsal = self.run(&add(&["--dry-run"]))?;
        if rehearsal.stderr.contains("ignored by one of your .gitignore") && rehearsal.exit_code != 0 {
            return Err(Error::refused(Key::PathIgnored, "a named path is ignored by `.gitignore`")
                .hint("leave it out; ignored files are not staged here")
                .detail("stderr", rehearsal.stderr.trim()));
        }
        if rehearsal.exit_code != 0 {
            return Err(failed("stage", &rehearsal));
        }
        self.must(&add(&[]).writing().doing("stage")).map(|_| ())
    }

    /// What is staged, of these paths or of all.
    pub(super) fn staged(&self, paths: &[OsString]) -> Result<Vec<StagedView>> {
        let options =
            ["diff", "--cached", "--name-status", "--no-renames", "-z", "--ignore-submodules=dirty"];
        let output = self.must(&Task::new(options).paths(paths).doing("list what is staged"))?;
        let mut fields = output.stdout.split(|byte| *byte == 0);
        let mut staged = Vec::new();
        while let (Some(letter), Some(path)) = (fields.next(), fields.next()) {
            if let Some(change) = letter.first().and_then(|letter| ChangeKind::of(*letter)) {
                staged.push(StagedView { path: show_bytes(path).text, change });
            }
        }
        Ok(staged)
    }
}

fn refuse_no_paths(paths: &[String]) -> Result<()> {
    if paths.is_empty() {
        return Err(Error::invalid_argument("paths", "at least one path", "no paths are given"));
    }
    Ok(())
}
