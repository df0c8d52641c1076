//! The workspaces around one: nested below its folder, and in linked work trees of its repository.
//!
//! A call may name any of them, by path, by the name of its folder, or before an id (`web:auth`). Nothing else can be
//! reached that way: a path that leads elsewhere is refused.

use std::path::{Path, PathBuf};

use hewto_store::{Context, Start, current_branch, is_workspace_root, read_git_text, repository_root};
use hewto_workstation::tree::{unfit_rules, unfit_rules_at};
use ignore::WalkBuilder;
use schemars::JsonSchema;
use serde::Serialize;

use crate::error::{Error, Key, Kind, Result};
use crate::overview;
use crate::view::OverviewView;
use crate::workspace::Workspace;

/// Deeper than this nobody nests a workspace.
const MAX_DEPTH: usize = 8;
/// Folders in which others keep what they wrote.
const FOREIGN: [&str; 5] = ["node_modules", "target", "vendor", "dist", "third_party"];
/// What stands before an id and is no workspace.
const SCHEMES: [&str; 11] = [
    "change",
    "spec",
    "requirement",
    "scenario",
    "decision",
    "impl",
    "scratch",
    "http",
    "https",
    "file",
    "airsspec",
];

/// What may stand before the workspace of an id.
const KINDS: [&str; 2] = ["change:", "spec:"];

/// A workspace, and how it is called.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Neighbour {
    /// The name of its folder
    pub name: String,
    pub root: PathBuf,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub branch: Option<String>,
}

/// Where all workspaces below a folder stand.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct AllView {
    pub folder: String,
    pub workspaces: Vec<PlaceView>,
}

/// Where one of them stands.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct PlaceView {
    #[serde(flatten)]
    pub place: Neighbour,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub status: Option<OverviewView>,
    /// Why its status is not known
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub error: Option<String>,
}

/// The workspaces at and below a folder, outermost first.
pub fn below(folder: &Path) -> Vec<Neighbour> {
    let mut builder = WalkBuilder::new(folder);
    builder.hidden(true).git_global(false).require_git(false).max_depth(Some(MAX_DEPTH));
    builder.filter_entry(|entry| {
        let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
        is_folder
            && !entry.file_name().to_str().is_some_and(|name| FOREIGN.contains(&name))
            && unfit_rules(entry.path()).is_none()
    });
    if unfit_rules_at(folder).is_some() {
        builder.standard_filters(false).hidden(true);
    }
    let roots = builder.build().filter_map(std::result::Result::ok).map(ignore::DirEntry::into_path);
    let mut found: Vec<Neighbour> = roots.filter(|root| is_workspace_root(root)).map(neighbour).collect();
    found.sort_by(|a, b| a.root.cmp(&b.root));
    found
}

/// Where every workspace at and below a folder stands. One that cannot be read hides no other.
pub fn status_of_all(folder: &Path, ctx: &Context) -> Result<AllView> {
    let mut workspaces = Vec::new();
    for place in below(folder) {
        ctx.check()?;
        let status =
            Workspace::discover(Start::Here(&place.root)).and_then(|found| overview::status(&found, ctx));
        let (status, error) = match status {
            Ok(status) => (Some(status), None),
            Err(error) => (None, Some(error.to_string())),
        };
        workspaces.push(PlaceView { place, status, error });
    }
    Ok(AllView { folder: folder.display().to_string(), workspaces })
}

/// The root of the workspace that somebody named, from where the server was started: a path, or the name of a nested
/// workspace. It has to lie below the start, in a linked work tree of its repository, or below one of `allowed`.
pub fn named(start: &Path, name: &str, allowed: &[PathBuf]) -> Result<PathBuf> {
    let path = start.join(name.strip_prefix("file://").unwrap_or(name));
    let Ok(real) = fs_err::canonicalize(&path) else {
        let found: Vec<Neighbour> = below(start).into_iter().filter(|one| one.name == name).collect();
        return match found.as_slice() {
            [one] => Ok(one.root.clone()),
            [] => Err(unknown(start, name)),
            several => {
                let paths: Vec<String> = several.iter().map(|one| one.root.display().to_string()).collect();
                Err(Error::new(
                    Kind::Refused,
                    Key::AmbiguousName,
                    format!("several workspaces are called `{name}`"),
                )
                .hint(format!("name one by its path: {}", paths.join(", "))))
            }
        };
    };
    let within = |folder: &Path| fs_err::canonicalize(folder).is_ok_and(|folder| real.starts_with(folder));
    let is_of_repository = || common_git(start).is_some_and(|git| common_git(&real) == Some(git));
    if !within(start) && !is_of_repository() && !allowed.iter().any(|root| within(root)) {
        return Err(Error::new(
            Kind::Refused,
            Key::OutsideWorkspace,
            format!("`{name}` is neither below the folder of the server nor a work tree of its repository"),
        )
        .detail("workspace", name)
        .hint("name a workspace below the folder in which the server was started, or start a server there"));
    }
    let found = Workspace::discover(Start::Here(&real))?;
    Ok(found.root().to_owned())
}

/// The root of the workspace that a folder is in, if it is in one.
pub fn at(folder: &Path) -> Option<PathBuf> {
    Workspace::discover(Start::Here(folder)).ok().map(|found| found.root().to_owned())
}

/// The branch that is checked out where a folder is.
pub fn branch_of(folder: &Path) -> Option<String> {
    current_branch(folder)
}

/// An id that names its workspace, `web:auth` or `change:web:cart`: the root of that workspace, and the id there. `None`
/// when it names none. Workspaces are looked for below the start, then in the rest of its repository.
pub fn qualified(start: &Path, id: &str) -> Option<(PathBuf, String)> {
    let (kind, name, rest) = parts_of(id)?;
    let root = called(start, name).or_else(|| called(&repository_root(start)?, name))?;
    Some((root, format!("{kind}{rest}")))
}

/// What stands before an id like the name of a workspace.
pub(crate) fn qualifier(id: &str) -> Option<&str> {
    parts_of(id).map(|(_, name, _)| name)
}

/// `change:web:cart` as `change:`, `web` and `cart`; the first may be empty.
fn parts_of(id: &str) -> Option<(&str, &str, &str)> {
    let (kind, bare) =
        KINDS.iter().find_map(|kind| Some((*kind, id.strip_prefix(kind)?))).unwrap_or(("", id));
    let (name, rest) = bare.split_once(':')?;
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "._-".contains(c));
    let is_id = !rest.is_empty() && !rest.starts_with("//") && !rest.contains(char::is_whitespace);
    (is_name && is_id && !SCHEMES.contains(&name)).then_some((kind, name, rest))
}

/// The root of the one workspace with this name below a folder.
fn called(folder: &Path, name: &str) -> Option<PathBuf> {
    let mut found = below(folder).into_iter().filter(|one| one.name == name);
    let one = found.next()?;
    found.next().is_none().then_some(one.root)
}

fn neighbour(root: PathBuf) -> Neighbour {
    let real = fs_err::canonicalize(&root).unwrap_or(root);
    let name = real.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    Neighbour { name, branch: current_branch(&real), root: real }
}

/// The git folder that all work trees of a repository share.
fn common_git(folder: &Path) -> Option<PathBuf> {
    let git = repository_root(folder)?.join(".git");
    let own = match read_git_text(&git) {
        Ok(text) => git.parent()?.join(text.strip_prefix("gitdir:")?.trim()),
        Err(_) => git,
    };
    let common = match read_git_text(&own.join("commondir")) {
        Ok(text) => own.join(text.trim()),
        Err(_) => own,
    };
    fs_err::canonicalize(common).ok()
}

fn unknown(start: &Path, name: &str) -> Error {
    let known: Vec<String> = below(start).into_iter().map(|one| one.name).collect();
    let hint = match known.as_slice() {
        [] => "there is no workspace below the folder of the server; run `hewto init` in one".to_owned(),
        known => format!("name one of {}", known.join(", ")),
    };
    Error::new(Kind::Refused, Key::WorkspaceNotFound, format!("no workspace is called `{name}`"))
        .detail("workspace", name)
        .hint(hint)
}
