//! `fs_roots`: the allowed folders.

use schemars::JsonSchema;
use serde::Serialize;

use crate::show::show_path;
use crate::station::Workstation;

/// One allowed folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RootView {
    pub path: String,
    /// Whether relative paths start here
    pub default: bool,
}

/// The allowed folders.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RootsView {
    pub roots: Vec<RootView>,
}

/// Lists the allowed folders.
pub fn roots(station: &Workstation) -> RootsView {
    let roots = station.roots().paths().into_iter().enumerate();
    RootsView {
        roots: roots.map(|(index, path)| RootView { path: show_path(path), default: index == 0 }).collect(),
    }
}
