//! `git_diff`: what changed, unstaged, staged or between revisions.

use hewto_core::page::{Page, PageRequest};
use hewto_core::schema::unstated;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::argument::Wants;
use super::command::Git;
use super::patch::{Changes, FileChangeView, Patch};
use crate::call::Call;
use crate::error::{Error, Result};
use crate::station::Workstation;

const DEFAULT_CONTEXT: u32 = 3;
const MAX_CONTEXT: u32 = 1_000;

/// What to compare.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[schemars(extend("additionalProperties" = false))]
pub struct Diff {
    /// A folder of the repository; default the first root
    pub repo: Option<String>,
    /// What is staged instead of what is not
    #[serde(default)]
    #[schemars(skip_serializing_if = "unstated")]
    pub staged: bool,
    /// A revision
    pub from: Option<String>,
    /// A revision
    pub to: Option<String>,
    #[serde(default)]
    pub paths: Vec<String>,
    /// Default 3
    #[schemars(range(min = 0, max = 1000))]
    pub context_lines: Option<u32>,
    #[serde(flatten)]
    pub page: PageRequest,
}

/// What changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DiffView {
    /// The top folder of the repository
    pub root: String,
    /// The changed files of this page
    pub files: Vec<FileChangeView>,
    /// Their unified diffs
    pub diff: String,
    /// Whether the end of the diff is left out; ask for more with `max_chars`
    pub truncated: bool,
    #[serde(flatten)]
    pub page: Page,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub note: Option<String>,
}

/// Shows what changed.
pub fn diff(station: &Workstation, call: &Call<'_>, request: &Diff) -> Result<DiffView> {
    if request.to.is_some() && (request.from.is_none() || request.staged) {
        let message = "`to` goes with `from` and without `staged`";
        return Err(Error::invalid_argument("to", "a revision beside `from`", message));
    }
    let git = Git::open(station, call, request.repo.as_deref())?;
    let from = request.from.as_deref().map(|from| git.resolve("from", from, Wants::Commit)).transpose()?;
    let to = request.to.as_deref().map(|to| git.resolve("to", to, Wants::Commit)).transpose()?;
    let paths = git.paths("paths", &request.paths)?;
    let revisions: Vec<String> = from.into_iter().chain(to).collect();
    let changes = Changes {
        command: if request.staged { &["diff", "--cached"] } else { &["diff"] },
        revisions: &revisions,
        paths: &paths,
        context_lines: request.context_lines.unwrap_or(DEFAULT_CONTEXT).min(MAX_CONTEXT),
    };
    let list = ("diff", &git.repository.shown, request.staged, &revisions, &paths);
    let Patch { files, page, diff, truncated } = changes.patch(&git, &request.page, &list)?;
    let note = git.note();
    Ok(DiffView { root: git.repository.shown, files, diff, truncated, page, note })
}
