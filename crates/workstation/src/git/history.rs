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

impl<'g> History<'g> {
    /// Opens the repository whose work tree is the first root.
    pub fn open(station: &'g Workstation, call: &'g Call<'g>) -> Result<Self> {
        Ok(Self { git: Git::open(station, call, None)? })
    }

    /// The commit that brought each file at or below some paths, the last time that it came.
    pub fn first_commits(&self, paths: &[PathBuf]) -> Result<HashMap<PathBuf, String>> {
        let Some(head) = self.git.head()? else { return Ok(HashMap::new()) };
        let is_shallow = self.git.line(&Task::new(["rev-parse", "--is-shallow-repository"]))? != "false";
        let format = format!("--format={COMMIT_MARK}%H %P");
        let options = ["-z", "--no-show-signature", "--no-renames", "--diff-filter=A", "--name-only"];
        let paths: Vec<_> = paths.iter().map(|path| path.clone().into_os_string()).collect();
        let task = Task::new(["log"]).with(options).with([&format, &head]).paths(&paths);
        let output = self.git.must(&task.doing("read the log"))?;
        Ok(parse_additions(&String::from_utf8_lossy(&output.stdout), is_shallow))
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

fn parse_additions(output: &str, is_shallow: bool) -> HashMap<PathBuf, String> {
    let mut commits = HashMap::new();
    let mut commit: Option<&str> = None;
    for entry in output.split('\0').map(|entry| entry.trim_start_matches('\n')) {
        if let Some(names) = entry.strip_prefix(COMMIT_MARK) {
            let (id, parents) = names.split_once(' ').unwrap_or((names, ""));
            // Where the history is cut off, everything seems to come at once.
            let is_known = is_object_id(id) && !(is_shallow && parents.trim().is_empty());
            commit = is_known.then_some(id);
        } else if let Some(commit) = commit.filter(|_| !entry.is_empty()) {
            // The newest comes first: a file that went and came again is a new one.
            commits.entry(Path::new(entry).to_owned()).or_insert_with(|| commit.to_owned());
        }
    }
    commits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_coming_of_a_file_counts_and_a_cut_off_history_does_not() {
        let (a, b) = ("a".repeat(40), "b".repeat(40));
        let log = format!("\u{1}{a} {b}\0\nnew.md\0again.md\0\u{1}{b} \0\nold.md\0again.md\0");
        let whole = parse_additions(&log, false);
        assert_eq!(whole[Path::new("again.md")], a);
        assert_eq!(whole[Path::new("old.md")], b);
        let cut = parse_additions(&log, true);
        assert_eq!(cut.get(Path::new("old.md")), None);
        assert_eq!(cut[Path::new("new.md")], a);
    }
}
