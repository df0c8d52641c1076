//! What a workspace and the hub say to each other: the shapes of their messages, and what of them is acceptable.
//!
//! Both sides use these types, so neither can drift. A push names documents by their SHA-256 and says what each of them
//! is; the hub believes nothing of that before [`PushRequest::check`] has passed and the bytes have been hashed again.

mod answer;
mod check;
mod reading;
mod reason;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use answer::Astray;
pub use check::{Refused, is_repo_name, is_safe_path};
pub use reading::{Edge, READER_VERSION, Reading, Touch, read_document};
pub use reason::Reason;

/// Most documents of one view.
pub const MAX_DOCUMENTS: usize = 50_000;
/// The largest document.
pub const MAX_DOCUMENT_BYTES: usize = 1024 * 1024;
/// The largest body of a push.
pub const MAX_PUSH_BYTES: usize = 16 * 1024 * 1024;
/// Documents up to this many bytes together travel with the manifest; more are sent when the hub asks for them.
pub const INLINE_BYTES: usize = 1024 * 1024;
/// The version of these messages.
pub const PROTOCOL: u32 = 1;
/// The highest number of a claim that a hub gives: it counts on from what was given without it, of which it believes half of this.
pub const MAX_FENCE: u64 = 1 << 41;

/// What kind of state of a repository a view shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ViewKind {
    /// What is on a branch; only CI writes it.
    Branch,
    /// What somebody has in a work tree; only they write it.
    Worktree,
}

impl ViewKind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Branch => "branch",
            Self::Worktree => "worktree",
        }
    }
}

/// What a document is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DocKind {
    Spec,
    Plan,
    State,
    Proposal,
    Design,
    Tasks,
    Delta,
    Decision,
    Review,
}

impl DocKind {
    pub const ALL: [Self; 9] = [
        Self::Spec,
        Self::Plan,
        Self::State,
        Self::Proposal,
        Self::Design,
        Self::Tasks,
        Self::Delta,
        Self::Decision,
        Self::Review,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Spec => "spec",
            Self::Plan => "plan",
            Self::State => "state",
            Self::Proposal => "proposal",
            Self::Design => "design",
            Self::Tasks => "tasks",
            Self::Delta => "delta",
            Self::Decision => "decision",
            Self::Review => "review",
        }
    }

    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }
}

/// One document of a manifest; its path is the key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Listed {
    /// In lower-case hex.
    pub sha256: String,
    pub kind: DocKind,
    /// The work item that it belongs to: a spec id, or `change:<id>`; a decision's own id.
    pub item: String,
    /// What a delta is a delta to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capability: Option<String>,
}

/// Which state of which repository somebody pushes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ViewName {
    pub kind: ViewKind,
    pub name: String,
}

/// A claim that whoever pushes works under.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HeldClaim {
    pub item: String,
    pub fence: u64,
}

/// A push: what differs from the version that it builds on, or everything.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PushRequest {
    pub protocol: u32,
    pub repo: String,
    pub view: ViewName,
    /// The commit that it stands on, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<String>,
    /// The version that this was made from; 0 for none. Any other is refused as stale.
    pub base: u64,
    /// Names this push, so that a repeated one is done once.
    pub key: String,
    /// Whether `set` is everything there is; else it is what changed since `base`.
    #[serde(default)]
    pub whole: bool,
    #[serde(default)]
    pub set: BTreeMap<String, Listed>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<String>,
    /// Texts by their hash; the hub asks for those that it lacks.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub blobs: BTreeMap<String, String>,
    /// The claims under which items were changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<HeldClaim>,
}

/// Texts that the hub asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BlobsRequest {
    pub repo: String,
    pub blobs: BTreeMap<String, String>,
}

/// What became of a push.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pushed {
    pub repo: String,
    pub view: String,
    pub version: u64,
    pub documents: u64,
    /// Whether this very push had been done before.
    #[serde(default)]
    pub repeated: bool,
}

/// Somebody wants to work on the first of these that is free.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClaimAsk {
    pub repo: String,
    /// Best first.
    pub items: Vec<String>,
    pub lease_s: u32,
    pub session: String,
    pub worktree: String,
    #[serde(default)]
    pub branch: Option<String>,
    /// The highest number that was given without the hub.
    #[serde(default)]
    pub after: u64,
}

/// Renews a claim, or gives it back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClaimKeep {
    pub repo: String,
    pub item: String,
    pub fence: u64,
    #[serde(default)]
    pub release: bool,
    #[serde(default)]
    pub lease_s: Option<u32>,
    #[serde(default)]
    pub note: Option<String>,
}

/// A lease as the hub has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lease {
    pub repo: String,
    pub item: String,
    pub fence: u64,
    pub principal: String,
    pub session: String,
    pub worktree: String,
    #[serde(default)]
    pub branch: Option<String>,
    /// Milliseconds, by the clock of the database.
    pub left_ms: u64,
    #[serde(default)]
    pub released: bool,
    #[serde(default)]
    pub note: Option<String>,
}

/// A verdict or comment that was born at the hub and belongs into git.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutboxRecord {
    pub uid: String,
    pub item: String,
    /// The text of its file.
    pub text: String,
}

/// A page of what was decided at the hub, oldest first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outbox {
    pub records: Vec<OutboxRecord>,
    /// The last of this page, where there are more behind it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// What all of it is known by: whoever has seen this very outbox is sent nothing.
    #[serde(default)]
    pub mark: String,
}
