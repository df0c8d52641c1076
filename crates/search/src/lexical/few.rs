//! Taking in a few documents, which is what an edit brings.
//!
//! tantivy starts threads for each commit, and the one that writes takes 14 MB for however little there is to write. What a thread
//! gives back the system's allocator keeps for whichever thread comes to the same share of memory next: after some edits there are three
//! or four such shares that nobody uses. So one thread writes the segments of all that is little.

use std::sync::{LazyLock, Mutex, TryLockError};

use rayon::{ThreadPool, ThreadPoolBuilder};
use tantivy::index::{SegmentId, SegmentMeta, SegmentReader};
use tantivy::indexer::{AddOperation, SegmentWriter};
use tantivy::query::{EmptyScorer, EnableScoring, Explanation, Query, Scorer, TermQuery, Weight};
use tantivy::schema::IndexRecordOption;
use tantivy::{DocId, Index, Score, TantivyDocument, TantivyError, Term};

/// No more documents than these are a few.
pub(super) const FEW: usize = 32;
/// A third of it is allocated for a table of words, which grows where it has to.
const BYTES: usize = 1_000_000;

/// Does work on the thread that writes. Who comes while that is at it for another does it where it is, as does everybody where no thread
/// can be had.
pub(super) fn on_the_writer<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    static WRITER: LazyLock<Mutex<Option<ThreadPool>>> = LazyLock::new(|| {
        let one = ThreadPoolBuilder::new().num_threads(1).thread_name(|_| "hewto-writer".to_owned());
        Mutex::new(one.build().ok())
    });
    let free = match WRITER.try_lock() {
        Ok(free) => Some(free),
        // Work that panicked has left nothing here.
        Err(TryLockError::Poisoned(free)) => Some(free.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    };
    match free.as_ref().and_then(|writer| writer.as_ref()) {
        Some(writer) => writer.install(work),
        None => work(),
    }
}

/// A segment with these entries, which is yet to be added to the index.
pub(super) fn segment(index: &Index, entries: Vec<TantivyDocument>) -> Result<SegmentMeta, TantivyError> {
    let segment = index.new_segment();
    let mut writer = SegmentWriter::for_segment(BYTES, segment.clone())?;
    for document in entries {
        // Nobody reads the stamps: a committed segment keeps none.
        writer.add_document(AddOperation { opstamp: 0, document })?;
    }
    let count = writer.max_doc();
    writer.finalize()?;
    let meta = segment.with_max_doc(count).meta().clone();
    meta.untrack_temp_docstore();
    Ok(meta)
}

/// The entries of a document as they were, for removing them: not those of the segment that is added in the same commit, which tantivy
/// takes for older than the commit.
#[derive(Debug, Clone)]
pub(super) struct Former {
    pub(super) document: Term,
    pub(super) added: Option<SegmentId>,
}

impl Query for Former {
    fn weight(&self, scoring: EnableScoring<'_>) -> Result<Box<dyn Weight>, TantivyError> {
        let all = TermQuery::new(self.document.clone(), IndexRecordOption::Basic).weight(scoring)?;
        Ok(Box::new(Outside { all, added: self.added }))
    }
}

/// What is found outside one segment.
struct Outside {
    all: Box<dyn Weight>,
    added: Option<SegmentId>,
}

impl Weight for Outside {
    fn scorer(&self, reader: &SegmentReader, boost: Score) -> Result<Box<dyn Scorer>, TantivyError> {
        if self.added == Some(reader.segment_id()) {
            return Ok(Box::new(EmptyScorer));
        }
        self.all.scorer(reader, boost)
    }

    fn explain(&self, reader: &SegmentReader, document: DocId) -> Result<Explanation, TantivyError> {
        self.all.explain(reader, document)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_that_panics_ends_nobody_elses() {
        let panics = || panic!("on purpose");
        assert!(std::panic::catch_unwind(|| on_the_writer(panics)).is_err());
        assert_eq!(on_the_writer(|| 7), 7);
    }

    #[test]
    fn who_comes_while_it_is_at_work_does_not_wait() {
        assert_eq!(on_the_writer(|| on_the_writer(|| 7)), 7);
    }
}
