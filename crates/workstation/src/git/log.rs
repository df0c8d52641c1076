//! `git_log`: commits, the newest first.

use schemars::JsonSchema;
use serde::Serialize;
use std::time::{Duration, Instant};

use super::argument::{is_object_id, plain};
use super::command::{Git, Task};
use super::commits::{CommitView, FORMAT, parse};
use crate::call::Call;
use crate::error::{Error, Result};
use crate::page::{PageRequest, chars_of, open_cursor, seal_cursor};
use crate::station::Workstation;

/// Counting a long history is given up after this.
const COUNT_TIME: Duration = Duration::from_secs(3);

/// Which commits.
#[derive(Debug, Clone, Default)]
pub struct Log {
    pub repo: Option<String>,
    pub author: Option<String>,
    pub grep: Option<String>,
    pub since: Option<String>,
    pub until: Option<String>,
    pub paths: Vec<String>,
    pub page: PageRequest,
}

/// Commits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LogView {
    /// The top folder of the repository
    pub root: String,
    pub commits: Vec<CommitView>,
    /// How many there are in all; absent when counting them takes too long
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub total: Option<usize>,
    /// How many follow this page
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub remaining: Option<usize>,
    /// Pass this as `cursor` to get the next page; absent at the end
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub next_cursor: Option<String>,
}

/// Lists commits.
pub fn log(station: &Workstation, call: &Call<'_>, request: &Log) -> Result<LogView> {
    let mut filters: Vec<String> = Vec::new();
    for (name, value) in [
        ("author", &request.author),
        ("grep", &request.grep),
        ("since", &request.since),
        ("until", &request.until),
    ] {
        if let Some(value) = value {
            filters.push(format!("--{name}={}", plain(name, value)?));
        }
    }
    let git = Git::open(station, call, request.repo.as_deref())?;
    let paths = git.paths("paths", &request.paths)?;
    let root = git.repository.shown.clone();
    let list = ("log", &root, &filters, &paths);
    // A cursor remembers where it began, so that new commits do not shift the pages.
    let (start, skip) = match &request.page.cursor {
        Some(cursor) => position(&open_cursor(cursor, &list)?)?,
        None => match git.head()? {
            Some(head) => (head, 0),
            None => {
                return Ok(LogView {
                    root,
                    commits: vec![],
                    total: Some(0),
                    remaining: Some(0),
                    next_cursor: None,
                });
            }
        },
    };
    let limit = request.page.limit();
    let (skipped, most) = (format!("--skip={skip}"), format!("--max-count={}", limit + 1));
    let options = ["-z", "--no-color", "--no-show-signature", "--no-patch", FORMAT, &skipped, &most];
    let task = Task::new(["log"]).with(options).with(&filters).with([&start]).paths(&paths);
    let found = parse(&git.must(&task.doing("read the log"))?.stdout);
    let more = found.len() > limit;
    // Who has seen the end need not count.
    let seen = if more { None } else { Some(skip + found.len()) };

    let mut commits: Vec<CommitView> = Vec::new();
    let mut chars = 0;
    let budget = request.page.budget();
    for commit in found.into_iter().take(limit) {
        chars += chars_of(&commit);
        if chars > budget && !commits.is_empty() {
            break;
        }
        commits.push(commit);
    }
    let end = skip + commits.len();
    let total = match seen {
        Some(total) => Some(total),
        None => count(&git, &filters, &start, &paths)?,
    };
    let has_next = total.map_or(more || chars > budget, |total| end < total);
    let next_cursor = has_next.then(|| seal_cursor(format!("{start}/{end}").as_bytes(), &list));
    Ok(LogView { root, commits, remaining: total.map(|total| total.saturating_sub(end)), total, next_cursor })
}

fn count(
    git: &Git<'_>,
    filters: &[String],
    start: &str,
    paths: &[std::ffi::OsString],
) -> Result<Option<usize>> {
    let deadline = Instant::now() + COUNT_TIME;
    let within = git.call.deadline().map_or(deadline, |own| own.min(deadline));
    let call = git.call.with_deadline(Some(within));
    let task = Task::new(["rev-list", "--count"]).with(filters).with([start]).paths(paths);
    match git.run_for(&task, &call) {
        Ok(output) => Ok(String::from_utf8_lossy(&output.stdout).trim().parse().ok()),
        Err(error) if error.key == "timeout" && git.call.check().is_ok() => Ok(None),
        Err(error) => Err(error),
    }
}

fn position(bytes: &[u8]) -> Result<(String, usize)> {
    std::str::from_utf8(bytes)
        .ok()
        .and_then(|text| text.split_once('/'))
        .and_then(|(start, skip)| Some((start.to_owned(), skip.parse().ok()?)))
        .filter(|(start, _)| is_object_id(start))
        .ok_or_else(|| Error::invalid_argument("cursor", "a `next_cursor`", "this is no cursor"))
}
