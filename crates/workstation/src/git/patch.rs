//! Changed files and their patches, as `git diff` and `git show` print them.

use std::ffi::OsString;
use std::hash::Hash;
use std::os::unix::ffi::OsStringExt as _;

use hewto_core::page::{Page, PageRequest, chars_of, cut};
use memchr::memmem;
use schemars::JsonSchema;
use serde::Serialize;

use super::command::{Git, Task};
use crate::error::Result;
use crate::page::{budget, open_cursor, room, seal_cursor};
use crate::show::{beginning, json_chars, show_bytes};

/// What happened to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    Added,
    Modified,
    Deleted,
    Renamed,
    Copied,
    TypeChanged,
    /// In conflict
    Unmerged,
}

/// A changed file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FileChangeView {
    /// From the top of the repository
    pub path: String,
    /// Where it was before it was renamed or copied
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub original_path: Option<String>,
    pub change: ChangeKind,
    /// Lines added; absent for binaries
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub additions: Option<u64>,
    /// Lines deleted; absent for binaries
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub deletions: Option<u64>,
}

/// A page of changed files with their patches.
#[derive(Debug)]
pub(super) struct Patch {
    pub(super) files: Vec<FileChangeView>,
    pub(super) page: Page,
    pub(super) diff: String,
    pub(super) truncated: bool,
}

impl ChangeKind {
    pub(super) fn of(letter: u8) -> Option<Self> {
        Some(match letter {
            b'A' => Self::Added,
            b'M' => Self::Modified,
            b'D' => Self::Deleted,
            b'R' => Self::Renamed,
            b'C' => Self::Copied,
            b'T' => Self::TypeChanged,
            b'U' => Self::Unmerged,
            _ => return None,
        })
    }
}

/// The options of everything that prints a patch.
pub(super) const PATCH_OPTIONS: [&str; 7] = [
    "--no-color",
    "--no-ext-diff",
    "--no-textconv",
    "--find-renames",
    "--src-prefix=a/",
    "--dst-prefix=b/",
    "--ignore-submodules=dirty",
];

/// What prints changes: everything before the options, and the revisions after them.
#[derive(Debug)]
pub(super) struct Changes<'c> {
    pub(super) command: &'c [&'c str],
    pub(super) revisions: &'c [String],
    pub(super) paths: &'c [OsString],
    pub(super) context_lines: u32,
}

impl Changes<'_> {
    fn task(&self, options: &[&str]) -> Task<'_> {
        Task::new(self.command)
            .with(PATCH_OPTIONS)
            .with(options)
            .with(self.revisions)
            .doing("show the changes")
    }

    /// A page of the changed files with their patches. Whole patches are shown; one that is too long alone is cut.
    pub(super) fn patch(&self, git: &Git<'_>, request: &PageRequest, list: &impl Hash) -> Result<Patch> {
        let budget = budget(request.max_chars);
        let (files, printed) = match &request.cursor {
            Some(_) => (self.files(git)?, None),
            None => self.files_and_patches(git, budget)?,
        };
        let start = match &request.cursor {
            Some(cursor) => {
                let last = open_cursor(cursor, list)?;
                let same = files.iter().position(|file| file.key == last).map(|at| at + 1);
                same.unwrap_or_else(|| files.iter().take_while(|file| file.key <= last).count())
            }
            None => 0,
        };
        let page = |limit: usize| {
            let cursor = |last: &Changed| seal_cursor(&last.key, list);
            cut(&files, start, limit, room(request), cursor, |file| file.view.clone())
        };
        let (views, whole_page) = page(request.limit());
        if views.is_empty() {
            return Ok(Patch { files: views, page: whole_page, diff: String::new(), truncated: false });
        }
        let candidates = &files[start..start + views.len()];
        let printed = match printed {
            Some(printed) => printed,
            None => self.patches(git, candidates, budget)?,
        };
        let segments = segments(&printed.bytes);
        let complete = &segments[..segments.len() - usize::from(printed.is_cut)];
        // A file in conflict has no patch, or one of another form.
        let aligned = candidates.iter().all(|file| file.view.change != ChangeKind::Unmerged)
            && (printed.is_cut || segments.len() == printed.of_files);
        let mut used = 0;
        let fitting = complete
            .iter()
            .zip(&views)
            .take_while(|(segment, view)| {
                used += json_chars(&show_bytes(segment).text) + chars_of(view);
                used <= budget
            })
            .count();
        if aligned && fitting > 0 {
            let (files, page) = page(fitting);
            let diff = show_bytes(&complete[..fitting].concat()).text;
            return Ok(Patch { files, page, diff, truncated: false });
        }
        let (files, page) = if aligned { page(1) } else { (views, whole_page) };
        let text = show_bytes(&printed.bytes).text;
        let room = budget.saturating_sub(files.iter().map(chars_of).sum());
        let diff = beginning(&text, room).to_owned();
        Ok(Patch { files, page, truncated: printed.is_cut || diff.len() < text.len(), diff })
    }

    fn files(&self, git: &Git<'_>) -> Result<Vec<Changed>> {
        let output = git.must(&self.task(&["--raw", "--numstat", "-z"]).paths(self.paths))?;
        Ok(parse(&output.stdout))
    }

    /// All files, and their patches from the first one on where these came along: reading the index of a large
    /// repository a second time would take longer than everything else.
    fn files_and_patches(&self, git: &Git<'_>, budget: usize) -> Result<(Vec<Changed>, Option<Printed>)> {
        let options = ["--raw", "--numstat", "-z", "--patch", &self.context()];
        let task = self.task(&options).paths(self.paths).at_most(LIST_BYTES + patch_bytes(budget));
        let output = git.must(&task)?;
        // An empty field ends the list.
        let Some(end) = memmem::find(&output.stdout, b"\0\0") else {
            let files = if output.cut { self.files(git)? } else { parse(&output.stdout) };
            return Ok((files, None));
        };
        let files = parse(&output.stdout[..end]);
        let bytes = output.stdout[end + 2..].to_vec();
        let printed = Printed { bytes, is_cut: output.cut, of_files: files.len() };
        let is_whole = printed.is_cut || segments(&printed.bytes).len() == files.len();
        Ok((files, is_whole.then_some(printed)))
    }

    fn patches(&self, git: &Git<'_>, files: &[Changed], budget: usize) -> Result<Printed> {
        let only: Vec<OsString> = files.iter().flat_map(Changed::paths).collect();
        let task = self.task(&["--patch", &self.context()]).paths(&only).at_most(patch_bytes(budget));
        let output = git.must(&task)?;
        Ok(Printed { bytes: output.stdout, is_cut: output.cut, of_files: files.len() })
    }

    fn context(&self) -> String {
        format!("--unified={}", self.context_lines)
    }
}

/// How long a list of changed files may be to be read together with their patches.
const LIST_BYTES: usize = 1 << 20;

/// How many bytes of patches can become the characters of a budget, and a little more to see that there is more.
fn patch_bytes(budget: usize) -> usize {
    budget * 4 + 4
}

/// Patches as git printed them.
#[derive(Debug)]
struct Printed {
    bytes: Vec<u8>,
    is_cut: bool,
    /// How many files they are of, when they are whole.
    of_files: usize,
}

/// A changed file as git names it.
#[derive(Debug)]
struct Changed {
    key: Vec<u8>,
    original: Option<Vec<u8>>,
    /// Whether nothing but its time may be different, as long as no lines were counted.
    may_be_touched_only: bool,
    view: FileChangeView,
}

impl Changed {
    fn paths(&self) -> impl Iterator<Item = OsString> {
        self.original.iter().chain([&self.key]).map(|path| OsString::from_vec(path.clone()))
    }
}

/// Reads `--raw --numstat -z`: first what happened to each file, then how many lines.
///
/// The first part also names files that were only touched, because the index is not brought up to date by somebody who looks.
fn parse(output: &[u8]) -> Vec<Changed> {
    let mut fields = output.split(|byte| *byte == 0);
    let mut files: Vec<Changed> = Vec::new();
    while let Some(field) = fields.next() {
        if field.first() == Some(&b':') {
            let letter = field.rsplit(|byte| *byte == b' ').next().and_then(|status| status.first());
            let Some(change) = letter.and_then(|letter| ChangeKind::of(*letter)) else { continue };
            let first = fields.next().unwrap_or_default().to_vec();
            let (original, key) = match change {
                ChangeKind::Renamed | ChangeKind::Copied => {
                    (Some(first), fields.next().unwrap_or_default().to_vec())
                }
                _ => (None, first),
            };
            // A file in conflict is listed twice.
            if files.last().is_some_and(|file| file.key == key) {
                continue;
            }
            let mut modes = field[1..].split(|byte| *byte == b' ');
            let same_mode = modes.next() == modes.next();
            let view = FileChangeView {
                path: show_bytes(&key).text,
                original_path: original.as_deref().map(|path| show_bytes(path).text),
                change,
                additions: None,
                deletions: None,
            };
            let may_be_touched_only = change == ChangeKind::Modified && same_mode;
            files.push(Changed { key, original, may_be_touched_only, view });
        } else if !field.is_empty() {
            let mut parts = field.splitn(3, |byte| *byte == b'\t');
            let (additions, deletions) = (number(parts.next()), number(parts.next()));
            let path = match parts.next() {
                Some(b"") => {
                    fields.next();
                    fields.next().unwrap_or_default()
                }
                Some(path) => path,
                None => continue,
            };
            if let Some(file) = files.iter_mut().find(|file| file.key == path) {
                (file.view.additions, file.view.deletions) = (additions, deletions);
                file.may_be_touched_only = false;
            }
        }
    }
    files.retain(|file| !file.may_be_touched_only);
    files
}

fn number(field: Option<&[u8]>) -> Option<u64> {
    std::str::from_utf8(field?).ok()?.parse().ok()
}

/// The patches of single files.
fn segments(output: &[u8]) -> Vec<&[u8]> {
    let mut starts: Vec<usize> = Vec::new();
    if output.starts_with(b"diff --") {
        starts.push(0);
    }
    // No line of a patch itself begins like this: they begin with a blank, `+`, `-`, `@` or `\\`.
    starts.extend(memmem::find_iter(output, b"\ndiff --").map(|at| at + 1));
    let ends = starts.iter().skip(1).copied().chain([output.len()]);
    starts.iter().zip(ends).map(|(start, end)| &output[*start..end]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_was_only_touched_has_not_changed() {
        let output = b":100644 100644 a 0 M\0touched\0:100644 100755 a 0 M\0mode\0:100644 100644 a 0 M\0text\x000\t0\tmode\x001\t0\ttext\0";
        let files: Vec<_> = parse(output).into_iter().map(|file| file.view.path).collect();
        assert_eq!(files, ["mode", "text"]);
    }

    #[test]
    fn changes_are_read_with_their_lines() {
        let output = b":100644 100644 a b M\0one.txt\0:100644 100644 a b R095\0old name\0new\tname\0:000000 100644 0 b A\0pic.png\0\
            3\t1\tone.txt\x000\t2\t\0old name\0new\tname\0-\t-\tpic.png\0";
        let files: Vec<_> = parse(output).into_iter().map(|file| file.view).collect();
        let json = serde_json::to_value(&files).unwrap();
        assert_eq!(
            json,
            serde_json::json!([
                { "path": "one.txt", "change": "modified", "additions": 3, "deletions": 1 },
                { "path": "new\tname", "original_path": "old name", "change": "renamed", "additions": 0, "deletions": 2 },
                { "path": "pic.png", "change": "added" },
            ])
        );
    }

    #[test]
    fn patches_are_told_apart() {
        let output = b"diff --git a/a b/a\n@@ -1 +1 @@\n-x\n+diff --git\ndiff --git a/b b/b\n+y\n";
        let segments = segments(output);
        assert_eq!(segments.len(), 2);
        assert!(segments[1].starts_with(b"diff --git a/b"));
        assert_eq!(segments.concat(), output);
    }
}
