//! The file of vectors: a header and records of one size, appended under the index's lock.
//!
//! Every record carries a checksum, so a torn tail, a flipped bit or a full disk costs the vectors concerned and
//! nothing else. A header that does not fit (another version, model or length) makes the whole file as good as empty.
//! Readers in other processes need no lock: they take the records that are whole.

use std::fs::File;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::{Quantized, Vectors};
use crate::cache;
use crate::model::Identity;

const MAGIC: [u8; 8] = *b"hewtovec";
const FORMAT: u32 = 1;
const HEADER: usize = 64;

/// Vectors of one model in one file.
#[derive(Debug)]
pub(crate) struct VectorFile {
    path: PathBuf,
    identity: Identity,
    dimensions: usize,
    /// The file that was read, and up to where.
    seen: Option<Seen>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Seen {
    /// Another one each time the file is written anew.
    generation: u64,
    bytes: u64,
}

/// What a look at the file brought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum News {
    Nothing,
    /// More vectors; those that were there are where they were.
    More,
    /// Other vectors.
    Others,
}

impl VectorFile {
    pub(crate) fn new(folder: &Path, identity: Identity, dimensions: usize) -> Self {
        let name = identity.0.first_chunk().map_or(0, |head| u64::from_be_bytes(*head));
        Self { path: folder.join(format!("vectors-{name:016x}.bin")), identity, dimensions, seen: None }
    }

    /// Whether the file is what was read last.
    pub(crate) fn is_current(&self) -> bool {
        let now = File::open(&self.path).and_then(|mut file| {
            let length = file.metadata()?.len();
            Ok(self
                .read_header(&mut file)?
                .map(|generation| Seen { generation, bytes: self.whole_records(length) }))
        });
        now.ok().flatten() == self.seen
    }

    /// Brings a table up to what the file holds.
    pub(crate) fn refresh(&mut self, vectors: &mut Vectors) -> io::Result<News> {
        let mut file = match File::open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(self.forget(vectors)),
            Err(error) => return Err(error),
        };
        let length = file.metadata()?.len();
        let Some(generation) = self.read_header(&mut file)? else { return Ok(self.forget(vectors)) };
        let whole = self.whole_records(length);
        let (from, news) = match self.seen {
            Some(seen) if seen.generation == generation && seen.bytes == whole => return Ok(News::Nothing),
            Some(seen) if seen.generation == generation && seen.bytes < whole => (seen.bytes, News::More),
            _ => {
                *vectors = Vectors::new(self.dimensions);
                (HEADER as u64, News::Others)
            }
        };
        self.seen = Some(Seen { generation, bytes: whole });
        file.seek(SeekFrom::Start(from))?;
        self.read_records(
            &mut BufReader::with_capacity(1 << 18, file.take(whole - from)),
            whole - from,
            vectors,
        )?;
        Ok(news)
    }

    /// Appends vectors. The caller holds the index's lock and has refreshed.
    pub(crate) fn append(&mut self, new: &[(u64, Quantized)]) -> io::Result<()> {
        let Some(mut file) = self.open_to_append()? else {
            return self.replace(new.iter().map(|(key, vector)| (*key, vector.factor, &vector.values[..])));
        };
        let mut bytes = Vec::with_capacity(new.len() * self.record());
        for (key, vector) in new {
            write_record(&mut bytes, *key, vector.factor, &vector.values);
        }
        file.write_all(&bytes)
    }

    /// Writes the file anew with exactly these vectors. The caller holds the index's lock.
    pub(crate) fn replace<'v>(&self, all: impl Iterator<Item = (u64, f32, &'v [i8])>) -> io::Result<()> {
        // Random, so that a file made after the old one was deleted is not taken for it.
        let generation = RandomState::new().build_hasher().finish();
        cache::replace(&self.path, |file| {
            let mut out = io::BufWriter::with_capacity(1 << 18, file);
            out.write_all(&self.header(generation))?;
            let mut record = Vec::with_capacity(self.record());
            for (key, factor, values) in all {
                record.clear();
                write_record(&mut record, key, factor, values);
                out.write_all(&record)?;
            }
            out.flush()
        })
    }

    fn forget(&mut self, vectors: &mut Vectors) -> News {
        let knew = vectors.len() > 0 || vectors.dimensions() != self.dimensions;
        *vectors = Vectors::new(self.dimensions);
        self.seen = None;
        if knew { News::Others } else { News::Nothing }
    }

    /// `None` when there is no such file or it is not ours.
    fn open_to_append(&self) -> io::Result<Option<File>> {
        let mut file = match File::options().read(true).write(true).open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        if self.read_header(&mut file)?.is_none() {
            return Ok(None);
        }
        let whole = self.whole_records(file.metadata()?.len());
        file.set_len(whole)?;
        file.seek(SeekFrom::End(0))?;
        Ok(Some(file))
    }

    fn read_records(&self, source: &mut impl Read, bytes: u64, vectors: &mut Vectors) -> io::Result<()> {
        let count = usize::try_from(bytes).unwrap_or(usize::MAX) / self.record();
        vectors.reserve(count);
        let mut record = vec![0_u8; self.record()];
        let mut values = vec![0_i8; self.dimensions];
        for _ in 0..count {
            match source.read_exact(&mut record) {
                Ok(()) => {}
                // Cut off by someone since its length was taken.
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(()),
                Err(error) => return Err(error),
            }
            if let Some((key, factor)) = read_record(&record, &mut values) {
                vectors.push(key, factor, &values);
            }
        }
        Ok(())
    }

    fn record(&self) -> usize {
        8 + 4 + self.dimensions + 4
    }

    fn whole_records(&self, length: u64) -> u64 {
        let record = self.record() as u64;
        HEADER as u64 + length.saturating_sub(HEADER as u64) / record * record
    }

    fn header(&self, generation: u64) -> [u8; HEADER] {
        let mut header = [0; HEADER];
        header[..8].copy_from_slice(&MAGIC);
        header[8..12].copy_from_slice(&FORMAT.to_le_bytes());
        let dimensions = u32::try_from(self.dimensions).unwrap_or(u32::MAX);
        header[12..16].copy_from_slice(&dimensions.to_le_bytes());
        header[16..48].copy_from_slice(&self.identity.0);
        header[48..56].copy_from_slice(&generation.to_le_bytes());
        let sum = checksum(&header[..56]);
        header[56..60].copy_from_slice(&sum.to_le_bytes());
        header
    }

    /// The generation, if this is a whole header of ours.
    fn read_header(&self, file: &mut File) -> io::Result<Option<u64>> {
        let mut header = [0; HEADER];
        file.seek(SeekFrom::Start(0))?;
        match file.read_exact(&mut header) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
            Err(error) => return Err(error),
        }
        let generation = header[48..56].first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
        Ok((header == self.header(generation)).then_some(generation))
    }
}

fn write_record(out: &mut Vec<u8>, key: u64, factor: f32, values: &[i8]) {
    let start = out.len();
    out.extend_from_slice(&key.to_le_bytes());
    out.extend_from_slice(&factor.to_le_bytes());
    out.extend(values.iter().map(|value| value.cast_unsigned()));
    let sum = checksum(&out[start..]);
    out.extend_from_slice(&sum.to_le_bytes());
}

fn read_record(record: &[u8], values: &mut [i8]) -> Option<(u64, f32)> {
    let (body, sum) = record.split_last_chunk::<4>()?;
    if u32::from_le_bytes(*sum) != checksum(body) {
        return None;
    }
    let (key, body) = body.split_first_chunk::<8>()?;
    let (factor, body) = body.split_first_chunk::<4>()?;
    for (value, byte) in values.iter_mut().zip(body) {
        *value = byte.cast_signed();
    }
    let factor = f32::from_le_bytes(*factor);
    factor.is_finite().then_some((u64::from_le_bytes(*key), factor))
}

/// FNV-1a over words of eight bytes: fast enough to check 40 MB at every start, and all that a torn write needs.
fn checksum(bytes: &[u8]) -> u32 {
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    let mut mix = |word: u64| {
        hash = (hash ^ word).wrapping_mul(PRIME);
        hash ^= hash >> 29;
    };
    let mut words = bytes.chunks_exact(8);
    for word in &mut words {
        mix(word.first_chunk().map_or(0, |word| u64::from_le_bytes(*word)));
    }
    for byte in words.remainder() {
        mix(u64::from(*byte));
    }
    #[expect(clippy::cast_possible_truncation, reason = "the low half of a hash is a hash")]
    let sum = (hash ^ (hash >> 32)) as u32;
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODEL: Identity = Identity([7; 32]);

    fn three(folder: &Path) -> (VectorFile, Vectors) {
        let mut file = VectorFile::new(folder, MODEL, 4);
        let mut vectors = Vectors::new(4);
        file.append(&[(1, quantized(1)), (2, quantized(2))]).unwrap();
        file.refresh(&mut vectors).unwrap();
        file.append(&[(3, quantized(3))]).unwrap();
        assert_eq!(file.refresh(&mut vectors).unwrap(), News::More);
        (file, vectors)
    }

    fn quantized(seed: i8) -> Quantized {
        Quantized { factor: f32::from(seed), values: vec![seed, -seed, 0, 1] }
    }

    fn keys(folder: &Path, identity: Identity, dimensions: usize) -> Vec<u64> {
        let mut vectors = Vectors::new(dimensions);
        VectorFile::new(folder, identity, dimensions).refresh(&mut vectors).unwrap();
        vectors.iter().map(|(key, ..)| key).collect()
    }

    #[test]
    fn what_was_appended_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let (mut file, mut vectors) = three(folder.path());
        assert_eq!(file.refresh(&mut vectors).unwrap(), News::Nothing);
        let rows: Vec<_> = vectors.iter().collect();
        assert_eq!(rows[2], (3, 3.0, &[3_i8, -3, 0, 1][..]));
        assert_eq!(keys(folder.path(), MODEL, 4), [1, 2, 3]);
    }

    #[test]
    fn cut_at_any_byte_it_gives_the_whole_records_and_takes_new_ones() {
        let folder = tempfile::tempdir().unwrap();
        let (file, _) = three(folder.path());
        let bytes = fs_err::read(&file.path).unwrap();
        for length in 0..bytes.len() {
            fs_err::write(&file.path, &bytes[..length]).unwrap();
            let whole = length.saturating_sub(HEADER) / file.record();
            assert_eq!(keys(folder.path(), MODEL, 4).len(), whole, "cut at {length}");
            let mut again = VectorFile::new(folder.path(), MODEL, 4);
            again.append(&[(9, quantized(9))]).unwrap();
            let found = keys(folder.path(), MODEL, 4);
            assert_eq!(found.last(), Some(&9), "cut at {length}");
            assert_eq!(found.len(), whole + 1, "cut at {length}");
        }
    }

    #[test]
    fn a_flipped_bit_costs_one_vector_or_in_the_header_all() {
        let folder = tempfile::tempdir().unwrap();
        let (file, _) = three(folder.path());
        let bytes = fs_err::read(&file.path).unwrap();
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x10;
            fs_err::write(&file.path, &damaged).unwrap();
            let expected = if at < HEADER { 0 } else { 2 };
            assert_eq!(keys(folder.path(), MODEL, 4).len(), expected, "flipped at {at}");
        }
    }

    #[test]
    fn another_model_or_length_sees_nothing_and_starts_anew() {
        let folder = tempfile::tempdir().unwrap();
        let (file, _) = three(folder.path());
        assert!(keys(folder.path(), Identity([8; 32]), 4).is_empty());
        assert!(keys(folder.path(), MODEL, 5).is_empty());
        let mut other = VectorFile::new(folder.path(), MODEL, 5);
        other.append(&[(4, Quantized { factor: 1.0, values: vec![0; 5] })]).unwrap();
        assert_eq!(keys(folder.path(), MODEL, 5), [4]);
        assert!(keys(folder.path(), MODEL, 4).is_empty());
        assert_eq!(&file.path, &other.path);
    }

    #[test]
    fn a_reader_notices_that_the_file_was_written_anew_or_removed() {
        let folder = tempfile::tempdir().unwrap();
        let (mut file, mut vectors) = three(folder.path());
        let writer = VectorFile::new(folder.path(), MODEL, 4);
        writer.replace([(5, 1.0, &[1_i8, 1, 1, 1][..])].into_iter()).unwrap();
        assert_eq!(file.refresh(&mut vectors).unwrap(), News::Others);
        assert_eq!(vectors.iter().map(|(key, ..)| key).collect::<Vec<_>>(), [5]);
        fs_err::remove_file(&file.path).unwrap();
        assert_eq!(file.refresh(&mut vectors).unwrap(), News::Others);
        assert_eq!(vectors.len(), 0);
        assert_eq!(file.refresh(&mut vectors).unwrap(), News::Nothing);
    }
}
