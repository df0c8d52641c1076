//! What the journal writes down: the record of a commit, and the writes that could not be done.
//!
//! A record is a line with its seal and then its text. The seal is made with the machine's own key over the text and the
//! root that it is for: what comes with a repository, or from another root, has none that holds.

use std::path::Path;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::hash::ContentHash;
use crate::path::RelPath;
use crate::place::Attributes;
use crate::secret::{MachineKey, Seal};

/// The version of the record that this code writes and reads.
const VERSION: u32 = 2;
/// What the machine's key is used for here.
const PURPOSE: &str = "hewto journal";

/// What a commit does, in order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Record {
    version: u32,
    pub(crate) tx: Uuid,
    pub(crate) operation: String,
    pub(crate) at: String,
    pub(crate) steps: Vec<Step>,
    /// Folders that the steps need and that were not there, the outer first.
    pub(crate) folders: Vec<RelPath>,
}

/// One thing that a commit does to one path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub(crate) enum Step {
    Put {
        path: RelPath,
        old: Option<ContentHash>,
        new: ContentHash,
        blob: String,
    },
    Delete {
        path: RelPath,
        old: ContentHash,
    },
    MoveDir {
        from: RelPath,
        to: RelPath,
    },
    /// `old` is the hash of the folder's manifest.
    DeleteDir {
        path: RelPath,
        old: ContentHash,
    },
}

/// A write that was left undone because somebody else changed the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StrandedWrite {
    /// The file that was left alone.
    pub path: RelPath,
    /// Where the text that was meant for it waits, if there is one.
    pub kept: Option<RelPath>,
    /// The operation that wanted to write.
    pub operation: String,
    pub at: String,
}

/// The content of a file to be, before it is staged.
pub(crate) struct Blob<'a> {
    pub(crate) name: String,
    pub(crate) bytes: &'a [u8],
    /// What the file that it replaces has beside its content.
    pub(crate) like: Option<Attributes>,
}

impl Record {
    pub(crate) fn new(
        tx: Uuid,
        operation: &str,
        at: String,
        steps: Vec<Step>,
        folders: Vec<RelPath>,
    ) -> Self {
        Self { version: VERSION, tx, operation: operation.to_owned(), at, steps, folders }
    }

    /// The record with its seal, as it is written down.
    pub(super) fn sealed(&self, key: &MachineKey, root: &Path) -> serde_json::Result<Vec<u8>> {
        let text = serde_json::to_vec(self)?;
        let seal = key.seal(PURPOSE, &[root.as_os_str().as_encoded_bytes(), &text]);
        let mut bytes = format!("{seal}\n").into_bytes();
        bytes.extend_from_slice(&text);
        Ok(bytes)
    }

    /// Reads a record that this machine wrote for this root; anything else is none.
    pub(super) fn unsealed(bytes: &[u8], key: &MachineKey, root: &Path) -> Option<Self> {
        let (seal, text) = bytes.split_at_checked(64)?;
        let text = text.strip_prefix(b"\n")?;
        let seal = Seal::parse(str::from_utf8(seal).ok()?)?;
        if !key.is_sealed(PURPOSE, &[root.as_os_str().as_encoded_bytes(), text], &seal) {
            return None;
        }
        let record: Self = serde_json::from_slice(text).ok()?;
        (record.version == VERSION && record.is_sound()).then_some(record)
    }

    /// The steps of a record, whoever wrote it.
    pub(super) fn steps_of(bytes: &[u8]) -> Option<Vec<Step>> {
        let text = bytes.get(64..)?.strip_prefix(b"\n")?;
        Some(serde_json::from_slice::<Self>(text).ok()?.steps)
    }

    /// Whether every step speaks of things that a commit may speak of.
    fn is_sound(&self) -> bool {
        self.steps.iter().all(|step| match step {
            Step::Put { path, blob, .. } => {
                !path.is_in_git() && !blob.is_empty() && blob.bytes().all(|byte| byte.is_ascii_digit())
            }
            Step::Delete { path, .. } | Step::DeleteDir { path, .. } => !path.is_in_git(),
            Step::MoveDir { from, to } => !from.is_in_git() && !to.is_in_git(),
        })
    }

    /// Whether it takes something out of the tree, so that doing it twice could take away what came later.
    pub(super) fn removes(&self) -> bool {
        self.steps.iter().any(|step| !matches!(step, Step::Put { .. }))
    }
}

impl Step {
    /// The path that it is about first.
    pub(crate) fn path(&self) -> &RelPath {
        match self {
            Self::Put { path, .. } | Self::Delete { path, .. } | Self::DeleteDir { path, .. } => path,
            Self::MoveDir { from, .. } => from,
        }
    }

    /// Whether it changes something at, below or above a path.
    pub(crate) fn concerns(&self, path: &RelPath) -> bool {
        let meets =
            |other: &RelPath| other == path || other.below(path).is_some() || path.below(other).is_some();
        meets(self.path()) || matches!(self, Self::MoveDir { to, .. } if meets(to))
    }

    /// What it does, as in "cannot …".
    pub(crate) fn doing(&self) -> &'static str {
        match self {
            Self::Put { .. } => "write",
            Self::Delete { .. } | Self::DeleteDir { .. } => "delete",
            Self::MoveDir { .. } => "move",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secret::MachineSecret;

    fn record(blob: &str, path: &str) -> Record {
        let (path, new) = (RelPath::parse(path).unwrap(), ContentHash::of(b"x"));
        let steps = vec![Step::Put { path, old: None, new, blob: blob.to_owned() }];
        Record::new(Uuid::nil(), "test", String::new(), steps, Vec::new())
    }

    #[test]
    fn a_record_is_read_only_by_the_machine_and_for_the_root_that_it_was_written_for() {
        let key = MachineSecret::default().key();
        let dir = tempfile::tempdir().unwrap();
        let other = MachineSecret::keeping_in([dir.path().join("k")]).key();
        let [here, there] = ["/here", "/there"].map(Path::new);
        let ours = record("0", "a.md");
        let bytes = ours.sealed(&key, here).unwrap();
        assert_eq!(Record::unsealed(&bytes, &key, here), Some(ours));
        assert_eq!(Record::unsealed(&bytes, &key, there), None);
        assert_eq!(Record::unsealed(&bytes, &other, here), None);
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            assert_eq!(Record::unsealed(&damaged, &key, here), None, "byte {at}");
            assert_eq!(Record::unsealed(&bytes[..at], &key, here), None, "cut at {at}");
        }
    }

    #[test]
    fn a_record_that_no_commit_writes_is_none_even_with_a_seal() {
        let key = MachineSecret::default().key();
        let here = Path::new("/here");
        for (blob, path) in
            [("..", "a.md"), ("", "a.md"), ("x/y", "a.md"), ("0", ".git/config"), ("0", "a/.GIT/x")]
        {
            let bytes = record(blob, path).sealed(&key, here).unwrap();
            assert_eq!(Record::unsealed(&bytes, &key, here), None, "{blob} {path}");
        }
    }
}
