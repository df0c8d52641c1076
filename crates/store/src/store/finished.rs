//! Specs as they will be once an interrupted commit is finished: those that it touches are read through what is left to do,
//! all others are as they were found.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use hewto_core::id::SpecId;

use crate::beneath::Root;
use crate::context::Context;
use crate::doc::ReadError;
use crate::folder::read_entry;
use crate::layout::{Layout, SpecRoot};
use crate::path::RelPath;
use crate::snapshot::{Snapshot, SpecEntry};
use crate::tree;

/// The list with what an interrupted commit will have changed.
pub(super) fn snapshot(
    context: &Context,
    layout: &Layout,
    root: &Root,
    found: Arc<Snapshot>,
) -> Result<Arc<Snapshot>, ReadError> {
    let Some(overlay) = root.overlay() else { return Ok(found) };
    let touched = overlay.touched();
    let mut ids = BTreeSet::new();
    for path in &touched {
        let is_there = |entry: &&Arc<SpecEntry>| {
            let folder = entry.folder.as_str();
            folder == path || folder.strip_prefix(path.as_str()).is_some_and(|rest| rest.starts_with('/'))
        };
        ids.extend(found.specs.iter().filter(is_there).map(|entry| entry.id.clone()));
        for spec_root in layout.spec_roots() {
            ids.extend(ids_at(context, spec_root, root, path)?);
        }
    }
    let mut specs = found.specs.clone();
    for id in ids {
        let place = specs.binary_search_by(|entry| entry.id.cmp(&id));
        match (place, entry(layout, root, &id)) {
            (Ok(index), Some(entry)) => specs[index] = entry,
            (Ok(index), None) => drop(specs.remove(index)),
            (Err(index), Some(entry)) => specs.insert(index, entry),
            (Err(_), None) => {}
        }
    }
    // Not one of the numbers that snapshots get by and by: what is kept for this one is kept for no other.
    let mut hasher = DefaultHasher::new();
    (found.generation, &touched).hash(&mut hasher);
    let generation = hasher.finish() | 1 << 63;
    Ok(Arc::new(Snapshot { generation, specs, findings: found.findings.clone() }))
}

/// One spec as it will be.
pub(super) fn entry(layout: &Layout, root: &Root, id: &SpecId) -> Option<Arc<SpecEntry>> {
    layout.spec_folders(id).find_map(|(index, folder)| {
        read_entry(root, &layout.spec_roots()[index], index, id, folder).map(Arc::new)
    })
}

/// The specs whose documents stand at or below a path that is touched.
fn ids_at(
    context: &Context,
    spec_root: &SpecRoot,
    root: &Root,
    path: &str,
) -> Result<Vec<SpecId>, ReadError> {
    let Ok(path) = RelPath::parse(path) else { return Ok(Vec::new()) };
    let Some(below) = path.below(&spec_root.path) else { return Ok(Vec::new()) };
    let mut ids: Vec<SpecId> =
        below.rsplit_once('/').and_then(|(folder, _)| SpecId::parse(folder).ok()).into_iter().collect();
    for file in tree::all_files(context, root, &path)? {
        let folder = file.parent().filter(|_| file.file_name() == spec_root.document);
        ids.extend(folder.and_then(|folder| SpecId::parse(folder.below(&spec_root.path)?).ok()));
    }
    Ok(ids)
}
