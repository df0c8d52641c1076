//! Files as they once were: the commit that brought each, and what stood beside it then.
//!
//! For parts of hewto that ask git about a workspace, not for clients: paths and commits come from there, answers have
//! no pages. A history that was cut off (a shallow clone) is not taken for the whole.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::argument::is_object_id;
use super::command::{Git, Task};
use crate::call::Call;
use crate::error::Result;
use crate::station::Workstation;

/// A larger file is not read.
const MAX_FILE: usize = 16 << 20;
/// So many branches are looked at.
const MAX_BRANCHES: usize = 5_000;
/// What a line that names a commit begins with; no path does, since paths begin with the folder asked for.
const COMMIT_MARK: char = '\u{1}';

/// The history of one repository.
#[derive(Debug)]
pub struct History<'g> {
    git: Git<'g>,
}

/// A file at a commit, by its path from the top of the work tree.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FileAt {
    pub commit: String,
    pub path: PathBuf,
}

/// What a commit has in the place of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kept {
    Text(String),
    Nothing,
    /// Something that is no text, or that this clone lacks.
    Unreadable,
}

impl<'g> History<'g> {
    /// Opens the repository whose work tree is the first root. `git_folder` is where git keeps it, if the caller has found that it
    /// is nobody else's: then it may lie outside, borrow objects, or hold links that lead out.
    pub fn open(station: &'g Workstation, call: &'g Call<'g>, git_folder: Option<&Path>) -> Result<Self> {
        Ok(Self { git: Git::open_own(station, call, git_folder)? })
    }

    /// The commit that brought each file, the last time that it came. A file that was only moved, within some folders,
    /// came when it came there under its first name.
    pub fn first_commits(&self, files: &[PathBuf], within: &[PathBuf]) -> Result<HashMap<PathBuf, String>> {
        let Some(head) = self.git.head()? else { return Ok(HashMap::new()) };
        let is_shallow = self.git.line(&Task::new(["rev-parse", "--is-shallow-repository"]))? != "false";
        let format = format!("--format={COMMIT_MARK}%H %P");
        let options = ["-z", "--no-show-signature", "--find-renames", "--diff-filter=AR", "--name-status"];
        let within: Vec<_> = within.iter().map(|path| path.clone().into_os_string()).collect();
        let task = Task::new(["log"]).with(options).with([&format, &head]).paths(&within);
        let output = self.git.must(&task.doing("read the log"))?;
        Ok(first_commits(&String::from_utf8_lossy(&output.stdout), files, is_shallow))
    }

    /// The commit at which the present one left a revision; `None` where git knows neither.
    pub fn merge_base(&self, revision: &str) -> Result<Option<String>> {
        if revision.is_empty() || revision.starts_with('-') || revision.contains(['\0', '\n']) {
            return Ok(None);
        }
        let commit = format!("{revision}^{{commit}}");
        let output =
            self.git.run(&Task::new(["rev-parse", "--verify", "--quiet", "--end-of-options", &commit]))?;
        let id = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        if output.exit_code != 0 || !is_object_id(&id) {
            return Ok(None);
        }
        let output = self.git.run(&Task::new(["merge-base", &id, "HEAD"]))?;
        let base = String::from_utf8_lossy(&output.stdout).lines().next().unwrap_or_default().to_owned();
        Ok((output.exit_code == 0 && is_object_id(&base)).then_some(base))
    }

    /// The files that differ from a commit, or may: changed, removed, new and not ignored.
    pub fn changed_since(&self, commit: &str) -> Result<Vec<PathBuf>> {
        if !is_object_id(commit) {
            return Ok(Vec::new());
        }
        let mut paths = Vec::new();
        for task in [
            Task::new(["diff-index", "-z", "--name-only", "--no-renames", "--no-ext-diff", commit]),
            Task::new(["ls-files", "-z", "--others", "--exclude-standard"]),
        ] {
            let output = self.git.must(&task.doing("compare files"))?;
            let names = String::from_utf8_lossy(&output.stdout).into_owned();
            paths.extend(names.split('\0').filter(|name| !name.is_empty()).map(PathBuf::from));
        }
        Ok(paths)
    }

    /// Files that git keeps although they are ignored now.
    pub fn kept_though_ignored(&self) -> Result<Vec<PathBuf>> {
        let task = Task::new(["ls-files", "-z", "--cached", "--ignored", "--exclude-standard"]);
        let output = self.git.must(&task.doing("list ignored files"))?;
        let names = String::from_utf8_lossy(&output.stdout).into_owned();
        Ok(names.split('\0').filter(|name| !name.is_empty()).map(PathBuf::from).collect())
    }

    /// The newest commit that touched a file, with its day and author: `1a2b3c4 2026-06-01 Ann`.
    pub fn last_commit(&self, file: &Path) -> Result<Option<String>> {
        let Some(head) = self.git.head()? else { return Ok(None) };
        let format = ["-1", "--no-show-signature", "--format=%h %as %an", &head];
        let task = Task::new(["log"]).with(format).paths(&[file.as_os_str().to_owned()]);
        let output = self.git.run(&task.doing("read the log"))?;
        let line = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        Ok((output.exit_code == 0 && !line.is_empty()).then_some(line))
    }

    /// The commit that is checked out.
    pub fn head(&self) -> Result<Option<String>> {
        self.git.head()
    }

    /// The newest commit of the branch that others work from, as far as this repository knows it.
    pub fn default_branch(&self) -> Result<Option<String>> {
        match self.default_elsewhere()? {
            Some(commit) => Ok(Some(commit)),
            None => self.first_of(&["refs/heads/main", "refs/heads/master"]),
        }
    }

    /// The same where another repository says which branch that is: `origin`, or the only one that says so.
    pub fn default_elsewhere(&self) -> Result<Option<String>> {
        let of_origin =
            ["refs/remotes/origin/HEAD", "refs/remotes/origin/main", "refs/remotes/origin/master"];
        if let Some(commit) = self.first_of(&of_origin)? {
            return Ok(Some(commit));
        }
        let mut said = self.commits_of("refs/remotes/*/HEAD")?;
        Ok(if said.len() == 1 { said.pop() } else { None })
    }

    fn first_of(&self, names: &[&str]) -> Result<Option<String>> {
        for name in names {
            let commit = format!("{name}^{{commit}}");
            let output = self.git.run(&Task::new(["rev-parse", "--verify", "--quiet", &commit]))?;
            let line = String::from_utf8_lossy(&output.stdout).trim().to_owned();
            if output.exit_code == 0 && is_object_id(&line) {
                return Ok(Some(line));
            }
        }
        Ok(None)
    }

    /// The newest commits of all branches, where no other repository says which of them others work from: of those that are
    /// here anybody can make one that goes by the name of the default.
    pub fn branches_without_default(&self) -> Result<Vec<String>> {
        if self.default_elsewhere()?.is_some() {
            return Ok(Vec::new());
        }
        let mut commits = self.commits_of("refs/heads")?;
        commits.extend(self.commits_of("refs/remotes")?);
        Ok(commits)
    }

    fn commits_of(&self, kind: &str) -> Result<Vec<String>> {
        let count = format!("--count={MAX_BRANCHES}");
        let output = self.git.run(&Task::new(["for-each-ref", "--format=%(objectname)", &count, kind]))?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let mut commits: Vec<String> =
            text.lines().filter(|line| is_object_id(line)).map(str::to_owned).collect();
        commits.sort_unstable();
        commits.dedup();
        Ok(commits)
    }

    /// A commit as git keeps it, its signature included.
    pub fn commit_object(&self, commit: &str) -> Result<Option<String>> {
        let output = self.git.run(&Task::new(["cat-file", "commit", commit]).at_most(MAX_FILE))?;
        let is_whole = output.exit_code == 0 && !output.cut;
        Ok(is_whole.then(|| String::from_utf8(output.stdout).ok()).flatten())
    }

    /// What a commit has in the place of a file: where a clone lacks a part of its history, that there is one is known at most.
    pub fn kept(&self, file: &FileAt) -> Result<Kept> {
        if let Some(text) = self.texts(std::slice::from_ref(file))?.pop().flatten() {
            return Ok(Kept::Text(text));
        }
        let task = Task::new(["ls-tree", "-z", "--name-only", &file.commit]);
        let output = self.git.run(&task.paths(&[file.path.as_os_str().to_owned()]))?;
        let is_absent = output.exit_code == 0 && output.stdout.is_empty();
        Ok(if is_absent { Kept::Nothing } else { Kept::Unreadable })
    }

    /// The text of each file; `None` where there was none, or none that is text.
    pub fn texts(&self, files: &[FileAt]) -> Result<Vec<Option<String>>> {
        let objects = self.objects(files)?;
        let mut known: HashMap<&str, Option<String>> = HashMap::new();
        for object in objects.iter().flatten() {
            if !known.contains_key(object.as_str()) {
                known.insert(object, self.text(object)?);
            }
        }
        Ok(objects.iter().map(|object| known.get(object.as_deref()?).cloned().flatten()).collect())
    }

    fn text(&self, object: &str) -> Result<Option<String>> {
        let output = self.git.run(&Task::new(["cat-file", "blob", object]).at_most(MAX_FILE))?;
        let is_whole = output.exit_code == 0 && !output.cut;
        Ok(is_whole.then(|| String::from_utf8(output.stdout).ok()).flatten())
    }

    /// The objects behind files at commits. Git stops at the first that is not there, and is asked again behind it.
    fn objects(&self, files: &[FileAt]) -> Result<Vec<Option<String>>> {
        let mut objects: Vec<Option<String>> = Vec::with_capacity(files.len());
        while objects.len() < files.len() {
            let rest = &files[objects.len()..];
            let names = rest.iter().map(|file| format!("{}:{}", file.commit, file.path.display()));
            let output = self.git.run(&Task::new(["rev-parse"]).with(names))?;
            let lines = String::from_utf8_lossy(&output.stdout);
            objects.extend(
                lines.lines().take_while(|line| is_object_id(line)).map(|line| Some(line.to_owned())),
            );
            objects.truncate(files.len());
            if objects.len() < files.len() {
                objects.push(None);
            }
        }
        Ok(objects)
    }
}

/// Follows files through a log of additions and moves, the newest of which comes first.
fn first_commits(log: &str, files: &[PathBuf], is_shallow: bool) -> HashMap<PathBuf, String> {
    // By the name that each had at the commit that is looked at.
    let mut looked_for: HashMap<PathBuf, &PathBuf> = files.iter().map(|file| (file.clone(), file)).collect();
    let mut commits = HashMap::new();
    let mut commit: Option<&str> = None;
    let mut entries = log.split('\0').map(|entry| entry.trim_start_matches('\n'));
    while let Some(entry) = entries.next() {
        if let Some(names) = entry.strip_prefix(COMMIT_MARK) {
            let (id, parents) = names.split_once(' ').unwrap_or((names, ""));
            // Where the history is cut off, everything seems to come at once.
            let is_known = is_object_id(id) && !(is_shallow && parents.trim().is_empty());
            commit = is_known.then_some(id);
        } else if entry.starts_with('R') {
            let (Some(old), Some(new)) = (entries.next(), entries.next()) else { break };
            if let Some(file) = looked_for.remove(Path::new(new)) {
                looked_for.insert(PathBuf::from(old), file);
            }
        } else if entry.starts_with('A') {
            let Some(path) = entries.next() else { break };
            // A file that went and came again is a new one.
            if let Some(file) = looked_for.remove(Path::new(path)) {
                commits.extend(commit.map(|commit| (file.clone(), commit.to_owned())));
            }
        }
    }
    commits
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(names: &[&str]) -> Vec<PathBuf> {
        names.iter().map(PathBuf::from).collect()
    }

    #[test]
    fn the_last_coming_of_a_file_counts_and_a_cut_off_history_does_not() {
        let (a, b) = ("a".repeat(40), "b".repeat(40));
        let log = format!("\u{1}{a} {b}\0\nA\0new.md\0A\0again.md\0\u{1}{b} \0\nA\0old.md\0A\0again.md\0");
        let asked = files(&["new.md", "again.md", "old.md"]);
        let whole = first_commits(&log, &asked, false);
        assert_eq!(whole[Path::new("again.md")], a);
        assert_eq!(whole[Path::new("old.md")], b);
        let cut = first_commits(&log, &asked, true);
        assert_eq!(cut.get(Path::new("old.md")), None);
        assert_eq!(cut[Path::new("new.md")], a);
    }

    #[test]
    fn a_file_that_was_moved_came_under_its_first_name() {
        let (a, b, c) = ("a".repeat(40), "b".repeat(40), "c".repeat(40));
        let log = format!(
            "\u{1}{a} {b}\0\nR100\0second.md\0third.md\0A\0first.md\0\u{1}{b} {c}\0\nR080\0first.md\0second.md\0\
             \u{1}{c} \0\nA\0first.md\0"
        );
        let found = first_commits(&log, &files(&["third.md", "first.md"]), false);
        assert_eq!(found[Path::new("third.md")], c);
        assert_eq!(found[Path::new("first.md")], a, "what took its old name is another file");
    }
}
