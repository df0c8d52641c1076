//! `fs_find`: files and folders by name.

use std::borrow::Cow;

use globset::{GlobBuilder, GlobMatcher};
use hewto_core::page::{Page, PageRequest};
use hewto_core::schema::unstated;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::list::EntryKind;
use super::rules::{as_path, excludes};
use super::tree::GapsView;
use super::walk::{Ignored, Met, WalkRules, walk};
use crate::call::Call;
use crate::confine::first_root;
use crate::error::{Error, Result};
use crate::page::{paginate, path_order};
use crate::show::show_bytes;
use crate::station::Workstation;

/// What to find.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(extend("additionalProperties" = false))]
pub struct Find {
    /// Default the first root
    #[serde(default = "first_root")]
    #[schemars(skip_serializing_if = "unstated")]
    pub path: String,
    // A glob: on the name when it has no `/`, else on the path below `path`.
    pub pattern: String,
    /// Patterns to leave out, as in a .gitignore
    #[serde(default)]
    pub exclude: Vec<String>,
    /// Also what .gitignore leaves out
    #[serde(default, rename = "include_ignored")]
    #[schemars(with = "bool", skip_serializing_if = "unstated")]
    pub ignored: Ignored,
    #[serde(flatten)]
    pub page: PageRequest,
}

/// One thing that was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FoundView {
    pub path: String,
    #[serde(rename = "type")]
    pub kind: EntryKind,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FindView {
    pub found: Vec<FoundView>,
    #[serde(flatten)]
    pub page: Page,
    #[serde(flatten)]
    pub gaps: GapsView,
}

/// Finds files and folders by name.
pub fn find(station: &Workstation, call: &Call<'_>, request: &Find) -> Result<FindView> {
    let wanted = station.roots().wanted("path", &request.path)?;
    let folder = station.roots().open_folder(&wanted)?;
    let real = folder.place.path(station.roots());
    let pattern = NamePattern::new("pattern", &request.pattern)?;
    let rules = WalkRules { depth: None, exclude: excludes(&request.exclude)?, ignored: request.ignored };
    let keep = |own: &mut Vec<(Vec<u8>, EntryKind)>, met: &Met<'_>| {
        if pattern.matches(met) {
            own.push((met.path.to_vec(), met.kind.into()));
        }
        Ok(())
    };
    let (found, gaps) = walk(station, call, folder, &rules, Vec::new, keep)?;
    let mut found: Vec<_> = found.into_iter().flatten().collect();
    found.sort_unstable_by(|a, b| path_order(&a.0, &b.0));
    let (found, page) = paginate(
        &found,
        &request.page,
        &("find", real, &request.pattern, &request.exclude, request.ignored),
        |(path, _)| Cow::Borrowed(path),
        |(path, kind)| FoundView { path: below(&wanted.shown, path), kind: *kind },
    )?;
    Ok(FindView { found, page, gaps: gaps.into() })
}

/// A glob on names or on paths.
#[derive(Debug)]
pub(super) struct NamePattern {
    glob: GlobMatcher,
    on_paths: bool,
}

impl NamePattern {
    pub(super) fn new(field: &str, pattern: &str) -> Result<Self> {
        let bad = |message: String| Error::invalid_argument(field, "a glob such as `*.rs`", message);
        if pattern.is_empty() {
            return Err(bad(format!("`{field}` is empty")));
        }
        let on_paths = pattern.contains('/');
        let glob = GlobBuilder::new(pattern.strip_prefix('/').unwrap_or(pattern))
            .literal_separator(true)
            .build()
            .map_err(|error| bad(error.to_string()))?;
        Ok(Self { glob: glob.compile_matcher(), on_paths })
    }

    pub(super) fn matches(&self, met: &Met<'_>) -> bool {
        if self.on_paths { self.glob.is_match(as_path(met.path)) } else { self.glob.is_match(met.name) }
    }
}

/// A path below a folder, as clients can name it again.
pub(super) fn below(folder: &str, path: &[u8]) -> String {
    let path = show_bytes(path).text;
    if folder == "." { path } else { format!("{}/{path}", folder.trim_end_matches('/')) }
}
