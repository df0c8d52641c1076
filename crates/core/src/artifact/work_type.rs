//! What a scratch pad is for, and what it may be for.

use schemars::JsonSchema;
use serde::Deserialize;
use thiserror::Error;

use super::ArtifactKind;
use crate::document::front_matter::Node;

/// The kinds of work that a scratch pad holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WorkType {
    Draft,
    Revision,
    Feat,
    Ref,
    Fix,
}

/// The kinds of work that a new scratch pad can be made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(description = "")]
pub enum Profile {
    Ref,
    Feat,
    Fix,
    Revision,
}

/// Why a `work_type` says nothing.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum WorkTypeError {
    #[error("`work_type` is {0}, not a map with one key")]
    Shape(&'static str),
    #[error("`work_type` has {0} keys, not one")]
    Keys(usize),
    #[error("`{0}` is not a kind of work")]
    Unknown(String),
}

impl WorkType {
    pub const ALL: [Self; 5] = [Self::Draft, Self::Revision, Self::Feat, Self::Ref, Self::Fix];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Draft => "draft",
            Self::Revision => "revision",
            Self::Feat => "feat",
            Self::Ref => "ref",
            Self::Fix => "fix",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|work_type| work_type.as_str() == name)
    }

    /// Reads the value of `work_type`: a map with exactly one known key.
    pub fn read(node: &Node) -> Result<Self, WorkTypeError> {
        let entries = node.as_map().ok_or_else(|| WorkTypeError::Shape(node.kind()))?;
        let [entry] = entries else { return Err(WorkTypeError::Keys(entries.len())) };
        Self::parse(&entry.key).ok_or_else(|| WorkTypeError::Unknown(entry.key.clone()))
    }

    /// What a scratch pad of this type is about.
    pub fn target_kind(self) -> ArtifactKind {
        match self {
            Self::Draft | Self::Revision => ArtifactKind::Specification,
            Self::Feat | Self::Ref | Self::Fix => ArtifactKind::Implementation,
        }
    }

    /// The key of its payload that lists headings.
    pub fn headings_key(self) -> Option<&'static str> {
        match self {
            Self::Revision => Some("revised_headings"),
            Self::Ref => Some("refactored_headings"),
            Self::Fix => Some("fixed_headings"),
            Self::Draft | Self::Feat => None,
        }
    }
}

impl Profile {
    pub const ALL: [Self; 4] = [Self::Ref, Self::Feat, Self::Fix, Self::Revision];

    pub fn as_str(self) -> &'static str {
        self.work_type().as_str()
    }

    pub fn work_type(self) -> WorkType {
        match self {
            Self::Ref => WorkType::Ref,
            Self::Feat => WorkType::Feat,
            Self::Fix => WorkType::Fix,
            Self::Revision => WorkType::Revision,
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|profile| profile.as_str() == name)
    }
}

/// The git branch that work on a scratch pad happens on.
pub fn branch_name(target: &str, work_type: WorkType, scratch: &str) -> String {
    format!("{target}/{}/{scratch}", work_type.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::front_matter::{FrontMatter, find};

    fn read(yaml: &str) -> Result<WorkType, WorkTypeError> {
        let text = format!("---\nwork_type: {yaml}\n---\n");
        let front = FrontMatter::read(&text, &find(&text).block.unwrap());
        WorkType::read(front.get("work_type").unwrap())
    }

    #[test]
    fn a_work_type_is_a_map_with_one_known_key() {
        assert_eq!(read("{feat: {}}"), Ok(WorkType::Feat));
        assert_eq!(read("{ref: {refactored_headings: [a], mine: 1}}"), Ok(WorkType::Ref));
        assert_eq!(read("feat"), Err(WorkTypeError::Shape("text")));
        assert_eq!(read("{feat: {}, fix: {}}"), Err(WorkTypeError::Keys(2)));
        assert_eq!(read("{}"), Err(WorkTypeError::Keys(0)));
        assert_eq!(read("{chore: {}}"), Err(WorkTypeError::Unknown("chore".into())));
    }
}
