//! What the words of an index weigh, counted over the entries that are there now.
//!
//! Tantivy's own statistics also count entries that were deleted and not yet merged away, so that the same files would
//! score differently after another history.

use tantivy::query::Bm25StatisticsProvider;
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocSet as _, Searcher, SegmentReader, TERMINATED, TantivyError, Term};

/// A searcher whose statistics leave out what was deleted.
pub(super) struct Living<'s> {
    searcher: &'s Searcher,
}

impl<'s> Living<'s> {
    pub(super) fn new(searcher: &'s Searcher) -> Self {
        Self { searcher }
    }
}

impl Bm25StatisticsProvider for Living<'_> {
    /// Summed over the lengths that each entry is stored with, so that it does not depend on how entries are spread
    /// over segments.
    fn total_num_tokens(&self, field: Field) -> Result<u64, TantivyError> {
        let mut total = 0;
        for segment in self.searcher.segment_readers() {
            let lengths = segment.get_fieldnorms_reader(field)?;
            total += segment.doc_ids_alive().map(|entry| u64::from(lengths.fieldnorm(entry))).sum::<u64>();
        }
        Ok(total)
    }

    fn total_num_docs(&self) -> Result<u64, TantivyError> {
        Ok(self.searcher.num_docs())
    }

    fn doc_freq(&self, term: &Term) -> Result<u64, TantivyError> {
        self.searcher.segment_readers().iter().map(|segment| living_with(segment, term)).sum()
    }
}

/// How many living entries of a segment hold a term.
fn living_with(segment: &SegmentReader, term: &Term) -> Result<u64, TantivyError> {
    let words = segment.inverted_index(term.field())?;
    if !segment.has_deletes() {
        return Ok(u64::from(words.doc_freq(term)?));
    }
    let Some(mut postings) = words.read_postings(term, IndexRecordOption::Basic)? else { return Ok(0) };
    let mut count = 0;
    let mut entry = postings.doc();
    while entry != TERMINATED {
        count += u64::from(!segment.is_deleted(entry));
        entry = postings.advance();
    }
    Ok(count)
}
