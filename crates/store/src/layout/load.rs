//! Makes a [`Layout`] from the markers that stand in a root.
//!
//! A configuration that cannot be read, or that points out of the workspace, is a finding; the defaults take
//! its place, so that one bad line does not hide a whole workspace.

use std::io;
use std::path::{Path, PathBuf};

use hewto_core::config::{Config, ConfigOwner};
use hewto_core::diagnostic::Finding;
use hewto_core::rules::workspace as rules;

use super::table::{Marker, OPERATION_LOG, SPOX_ARCHIVE, SPOX_CHANGES, SPOX_CONFIG, SPOX_SPECS};
use super::{ChangeRoot, Layout, LayoutKind, Places, SPEC_FILE, SpecRoot};
use crate::beneath::Root;
use crate::doc::MAX_BYTES;
use crate::path::RelPath;

impl Layout {
    /// Reads the markers of a root that is known to be a real path; without any marker the layout is native.
    pub fn load(root: &Path) -> Self {
        let found: Vec<LayoutKind> =
            LayoutKind::ALL.into_iter().filter(|kind| has_marker(root, *kind)).collect();
        let kinds = if found.is_empty() { vec![LayoutKind::Native] } else { found };
        Self::with_kinds(root, kinds)
    }

    /// Nothing but a folder of logs, a real path.
    pub(crate) fn of_logs(folder: &Path) -> io::Result<Self> {
        let name = folder.file_name().and_then(|name| RelPath::parse(name.to_str()?).ok());
        let (Some(parent), Some(name)) = (folder.parent(), name) else {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "this cannot be a folder of logs"));
        };
        let mut layout = Self::with_kinds(parent, vec![LayoutKind::Native]);
        layout.places.operation_log = name.join(OPERATION_LOG).expect("a plain name can be joined");
        layout.places.wire_logs = name.into();
        Ok(layout)
    }

    /// The layout that a root has once these markers stand in it.
    pub(super) fn with_kinds(root: &Path, kinds: Vec<LayoutKind>) -> Self {
        let mut findings = Vec::new();
        let spox = if kinds.contains(&LayoutKind::Spox) {
            spox_paths(root, &mut findings)
        } else {
            SpoxPaths::defaults()
        };
        let change_roots = change_roots(&kinds, &spox);
        let mut spec_roots = spec_roots(root, &kinds, &spox, &mut findings);
        exclude_what_lies_inside(&mut spec_roots, &change_roots);
        let places = Places::of(&kinds);
        Self {
            root: root.to_owned(),
            state_root: None,
            kinds,
            spec_roots,
            change_roots,
            places,
            log_place: None,
            findings,
        }
    }
}

/// Whether the marker of this kind stands in this folder.
pub(super) fn has_marker(folder: &Path, kind: LayoutKind) -> bool {
    match kind.marker() {
        Marker::File(path) => folder.join(path).is_file(),
        Marker::Folder(path) => folder.join(path).is_dir() && !is_a_project_of_its_own(&folder.join(path)),
    }
}

/// A checkout or an installed package may happen to be called `openspec`.
fn is_a_project_of_its_own(folder: &Path) -> bool {
    [".git", "package.json"].iter().any(|name| folder.join(name).exists())
}

/// The paths in `.spox/config.toml`.
struct SpoxPaths {
    specs: RelPath,
    changes: RelPath,
    archive: RelPath,
}

impl SpoxPaths {
    fn defaults() -> Self {
        Self {
            specs: RelPath::known(SPOX_SPECS),
            changes: RelPath::known(SPOX_CHANGES),
            archive: RelPath::known(SPOX_ARCHIVE),
        }
    }
}

fn spox_paths(root: &Path, findings: &mut Vec<Finding>) -> SpoxPaths {
    let defaults = SpoxPaths::defaults();
    // As any document: no link leads out of the workspace, and what is too large is not read.
    let read = Root::open(root).and_then(|root| root.read_within(SPOX_CONFIG, MAX_BYTES));
    let text = match read.and_then(|(bytes, _)| String::from_utf8(bytes).map_err(io::Error::other)) {
        Ok(text) => text,
        Err(error) => {
            if error.kind() != io::ErrorKind::NotFound {
                findings.push(invalid_config(format!("cannot read the configuration: {error}")));
            }
            return defaults;
        }
    };
    let (config, diagnostics) = Config::read(&text, ConfigOwner::Foreign);
    findings.extend(diagnostics.iter().map(|diagnostic| diagnostic.in_file(SPOX_CONFIG)));
    let mut path = |key: &str, chosen: Option<String>, default: RelPath| match chosen {
        None => default,
        Some(text) => RelPath::parse(&text).unwrap_or_else(|_| {
            findings.push(invalid_config(format!("`paths.{key}` is not a path inside the workspace")));
            default
        }),
    };
    SpoxPaths {
        specs: path("spec_folder", config.paths.spec_folder, defaults.specs),
        changes: path("changes_folder", config.paths.changes_folder, defaults.changes),
        archive: path("archive_folder", config.paths.archive_folder, defaults.archive),
    }
}

fn invalid_config(message: String) -> Finding {
    rules::CONFIG_INVALID.on(
        SPOX_CONFIG,
        None,
        message,
        "correct the file; until then the default path is used",
    )
}

fn change_roots(kinds: &[LayoutKind], spox: &SpoxPaths) -> Vec<ChangeRoot> {
    let own = |kind: LayoutKind| {
        let (changes, archive) = match kind {
            LayoutKind::Spox => (spox.changes.clone(), spox.archive.clone()),
            _ => kind.changes()?,
        };
        Some(ChangeRoot { changes, archive, schemas: kind.change_schemas(), owner: kind })
    };
    let roots: Vec<ChangeRoot> = kinds.iter().copied().filter_map(own).collect();
    if roots.is_empty() { own(LayoutKind::Native).into_iter().collect() } else { roots }
}

/// The spec roots of all markers, each real folder once.
fn spec_roots(
    root: &Path,
    kinds: &[LayoutKind],
    spox: &SpoxPaths,
    findings: &mut Vec<Finding>,
) -> Vec<SpecRoot> {
    let mut roots: Vec<(PathBuf, SpecRoot)> = Vec::new();
    for &kind in kinds {
        let path = if kind == LayoutKind::Spox { spox.specs.clone() } else { kind.specs() };
        // A folder that is not there yet is compared by its name.
        let real = fs_err::canonicalize(path.under(root)).unwrap_or_else(|_| path.under(root));
        if !real.starts_with(root) {
            findings.push(rules::ROOT_MISSING.on(
                path.as_str(),
                None,
                "the folder of specs is a link that leads out of the workspace",
                "put the folder inside the workspace; hewto does not follow links out of it",
            ));
        }
        match roots.iter_mut().find(|(known, _)| *known == real) {
            Some((_, shared)) => shared.owners.push(kind),
            None => roots.push((
                real,
                SpecRoot { path, owners: vec![kind], skipped: Vec::new(), document: SPEC_FILE },
            )),
        }
    }
    roots.into_iter().map(|(_, root)| root).collect()
}

/// Changes may stand inside a spec root (`specs/_changes`), and one spec root inside another.
fn exclude_what_lies_inside(spec_roots: &mut [SpecRoot], change_roots: &[ChangeRoot]) {
    let mut others: Vec<RelPath> = spec_roots.iter().map(|root| root.path.clone()).collect();
    others.extend(change_roots.iter().flat_map(|root| [root.changes.clone(), root.archive.clone()]));
    for root in spec_roots {
        root.skipped = others.iter().filter_map(|other| other.below(&root.path)).map(str::to_owned).collect();
    }
}
