//! What the words of an index weigh, counted over the entries that are there now.
//!
//! Tantivy's own statistics also count entries that were deleted and not yet merged away, so that the same files would
//! score differently after another history.

use std::cell::RefCell;
use std::collections::HashMap;

use tantivy::query::Bm25StatisticsProvider;
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocSet as _, SegmentReader, TERMINATED, TantivyError, Term};

use super::View;

/// The statistics of one state of the index, for one question: nothing is counted twice for it.
pub(crate) struct Living<'v> {
    view: &'v View,
    frequencies: RefCell<HashMap<Term, u64>>,
}

impl<'v> Living<'v> {
    pub(super) fn new(view: &'v View) -> Self {
        Self { view, frequencies: RefCell::default() }
    }

    pub(super) fn view(&self) -> &'v View {
        self.view
    }
}

impl Bm25StatisticsProvider for Living<'_> {
    fn total_num_tokens(&self, field: Field) -> Result<u64, TantivyError> {
        self.view.tokens(field)
    }

    fn total_num_docs(&self) -> Result<u64, TantivyError> {
        Ok(self.view.searcher().num_docs())
    }

    fn doc_freq(&self, term: &Term) -> Result<u64, TantivyError> {
        if let Some(known) = self.frequencies.borrow().get(term) {
            return Ok(*known);
        }
        let segments = self.view.searcher().segment_readers().iter();
        let counted = segments.map(|segment| living_with(segment, term)).sum::<Result<u64, _>>()?;
        self.frequencies.borrow_mut().insert(term.clone(), counted);
        Ok(counted)
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
