//! What git knows about the workspace, asked without trusting anything in the repository.
//!
//! Git is a help, never a need: where there is none, where it is refused or takes too long, nothing is known and
//! nothing fails. Only histories are read; nothing is written and nothing is fetched.

mod answers;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use hewto_store::{Context, RefsStamp, readable_git_folder, repository_root};
use hewto_workstation::git::{FileAt, History, Kept};
use hewto_workstation::{Call, Workstation};

use self::answers::{Answer, Answers, OfBranches};
use crate::workstation;

/// How long git may take to answer.
const TIME_FOR_GIT: Duration = Duration::from_secs(3);

/// The history of the repository that a workspace is in.
#[derive(Debug, Default)]
pub(crate) struct GitHistory {
    /// Where the git program is looked for; nowhere unless somebody says where.
    search_path: Vec<PathBuf>,
    found: Arc<OnceLock<Option<Found>>>,
    /// What it said before, where that counts for a whole use case.
    answers: Option<Answers>,
    /// What it said of the branches, as long as none of them moves.
    of_branches: Arc<Mutex<Option<OfBranches>>>,
}

#[derive(Debug)]
struct Found {
    workstation: Workstation,
    /// Where git keeps it, unless that is another work tree's.
    git_folder: Option<PathBuf>,
    /// From the top of the work tree to the workspace.
    prefix: PathBuf,
}

/// A file whose first commit is asked for, and the file whose text at that commit is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FirstCommitQuery {
    /// The file whose first commit is asked for.
    pub(crate) file: String,
    /// The file whose text at that commit is wanted.
    pub(crate) wanted: String,
}

impl GitHistory {
    pub(crate) fn new(search_path: Vec<PathBuf>) -> Self {
        Self { search_path, ..Self::default() }
    }

    /// The same git, asked each question once.
    pub(crate) fn asked_once(&self) -> Self {
        Self {
            search_path: self.search_path.clone(),
            found: Arc::clone(&self.found),
            answers: Some(Answers::default()),
            of_branches: Arc::clone(&self.of_branches),
        }
    }

    /// Whether there is any use in asking.
    pub(crate) fn is_there(&self, root: &Path) -> bool {
        !self.search_path.is_empty() && self.found.get_or_init(|| self.find(root)).is_some()
    }

    /// The texts of files at the moments when others were first committed, by the path of the file that was committed.
    /// `folders` are where those others stand, and have stood under other names.
    pub(crate) fn texts_at_first_commit(
        &self,
        ctx: &Context,
        root: &Path,
        files: &[FirstCommitQuery],
        folders: &[String],
    ) -> HashMap<String, String> {
        if files.is_empty() || self.search_path.is_empty() {
            return HashMap::new();
        }
        let Some(found) = self.found.get_or_init(|| self.find(root)) else { return HashMap::new() };
        let deadline = Instant::now() + TIME_FOR_GIT;
        let is_cancelled = || ctx.cancellation().is_cancelled();
        let call = Call::unbounded()
            .with_deadline(Some(ctx.deadline().map_or(deadline, |own| own.min(deadline))))
            .with_cancellation(&is_cancelled);
        found.texts_at_first_commit(&call, files, folders).unwrap_or_else(|error| {
            tracing::debug!(%error, "git does not say when files came");
            HashMap::new()
        })
    }

    /// The commit at which the present one left a revision.
    pub(crate) fn merge_base(&self, ctx: &Context, root: &Path, revision: &str) -> Option<String> {
        self.ask(ctx, root, ("merge base", revision), |history, _| history.merge_base(revision)).flatten()
    }

    /// The commit that is checked out.
    pub(crate) fn head(&self, ctx: &Context, root: &Path) -> Option<String> {
        self.ask(ctx, root, "head", |history, _| history.head()).flatten()
    }

    /// The files below the workspace that differ from a commit, as paths from its root.
    pub(crate) fn changed_since(&self, ctx: &Context, root: &Path, commit: &str) -> Vec<String> {
        let changed = self.ask(ctx, root, ("changed since", commit), |history, prefix| {
            let paths = history.changed_since(commit)?;
            let inside = paths.iter().filter_map(|path| path.strip_prefix(prefix).ok()?.to_str());
            Ok(inside.map(str::to_owned).collect())
        });
        changed.unwrap_or_default()
    }

    /// Files below the workspace that git keeps although they are ignored now.
    pub(crate) fn kept_though_ignored(&self, ctx: &Context, root: &Path) -> Vec<String> {
        let kept = self.ask(ctx, root, "kept though ignored", |history, prefix| {
            let paths = history.kept_though_ignored()?;
            let inside = paths.iter().filter_map(|path| path.strip_prefix(prefix).ok()?.to_str());
            Ok(inside.map(str::to_owned).collect())
        });
        kept.unwrap_or_default()
    }

    /// The texts that files had at a commit, by their paths from the root of the workspace.
    pub(crate) fn texts_at(
        &self,
        ctx: &Context,
        root: &Path,
        commit: &str,
        paths: &[String],
    ) -> HashMap<String, String> {
        let texts = self.ask(ctx, root, ("texts at", commit, paths), |history, prefix| {
            let at = |path: &String| FileAt { commit: commit.to_owned(), path: prefix.join(path) };
            let texts = history.texts(&paths.iter().map(at).collect::<Vec<_>>())?;
            Ok(paths.iter().zip(texts).filter_map(|(path, text)| Some((path.clone(), text?))).collect())
        });
        texts.unwrap_or_default()
    }

    /// The newest commit that touched a file: `1a2b3c4 2026-06-01 Ann`.
    pub(crate) fn last_commit(&self, ctx: &Context, root: &Path, path: &str) -> Option<String> {
        self.ask(ctx, root, ("last commit", path), |history, prefix| history.last_commit(&prefix.join(path)))
            .flatten()
    }

    /// A file as the default branch has it.
    pub(crate) fn text_on_default_branch(&self, ctx: &Context, root: &Path, path: &str) -> Option<String> {
        match self.kept_on_default_branch(ctx, root, path) {
            Kept::Text(text) => Some(text),
            Kept::Nothing | Kept::Unreadable => None,
        }
    }

    /// The same, told apart from a file that is there and cannot be read.
    pub(crate) fn kept_on_default_branch(&self, ctx: &Context, root: &Path, path: &str) -> Kept {
        self.ask_of_branches(ctx, root, ("default branch", path), |history, prefix| {
            let Some(commit) = history.default_branch()? else { return Ok(Kept::Nothing) };
            history.kept(&FileAt { commit, path: prefix.join(path) })
        })
        .unwrap_or(Kept::Nothing)
    }

    /// Those of these texts that the default branch has just so, by their paths from the root of the workspace.
    pub(crate) fn same_on_default_branch(
        &self,
        ctx: &Context,
        root: &Path,
        texts: &[(String, String)],
    ) -> HashSet<String> {
        if texts.is_empty() {
            return HashSet::new();
        }
        let same = self.ask(ctx, root, ("same on default branch", texts), |history, prefix| {
            let Some(commit) = history.default_branch()? else { return Ok(HashSet::new()) };
            let at =
                |(path, _): &(String, String)| FileAt { commit: commit.clone(), path: prefix.join(path) };
            let there = history.texts(&texts.iter().map(at).collect::<Vec<_>>())?;
            let same = texts.iter().zip(there).filter(|((_, text), there)| there.as_ref() == Some(text));
            Ok(same.map(|((path, _), _)| path.clone()).collect())
        });
        same.unwrap_or_default()
    }

    /// Whether it is another repository that says which branch is the default: others see what is on that.
    pub(crate) fn has_default_elsewhere(&self, ctx: &Context, root: &Path) -> bool {
        self.ask(ctx, root, "default elsewhere", |history, _| history.default_elsewhere()).flatten().is_some()
    }

    /// A file as the branches have it, where no other repository says which of them is the default.
    pub(crate) fn texts_without_default(&self, ctx: &Context, root: &Path, path: &str) -> Vec<String> {
        let texts = self.ask_of_branches(ctx, root, ("without default", path), |history, prefix| {
            let at = |commit| FileAt { commit, path: prefix.join(path) };
            let files: Vec<FileAt> = history.branches_without_default()?.into_iter().map(at).collect();
            history.texts(&files)
        });
        let mut texts: Vec<String> = texts.unwrap_or_default().into_iter().flatten().collect();
        texts.sort_unstable();
        texts.dedup();
        texts
    }

    /// The commit that brought a file, as git keeps it, if the file still says what it said then.
    pub(crate) fn commit_that_brought(
        &self,
        ctx: &Context,
        root: &Path,
        path: &str,
        text: &str,
    ) -> Option<String> {
        self.ask(ctx, root, ("brought", path, text), |history, prefix| {
            let file = prefix.join(path);
            let folder = file.parent().map(Path::to_owned).unwrap_or_default();
            let commits = history.first_commits(std::slice::from_ref(&file), &[folder])?;
            let Some(commit) = commits.get(&file).cloned() else { return Ok(None) };
            let then = history.texts(&[FileAt { commit: commit.clone(), path: file }])?.pop().flatten();
            if then.as_deref() == Some(text) { history.commit_object(&commit) } else { Ok(None) }
        })
        .flatten()
    }

    /// Asks git something; nothing where it is not there, is refused or takes too long. `name` tells questions apart.
    fn ask<T: Clone + Send + 'static>(
        &self,
        ctx: &Context,
        root: &Path,
        name: impl std::fmt::Debug,
        question: impl FnOnce(&History<'_>, &Path) -> hewto_workstation::Result<T>,
    ) -> Option<T> {
        if self.search_path.is_empty() {
            return None;
        }
        let name = format!("{name:?}");
        if let Some(Answer(known)) = self.answers.as_ref().and_then(|answers| answers.find(&name)) {
            return known;
        }
        let answer = self.ask_now(ctx, root, question);
        if let Some(answers) = &self.answers {
            answers.keep(name, answer.clone());
        }
        answer
    }

    /// Asks git something whose answer holds until a branch moves: gates are asked for at every door, and git takes longer than
    /// all the rest.
    fn ask_of_branches<T: Clone + Send + 'static>(
        &self,
        ctx: &Context,
        root: &Path,
        name: impl std::fmt::Debug,
        question: impl FnOnce(&History<'_>, &Path) -> hewto_workstation::Result<T>,
    ) -> Option<T> {
        if self.search_path.is_empty() {
            return None;
        }
        let known = self.known_of_branches(root);
        let key = format!("{name:?}");
        if let Some(Answer(answer)) = known.as_ref().and_then(|known| known.find(&key)) {
            return answer;
        }
        let answer = self.ask(ctx, root, name, question);
        // What git could not say now it may say the next time.
        if let (Some(known), Some(_)) = (known, &answer) {
            known.keep(key, answer.clone());
        }
        answer
    }

    /// What was said of the branches as they are now; they are looked at before git is asked, so that what moves meanwhile
    /// is asked again.
    fn known_of_branches(&self, root: &Path) -> Option<Arc<Answers>> {
        let now = RefsStamp::of(root)?;
        let mut kept = self.of_branches.lock().unwrap_or_else(PoisonError::into_inner);
        Some(OfBranches::while_these(&mut kept, now))
    }

    fn ask_now<T>(
        &self,
        ctx: &Context,
        root: &Path,
        question: impl FnOnce(&History<'_>, &Path) -> hewto_workstation::Result<T>,
    ) -> Option<T> {
        let found = self.found.get_or_init(|| self.find(root)).as_ref()?;
        let deadline = Instant::now() + TIME_FOR_GIT;
        let is_cancelled = || ctx.cancellation().is_cancelled();
        let call = Call::unbounded()
            .with_deadline(Some(ctx.deadline().map_or(deadline, |own| own.min(deadline))))
            .with_cancellation(&is_cancelled);
        let answer = found.history(&call).and_then(|history| question(&history, &found.prefix));
        answer.inspect_err(|error| tracing::debug!(%error, "git does not answer")).ok()
    }

    fn find(&self, root: &Path) -> Option<Found> {
        let top = repository_root(root)?;
        let prefix = root.strip_prefix(&top).ok()?.to_owned();
        let git_folder = readable_git_folder(&top);
        let workstation = workstation::for_reading(top, &self.search_path)?;
        Some(Found { workstation, git_folder, prefix })
    }
}

impl Found {
    fn history<'g>(&'g self, call: &'g Call<'g>) -> hewto_workstation::Result<History<'g>> {
        History::open(&self.workstation, call, self.git_folder.as_deref())
    }

    fn texts_at_first_commit(
        &self,
        call: &Call<'_>,
        files: &[FirstCommitQuery],
        folders: &[String],
    ) -> hewto_workstation::Result<HashMap<String, String>> {
        let from_top = |path: &String| self.prefix.join(path);
        let history = self.history(call)?;
        let came: Vec<PathBuf> = files.iter().map(|file| from_top(&file.file)).collect();
        let folders: Vec<PathBuf> = folders.iter().map(from_top).collect();
        let commits = history.first_commits(&came, &folders)?;
        let known: Vec<(&String, FileAt)> = files
            .iter()
            .filter_map(|file| {
                let commit = commits.get(&from_top(&file.file))?.clone();
                Some((&file.file, FileAt { commit, path: from_top(&file.wanted) }))
            })
            .collect();
        let (came, wanted): (Vec<&String>, Vec<FileAt>) = known.into_iter().unzip();
        let texts = history.texts(&wanted)?;
        Ok(came.into_iter().zip(texts).filter_map(|(path, text)| Some((path.clone(), text?))).collect())
    }
}
