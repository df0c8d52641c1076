//! The file of vectors: a header and records of one size, appended under the index's lock.
//!
//! Every record carries a checksum, so a torn tail, a flipped bit or a full disk costs the vectors concerned and
//! nothing else. A header that does not fit (another version, model or length) makes the whole file as good as empty.
//! Readers in other processes need no lock: they take the records that are whole.

use std::fs::File;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::checksum::checksum;
use super::token_file::{self, Place, TokenStore};
use super::{Quantized, Vectors};
use crate::cache;
use crate::model::{Embedder, Identity};

const MAGIC: [u8; 8] = *b"hewtovec";
const FORMAT: u32 = 2;
const HEADER: usize = 64;
/// How the names of files with tokens end.
const TOKENS: &str = ".tokens";

/// Vectors of one model in one file.
#[derive(Debug)]
pub(crate) struct VectorFile {
    path: PathBuf,
    identity: Identity,
    dimensions: usize,
    has_tokens: bool,
    /// The file that was read, and up to where.
    seen: Option<Seen>,
    /// The tokens that belong to it.
    tokens: TokenStore,
}

/// What was made of a text: its vector, and its tokens if they are kept.
#[derive(Debug, Clone)]
pub(crate) struct Made {
    pub(crate) key: u64,
    pub(crate) vector: Quantized,
    pub(crate) tokens: Vec<u8>,
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
    pub(crate) fn new(folder: &Path, embedder: &dyn Embedder) -> Self {
        let identity = embedder.identity();
        let name = identity.0.first_chunk().map_or(0, |head| u64::from_be_bytes(*head));
        Self {
            path: folder.join(format!("vectors-{name:016x}.bin")),
            identity,
            dimensions: embedder.dimensions(),
            has_tokens: embedder.has_tokens(),
            seen: None,
            tokens: TokenStore::Nothing,
        }
    }

    /// The tokens of what was read.
    pub(crate) fn tokens(&self) -> TokenStore {
        self.tokens.clone()
    }

    /// Whether the file is what was read last.
    pub(crate) fn is_current(&self) -> bool {
        let now = cache::open(&self.path, File::options().read(true)).and_then(|mut file| {
            let length = file.metadata()?.len();
            Ok(self
                .read_header(&mut file)?
                .map(|generation| Seen { generation, bytes: self.whole_records(length) }))
        });
        now.ok().flatten() == self.seen
    }

    /// Brings a table up to what the file holds.
    pub(crate) fn refresh(&mut self, vectors: &mut Vectors) -> io::Result<News> {
        let mut file = match cache::open(&self.path, File::options().read(true)) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(self.forget(vectors)),
            Err(error) => return Err(error),
        };
        let length = file.metadata()?.len();
        let Some(generation) = self.read_header(&mut file)? else { return Ok(self.forget(vectors)) };
        if self.has_tokens && self.seen.is_none_or(|seen| seen.generation != generation) {
            // Without them it is as good as no file: they are made together.
            let Ok(tokens) = TokenStore::open(&self.tokens_path(generation)) else {
                return Ok(self.forget(vectors));
            };
            self.tokens = tokens;
        }
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
    pub(crate) fn append<'m>(&mut self, new: &'m [Made]) -> io::Result<()> {
        let has_its_tokens = |generation| cache::is_plain(&self.tokens_path(generation)).unwrap_or(false);
        let is_whole = |generation: u64| !self.has_tokens || has_its_tokens(generation);
        let opened = self.open_to_append()?.filter(|(_, generation)| is_whole(*generation));
        let Some((mut file, generation)) = opened else {
            let of =
                |made: &'m Made| (made.key, made.vector.factor, &made.vector.values[..], made.tokens.clone());
            return self.replace(new.iter().map(of));
        };
        let mut places = vec![Place::NOWHERE; new.len()];
        if self.has_tokens {
            token_file::write_at_end(&self.tokens_path(generation), |end| {
                let mut bytes = Vec::new();
                for (made, place) in new.iter().zip(&mut places) {
                    *place = token_file::append(&mut bytes, end, &made.tokens);
                }
                bytes
            })?;
        }
        let mut bytes = Vec::with_capacity(new.len() * self.record());
        for (made, place) in new.iter().zip(places) {
            write_record(&mut bytes, made.key, made.vector.factor, &made.vector.values, place);
        }
        file.write_all(&bytes)
    }

    /// Writes the file anew with exactly these vectors and tokens. The caller holds the index's lock.
    pub(crate) fn replace<'v>(
        &self,
        all: impl Iterator<Item = (u64, f32, &'v [i8], Vec<u8>)>,
    ) -> io::Result<()> {
        // Random, so that a file made after the old one was deleted is not taken for it.
        let generation = RandomState::new().build_hasher().finish();
        let path = self.tokens_path(generation);
        let replaced = cache::replace(&self.path, |file| {
            let mut out = io::BufWriter::with_capacity(1 << 18, file);
            out.write_all(&self.header(generation))?;
            let created = self.has_tokens.then(|| File::create(&path)).transpose()?;
            let mut tokens_out = created.map(|file| io::BufWriter::with_capacity(1 << 18, file));
            let (mut record, mut end) = (Vec::with_capacity(self.record()), 0);
            for (key, factor, values, tokens) in all {
                let mut place = Place::NOWHERE;
                if let Some(tokens_out) = &mut tokens_out {
                    record.clear();
                    place = token_file::append(&mut record, end, &tokens);
                    end += record.len() as u64;
                    tokens_out.write_all(&record)?;
                }
                record.clear();
                write_record(&mut record, key, factor, values, place);
                out.write_all(&record)?;
            }
            tokens_out.map_or(Ok(()), |mut tokens_out| tokens_out.flush())?;
            out.flush()
        });
        if replaced.is_ok() {
            self.remove_other_tokens(&path);
        } else {
            // Nothing more can be done for a file that may not even exist.
            let _ = fs_err::remove_file(&path);
        }
        replaced
    }

    /// Removes files with tokens of this model that belong to nothing any more: all but one.
    fn remove_other_tokens(&self, kept: &Path) {
        let stem = self.path.file_stem().unwrap_or_default().to_string_lossy().into_owned() + "-";
        let files = self.path.parent().and_then(|folder| fs_err::read_dir(folder).ok());
        for file in files.into_iter().flatten().flatten() {
            let name = file.file_name();
            let name = name.to_string_lossy();
            if name.starts_with(&stem) && name.ends_with(TOKENS) && file.path() != kept {
                // Whoever has it open reads on.
                let _ = fs_err::remove_file(file.path());
            }
        }
    }

    fn tokens_path(&self, generation: u64) -> PathBuf {
        let stem = self.path.file_stem().unwrap_or_default().to_string_lossy();
        self.path.with_file_name(format!("{stem}-{generation:016x}{TOKENS}"))
    }

    fn forget(&mut self, vectors: &mut Vectors) -> News {
        let knew = vectors.len() > 0 || vectors.dimensions() != self.dimensions;
        *vectors = Vectors::new(self.dimensions);
        self.seen = None;
        self.tokens = TokenStore::Nothing;
        if knew { News::Others } else { News::Nothing }
    }

    /// `None` when there is no such file or it is not ours.
    fn open_to_append(&self) -> io::Result<Option<(File, u64)>> {
        let mut file = match cache::open(&self.path, File::options().read(true).write(true)) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let Some(generation) = self.read_header(&mut file)? else { return Ok(None) };
        let whole = self.whole_records(file.metadata()?.len());
        file.set_len(whole)?;
        file.seek(SeekFrom::End(0))?;
        Ok(Some((file, generation)))
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
            if let Some((key, factor, tokens)) = read_record(&record, &mut values) {
                // A vector whose tokens are torn is made again with them.
                if !tokens.is_somewhere() || self.tokens.read(tokens).is_some() {
                    vectors.push(key, factor, &values, tokens);
                }
            }
        }
        Ok(())
    }

    fn record(&self) -> usize {
        8 + 4 + self.dimensions + 8 + 2 + 4
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

fn write_record(out: &mut Vec<u8>, key: u64, factor: f32, values: &[i8], tokens: Place) {
    let start = out.len();
    out.extend_from_slice(&key.to_le_bytes());
    out.extend_from_slice(&factor.to_le_bytes());
    out.extend(values.iter().map(|value| value.cast_unsigned()));
    out.extend_from_slice(&tokens.at.to_le_bytes());
    out.extend_from_slice(&tokens.length.to_le_bytes());
    let sum = checksum(&out[start..]);
    out.extend_from_slice(&sum.to_le_bytes());
}

fn read_record(record: &[u8], values: &mut [i8]) -> Option<(u64, f32, Place)> {
    let (body, sum) = record.split_last_chunk::<4>()?;
    if u32::from_le_bytes(*sum) != checksum(body) {
        return None;
    }
    let (key, body) = body.split_first_chunk::<8>()?;
    let (factor, body) = body.split_first_chunk::<4>()?;
    let (body, length) = body.split_last_chunk::<2>()?;
    let (body, at) = body.split_last_chunk::<8>()?;
    for (value, byte) in values.iter_mut().zip(body) {
        *value = byte.cast_signed();
    }
    let factor = f32::from_le_bytes(*factor);
    let tokens = Place { at: u64::from_le_bytes(*at), length: u16::from_le_bytes(*length) };
    factor.is_finite().then_some((u64::from_le_bytes(*key), factor, tokens))
}

#[cfg(test)]
mod tests;
