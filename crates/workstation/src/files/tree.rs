//! `fs_tree`: everything below a folder, without what `.gitignore` leaves out.

use std::borrow::Cow;

use hewto_core::page::{Page, PageRequest};
use hewto_core::schema::unstated;
use rustix::fs::FileType;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::list::EntryKind;
use super::rules::excludes;
use super::walk::{Gaps, Ignored, Met, WalkRules, walk};
use crate::call::Call;
use crate::confine::first_root;
use crate::error::Result;
use crate::page::paginate_up_to;
use crate::show::show_bytes;
use crate::station::Workstation;

/// How many entries a page has unless asked otherwise.
const DEFAULT_ENTRIES: usize = 1_000;
/// The most that can be asked for at once; `max_chars` ends a page earlier.
const MAX_TREE_ENTRIES: usize = 100_000;

/// What to show.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(extend("additionalProperties" = false))]
pub struct Tree {
    /// Default the first root
    #[serde(default = "first_root")]
    #[schemars(skip_serializing_if = "unstated")]
    pub path: String,
    /// How many levels; default all
    #[schemars(range(min = 1))]
    pub depth: Option<usize>,
    /// Patterns to leave out, as in a .gitignore
    #[serde(default)]
    pub exclude: Vec<String>,
    /// Also what .gitignore leaves out
    #[serde(default, rename = "include_ignored")]
    #[schemars(with = "bool", skip_serializing_if = "unstated")]
    pub ignored: Ignored,
    #[serde(flatten)]
    #[schemars(with = "LongPage")]
    pub page: PageRequest,
}

/// How pages of a tree are asked for.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "it is only described: a page is a page")]
struct LongPage {
    /// Default 1000
    #[schemars(range(min = 1, max = 100_000))]
    limit: Option<usize>,
    cursor: Option<String>,
    #[schemars(range(min = 1000, max = 2_000_000))]
    max_chars: Option<usize>,
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
    let keep = |own: &mut Found, met: &Met<'_>| {
        own.push(met.path, met.kind);
        Ok(())
    };
    let (parts, gaps) = walk(station, call, folder, &rules, Found::default, keep)?;
    let found = Found::sorted(parts);
    let page = PageRequest { limit: request.page.limit.or(Some(DEFAULT_ENTRIES)), ..request.page.clone() };
    let (entries, page) = paginate_up_to(
        MAX_TREE_ENTRIES,
        &found.entries,
        &page,
        &("tree", real, request.depth, &request.exclude, request.ignored),
        |entry| Cow::Owned(found.real_path(entry)),
        |entry| TreeEntryView { path: show_bytes(&found.real_path(entry)).text, kind: entry.kind.into() },
    )?;
    Ok(TreeView { path: wanted.shown, entries, page, gaps: gaps.into() })
}

/// Entries of a walk, their paths one behind the other: hundreds of thousands cost no allocation each.
///
/// A slash is kept as NUL, which no name has, so that plain bytes have the order of a tree.
#[derive(Debug, Default)]
struct Found {
    paths: Vec<u8>,
    entries: Vec<Entry>,
}

#[derive(Debug)]
struct Entry {
    start: usize,
    len: usize,
    kind: FileType,
}

impl Found {
    fn push(&mut self, path: &[u8], kind: FileType) {
        self.entries.push(Entry { start: self.paths.len(), len: path.len(), kind });
        self.paths.extend(path.iter().map(|&byte| if byte == b'/' { 0 } else { byte }));
    }

    /// What all threads have found, in the order of a tree.
    fn sorted(parts: Vec<Self>) -> Self {
        let mut all = Self::default();
        for part in parts {
            let before = all.paths.len();
            all.paths.extend(part.paths);
            let moved = part.entries.into_iter().map(|entry| Entry { start: before + entry.start, ..entry });
            all.entries.extend(moved);
        }
        let Self { paths, entries } = &mut all;
        entries.sort_unstable_by(|a, b| a.kept(paths).cmp(b.kept(paths)));
        all
    }

    fn real_path(&self, entry: &Entry) -> Vec<u8> {
        entry.kept(&self.paths).iter().map(|&byte| if byte == 0 { b'/' } else { byte }).collect()
    }
}

impl Entry {
    /// The path as it is kept.
    fn kept<'p>(&self, paths: &'p [u8]) -> &'p [u8] {
        &paths[self.start..self.start + self.len]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::path_order;

    #[test]
    fn entries_of_all_threads_have_the_order_of_a_tree() {
        let (mut one, mut two) = (Found::default(), Found::default());
        for path in ["b", "a/z", "a.txt"] {
            one.push(path.as_bytes(), FileType::RegularFile);
        }
        for path in ["a-b/c", "a", "a-b", "\u{1}"] {
            two.push(path.as_bytes(), FileType::Directory);
        }
        let found = Found::sorted(vec![one, two]);
        let paths: Vec<Vec<u8>> = found.entries.iter().map(|entry| found.real_path(entry)).collect();
        let mut expected = paths.clone();
        expected.sort_by(|a, b| path_order(a, b));
        assert_eq!(paths, expected);
        assert_eq!(paths[2], b"a/z");
        assert_eq!(found.entries[2].kind, FileType::RegularFile);
    }
}
