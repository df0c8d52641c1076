//! The tokens of texts: as many bytes as each text has, one after the other, read by place.
//!
//! The file belongs to one file of vectors, which says where the tokens of each text lie; it is written first, so what is named there
//! is here. Each text carries a checksum: what is torn costs the tokens of that text, and its vector ranks alone.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use super::checksum::checksum;
use crate::cache;

/// Where the tokens of a text lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) at: u64,
    /// In bytes, without the checksum behind them.
    pub(crate) length: u16,
}

impl Place {
    /// Of a text that has none.
    pub(crate) const NOWHERE: Self = Self { at: 0, length: 0 };

    pub(crate) fn is_somewhere(self) -> bool {
        self.length > 0
    }
}

/// Tokens that can be read; clones read the same.
#[derive(Debug, Clone, Default)]
pub(crate) enum TokenStore {
    #[default]
    Nothing,
    File(Arc<File>),
    Memory(Arc<Mutex<Vec<u8>>>),
}

impl TokenStore {
    pub(crate) fn in_memory() -> Self {
        Self::Memory(Arc::default())
    }

    pub(super) fn open(path: &Path) -> io::Result<Self> {
        cache::open(path, File::options().read(true)).map(|file| Self::File(Arc::new(file)))
    }

    /// The tokens at a place, if they are whole.
    pub(crate) fn read(&self, place: Place) -> Option<Vec<u8>> {
        if !place.is_somewhere() {
            return None;
        }
        let mut bytes = vec![0; usize::from(place.length) + 4];
        match self {
            Self::Nothing => return None,
            Self::File(file) => file.read_exact_at(&mut bytes, place.at).ok()?,
            Self::Memory(all) => {
                let all = all.lock().unwrap_or_else(PoisonError::into_inner);
                let at = usize::try_from(place.at).ok()?;
                let end = at.checked_add(bytes.len())?;
                bytes.copy_from_slice(all.get(at..end)?);
            }
        }
        let (tokens, sum) = bytes.split_last_chunk::<4>()?;
        let is_whole = u32::from_le_bytes(*sum) == checksum(tokens);
        bytes.truncate(usize::from(place.length));
        is_whole.then_some(bytes)
    }

    /// Takes in tokens for as long as this process keeps them; `NOWHERE` where they are kept in a file.
    pub(crate) fn keep(&self, tokens: &[u8]) -> Place {
        let Self::Memory(all) = self else { return Place::NOWHERE };
        let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
        append(&mut all, 0, tokens)
    }
}

/// Puts tokens behind what is to be written from a place of a file on.
pub(super) fn append(bytes: &mut Vec<u8>, from: u64, tokens: &[u8]) -> Place {
    let Some(length) = u16::try_from(tokens.len()).ok().filter(|length| *length > 0) else {
        return Place::NOWHERE;
    };
    let at = from + bytes.len() as u64;
    bytes.extend_from_slice(tokens);
    bytes.extend_from_slice(&checksum(tokens).to_le_bytes());
    Place { at, length }
}

/// Writes behind the end of a file.
pub(super) fn write_at_end(path: &Path, make: impl FnOnce(u64) -> Vec<u8>) -> io::Result<()> {
    let mut file = cache::open(path, File::options().write(true))?;
    let end = file.seek(SeekFrom::End(0))?;
    file.write_all(&make(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_read_where_they_were_put() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokens");
        fs_err::write(&path, "").unwrap();
        let mut places = Vec::new();
        for text in [&[1_u8, 2, 3][..], &[], &[4; 300]] {
            write_at_end(&path, |end| {
                let mut bytes = Vec::new();
                places.push(append(&mut bytes, end, text));
                bytes
            })
            .unwrap();
        }
        let store = TokenStore::open(&path).unwrap();
        let read: Vec<Option<Vec<u8>>> = places.iter().map(|place| store.read(*place)).collect();
        assert_eq!(read, [Some(vec![1, 2, 3]), None, Some(vec![4; 300])]);
        assert_eq!(store.read(Place { at: 1, length: 3 }), None);
        assert_eq!(store.read(Place { at: 1 << 40, length: 3 }), None);
        let memory = TokenStore::in_memory();
        let place = memory.keep(&[7, 8]);
        assert_eq!(memory.read(place), Some(vec![7, 8]));
        assert_eq!(memory.read(Place { at: 9, length: 2 }), None);
        assert_eq!(store.keep(&[1]), Place::NOWHERE);
    }

    #[test]
    fn a_flipped_bit_costs_the_tokens_of_one_text() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokens");
        fs_err::write(&path, "").unwrap();
        let mut places = Vec::new();
        write_at_end(&path, |end| {
            let mut bytes = Vec::new();
            places = [[1; 8], [2; 8]].iter().map(|text| append(&mut bytes, end, text)).collect();
            bytes
        })
        .unwrap();
        let whole = fs_err::read(&path).unwrap();
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 0x10;
            fs_err::write(&path, &damaged).unwrap();
            let store = TokenStore::open(&path).unwrap();
            let left = places.iter().filter(|place| store.read(**place).is_some()).count();
            assert_eq!(left, 1, "flipped at {at}");
        }
    }
}
