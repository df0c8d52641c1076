//! The word index: entries found by their words, ranked by BM25.
//!
//! tantivy keeps it, in a folder of its own. Each commit is all there or not at all, readers of other processes go on
//! with what they opened, and one look at the folder tells whether anything changed. What cannot be opened whole is
//! `None`, never a panic: the caller makes a new one.

mod directory;
mod few;
mod fields;
mod query;
mod statistics;
mod sweep;
mod tokens;
mod top;
mod view;
mod whole;

use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};

use tantivy::directory::Directory as _;
use tantivy::index::{SegmentId, SegmentMeta};
use tantivy::indexer::IndexWriterOptions;
use tantivy::merge_policy::NoMergePolicy;
use tantivy::{Index, IndexReader, IndexWriter, ReloadPolicy, TantivyDocument, TantivyError, Term};

use directory::ReadDirectory;
pub(crate) use directory::Reading;
use few::Former;
pub(crate) use fields::{Fields, StoredEntry};
pub(crate) use query::{Asked, WordMatch};
pub(crate) use view::View;

use crate::document::{Document, DocumentKey};

/// What one writing thread may hold before it writes a segment: the least that tantivy takes.
const WRITER_BYTES: usize = 15_000_000;
/// The same where there is much to write: each word of each question is looked up in every segment.
const LONG_WRITER_BYTES: usize = 64_000_000;
/// So many documents are much.
const MUCH: usize = 2_000;
/// A segment with fewer entries is merged when there are many of them.
const SMALL_SEGMENT: u32 = 2_000;
const MANY_SEGMENTS: usize = 8;
/// An index of so many bytes is checked before each commit (a few milliseconds), a larger one only when it is opened.
const CHECKED_BYTES: usize = 16 << 20;
/// Blocks of stored entries kept unpacked for each segment.
const STORE_BLOCKS: usize = 8;

pub(crate) struct Lexical {
    folder: PathBuf,
    /// Where its files lie; `None` in memory.
    directory: Option<ReadDirectory>,
    index: Index,
    reader: IndexReader,
    fields: Fields,
}

impl std::fmt::Debug for Lexical {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Lexical").field("folder", &self.folder).finish_non_exhaustive()
    }
}

impl Lexical {
    /// An index that is whole and of our making, or `None`.
    pub(crate) fn open(folder: &Path, reading: Reading) -> Option<Self> {
        let directory = ReadDirectory::open(folder, reading).ok()?;
        let index = Index::open(directory.clone()).ok()?;
        if index.schema() != Fields::schema().0 || !whole::is_whole(&index, &directory, usize::MAX).ok()? {
            return None;
        }
        Self::new(folder, Some(directory), index).ok()
    }

    /// A new and empty one in an empty folder.
    pub(crate) fn create(folder: &Path, reading: Reading) -> Result<Self, TantivyError> {
        let directory = ReadDirectory::open(folder, reading)?;
        let index = Index::create(directory.clone(), Fields::schema().0, tantivy::IndexSettings::default())?;
        Self::new(folder, Some(directory), index)
    }

    /// A new and empty one that lies in no folder.
    pub(crate) fn in_memory() -> Result<Self, TantivyError> {
        Self::new(Path::new(""), None, Index::create_in_ram(Fields::schema().0))
    }

    fn new(folder: &Path, directory: Option<ReadDirectory>, index: Index) -> Result<Self, TantivyError> {
        tokens::register(&index);
        let reader = index
            .reader_builder()
            .reload_policy(ReloadPolicy::Manual)
            .doc_store_cache_num_blocks(STORE_BLOCKS)
            .try_into()?;
        Ok(Self { folder: folder.to_owned(), directory, index, reader, fields: Fields::schema().1 })
    }

    pub(crate) fn fields(&self) -> &Fields {
        &self.fields
    }

    /// What was committed when this was last opened or reloaded.
    pub(crate) fn view(&self) -> Result<View, TantivyError> {
        unless_damaged(|| View::open(self.reader.searcher()))
    }

    /// The state of the folder as bytes that change with every commit; `None` when the index is gone.
    pub(crate) fn stamp(&self) -> Option<Vec<u8>> {
        self.index.directory().atomic_read(Path::new("meta.json")).ok()
    }

    /// Sees what was committed since, here or in another process.
    pub(crate) fn reload(&self) -> Result<(), TantivyError> {
        unless_damaged(|| self.reader.reload())
    }

    /// Puts documents in the place of their former selves and removes others, all in one commit. Of a document that is given
    /// twice the last counts.
    pub(crate) fn commit(
        &self,
        changed: &mut dyn Iterator<Item = Document>,
        removed: &[DocumentKey],
    ) -> Result<usize, TantivyError> {
        let most = changed.size_hint().1.unwrap_or(usize::MAX);
        if most <= few::FEW {
            return self.commit_few(changed, removed);
        }
        let index = self.to_write()?;
        let writer = self.writer(&index, if most > MUCH { LONG_WRITER_BYTES } else { WRITER_BYTES })?;
        for key in removed {
            writer.delete_term(self.fields.key_term(key));
        }
        let mut count = removed.len();
        for document in changed {
            writer.delete_term(self.fields.key_term(&document.key));
            for entry in self.fields.entries(&document) {
                writer.add_document(entry)?;
            }
            count += 1;
        }
        if count > 0 {
            self.end(&index, writer)?;
        }
        Ok(count)
    }

    /// The index for one commit. Its list of files is read anew: whoever keeps one from the opening writes it over what other
    /// processes have added since, and nobody ever removes their files.
    fn to_write(&self) -> Result<Index, TantivyError> {
        let Some(directory) = &self.directory else { return Ok(self.index.clone()) };
        let index = Index::open(directory.clone())?;
        // What is damaged may hide what an edit replaces, and tantivy may ask for memory without end.
        if !whole::is_whole(&index, directory, CHECKED_BYTES)? {
            return Err(damaged());
        }
        tokens::register(&index);
        Ok(index)
    }

    fn commit_few(
        &self,
        changed: &mut dyn Iterator<Item = Document>,
        removed: &[DocumentKey],
    ) -> Result<usize, TantivyError> {
        let mut former: Vec<Term> = removed.iter().map(|key| self.fields.key_term(key)).collect();
        let mut documents: Vec<(Term, Vec<TantivyDocument>)> = Vec::new();
        for document in changed {
            let key = self.fields.key_term(&document.key);
            documents.retain(|(other, _)| *other != key);
            documents.push((key, self.fields.entries(&document).into_iter().collect()));
        }
        let (keys, entries): (Vec<Term>, Vec<_>) = documents.into_iter().unzip();
        former.extend(keys);
        let count = former.len();
        if count > 0 {
            let entries = entries.into_iter().flatten().collect();
            few::on_the_writer(|| unless_damaged(|| self.replace(former, entries)))?;
        }
        Ok(count)
    }

    /// Puts entries in the place of what there was of some documents.
    fn replace(&self, former: Vec<Term>, entries: Vec<TantivyDocument>) -> Result<(), TantivyError> {
        let index = self.to_write()?;
        // Nothing is written to an index that somebody else writes to.
        let writer = self.writer(&index, WRITER_BYTES)?;
        let added = (!entries.is_empty()).then(|| few::segment(&index, entries)).transpose()?;
        for document in former {
            let added = added.as_ref().map(SegmentMeta::id);
            writer.delete_query(Box::new(Former { document, added }))?;
        }
        if let Some(added) = added {
            writer.add_segment(added)?;
        }
        self.end(&index, writer)
    }

    /// The right to write. What a commit left that did not come to its end goes first: tantivy counts on from the last that did, and does
    /// not write where a file of that number is.
    fn writer(&self, index: &Index, bytes: usize) -> Result<IndexWriter, TantivyError> {
        let options = IndexWriterOptions::builder()
            .memory_budget_per_thread(bytes)
            .num_worker_threads(1)
            .num_merge_threads(1)
            .build();
        let writer: IndexWriter = index.writer_with_options(options)?;
        writer.set_merge_policy(Box::new(NoMergePolicy));
        if self.directory.is_some() {
            sweep::remove_what_is_left(&self.folder, index)?;
        }
        Ok(writer)
    }

    fn end(&self, index: &Index, mut writer: IndexWriter) -> Result<(), TantivyError> {
        writer.commit()?;
        tidy(index, &mut writer)?;
        self.reload()
    }
}

/// Every edit leaves a small segment and a hole in an old one. Many small ones become one, and when half of
/// everything is holes, all become one.
fn tidy(index: &Index, writer: &mut IndexWriter) -> Result<(), TantivyError> {
    let segments = index.searchable_segment_metas()?;
    let entries: u32 = segments.iter().map(SegmentMeta::max_doc).sum();
    let holes: u32 = segments.iter().map(SegmentMeta::num_deleted_docs).sum();
    let merge_all = holes > SMALL_SEGMENT && holes > entries / 2;
    let chosen: Vec<SegmentId> = segments
        .iter()
        .filter(|segment| merge_all || segment.num_docs() < SMALL_SEGMENT)
        .map(SegmentMeta::id)
        .collect();
    if merge_all || chosen.len() > MANY_SEGMENTS {
        writer.merge(&chosen).wait()?;
        writer.garbage_collect_files().wait()?;
    }
    Ok(())
}

/// tantivy checks its files when they are opened whole, and may panic at one that somebody damaged since.
pub(crate) fn unless_damaged<T>(work: impl FnOnce() -> Result<T, TantivyError>) -> Result<T, TantivyError> {
    std::panic::catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err(damaged()))
}

fn damaged() -> TantivyError {
    TantivyError::SystemError("the word index is damaged".to_owned())
}

#[cfg(test)]
mod tests;
