//! `fs_tree`: everything below a folder, without what `.gitignore` leaves out.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::Serialize;

use super::list::EntryKind;
use super::rules::excludes;
use super::walk::{Gaps, Ignored, Met, WalkRules, walk};
use crate::call::Call;
use crate::error::Result;
use crate::page::{MAX_LIMIT, Page, PageRequest, paginate, path_order};
use crate::show::show_bytes;
use crate::station::Workstation;

/// What to show.
#[derive(Debug, Clone)]
pub struct Tree {
    pub path: String,
    /// How many levels; all of them unless given.
    pub depth: Option<usize>,
    /// Patterns as in a `.gitignore`.
    pub exclude: Vec<String>,
    pub ignored: Ignored,
    pub page: PageRequest,
}

/// One entry of a tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TreeEntryView {
    /// From the folder that was asked for
    pub path: String,
    #[serde(rename = "type")]
    pub kind: EntryKind,
}

/// A tree, each folder before what is in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TreeView {
    pub path: String,
    pub entries: Vec<TreeEntryView>,
    #[serde(flatten)]
    pub page: Page,
    #[serde(flatten)]
    pub gaps: GapsView,
}

/// What a walk could not see.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct GapsView {
    /// Folders that could not be read
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(default)]
    pub unreadable: usize,
    /// There are too many entries to see all; ask for a smaller folder
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schemars(default)]
    pub incomplete: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands out references")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl From<Gaps> for GapsView {
    fn from(gaps: Gaps) -> Self {
        Self { unreadable: gaps.unreadable, incomplete: gaps.incomplete }
    }
}

/// Shows a tree.
pub fn tree(station: &Workstation, call: &Call<'_>, request: &Tree) -> Result<TreeView> {
    let wanted = station.roots().wanted("path", &request.path)?;
    let folder = station.roots().open_folder(&wanted)?;
    let real = folder.place.path(station.roots());
    let rules =
        WalkRules { depth: request.depth, exclude: excludes(&request.exclude)?, ignored: request.ignored };
    let keep = |own: &mut Vec<(Vec<u8>, EntryKind)>, met: &Met<'_>| {
        own.push((met.path.to_vec(), met.kind.into()));
        Ok(())
    };
    let (found, gaps) = walk(station, call, folder, &rules, Vec::new, keep)?;
    let mut found = found.concat();
    found.sort_unstable_by(|a, b| path_order(&a.0, &b.0));
    let page = PageRequest { limit: request.page.limit.or(Some(MAX_LIMIT)), ..request.page.clone() };
    let (entries, page) = paginate(
        &found,
        &page,
        &("tree", real, request.depth, &request.exclude, request.ignored),
        |(path, _)| Cow::Borrowed(path),
        |(path, kind)| TreeEntryView { path: show_bytes(path).text, kind: *kind },
    )?;
    Ok(TreeView { path: wanted.shown, entries, page, gaps: gaps.into() })
}
