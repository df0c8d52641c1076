//! The tree that a run is about: what git would take, without what hewto itself writes on the way to proof.

use std::sync::Arc;

use globset::{Glob, GlobSet, GlobSetBuilder};
use hewto_core::proof::settings::{Check, Settings};
use hewto_store::change_files::{REVIEW, TASKS};
use hewto_store::{Context, Layout, OWN_FOLDER, PLAN_FILE, STATE_FILE, TreeWatcher};
use hewto_workstation::tree::Tree;

use crate::error::{Error, Key, Kind, Result};
use crate::proof::settings::{Loaded, believed_checks};
use crate::proof::survey::scope;
use crate::proof::walk::{Walked, walk};
use crate::workspace::Workspace;

/// Files in the folders of work items that say how far the work is, and not what is promised or how.
const STANDING: &[&str] = &[STATE_FILE, PLAN_FILE, TASKS, "evidence.json"];
/// Folders beside them of the same kind.
const STANDING_FOLDERS: &[&str] = &[REVIEW];

/// Reads the tree of a workspace.
pub(crate) fn read(ws: &Workspace, ctx: &Context, loaded: &Loaded) -> Result<Tree> {
    Ok(read_with_tags(ws, ctx, loaded, None)?.tree)
}

/// The same where a check is tried that nobody has trusted yet: its report is no part of the tree.
pub(crate) fn read_for_trial(ws: &Workspace, ctx: &Context, loaded: &Loaded, check: &Check) -> Result<Tree> {
    let mut checks = believed_checks(ws, loaded)?;
    checks.push(check);
    Ok(walked(ws, ctx, &loaded.settings, &checks, None)?.tree)
}

/// The tree and the tags of its files, in one walk.
pub(crate) fn read_with_tags(
    ws: &Workspace,
    ctx: &Context,
    loaded: &Loaded,
    quiet: Option<&Arc<TreeWatcher>>,
) -> Result<Walked> {
    walked(ws, ctx, &loaded.settings, &believed_checks(ws, loaded)?, quiet)
}

fn walked(
    ws: &Workspace,
    ctx: &Context,
    settings: &Settings,
    checks: &[&Check],
    quiet: Option<&Arc<TreeWatcher>>,
) -> Result<Walked> {
    let reports = reports(checks)?;
    let layout = ws.layout();
    let is_part = |path: &str| is_part(layout, &reports, path);
    walk(ws, ctx, &scope(&settings.tests), Some(&is_part), quiet)
}

/// The digest of a tree in hex.
pub(crate) fn hex(tree: &Tree) -> String {
    tree.digest().iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat()
}

/// Which paths count as inputs of a check.
pub(crate) fn inputs(globs: &[String]) -> Result<GlobSet> {
    set(globs.iter().map(String::as_str))
}

/// Only of checks that are believed: whoever declares another one must not take files out of the tree by calling them its
/// report.
fn reports(checks: &[&Check]) -> Result<GlobSet> {
    let files = checks.iter().flat_map(|check| [&check.report, &check.coverage]).flatten();
    set(files.map(|file| file.trim_start_matches("./")))
}

fn set<'g>(globs: impl Iterator<Item = &'g str>) -> Result<GlobSet> {
    let mut builder = GlobSetBuilder::new();
    for text in globs {
        builder.add(Glob::new(text).map_err(|error| invalid(text, &error))?);
    }
    builder.build().map_err(|error| invalid("", &error))
}

fn invalid(glob: &str, error: &globset::Error) -> Error {
    Error::new(
        Kind::Refused,
        Key::ProofSettingsInvalid,
        format!("`{glob}` in `{OWN_FOLDER}/proof.toml` is not a pattern: {error}"),
    )
    .hint("correct the pattern; `**` matches folders, `*` a part of a name")
}

fn is_part(layout: &Layout, reports: &GlobSet, path: &str) -> bool {
    let own = |path: &str| path.strip_prefix(OWN_FOLDER).is_some_and(|rest| rest.starts_with('/'));
    if own(path) || reports.is_match(path) {
        return false;
    }
    let below = |root: &str| path.strip_prefix(root).and_then(|rest| rest.strip_prefix('/'));
    let specs = layout.spec_roots().iter().filter_map(|root| below(root.path.as_str()));
    let changes = layout.change_roots().iter().filter_map(|root| below(root.changes.as_str()));
    !specs.chain(changes).any(|rest| {
        let mut parts = rest.rsplit('/');
        let name = parts.next().unwrap_or_default();
        // Something has to be above it: the folder of an item.
        let above: Vec<&str> = parts.collect();
        !above.is_empty()
            && (STANDING.contains(&name) || above.iter().any(|part| STANDING_FOLDERS.contains(part)))
    })
}
