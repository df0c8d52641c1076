//! `git_show`: one object: a commit with its changes, a file or a folder as it was.

use hewto_core::page::{PageRequest, chars_of};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::argument::Wants;
use super::command::{Git, Task};
use super::commits::{CommitView, FORMAT, parse};
use super::patch::{Changes, FileChangeView, Patch};
use crate::call::Call;
use crate::error::{Error, Key, Result};
use crate::page::{budget, paginate, path_order};
use crate::show::{beginning, show_bytes};
use crate::station::Workstation;

/// What to show.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[schemars(extend("additionalProperties" = false))]
pub struct Show {
    /// A folder of the repository; default the first root
    pub repo: Option<String>,
    /// Such as HEAD~1, a branch, or HEAD:src/main.rs
    pub revision: String,
    #[serde(flatten)]
    pub page: PageRequest,
}

/// What an object is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ObjectKind {
    Commit,
    /// A folder as it was
    Tree,
    /// A file as it was
    Blob,
}

/// A name in a folder as it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TreeItemView {
    pub name: String,
    #[serde(rename = "type")]
    pub kind: String,
    pub object: String,
}

/// An object.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ShowView {
    /// The top folder of the repository
    pub root: String,
    pub kind: ObjectKind,
    pub object: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub commit: Option<CommitView>,
    /// The files that the commit changed; a merge is compared with its first parent
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub files: Option<Vec<FileChangeView>>,
    /// Their unified diffs
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub diff: Option<String>,
    /// The text of a file
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub content: Option<String>,
    /// The names in a folder
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub entries: Option<Vec<TreeItemView>>,
    /// Whether something is left out; ask for more with `max_chars`, or go on with `next_cursor`
    pub truncated: bool,
    /// How many files or names there are in all
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub total: Option<usize>,
    /// How many follow this page
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub remaining: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub next_cursor: Option<String>,
}

/// Shows an object.
pub fn show(station: &Workstation, call: &Call<'_>, request: &Show) -> Result<ShowView> {
    let git = Git::open(station, call, request.repo.as_deref())?;
    let object = git.resolve("revision", &request.revision, Wants::Object)?;
    let kind = git.line(&Task::new(["cat-file", "-t", &object]).doing("look at the object"))?;
    match kind.as_str() {
        "commit" => show_commit(&git, object, request),
        // An annotated tag stands for its commit.
        "tag" => {
            let commit = git.resolve("revision", &object, Wants::Commit)?;
            show_commit(&git, commit, request)
        }
        "blob" => show_blob(&git, object, request),
        _ => show_tree(&git, object, request),
    }
}

impl ShowView {
    fn new(git: &Git<'_>, kind: ObjectKind, object: String) -> Self {
        Self {
            root: git.repository.shown.clone(),
            kind,
            object,
            commit: None,
            files: None,
            diff: None,
            content: None,
            entries: None,
            truncated: false,
            total: None,
            remaining: None,
            next_cursor: None,
        }
    }
}

fn show_commit(git: &Git<'_>, object: String, request: &Show) -> Result<ShowView> {
    let task =
        Task::new(["log", "-z", "--max-count=1", "--no-patch", "--no-show-signature", FORMAT, &object]);
    let commit = parse(&git.must(&task.paths(&[]).doing("read the commit"))?.stdout).into_iter().next();
    let commit = commit.ok_or_else(|| Error::refused(Key::RevisionNotFound, "this is not a commit"))?;
    let revisions = [object.clone()];
    let changes = Changes {
        command: &["show", "--format=", "--diff-merges=first-parent"],
        revisions: &revisions,
        paths: &[],
        context_lines: 3,
    };
    let room = budget(request.page.max_chars).saturating_sub(chars_of(&commit)) + 1_000;
    let page = PageRequest { max_chars: Some(room), ..request.page.clone() };
    let Patch { files, page, diff, truncated } = changes.patch(git, &page, &("show", &object))?;
    Ok(ShowView {
        commit: Some(commit),
        files: Some(files),
        diff: Some(diff),
        truncated,
        total: Some(page.total),
        remaining: Some(page.remaining),
        next_cursor: page.next_cursor,
        ..ShowView::new(git, ObjectKind::Commit, object)
    })
}

fn show_blob(git: &Git<'_>, object: String, request: &Show) -> Result<ShowView> {
    let budget = budget(request.page.max_chars);
    let output = git.must(&Task::new(["cat-file", "blob", &object]).at_most(budget * 4 + 4))?;
    if output.stdout.iter().take(8 * 1024).any(|byte| *byte == 0) {
        return Err(Error::refused(Key::BinaryFile, "this object is not text").detail("object", object));
    }
    let text = show_bytes(&output.stdout).text;
    let content = beginning(&text, budget).to_owned();
    Ok(ShowView {
        truncated: output.cut || content.len() < text.len(),
        content: Some(content),
        ..ShowView::new(git, ObjectKind::Blob, object)
    })
}

fn show_tree(git: &Git<'_>, object: String, request: &Show) -> Result<ShowView> {
    let output = git.must(&Task::new(["ls-tree", "-z", &object]).doing("list the folder"))?;
    let items: Vec<(Vec<u8>, TreeItemView)> = output
        .stdout
        .split(|byte| *byte == 0)
        .filter_map(|line| {
            let tab = line.iter().position(|byte| *byte == b'\t')?;
            let (facts, name) = (std::str::from_utf8(&line[..tab]).ok()?, &line[tab + 1..]);
            let mut facts = facts.split(' ').skip(1);
            let kind = match facts.next()? {
                "tree" => "directory",
                "commit" => "submodule",
                _ => "file",
            };
            let object = facts.next()?.to_owned();
            Some((name.to_vec(), TreeItemView { name: show_bytes(name).text, kind: kind.to_owned(), object }))
        })
        .collect();
    let mut sorted = items;
    sorted.sort_by(|a, b| path_order(&a.0, &b.0));
    let (entries, page) = paginate(
        &sorted,
        &request.page,
        &("tree", &object),
        |(name, _)| std::borrow::Cow::Borrowed(name),
        |(_, item)| item.clone(),
    )?;
    Ok(ShowView {
        entries: Some(entries),
        total: Some(page.total),
        remaining: Some(page.remaining),
        next_cursor: page.next_cursor,
        ..ShowView::new(git, ObjectKind::Tree, object)
    })
}
