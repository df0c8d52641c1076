//! The folder of an index: its files, its header, its locks.
//!
//! `index.json` is the header: the format, the version of the words, and the name of the folder with the word index.
//! It is written last and whole, so what it names is complete. Vectors lie beside it, one file for each model, or in a
//! folder that several indexes share: they are kept by the text they stand for, whoever has it. An index in memory has
//! no folder, and nobody to share or to lock out.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tantivy::TantivyError;

use crate::cache::{self, Lock};
use crate::error::SearchError;
use crate::lexical::{Lexical, Reading};
use crate::words;

/// Changes whenever files written before can no longer be read.
const FORMAT: u32 = 1;
const HEADER: &str = "index.json";
const LOCK: &str = "lock";
const EMBEDDING_LOCK: &str = "embedding.lock";
const WORDS: &str = "words-";
const VECTORS: &str = "vectors-";
const NOTE: &str = "note";
/// What stands for the path of an index in memory.
const MEMORY: &str = "(in memory)";

#[derive(Debug, Clone)]
pub(super) struct Folder {
    path: PathBuf,
    /// The folder that several indexes keep their vectors in.
    shared: Option<PathBuf>,
    in_memory: bool,
    /// Of each entry only the whole counts by meaning.
    only_wholes: bool,
    /// Nobody else writes here.
    is_alone: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Header {
    format: u32,
    words: u32,
    /// The folder with the word index.
    pub(super) folder: String,
}

/// The right to make vectors, held until it is dropped.
#[derive(Debug)]
pub(super) struct Embedding(#[expect(dead_code, reason = "the right ends with its lock")] Option<Lock>);

impl Header {
    fn new(folder: String) -> Self {
        Self { format: FORMAT, words: words::VERSION, folder }
    }
}

impl Folder {
    pub(super) fn new(path: &Path) -> Self {
        Self { path: path.to_owned(), shared: None, in_memory: false, only_wholes: false, is_alone: false }
    }

    /// With the vectors in another folder, which others use too.
    pub(super) fn sharing(path: &Path, vectors: Option<&Path>) -> Self {
        Self { shared: vectors.map(Path::to_owned), ..Self::new(path) }
    }

    pub(super) fn in_memory() -> Self {
        Self { in_memory: true, ..Self::new(Path::new(MEMORY)) }
    }

    pub(super) fn wholes_only(self) -> Self {
        Self { only_wholes: true, ..self }
    }

    pub(super) fn alone(self) -> Self {
        Self { is_alone: true, ..self }
    }

    pub(super) fn is_written_here_only(&self) -> bool {
        self.in_memory || self.is_alone
    }

    /// Where nobody else writes, nothing happens to the files that is to be noticed.
    fn reading(&self) -> Reading {
        if self.is_alone { Reading::SmallOnesWhole } else { Reading::Pieces }
    }

    pub(super) fn is_in_memory(&self) -> bool {
        self.in_memory
    }

    /// What is noted for whoever opens the index next.
    pub(super) fn note(&self) -> PathBuf {
        self.path.join(NOTE)
    }

    pub(super) fn counts_parts(&self) -> bool {
        !self.only_wholes
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Where the vectors lie; `None` in memory.
    pub(super) fn vectors(&self) -> Option<&Path> {
        (!self.in_memory).then(|| self.shared.as_deref().unwrap_or(&self.path))
    }

    pub(super) fn shares_vectors(&self) -> bool {
        self.shared.is_some()
    }

    pub(super) fn exists(&self) -> bool {
        self.in_memory || self.path.join(HEADER).is_file()
    }

    /// Makes the folders. One for shared vectors that cannot be written is done without, unless nothing can be: then what is there
    /// is read where it lies.
    pub(super) fn create(&mut self) -> Result<(), SearchError> {
        if self.in_memory {
            return Ok(());
        }
        let takes_writes = |folder: &Path| {
            let lock = folder.join(LOCK);
            let open = |()| File::options().create(true).truncate(false).write(true).open(&lock);
            // Who opens a pipe waits for it, and a link leads elsewhere; whoever takes the lock says so.
            let is_odd = cache::is_plain(&lock).is_ok_and(|is_plain| !is_plain);
            is_odd || fs_err::create_dir_all(folder).and_then(open).is_ok()
        };
        let own = &self.path;
        self.shared = self
            .shared
            .take()
            .filter(|shared| takes_writes(shared) || (shared.is_dir() && !takes_writes(own)));
        fs_err::create_dir_all(&self.path).map_err(|error| self.failed(error))
    }

    pub(super) fn lock(&self, patience: Duration) -> Result<Option<Lock>, SearchError> {
        if self.in_memory {
            return Ok(None);
        }
        self.lock_in(&self.path, patience).map(Some)
    }

    /// Keeps the indexes that share the vectors from writing them; the index's own lock does where nobody does.
    pub(super) fn vectors_lock(&self, patience: Duration) -> Result<Option<Lock>, SearchError> {
        self.shared.as_ref().map(|shared| self.lock_in(shared, patience)).transpose()
    }

    fn lock_in(&self, folder: &Path, patience: Duration) -> Result<Lock, SearchError> {
        match self.wait_for(folder, LOCK, patience) {
            Ok(Some(lock)) => Ok(lock),
            Ok(None) => Err(SearchError::Busy { folder: folder.to_owned() }),
            // The whole folder was removed.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(self.missing()),
            Err(error) => Err(SearchError::Io { path: folder.to_owned(), source: error }),
        }
    }

    /// Waits for a lock. The folder of shared vectors, which anybody may delete, is made again.
    fn wait_for(&self, folder: &Path, name: &str, patience: Duration) -> io::Result<Option<Lock>> {
        match Lock::wait(&folder.join(name), patience) {
            Err(error)
                if error.kind() == io::ErrorKind::NotFound && self.shared.as_deref() == Some(folder) =>
            {
                fs_err::create_dir_all(folder)?;
                Lock::wait(&folder.join(name), patience)
            }
            waited => waited,
        }
    }

    /// `None` when another process is making vectors for this index. Those that share vectors do not wait for each other: whoever
    /// has thousands of texts to read would keep all of them on words.
    pub(super) fn embedding_lock(&self, patience: Duration) -> Result<Option<Embedding>, SearchError> {
        if self.in_memory {
            return Ok(Some(Embedding(None)));
        }
        match self.wait_for(&self.path, EMBEDDING_LOCK, patience) {
            Ok(lock) => Ok(lock.map(|lock| Embedding(Some(lock)))),
            // The whole folder was removed.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(self.missing()),
            Err(error) => Err(self.failed(error)),
        }
    }

    /// The header, if it is whole and of this version.
    pub(super) fn header(&self) -> Option<Header> {
        if self.in_memory {
            return Some(Header::new(WORDS.to_owned()));
        }
        let bytes = fs_err::read(self.path.join(HEADER)).ok()?;
        let header: Header = serde_json::from_slice(&bytes).ok()?;
        let plain = header.folder.starts_with(WORDS) && !header.folder.contains(['/', '\\', '.']);
        (header.format == FORMAT && header.words == words::VERSION && plain).then_some(header)
    }

    pub(super) fn open_words(&self) -> Option<(Header, Lexical)> {
        let header = self.header().filter(|_| !self.in_memory)?;
        let lexical = Lexical::open(&self.path.join(&header.folder), self.reading())?;
        Some((header, lexical))
    }

    /// An empty word index in the place of whatever there was. The caller holds the lock.
    pub(super) fn create_words(&self) -> Result<(Header, Lexical), SearchError> {
        if self.in_memory {
            let lexical = Lexical::in_memory().map_err(|error| self.words_failed(error))?;
            return Ok((Header::new(WORDS.to_owned()), lexical));
        }
        let old = self.word_folders();
        let number = |name: &String| name.strip_prefix(WORDS)?.parse::<u64>().ok();
        let next = old.iter().filter_map(number).max().map_or(1, |highest| highest.wrapping_add(1));
        let header = Header::new(format!("{WORDS}{next}"));
        let place = self.path.join(&header.folder);
        fs_err::create_dir_all(&place).map_err(|error| self.failed(error))?;
        let lexical = Lexical::create(&place, self.reading()).map_err(|error| self.words_failed(error))?;
        let text = serde_json::to_vec(&header).expect("numbers and a name have a JSON form");
        cache::replace(&self.path.join(HEADER), |file| io::Write::write_all(file, &text))
            .map_err(|error| self.failed(error))?;
        for name in old {
            // Another process may still have it open; the next rebuild tries again.
            let _ = fs_err::remove_dir_all(self.path.join(name));
        }
        Ok((header, lexical))
    }

    /// Removes everything but the locks, the header first.
    pub(super) fn clear(&self) -> Result<(), SearchError> {
        let gone = |result: io::Result<()>| match result {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(self.failed(error)),
            _ => Ok(()),
        };
        gone(fs_err::remove_file(self.path.join(HEADER)))?;
        let note = self.note();
        let is_folder = fs_err::symlink_metadata(&note).is_ok_and(|found| found.is_dir());
        gone(if is_folder { fs_err::remove_dir_all(&note) } else { fs_err::remove_file(&note) })?;
        let shared = self.shared.as_deref().filter(|shared| shared.is_dir());
        for folder in std::iter::once(self.path.as_path()).chain(shared) {
            for file in fs_err::read_dir(folder).map_err(|error| self.failed(error))? {
                let file = file.map_err(|error| self.failed(error))?;
                let name = file.file_name();
                let name = name.to_string_lossy();
                let kind = file.file_type().map_err(|error| self.failed(error))?;
                if is_of_words(&name) && kind.is_dir() {
                    gone(fs_err::remove_dir_all(file.path()))?;
                } else if is_of_vectors(&name) && !kind.is_dir() {
                    gone(fs_err::remove_file(file.path()))?;
                }
            }
        }
        Ok(())
    }

    pub(super) fn bytes(&self) -> Result<u64, SearchError> {
        fn sum(folder: &Path) -> io::Result<u64> {
            let mut total = 0;
            for file in fs_err::read_dir(folder)? {
                let file = file?;
                total += match file.metadata() {
                    Ok(data) if data.is_dir() => sum(&file.path())?,
                    Ok(data) => data.len(),
                    // Tidied away meanwhile.
                    Err(_) => 0,
                };
            }
            Ok(total)
        }
        if self.in_memory {
            return Ok(0);
        }
        let shared = self.shared.as_deref().map_or(Ok(0), sum);
        sum(&self.path).and_then(|own| Ok(own + shared?)).map_err(|error| self.failed(error))
    }

    fn word_folders(&self) -> Vec<String> {
        let files = fs_err::read_dir(&self.path).into_iter().flatten().flatten();
        let names = files.filter_map(|file| file.file_name().into_string().ok());
        names.filter(|name| is_of_words(name)).collect()
    }

    pub(super) fn missing(&self) -> SearchError {
        SearchError::Missing { folder: self.path.clone() }
    }

    pub(super) fn failed(&self, source: io::Error) -> SearchError {
        SearchError::Io { path: self.path.clone(), source }
    }

    /// As [`Folder::failed`], of what lies where the vectors do.
    pub(super) fn vectors_failed(&self, source: io::Error) -> SearchError {
        SearchError::Io { path: self.vectors().unwrap_or(&self.path).to_owned(), source }
    }

    /// What is said of words that could not be read and were made anew.
    pub(super) fn words_torn(&self) -> SearchError {
        self.words_failed(TantivyError::SystemError("it was damaged and is made anew".to_owned()))
    }

    pub(super) fn words_failed(&self, source: TantivyError) -> SearchError {
        SearchError::Words { path: self.path.clone(), source: source.into() }
    }
}

/// Whether we name folders of words so.
fn is_of_words(name: &str) -> bool {
    name.strip_prefix(WORDS).is_some_and(|number| number.parse::<u64>().is_ok())
}

/// Whether we name files of vectors, and what is being written for them, so.
fn is_of_vectors(name: &str) -> bool {
    let is_hex = |digits: &[u8]| digits.iter().all(u8::is_ascii_hexdigit);
    name.strip_prefix(VECTORS)
        .and_then(|rest| rest.as_bytes().first_chunk::<16>())
        .is_some_and(|id| is_hex(id))
}
