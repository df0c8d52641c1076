//! A path inside the workspace, as it is written in records and shown to people.
//!
//! It is relative, has `/` between its segments and cannot climb: whoever holds one may join it to the root.
//! Whether a symlink on the way leads out is not for a text to know; `beneath` looks at that.

use std::fmt;
use std::ops::Deref;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A path below the workspace root.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RelPath(String);

/// The text is no path inside a workspace.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("not a path inside the workspace: `{0}`")]
pub struct NotInside(pub String);

impl RelPath {
    /// Reads a path; a trailing `/` and leading `./` are forgiven.
    pub fn parse(text: &str) -> Result<Self, NotInside> {
        let trimmed = text.strip_prefix("./").unwrap_or(text);
        let trimmed = trimmed.strip_suffix('/').unwrap_or(trimmed);
        let bad_segment = |segment: &str| matches!(segment, "" | "." | "..");
        if trimmed.split('/').any(bad_segment) || trimmed.chars().any(char::is_control) {
            return Err(NotInside(text.to_owned()));
        }
        Ok(Self(trimmed.to_owned()))
    }

    /// The path of something in this folder.
    pub fn join(&self, below: &str) -> Result<Self, NotInside> {
        Self::parse(&format!("{}/{below}", self.0))
    }

    /// The folder this stands in; `None` when that is the root itself.
    pub fn parent(&self) -> Option<Self> {
        self.0.rsplit_once('/').map(|(folder, _)| Self(folder.to_owned()))
    }

    pub fn file_name(&self) -> &str {
        self.0.rsplit_once('/').map_or(self.0.as_str(), |(_, name)| name)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The path on disk, below this root.
    pub fn under(&self, root: &Path) -> PathBuf {
        root.join(&self.0)
    }

    /// What is left of this path below `folder`, if it is below it.
    pub fn below<'a>(&'a self, folder: &Self) -> Option<&'a str> {
        self.0.strip_prefix(&folder.0)?.strip_prefix('/')
    }

    /// Whether this is one of git's own files.
    pub(crate) fn is_in_git(&self) -> bool {
        self.0.split('/').any(|segment| segment.eq_ignore_ascii_case(".git"))
    }

    /// A path that is written in this crate's own source.
    pub(crate) fn known(text: &'static str) -> Self {
        Self::parse(text).expect("paths in the source are well formed")
    }
}

impl Deref for RelPath {
    type Target = str;
    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RelPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for RelPath {
    type Error = NotInside;
    fn try_from(text: String) -> Result<Self, NotInside> {
        Self::parse(&text)
    }
}

impl From<RelPath> for String {
    fn from(path: RelPath) -> Self {
        path.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_climb_or_start_at_the_root_are_refused() {
        for text in ["", ".", "..", "/etc", "a/../b", "a//b", "a/./b", "../x", "a\0b", "a/\n"] {
            assert!(RelPath::parse(text).is_err(), "{text:?}");
        }
        assert_eq!(RelPath::parse("./specs/").unwrap().as_str(), "specs");
    }

    #[test]
    fn a_path_knows_its_folder_and_its_name() {
        let path = RelPath::parse("specs/a/spec.md").unwrap();
        assert_eq!(path.parent().unwrap().as_str(), "specs/a");
        assert_eq!(path.file_name(), "spec.md");
        assert_eq!(path.below(&RelPath::parse("specs").unwrap()), Some("a/spec.md"));
        assert_eq!(path.below(&RelPath::parse("spec").unwrap()), None);
        assert_eq!(RelPath::parse("a").unwrap().parent(), None);
    }
}
