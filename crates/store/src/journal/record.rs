//! What the journal writes down: the record of a commit, and the writes that could not be done.
//!
//! A record is a line with its seal and then its text. The seal is made with the machine's own key over the text and the
//! root that it is for: what comes with a repository, or from another root, has none that holds.

use std::ops::Range;
use std::path::Path;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::hash::ContentHash;
use crate::path::RelPath;
use crate::place::Attributes;
use crate::secret::{MachineKey, Seal};
use crate::uptime;

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
    /// How many of the steps each of the commits has that share it, in order; none when it is one commit's.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    shares: Vec<usize>,
    /// The start of the machine that it counts for, where it was never made durable; none where it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    boot: Option<String>,
}

/// A file gets a text, which waits in the transaction's folder under the name `blob`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Put {
    pub(crate) path: RelPath,
    /// What it replaces; none where nothing was there.
    pub(crate) old: Option<ContentHash>,
    pub(crate) new: ContentHash,
    pub(crate) blob: String,
}

/// One thing that a commit does to one path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub(crate) enum Step {
    Put(Put),
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
    /// What somebody else had changed, where it was another file that this write rests on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub because_of: Option<RelPath>,
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
        let (shares, boot) = (Vec::new(), None);
        Self { version: VERSION, tx, operation: operation.to_owned(), at, steps, folders, shares, boot }
    }

    /// A commit that one rename does whole needs no record to survive a power cut: the file is old or new by itself. Its record is
    /// for those who find the process dead, and lapses when the machine starts again.
    pub(crate) fn brief_if_alone(self) -> Self {
        let is_alone = matches!(self.steps[..], [Step::Put(..)]) && self.folders.is_empty();
        Self { boot: if is_alone { uptime::boot() } else { None }, ..self }
    }

    /// Whether it has to be on the disk before it counts.
    pub(super) fn is_durable(&self) -> bool {
        self.boot.is_none()
    }

    /// Whether the machine has started again since a record that was not made durable.
    pub(super) fn has_lapsed(&self) -> bool {
        self.boot.is_some() && self.boot != uptime::boot()
    }

    /// The record of several commits, each with so many of the steps.
    pub(crate) fn shared(self, shares: Vec<usize>) -> Self {
        // Who is alone has it for itself.
        if shares.len() < 2 { self } else { Self { shares, ..self } }
    }

    /// The steps of each commit, in order; one commit has all of them.
    pub(crate) fn commits(&self) -> impl Iterator<Item = Range<usize>> {
        let alone = Some(0..self.steps.len()).filter(|_| self.shares.is_empty());
        let mut from = 0;
        let shares = self.shares.iter().map(move |steps| {
            from += steps;
            from - steps..from
        });
        alone.into_iter().chain(shares)
    }

    /// Where the steps begin that are not to be done when this one cannot be: those of its commit and of all that came
    /// later, which may rest on it. A commit that has the record for itself loses that step only.
    pub(crate) fn begin_of_rest(&self, step: usize) -> Option<usize> {
        if self.shares.is_empty() {
            return None;
        }
        self.commits().find(|commit| commit.contains(&step)).map(|commit| commit.start)
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
        let shared = self.shares.iter().try_fold(0_usize, |all, steps| all.checked_add(*steps));
        if !self.shares.is_empty() && shared != Some(self.steps.len()) {
            return false;
        }
        self.steps.iter().all(|step| match step {
            Step::Put(Put { path, blob, .. }) => {
                !path.is_in_git() && !blob.is_empty() && blob.bytes().all(|byte| byte.is_ascii_digit())
            }
            Step::Delete { path, .. } | Step::DeleteDir { path, .. } => !path.is_in_git(),
            Step::MoveDir { from, to } => !from.is_in_git() && !to.is_in_git(),
        })
    }

    /// Whether it takes something out of the tree, so that doing it twice could take away what came later.
    pub(super) fn removes(&self) -> bool {
        self.steps.iter().any(|step| !matches!(step, Step::Put(..)))
    }
}

impl Step {
    /// The path that it is about first.
    pub(crate) fn path(&self) -> &RelPath {
        match self {
            Self::Put(Put { path, .. }) | Self::Delete { path, .. } | Self::DeleteDir { path, .. } => path,
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
            Self::Put(Put { .. }) => "write",
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
        let steps = vec![Step::Put(Put { path, old: None, new, blob: blob.to_owned() })];
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
    fn a_shared_record_knows_whose_steps_are_whose_and_is_none_when_they_do_not_add_up() {
        let (key, here) = (MachineSecret::default().key(), Path::new("/here"));
        let step = |name: &str| record("0", name).steps.remove(0);
        let steps = vec![step("a"), step("b"), step("c")];
        let shared = |shares: &[usize]| {
            Record::new(Uuid::nil(), "t", String::new(), steps.clone(), Vec::new()).shared(shares.to_vec())
        };
        let two = shared(&[1, 0, 2]);
        assert_eq!(two.commits().collect::<Vec<_>>(), [0..1, 1..1, 1..3]);
        assert_eq!([0, 1, 2].map(|step| two.begin_of_rest(step)), [Some(0), Some(1), Some(1)]);
        assert_eq!(shared(&[]).begin_of_rest(1), None);
        let read = |record: &Record| Record::unsealed(&record.sealed(&key, here).unwrap(), &key, here);
        assert_eq!(read(&two), Some(two));
        for wrong in [&[1, 1][..], &[4, 0], &[1, 3], &[usize::MAX, 4]] {
            assert_eq!(read(&shared(wrong)), None, "{wrong:?}");
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
