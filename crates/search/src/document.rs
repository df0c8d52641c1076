//! What is searched: documents, each with the entries that may be found in it.
//!
//! An entry is what a result points at: the head of a spec (title and Purpose), a requirement, a change, a decision
//! or a plan. The caller makes them; this crate reads no Markdown.

use std::fmt;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// What an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    Spec,
    Requirement,
    Change,
    Decision,
    Plan,
    /// A change that was put away: what was, and not what holds.
    Archived,
}

impl Kind {
    pub const ALL: [Self; 6] =
        [Self::Spec, Self::Requirement, Self::Change, Self::Decision, Self::Plan, Self::Archived];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Spec => "spec",
            Self::Requirement => "requirement",
            Self::Change => "change",
            Self::Decision => "decision",
            Self::Plan => "plan",
            Self::Archived => "archived",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }

    /// The number that stands for this kind in the index.
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Spec => 0,
            Self::Requirement => 1,
            Self::Change => 2,
            Self::Decision => 3,
            Self::Plan => 4,
            Self::Archived => 5,
        }
    }

    pub(crate) fn from_code(code: u64) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| u64::from(kind.code()) == code)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Names a document: a spec, a change, a decision or a plan.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DocumentKey {
    /// The kind of the document as a whole; a spec's requirements live under [`Kind::Spec`].
    pub kind: Kind,
    pub id: String,
}

impl DocumentKey {
    pub fn new(kind: Kind, id: impl Into<String>) -> Self {
        Self { kind, id: id.into() }
    }

    /// One term for the index.
    pub(crate) fn to_term(&self) -> String {
        format!("{}:{}", self.kind, self.id)
    }

    /// A number that stands for the document where thousands of them are compared.
    pub(crate) fn code(&self) -> u64 {
        Self::code_of_term(self.to_term().as_bytes())
    }

    pub(crate) fn code_of_term(term: &[u8]) -> u64 {
        short_hash(term)
    }

    pub(crate) fn from_term(term: &str) -> Option<Self> {
        let (kind, id) = term.split_once(':')?;
        Some(Self::new(Kind::parse(kind)?, id))
    }
}

/// Tells one state of a document from another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fingerprint(pub u64);

impl Fingerprint {
    pub fn of(bytes: &[u8]) -> Self {
        Self(short_hash(bytes))
    }
}

/// One document as it is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    pub key: DocumentKey,
    pub fingerprint: Fingerprint,
    pub title: String,
    /// Stands before every entry when its meaning is taken, "Refunds: Return Window": the title without what it has in
    /// common with many others ([`crate::CommonWords`]).
    pub heading: String,
    pub entries: Vec<Entry>,
}

/// What a result points at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub kind: Kind,
    /// The name of the requirement; `None` for the document's own head.
    pub requirement: Option<String>,
    /// The description, the Purpose, the body.
    pub text: String,
    pub scenarios: Vec<Scenario>,
}

/// A scenario of a requirement, its clauses as one text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scenario {
    pub name: String,
    pub text: String,
}

/// The first eight bytes of the SHA-256.
pub(crate) fn short_hash(bytes: &[u8]) -> u64 {
    let digest = Sha256::digest(bytes);
    let head = digest.first_chunk::<8>().expect("a SHA-256 has 32 bytes");
    u64::from_be_bytes(*head)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_survives_the_way_through_a_term() {
        for id in ["auth", "payments/cards", "a:b", "", "größe"] {
            for kind in Kind::ALL {
                let key = DocumentKey::new(kind, id);
                assert_eq!(DocumentKey::from_term(&key.to_term()), Some(key));
            }
        }
        assert_eq!(DocumentKey::from_term("nonsense"), None);
        assert_eq!(DocumentKey::from_term("nonsense:auth"), None);
    }

    #[test]
    fn kinds_have_one_code_each() {
        for kind in Kind::ALL {
            assert_eq!(Kind::from_code(u64::from(kind.code())), Some(kind));
        }
        assert_eq!(Kind::from_code(99), None);
    }

    #[test]
    fn a_fingerprint_follows_the_bytes() {
        assert_eq!(Fingerprint::of(b"a"), Fingerprint::of(b"a"));
        assert_ne!(Fingerprint::of(b"a"), Fingerprint::of(b"b"));
    }
}
