//! `git_blame`: who last changed each line of a file.

use std::collections::HashMap;

use hewto_core::page::{MAX_LIMIT, Page, PageRequest, chars_of};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::command::{Git, Task};
use crate::call::Call;
use crate::error::Result;
use crate::page::{budget, no_place, open_cursor, seal_cursor};
use crate::show::{beginning, json_chars, show_bytes};
use crate::station::Workstation;

/// Lines on a page unless asked otherwise.
const DEFAULT_LINES: usize = 500;
const LINE_CHARS: usize = 2_000;

/// What to look at.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[schemars(extend("additionalProperties" = false))]
pub struct Blame {
    /// A folder of the repository; default the first root
    pub repo: Option<String>,
    pub path: String,
    #[serde(flatten)]
    pub page: PageRequest,
}

/// Neighbouring lines of one commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct HunkView {
    /// All zeros for lines that are not committed
    pub commit: String,
    pub author: String,
    pub date: String,
    pub summary: String,
    pub start_line: usize,
    /// How many lines
    pub lines: usize,
    /// The lines themselves
    pub content: String,
}

/// A file, line by line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BlameView {
    /// From the top of the repository
    pub path: String,
    pub hunks: Vec<HunkView>,
    /// Counted in lines
    #[serde(flatten)]
    pub page: Page,
}

/// Tells who last changed each line of a file.
pub fn blame(station: &Workstation, call: &Call<'_>, request: &Blame) -> Result<BlameView> {
    let git = Git::open(station, call, request.repo.as_deref())?;
    let path = git.path("path", &request.path)?;
    let shown = path.to_string_lossy().into_owned();
    let list = ("blame", &git.repository.shown, &shown);
    let start = match &request.page.cursor {
        Some(cursor) => String::from_utf8(open_cursor(cursor, &list)?)
            .ok()
            .and_then(|line| line.parse::<usize>().ok())
            .ok_or_else(no_place)?,
        None => 0,
    };
    let total = lines_of(&git, &path)?;
    if total <= start {
        let page = Page { total, remaining: 0, next_cursor: None };
        return Ok(BlameView { path: shown, hunks: vec![], page });
    }
    let most = request.page.limit.unwrap_or(DEFAULT_LINES).clamp(1, MAX_LIMIT);
    let end = total.min(start + most);
    let range = format!("-L{},{end}", start + 1);
    // The configuration could name a file outside, whose lines would show in the complaint.
    let options = ["blame", "--porcelain", "--no-textconv", "--no-ignore-revs-file", &range];
    let output = git.must(&Task::new(options).paths(&[path]).doing("blame"))?;
    let (hunks, shown_lines) = fit(parse(&output.stdout), budget(request.page.max_chars));
    let seen = start + shown_lines;
    let remaining = total - seen.min(total);
    let next_cursor = (remaining > 0).then(|| seal_cursor(seen.to_string().as_bytes(), &list));
    Ok(BlameView { path: shown, hunks, page: Page { total, remaining, next_cursor } })
}

/// How many lines git counts in the file of the work tree.
fn lines_of(git: &Git<'_>, path: &std::ffi::OsString) -> Result<usize> {
    let roots = git.station.roots();
    let mut wanted = crate::confine::Wanted {
        root: git.repository.place.root,
        parts: git.repository.place.parts.clone(),
        shown: path.to_string_lossy().into_owned(),
    };
    wanted.parts.extend(std::path::Path::new(path).iter().filter(|part| *part != ".").map(ToOwned::to_owned));
    let mut open = roots.open_file(&wanted)?;
    let lines = crate::files::count_lines(&mut open.file, &wanted.shown, git.call)?;
    Ok(usize::try_from(lines).unwrap_or(usize::MAX))
}

impl HunkView {
    fn push(&mut self, line: &str) {
        if self.lines > 0 {
            self.content.push('\n');
        }
        self.content.push_str(line);
        self.lines += 1;
    }
}

#[derive(Debug, Clone, Default)]
struct Facts {
    author: String,
    time: i64,
    summary: String,
}

/// Reads `git blame --porcelain`: a commit's facts stand where it first appears.
fn parse(output: &[u8]) -> Vec<HunkView> {
    let mut facts: HashMap<String, Facts> = HashMap::new();
    let mut hunks: Vec<HunkView> = Vec::new();
    let mut current = (String::new(), 0_usize);
    for line in output.split(|byte| *byte == b'\n') {
        if let Some(text) = line.strip_prefix(b"\t") {
            let text = show_bytes(text).text;
            let text = beginning(&text, LINE_CHARS).to_owned();
            let (commit, number) = &current;
            match hunks.last_mut() {
                Some(hunk) if hunk.commit == *commit && hunk.start_line + hunk.lines == *number => {
                    hunk.push(&text);
                }
                _ => {
                    let facts = facts.get(commit).cloned().unwrap_or_default();
                    let date =
                        Timestamp::from_second(facts.time).map(|at| at.to_string()).unwrap_or_default();
                    hunks.push(HunkView {
                        commit: commit.clone(),
                        author: facts.author,
                        date,
                        summary: facts.summary,
                        start_line: *number,
                        lines: 1,
                        content: text,
                    });
                }
            }
            continue;
        }
        let text = show_bytes(line).text;
        let (word, rest) = text.split_once(' ').unwrap_or((&text, ""));
        if super::argument::is_object_id(word) {
            let number = rest.split(' ').nth(1).and_then(|number| number.parse().ok()).unwrap_or(0);
            current = (word.to_owned(), number);
            continue;
        }
        let known = facts.entry(current.0.clone()).or_default();
        match word {
            "author" => rest.clone_into(&mut known.author),
            "author-time" => known.time = rest.parse().unwrap_or(0),
            "summary" => rest.clone_into(&mut known.summary),
            _ => {}
        }
    }
    hunks
}

/// The hunks that fit, the last one cut where it has to be, and how many lines they have.
fn fit(hunks: Vec<HunkView>, budget: usize) -> (Vec<HunkView>, usize) {
    let mut kept: Vec<HunkView> = Vec::new();
    let (mut chars, mut lines) = (0, 0);
    for mut hunk in hunks {
        let content = std::mem::take(&mut hunk.content);
        hunk.lines = 0;
        chars += chars_of(&hunk);
        for line in content.split('\n') {
            chars += json_chars(line) + 2;
            if chars > budget && lines > 0 {
                if hunk.lines > 0 {
                    kept.push(hunk);
                }
                return (kept, lines);
            }
            hunk.push(line);
            lines += 1;
        }
        kept.push(hunk);
    }
    (kept, lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn porcelain_is_grouped_by_commit() {
        let (a, b) = ("a".repeat(40), "b".repeat(40));
        let output = format!(
            "{a} 1 1 2\nauthor Ann\nauthor-time 0\nsummary First\nfilename f\n\tone\n{a} 2 2\n\ttwo\n\
             {b} 3 3 1\nauthor Bo\nauthor-time 60\nsummary Second\nfilename f\n\tthree\n{a} 4 4 1\n\tfour\n"
        );
        let hunks = parse(output.as_bytes());
        let found: Vec<_> =
            hunks.iter().map(|hunk| (hunk.author.as_str(), hunk.start_line, hunk.content.as_str())).collect();
        assert_eq!(found, [("Ann", 1, "one\ntwo"), ("Bo", 3, "three"), ("Ann", 4, "four")]);
        assert_eq!(hunks[1].date, "1970-01-01T00:01:00Z");
    }
}
