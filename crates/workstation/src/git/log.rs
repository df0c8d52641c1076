//! `git_log`: commits, the newest first.

use std::fmt;
use std::time::{Duration, Instant};

use hewto_core::page::PageRequest;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::argument::{is_object_id, plain};
use super::command::{Git, Task, failed};
use super::commits::{CommitView, FORMAT, parse};
use crate::call::Call;
use crate::error::{Key, Result};
use crate::page::{no_place, open_cursor, room, seal_cursor};
use crate::station::Workstation;

/// Counting a long history is given up after this.
const COUNT_TIME: Duration = Duration::from_secs(1);

/// Which commits.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[schemars(extend("additionalProperties" = false))]
pub struct Log {
    /// A folder of the repository; default the first root
    pub repo: Option<String>,
    pub author: Option<String>,
    /// In the message
    pub grep: Option<String>,
    /// A date, or such as `2 weeks ago`
    pub since: Option<String>,
    pub until: Option<String>,
    #[serde(default)]
    pub paths: Vec<String>,
    #[serde(flatten)]
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

impl LogView {
    /// Before the first commit.
    fn empty(root: String) -> Self {
        Self { root, commits: vec![], total: Some(0), remaining: Some(0), next_cursor: None }
    }
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
    let position = match &request.page.cursor {
        Some(cursor) => Some(Position::parse(&open_cursor(cursor, &list)?)?),
        // The newest commit is the first that is listed, unless some are left out.
        None if filters.is_empty() && paths.is_empty() => None,
        None => match git.head()? {
            Some(start) => Some(Position { start, skip: 0, total: None }),
            None => return Ok(LogView::empty(root)),
        },
    };
    let (from, skip) = position.as_ref().map_or(("HEAD", 0), |position| (&position.start, position.skip));
    let limit = request.page.limit();
    let (skipped, most) = (format!("--skip={skip}"), format!("--max-count={}", limit + 1));
    let options = ["-z", "--no-color", "--no-show-signature", "--no-patch", FORMAT, &skipped, &most];
    let task = Task::new(["log"]).with(options).with(&filters).with([from]).paths(&paths);
    let output = git.run(&task)?;
    if output.exit_code != 0 {
        let is_unborn = position.is_none() && git.head()?.is_none();
        return if is_unborn { Ok(LogView::empty(root)) } else { Err(failed("read the log", &output)) };
    }
    let found = parse(&output.stdout);
    let more = found.len() > limit;
    let start = match &position {
        Some(position) => position.start.clone(),
        None => found.first().map(|commit| commit.commit.clone()).unwrap_or_default(),
    };
    // Who has seen the end, or was told on the page before, need not count.
    let known = if more { position.and_then(|position| position.total) } else { Some(skip + found.len()) };

    let mut room = room(&request.page);
    let commits: Vec<CommitView> =
        found.into_iter().take(limit).take_while(|commit| room.takes(commit)).collect();
    let end = skip + commits.len();
    let total = match known {
        Some(total) => Some(total),
        None => count(&git, &filters, &start, &paths)?,
    };
    // What was not counted in time goes on: only the last page knows its end without counting.
    let has_next = total.is_none_or(|total| end < total);
    let next = Position { start, skip: end, total };
    let next_cursor = has_next.then(|| seal_cursor(next.to_string().as_bytes(), &list));
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
        Err(error) if error.key == Key::Timeout && git.call.check().is_ok() => Ok(None),
        Err(error) => Err(error),
    }
}

/// Where a page begins, as a cursor remembers it.
#[derive(Debug)]
struct Position {
    /// The newest commit of the first page.
    start: String,
    skip: usize,
    /// How many there are from there, when they were counted.
    total: Option<usize>,
}

impl Position {
    fn parse(bytes: &[u8]) -> Result<Self> {
        std::str::from_utf8(bytes)
            .ok()
            .and_then(|text| {
                let mut parts = text.split('/');
                let start = parts.next().filter(|start| is_object_id(start))?.to_owned();
                let skip = parts.next()?.parse().ok()?;
                Some(Self { start, skip, total: parts.next().and_then(|total| total.parse().ok()) })
            })
            .ok_or_else(no_place)
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.start, self.skip)?;
        self.total.map_or(Ok(()), |total| write!(f, "/{total}"))
    }
}
