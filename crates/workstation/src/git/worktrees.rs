//! `git_worktrees`: the work trees of a repository.

use hewto_core::page::{Page, PageRequest};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::command::{Git, Task};
use crate::call::Call;
use crate::error::Result;
use crate::files::as_path;
use crate::page::{paginate, path_order};
use crate::show::show_bytes;
use crate::station::Workstation;

/// Which repository.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[schemars(extend("additionalProperties" = false))]
pub struct Worktrees {
    /// A folder of the repository; default the first root
    pub repo: Option<String>,
    #[serde(flatten)]
    pub page: PageRequest,
}

/// A work tree.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct WorktreeView {
    pub path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub head: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub branch: Option<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schemars(default)]
    pub detached: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schemars(default)]
    pub locked: bool,
    /// Whether its folder is gone
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schemars(default)]
    pub prunable: bool,
    /// Whether the other tools can reach it
    pub allowed: bool,
}

/// The work trees of a repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct WorktreesView {
    /// The top folder of the repository
    pub root: String,
    pub worktrees: Vec<WorktreeView>,
    #[serde(flatten)]
    pub page: Page,
}

/// Lists work trees.
pub fn worktrees(station: &Workstation, call: &Call<'_>, request: &Worktrees) -> Result<WorktreesView> {
    let git = Git::open(station, call, request.repo.as_deref())?;
    // Older versions end lines with line feeds only.
    let ending = if git.version() >= (2, 36) { 0 } else { b'\n' };
    let task = Task::new(["worktree", "list", "--porcelain"]).with((ending == 0).then_some("-z"));
    let output = git.must(&task.doing("list the work trees"))?;
    let mut found: Vec<(Vec<u8>, WorktreeView)> = Vec::new();
    for line in output.stdout.split(|byte| *byte == ending) {
        if let Some(path) = line.strip_prefix(b"worktree ") {
            let allowed = station.roots().map_absolute(as_path(path)).is_some();
            let view = WorktreeView { path: show_bytes(path).text, allowed, ..WorktreeView::default() };
            found.push((path.to_vec(), view));
        } else if let Some((_, view)) = found.last_mut() {
            let line = show_bytes(line).text;
            match line.split_once(' ').unwrap_or((&line, "")) {
                ("HEAD", head) => view.head = Some(head.to_owned()),
                ("branch", name) => view.branch = Some(name.trim_start_matches("refs/heads/").to_owned()),
                ("detached", _) => view.detached = true,
                ("locked", _) => view.locked = true,
                ("prunable", _) => view.prunable = true,
                _ => {}
            }
        }
    }
    found.sort_by(|a, b| path_order(&a.0, &b.0));
    let list = ("worktrees", &git.repository.shown);
    let (worktrees, page) =
        paginate(&found, &request.page, &list, |(path, _)| path.into(), |(_, view)| view.clone())?;
    Ok(WorktreesView { root: git.repository.shown, worktrees, page })
}
