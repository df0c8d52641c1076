//! A spec as its `spec.md` tells it: the metadata at its head, and how a new one is written and an old one edited.
//!
//! The id of a spec is its folder and its true lifecycle is its `state.toon`; neither is known here. Reading never
//! fails, and editing changes what it names and nothing beside it (D-1).

mod head;
mod write;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

pub use crate::document::EditError;
pub use head::{Front, SpecHead};
pub use write::{NewSpec, SpecEdit, edit_spec, render_new_spec};

use crate::document;
use crate::document::front_matter::BOM;
use crate::lifecycle::UnknownName;

/// The keys of a spec's front matter, in the order in which they are written.
const KEYS: [&str; 7] =
    ["title", "description", "category", "state", "dependencies", "created_at", "updated_at"];

/// What kind of work a spec asks for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Category {
    #[default]
    Feature,
    Bugfix,
    Refactor,
    Docs,
    Other,
}

/// Whether a dependency holds up a build.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DependencyKind {
    /// The build waits for it.
    Hard,
    /// It is good to know.
    #[default]
    Soft,
}

/// Something a spec depends on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dependency {
    /// The reference as it was written: an id, or a handle.
    pub target: String,
    pub kind: DependencyKind,
    /// Whether the target may be missing.
    pub optional: bool,
    /// 1-based line in the text it was read from; 0 when it was read from none.
    pub line: usize,
}

impl Category {
    pub const ALL: [Self; 5] = [Self::Feature, Self::Bugfix, Self::Refactor, Self::Docs, Self::Other];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Feature => "feature",
            Self::Bugfix => "bugfix",
            Self::Refactor => "refactor",
            Self::Docs => "docs",
            Self::Other => "other",
        }
    }
}

impl DependencyKind {
    pub const ALL: [Self; 2] = [Self::Hard, Self::Soft];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Hard => "hard",
            Self::Soft => "soft",
        }
    }
}

impl Dependency {
    pub fn new(target: impl Into<String>, kind: DependencyKind) -> Self {
        Self { target: target.into(), kind, optional: false, line: 0 }
    }
}

/// The content of a spec: what follows the front matter and the blank line behind it.
pub fn body(text: &str) -> &str {
    &text[body_start(text)..]
}

/// Where the content begins.
fn body_start(text: &str) -> usize {
    let head = document::opening(text);
    let rest = &text[head.body_start..];
    let gap = match head.block {
        Some(_) if rest.starts_with("\r\n") => 2,
        Some(_) if rest.starts_with('\n') => 1,
        _ => 0,
    };
    head.body_start + gap
}

/// A content as it is stored: without a BOM, its last line ended.
fn stored(content: &str) -> String {
    let mut content = content.trim_start_matches(BOM).to_owned();
    if !content.is_empty() && !content.ends_with('\n') {
        content.push('\n');
    }
    content
}

impl fmt::Display for Category {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for DependencyKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Category {
    type Err = UnknownName;
    fn from_str(text: &str) -> Result<Self, UnknownName> {
        Self::ALL.into_iter().find(|category| category.as_str() == text).ok_or(UnknownName)
    }
}

impl FromStr for DependencyKind {
    type Err = UnknownName;
    fn from_str(text: &str) -> Result<Self, UnknownName> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text).ok_or(UnknownName)
    }
}

#[cfg(test)]
mod tests;
