//! Which files of the specs came or changed between two looks.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use hewto_engine::{Result, Workspace};

use crate::failure::machine;

/// Looks at the spec folders of a workspace and remembers what it saw.
#[derive(Debug)]
pub(super) struct Watch {
    root: PathBuf,
    folders: Vec<PathBuf>,
    seen: BTreeMap<String, u64>,
}

/// What is different from the last look, as paths relative to the workspace.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Difference {
    pub(super) created: Vec<String>,
    pub(super) changed: Vec<String>,
}

impl Watch {
    pub(super) fn new(workspace: &Workspace) -> Self {
        let layout = workspace.layout();
        Self {
            root: workspace.root().to_owned(),
            folders: layout.spec_roots().iter().map(|root| layout.absolute(&root.path)).collect(),
            seen: BTreeMap::new(),
        }
    }

    /// Looks again.
    pub(super) fn look(&mut self) -> Result<Difference> {
        let mut now = BTreeMap::new();
        for folder in &self.folders {
            collect(&self.root, folder, &mut now)?;
        }
        let mut difference = Difference::default();
        for (path, hash) in &now {
            match self.seen.get(path) {
                None => difference.created.push(path.clone()),
                Some(before) if before != hash => difference.changed.push(path.clone()),
                Some(_) => {}
            }
        }
        self.seen = now;
        Ok(difference)
    }
}

fn collect(root: &Path, folder: &Path, files: &mut BTreeMap<String, u64>) -> Result<()> {
    for entry in fs_err::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.is_dir() {
            collect(root, &path, files)?;
        } else {
            let mut hasher = DefaultHasher::new();
            fs_err::read(&path).map_err(unreadable)?.hash(&mut hasher);
            let name = path.strip_prefix(root).unwrap_or(&path).display().to_string();
            files.insert(name, hasher.finish());
        }
    }
    Ok(())
}

fn unreadable(error: std::io::Error) -> hewto_engine::Error {
    machine("cannot look at the workspace", error)
}
