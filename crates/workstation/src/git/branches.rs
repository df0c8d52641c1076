//! `git_branches`: branches here and on remotes.

use std::borrow::Cow;

use hewto_core::page::{Page, PageRequest};
use hewto_core::schema::{one_of, unstated};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

use super::argument::Wants;
use super::command::{Git, Task};
use crate::call::Call;
use crate::error::Result;
use crate::page::{paginate, path_order};
use crate::show::show_bytes;
use crate::station::Workstation;

/// Which branches.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[schemars(extend("additionalProperties" = false))]
pub struct Branches {
    /// A folder of the repository; default the first root
    pub repo: Option<String>,
    /// Default all
    #[serde(default)]
    #[schemars(schema_with = "kinds", skip_serializing_if = "unstated")]
    pub kind: BranchKind,
    /// Only those with this commit
    pub contains: Option<String>,
    /// Only those without it
    pub not_contains: Option<String>,
    #[serde(flatten)]
    pub page: PageRequest,
}

fn kinds(_: &mut SchemaGenerator) -> Schema {
    one_of(["local", "remote", "all"])
}

/// Where branches are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum BranchKind {
    Local,
    Remote,
    #[default]
    All,
}

/// A branch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BranchView {
    pub name: String,
    pub kind: BranchKind,
    pub current: bool,
    pub commit: String,
    pub date: String,
    pub subject: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub upstream: Option<String>,
    /// Such as `[ahead 1, behind 2]`
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub track: Option<String>,
}

/// Branches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BranchesView {
    /// The top folder of the repository
    pub root: String,
    /// The current branch; absent when `HEAD` is detached
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub current: Option<String>,
    pub branches: Vec<BranchView>,
    #[serde(flatten)]
    pub page: Page,
}

const FORMAT: &str = "--format=%(refname)%00%(objectname)%00%(committerdate:iso-strict)%00%(contents:subject)%00\
                      %(upstream:short)%00%(upstream:track)%00%(symref)%00";
const FIELDS: usize = 7;

/// Lists branches.
pub fn branches(station: &Workstation, call: &Call<'_>, request: &Branches) -> Result<BranchesView> {
    let git = Git::open(station, call, request.repo.as_deref())?;
    let mut options: Vec<String> = Vec::new();
    for (name, revision) in [("contains", &request.contains), ("no-contains", &request.not_contains)] {
        if let Some(revision) = revision {
            let field = if name == "contains" { name } else { "not_contains" };
            options.push(format!("--{name}={}", git.resolve(field, revision, Wants::Commit)?));
        }
    }
    let current = git.current_branch()?;
    let places: &[&str] = match request.kind {
        BranchKind::Local => &["refs/heads/"],
        BranchKind::Remote => &["refs/remotes/"],
        BranchKind::All => &["refs/heads/", "refs/remotes/"],
    };
    let task = Task::new(["for-each-ref", FORMAT]).with(&options).with(places);
    let output = git.must(&task.doing("list the branches"))?;
    let mut found = parse(&output.stdout, current.as_deref());
    found.sort_by(|a, b| path_order(&a.0, &b.0));
    let list = ("branches", &git.repository.shown, request.kind, &options);
    let (branches, page) =
        paginate(&found, &request.page, &list, |(key, _)| Cow::Borrowed(key), |(_, branch)| branch.clone())?;
    Ok(BranchesView { root: git.repository.shown, current, branches, page })
}

impl Git<'_> {
    /// The branch that is checked out, also before its first commit.
    pub(super) fn current_branch(&self) -> Result<Option<String>> {
        let output = self.run(&Task::new(["symbolic-ref", "--quiet", "HEAD"]))?;
        let name = show_bytes(&output.stdout).text;
        Ok(name.trim_end().strip_prefix("refs/heads/").map(str::to_owned))
    }
}

fn parse(output: &[u8], current: Option<&str>) -> Vec<(Vec<u8>, BranchView)> {
    let fields: Vec<&[u8]> = output.split(|byte| *byte == 0).collect();
    fields
        .chunks_exact(FIELDS)
        .filter_map(|fields| {
            let text = |index: usize| show_bytes(fields[index]).text;
            // Every reference but the first follows the line end of the one before it.
            let reference = fields[0].strip_prefix(b"\n").unwrap_or(fields[0]);
            // `origin/HEAD` only says which of the others is the default.
            if !fields[6].is_empty() {
                return None;
            }
            let (kind, name) = match reference.strip_prefix(b"refs/heads/") {
                Some(name) => (BranchKind::Local, name),
                None => (BranchKind::Remote, reference.strip_prefix(b"refs/remotes/")?),
            };
            let name = show_bytes(name).text;
            let view = BranchView {
                current: kind == BranchKind::Local && current == Some(name.as_str()),
                name,
                kind,
                commit: text(1),
                date: text(2),
                subject: text(3),
                upstream: Some(text(4)).filter(|upstream| !upstream.is_empty()),
                track: Some(text(5)).filter(|track| !track.is_empty()),
            };
            Some((reference.to_vec(), view))
        })
        .collect()
}
