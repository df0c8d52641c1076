//! A folder of documents: whoever has one asks it for what stands in it, by name.

use std::fmt;
use std::path::{Path, PathBuf};

use super::{DocKey, change_files};
use crate::path::{NotInside, RelPath};

/// A folder that the layout names or that the store has found: of a spec, a change or what was archived, of decisions, of what
/// people said. As a text it is its path from the root, for people to see.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DocFolder(RelPath);

impl DocFolder {
    /// The folder at a path that somebody wrote; `None` when it is not a path inside the workspace.
    pub fn named(path: &str) -> Option<Self> {
        RelPath::parse(path).ok().map(Self)
    }

    /// The document in it, by its path from here.
    pub fn document(&self, below: &str) -> Result<DocKey, NotInside> {
        self.0.join(below).map(DocKey::File)
    }

    /// The folder in it.
    pub fn folder(&self, below: &str) -> Result<Self, NotInside> {
        self.0.join(below).map(Self)
    }

    /// The folder of what people said about what stands here.
    #[must_use]
    pub fn review(&self) -> Self {
        self.folder(change_files::REVIEW).expect("a plain word")
    }

    /// The folder it stands in; `None` when that is the root itself.
    pub fn above(&self) -> Option<Self> {
        self.0.parent().map(Self)
    }

    pub fn name(&self) -> &str {
        self.0.file_name()
    }

    /// What is left of a path below it, if it is below it.
    pub fn below<'p>(&self, path: &'p str) -> Option<&'p str> {
        path.strip_prefix(self.as_str())?.strip_prefix('/')
    }

    /// Where it is on disk, below this root.
    pub fn under(&self, root: &Path) -> PathBuf {
        self.0.under(root)
    }

    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    pub(crate) fn path(&self) -> &RelPath {
        &self.0
    }
}

impl From<RelPath> for DocFolder {
    fn from(path: RelPath) -> Self {
        Self(path)
    }
}

impl fmt::Display for DocFolder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_names_what_stands_in_it_and_nothing_beside_it() {
        let folder = DocFolder::from(RelPath::known("docs/adr"));
        assert_eq!(folder.document("a.md").unwrap().to_string(), "docs/adr/a.md");
        assert_eq!(folder.review().to_string(), "docs/adr/review");
        assert_eq!(folder.above().unwrap().name(), "docs");
        for climbing in ["../a.md", "/a.md", ".."] {
            assert!(folder.document(climbing).is_err() && folder.folder(climbing).is_err(), "{climbing:?}");
        }
        assert_eq!(folder.below("docs/adr/sub/a.md"), Some("sub/a.md"));
        assert_eq!((folder.below("docs/adrs/a.md"), folder.below("docs/adr")), (None, None));
    }
}
