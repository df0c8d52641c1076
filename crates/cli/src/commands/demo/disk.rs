//! Which files of the sample came, changed or went between two looks. What belongs to one machine is left out.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use hewto_engine::Result;

use crate::failure::machine;

/// Folders that tell nothing about the project.
const HIDDEN: [&str; 2] = [".git", ".hewto"];

/// Looks at a folder and remembers what it saw.
#[derive(Debug)]
pub(super) struct Watch {
    root: PathBuf,
    seen: BTreeMap<String, u64>,
}

/// What is different from the last look, as paths relative to the folder.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Difference {
    pub(super) created: Vec<String>,
    pub(super) changed: Vec<String>,
    pub(super) removed: Vec<String>,
}

impl Watch {
    pub(super) fn new(root: &Path) -> Self {
        Self { root: root.to_owned(), seen: BTreeMap::new() }
    }

    /// Looks again.
    pub(super) fn look(&mut self) -> Result<Difference> {
        let mut now = BTreeMap::new();
        collect(&self.root, &self.root, &mut now)?;
        let mut difference = Difference::default();
        for (path, hash) in &now {
            match self.seen.get(path) {
                None => difference.created.push(path.clone()),
                Some(before) if before != hash => difference.changed.push(path.clone()),
                Some(_) => {}
            }
        }
        difference.removed = self.seen.keys().filter(|path| !now.contains_key(*path)).cloned().collect();
        self.seen = now;
        Ok(difference)
    }
}

fn collect(root: &Path, folder: &Path, files: &mut BTreeMap<String, u64>) -> Result<()> {
    for entry in fs_err::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        let name = path.strip_prefix(root).unwrap_or(&path).display().to_string();
        if HIDDEN.contains(&name.as_str()) {
            continue;
        }
        if path.is_dir() {
            collect(root, &path, files)?;
        } else {
            let mut hasher = DefaultHasher::new();
            fs_err::read(&path).map_err(unreadable)?.hash(&mut hasher);
            files.insert(name, hasher.finish());
        }
    }
    Ok(())
}

fn unreadable(error: std::io::Error) -> hewto_engine::Error {
    machine("cannot look at the workspace", error)
}
