//! What whoever keeps an index wants to know when it is opened next: a note, bound to the words that it was written for.
//!
//! It is part of the cache: one that is torn, or that was written for other words, is no note at all.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::path::Path;

use super::Index;
use super::folder::Folder;
use crate::cache;
use crate::document::Fingerprint;
use crate::error::SearchError;
use crate::vectors::checksum;

const MAGIC: [u8; 8] = *b"hewtonot";
/// Magic, what the words were, and a checksum of the rest.
const HEAD: usize = 8 + 8 + 4;
/// A note that is longer is none, so nobody reads it.
const LONGEST: u64 = 1 << 28;

/// What was noted beside an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    words: Fingerprint,
    pub bytes: Vec<u8>,
}

impl Note {
    /// The note in the folder of an index, which is yet to be opened.
    pub fn read(folder: &Path) -> Option<Self> {
        let mut file = cache::open(&Folder::new(folder).note(), File::options().read(true)).ok()?;
        let length = file.metadata().ok()?.len();
        let mut head = [0; HEAD];
        file.read_exact(&mut head).ok()?;
        let (words, sum) = head.strip_prefix(&MAGIC)?.split_first_chunk::<8>()?;
        let mut rest =
            Vec::with_capacity(usize::try_from(Some(length).filter(|length| *length <= LONGEST)?).ok()?);
        file.take(LONGEST).read_to_end(&mut rest).ok()?;
        let is_whole = *sum == checksum(&rest).to_le_bytes();
        is_whole.then(|| Self { words: Fingerprint(u64::from_le_bytes(*words)), bytes: rest })
    }
}

impl Index {
    /// Whether a note was written for what the index holds now.
    pub fn is_noted(&self, note: &Note) -> Result<bool, SearchError> {
        Ok(self.shared.current()?.words() == note.words)
    }

    /// Leaves a note for whoever opens the index next, as long as its words are those of this revision.
    pub fn note(&self, revision: u64, bytes: &[u8]) -> Result<(), SearchError> {
        let folder = &self.shared.folder;
        let words = {
            let state = self.shared.current()?;
            if state.revision() != revision || folder.is_in_memory() {
                return Ok(());
            }
            state.words()
        };
        cache::replace(&folder.note(), |file| {
            let mut head = Vec::with_capacity(HEAD);
            head.extend(MAGIC);
            head.extend(words.0.to_le_bytes());
            head.extend(checksum(bytes).to_le_bytes());
            file.write_all(&head)?;
            file.write_all(bytes)
        })
        .map_err(|error| folder.failed(error))
    }
}
