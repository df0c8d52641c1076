//! What a former state of the repository says: the merge base with a revision, or with the default branch.

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap};

use hewto_core::proof::{FileRole, Link, Ref, read_file_tags};
use hewto_store::Context;

use crate::error::{Error, Key, Kind, Result};
use crate::workspace::Workspace;

/// Branches that are tried as the default one, in this order.
const DEFAULT_BRANCHES: [&str; 5] = ["origin/HEAD", "origin/main", "origin/master", "main", "master"];

/// Files as they were.
#[derive(Debug, Default)]
pub(crate) struct Before {
    commit: Option<String>,
    texts: HashMap<String, String>,
    /// Files that differ from then, work tree included.
    pub(crate) changed: BTreeSet<String>,
}

impl Before {
    /// Everything that changed since the merge base with a revision that somebody named.
    pub(crate) fn revision(ws: &Workspace, ctx: &Context, revision: &str) -> Result<Self> {
        let Some(commit) = ws.git().merge_base(ctx, ws.root(), revision) else {
            return Err(Error::new(
                Kind::Usage,
                Key::RevisionUnknown,
                format!("git finds no common history with `{revision}`"),
            )
            .hint("name a branch, a tag or a commit that is here; in CI fetch the whole history"));
        };
        let changed = ws.git().changed_since(ctx, ws.root(), &commit);
        let mut before =
            Self { commit: Some(commit), changed: changed.iter().cloned().collect(), ..Self::default() };
        before.take(ws, ctx, &changed);
        Ok(before)
    }

    fn take(&mut self, ws: &Workspace, ctx: &Context, paths: &[String]) {
        if let Some(commit) = &self.commit {
            self.texts = ws.git().texts_at(ctx, ws.root(), commit, paths);
        }
    }

    pub(crate) fn text(&self, path: &str) -> Option<&str> {
        self.texts.get(path).map(String::as_str)
    }

    /// The links that a changed file had.
    pub(crate) fn links(&self, path: &str) -> Vec<Link> {
        self.text(path).map(|text| read_file_tags(path, text, FileRole::Other).links).unwrap_or_default()
    }

    /// Promises whose text, links or linked declarations are others than then.
    pub(crate) fn moved(&self, now: &[Link]) -> BTreeSet<Ref> {
        let shown = |links: &[&Link]| -> BTreeSet<(Ref, String)> {
            let hash = |link: &&Link| {
                link.anchor.as_ref().map(|anchor| anchor.token_hash.clone()).unwrap_or_default()
            };
            links.iter().map(|link| (link.reference.clone(), hash(link))).collect()
        };
        let now: Vec<&Link> = now.iter().filter(|link| self.changed.contains(&link.path)).collect();
        let then: Vec<Link> = self.changed.iter().flat_map(|path| self.links(path)).collect();
        let then: Vec<&Link> = then.iter().collect();
        let (now, then) = (shown(&now), shown(&then));
        now.symmetric_difference(&then).map(|(reference, _)| reference.clone()).collect()
    }
}

/// What has come through review: files as the default branch has them. Git is asked only when somebody wants to know.
#[derive(Debug)]
pub(crate) struct Reviewed<'w> {
    ws: &'w Workspace,
    ctx: &'w Context,
    commit: OnceCell<Option<String>>,
    texts: OnceCell<HashMap<String, String>>,
}

impl<'w> Reviewed<'w> {
    pub(crate) fn new(ws: &'w Workspace, ctx: &'w Context) -> Self {
        Self { ws, ctx, commit: OnceCell::new(), texts: OnceCell::new() }
    }

    fn commit(&self) -> Option<&str> {
        let found = self.commit.get_or_init(|| {
            hewto_store::repository_root(self.ws.root())?;
            let base = |branch: &&str| self.ws.git().merge_base(self.ctx, self.ws.root(), branch);
            DEFAULT_BRANCHES.iter().find_map(base)
        });
        found.as_deref()
    }

    /// The text of one of our own files there; `None` without git, or where there is none.
    pub(crate) fn text(&self, path: &str) -> Option<&str> {
        let texts = self.texts.get_or_init(|| {
            let Some(commit) = self.commit() else { return HashMap::new() };
            let folder = &self.ws.places().proof;
            let files = self.ws.store().tree(self.ctx, folder).unwrap_or_default();
            let paths: Vec<String> = files.iter().map(|below| format!("{folder}/{below}")).collect();
            self.ws.git().texts_at(self.ctx, self.ws.root(), commit, &paths)
        });
        texts.get(path).map(String::as_str)
    }
}
