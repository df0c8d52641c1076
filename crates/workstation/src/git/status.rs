//! `git_status`: the branch, and what is staged, changed, untracked or in conflict.

use std::borrow::Cow;

use hewto_core::page::{Page, PageRequest};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::command::{Git, Task};
use super::patch::ChangeKind;
use crate::call::Call;
use crate::error::Result;
use crate::page::{paginate, path_order};
use crate::show::show_bytes;
use crate::station::Workstation;

/// What to look at.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[schemars(extend("additionalProperties" = false))]
pub struct Status {
    /// A folder of the repository; default the first root
    pub repo: Option<String>,
    #[serde(flatten)]
    pub page: PageRequest,
}

/// One file that differs from the last commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StatusEntryView {
    /// From the top of the repository; an untracked folder ends with `/`
    pub path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub original_path: Option<String>,
    /// What is staged
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub staged: Option<ChangeKind>,
    /// What is not staged
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub unstaged: Option<ChangeKind>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schemars(default)]
    pub untracked: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schemars(default)]
    pub conflict: bool,
}

/// A repository as it stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StatusView {
    /// The top folder of the repository
    pub root: String,
    /// Absent when `HEAD` is detached
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub branch: Option<String>,
    /// The last commit; absent before the first
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub head: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub upstream: Option<String>,
    /// Commits that the upstream does not have
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub ahead: Option<u64>,
    /// Commits that only the upstream has
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub behind: Option<u64>,
    pub clean: bool,
    pub entries: Vec<StatusEntryView>,
    #[serde(flatten)]
    pub page: Page,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub note: Option<String>,
}

/// Looks at a repository.
pub fn status(station: &Workstation, call: &Call<'_>, request: &Status) -> Result<StatusView> {
    let git = Git::open(station, call, request.repo.as_deref())?;
    let output = git.must(
        &Task::new([
            "status",
            "--porcelain=v2",
            "--branch",
            "-z",
            "--untracked-files=normal",
            "--ignore-submodules=dirty",
            "--find-renames",
        ])
        .doing("read the status"),
    )?;
    let mut found = Found::parse(&output.stdout);
    found.entries.sort_by(|a, b| path_order(&a.0, &b.0));
    let list = ("status", &git.repository.shown);
    let (entries, page) = paginate(
        &found.entries,
        &request.page,
        &list,
        |(path, _)| Cow::Borrowed(path),
        |(_, entry)| entry.clone(),
    )?;
    let note = git.note();
    Ok(StatusView {
        root: git.repository.shown,
        branch: found.branch,
        head: found.head,
        upstream: found.upstream,
        ahead: found.ahead,
        behind: found.behind,
        clean: found.entries.is_empty(),
        entries,
        page,
        note,
    })
}

/// What `git status --porcelain=v2 -z` says.
#[derive(Debug, Default)]
struct Found {
    branch: Option<String>,
    head: Option<String>,
    upstream: Option<String>,
    ahead: Option<u64>,
    behind: Option<u64>,
    entries: Vec<(Vec<u8>, StatusEntryView)>,
}

impl Found {
    fn parse(output: &[u8]) -> Self {
        let mut found = Self::default();
        let mut fields = output.split(|byte| *byte == 0).filter(|field| !field.is_empty());
        while let Some(field) = fields.next() {
            match field.first() {
                Some(b'#') => found.header(&show_bytes(field).text),
                // Ordinary: 8 fields before the path. Renamed: 9, and the old path after it. Unmerged: 10.
                Some(b'1') => found.changed(field, 8, None),
                Some(b'2') => found.changed(field, 9, fields.next()),
                Some(b'u') => found.changed(field, 10, None),
                Some(b'?') => {
                    let path = field.get(2..).unwrap_or_default();
                    let mut entry = view(path);
                    entry.untracked = true;
                    found.entries.push((path.to_vec(), entry));
                }
                _ => {}
            }
        }
        found
    }

    fn header(&mut self, line: &str) {
        let Some((name, value)) = line.strip_prefix("# ").and_then(|line| line.split_once(' ')) else {
            return;
        };
        match name {
            "branch.oid" if value != "(initial)" => self.head = Some(value.to_owned()),
            "branch.head" if value != "(detached)" => self.branch = Some(value.to_owned()),
            "branch.upstream" => self.upstream = Some(value.to_owned()),
            "branch.ab" => {
                let mut counts = value.split(' ');
                self.ahead = counts.next().and_then(|count| count.strip_prefix('+')?.parse().ok());
                self.behind = counts.next().and_then(|count| count.strip_prefix('-')?.parse().ok());
            }
            _ => {}
        }
    }

    fn changed(&mut self, field: &[u8], before_path: usize, original: Option<&[u8]>) {
        let mut parts = field.splitn(before_path + 1, |byte| *byte == b' ');
        let (letters, path) = (parts.nth(1).unwrap_or_default(), parts.last().unwrap_or_default());
        let mut entry = view(path);
        if field.first() == Some(&b'u') {
            entry.conflict = true;
        } else {
            entry.staged = letters.first().and_then(|letter| ChangeKind::of(*letter));
            entry.unstaged = letters.get(1).and_then(|letter| ChangeKind::of(*letter));
        }
        entry.original_path = original.map(|path| show_bytes(path).text);
        self.entries.push((path.to_vec(), entry));
    }
}

fn view(path: &[u8]) -> StatusEntryView {
    StatusEntryView {
        path: show_bytes(path).text,
        original_path: None,
        staged: None,
        unstaged: None,
        untracked: false,
        conflict: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn porcelain_is_read_with_odd_names() {
        let output =
            b"# branch.oid 1234\0# branch.head main\0# branch.upstream origin/main\0# branch.ab +2 -1\0\
            1 .M N... 100644 100644 100644 a b with blanks.txt\0\
            2 R. N... 100644 100644 100644 a b R100 new\nname\0old\0\
            u UU N... 100644 100644 100644 100644 a b c both.txt\0\
            ? dir/\0";
        let found = Found::parse(output);
        assert_eq!((found.branch.as_deref(), found.ahead, found.behind), (Some("main"), Some(2), Some(1)));
        let json =
            serde_json::to_value(found.entries.iter().map(|(_, entry)| entry).collect::<Vec<_>>()).unwrap();
        assert_eq!(
            json,
            serde_json::json!([
                { "path": "with blanks.txt", "unstaged": "modified" },
                { "path": "new\nname", "original_path": "old", "staged": "renamed" },
                { "path": "both.txt", "conflict": true },
                { "path": "dir/", "untracked": true },
            ])
        );
    }

    #[test]
    fn nonsense_breaks_nothing() {
        for output in [b"1\0".as_slice(), b"2 R.\0", b"u\0?\0", b"#\0\0x"] {
            assert!(Found::parse(output).entries.iter().all(|(path, _)| path.len() < 3));
        }
    }
}
