//! A copy of the exact tree for a run that must not see anything else: uncommitted edits are in it, ignored files are not.
//!
//! In a git repository it is a detached work tree of the same commit, so that tests that ask git find one. It goes when it is
//! dropped, however the run ended.

use std::path::{Path, PathBuf};

use hewto_store::{Context, git_folders, head_commit};
use hewto_workstation::Call;
use hewto_workstation::tree::Tree;

use crate::error::{Error, Key, Kind, Result};
use crate::workspace::Workspace;

/// The copy.
#[derive(Debug)]
pub(super) struct Isolated {
    folder: PathBuf,
    root: PathBuf,
    /// What git knows of it.
    administration: Option<PathBuf>,
}

impl Isolated {
    /// Copies the files of a tree.
    pub(super) fn make(ws: &Workspace, ctx: &Context, tree: &Tree) -> Result<Self> {
        let name = ctx.uuid().to_string();
        let folder = temporary(ws).join(format!("hewto-tree-{name}"));
        let mut made = Self { root: folder.join("tree"), folder, administration: None };
        fs_err::create_dir_all(&made.root).map_err(failed)?;
        made.join_repository(ws, &name).map_err(failed)?;
        for path in tree.files.keys() {
            ctx.check()?;
            let (from, to) = (ws.root().join(path), made.root.join(path));
            if let Some(parent) = to.parent() {
                fs_err::create_dir_all(parent).map_err(failed)?;
            }
            let data = fs_err::symlink_metadata(&from).map_err(failed)?;
            if data.is_symlink() {
                let target = fs_err::read_link(&from).map_err(failed)?;
                fs_err::os::unix::fs::symlink(target, &to).map_err(failed)?;
            } else {
                fs_err::copy(&from, &to).map_err(failed)?;
            }
        }
        Ok(made)
    }

    /// Makes the folder a work tree, as `git worktree add --detach` would: its own HEAD and index, everything else shared.
    fn join_repository(&mut self, ws: &Workspace, name: &str) -> std::io::Result<()> {
        let (Some((own, shared)), Some(head)) = (git_folders(ws.root()), head_commit(ws.root())) else {
            return Ok(());
        };
        // A workspace inside a repository would be taken for its top.
        if !ws.root().join(".git").exists() {
            return Ok(());
        }
        let administration = shared.join("worktrees").join(name);
        fs_err::create_dir_all(&administration)?;
        self.administration = Some(administration.clone());
        fs_err::write(administration.join("HEAD"), format!("{head}\n"))?;
        fs_err::write(administration.join("commondir"), "../..\n")?;
        fs_err::write(administration.join("gitdir"), format!("{}\n", self.root.join(".git").display()))?;
        if own.join("index").is_file() {
            fs_err::copy(own.join("index"), administration.join("index"))?;
        }
        fs_err::write(self.root.join(".git"), format!("gitdir: {}\n", administration.display()))
    }

    pub(super) fn path(&self) -> &Path {
        &self.root
    }

    /// The files of the copy that were copied; what the runner adds is its own.
    pub(super) fn tree(&self, ctx: &Context, before: &Tree) -> Result<Tree> {
        let is_cancelled = || ctx.cancellation().is_cancelled();
        let call = Call::unbounded().with_deadline(ctx.deadline()).with_cancellation(&is_cancelled);
        Ok(Tree::of(&self.root, before.files.keys(), &call)?)
    }
}

impl Drop for Isolated {
    fn drop(&mut self) {
        for folder in self.administration.iter().chain([&self.folder]) {
            if let Err(error) = fs_err::remove_dir_all(folder) {
                tracing::warn!(%error, "the copy of a tree could not be removed");
            }
        }
    }
}

/// Where things go that are gone when the run ends.
fn temporary(ws: &Workspace) -> PathBuf {
    let named = ws.children().environment.iter().find(|(name, _)| name == "TMPDIR");
    named.map_or_else(|| PathBuf::from("/tmp"), |(_, folder)| PathBuf::from(folder))
}

fn failed(error: std::io::Error) -> Error {
    Error::new(Kind::Machine, Key::IoError, "cannot copy the tree for an isolated run")
        .hint("look at the space and the permissions of the disk")
        .caused_by(error)
}
