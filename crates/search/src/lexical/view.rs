//! One state of the word index: what was committed when it was opened, with the names of its documents at hand.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use tantivy::columnar::{Column, StrColumn};
use tantivy::schema::Field;
use tantivy::{DocAddress, Searcher, TantivyError};

use super::Fields;
use super::statistics::Living;
use crate::document::{DocumentKey, Fingerprint, Kind};

pub(crate) struct View {
    searcher: Searcher,
    /// For each segment, the names of its documents; `None` where there are none.
    names: Vec<Option<StrColumn>>,
    /// For each segment, the kinds of its entries.
    kinds: Vec<Option<Column<u64>>>,
    /// How many words the living entries hold, by field. Each term of each question asks for it.
    tokens: Mutex<HashMap<Field, u64>>,
}

impl fmt::Debug for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("View").field("segments", &self.names.len()).finish_non_exhaustive()
    }
}

impl View {
    pub(super) fn open(searcher: Searcher) -> Result<Self, TantivyError> {
        let columns = || searcher.segment_readers().iter().map(tantivy::SegmentReader::fast_fields);
        let names = columns().map(|columns| columns.str(Fields::KEY)).collect::<Result<_, _>>()?;
        let kinds = columns().map(|columns| columns.column_opt(Fields::KIND)).collect::<Result<_, _>>()?;
        Ok(Self { names, kinds, searcher, tokens: Mutex::default() })
    }

    /// Whether an entry is of one of these kinds, or of any if none is named.
    pub(super) fn is_of_kind(&self, address: DocAddress, kinds: &[Kind]) -> bool {
        if kinds.is_empty() {
            return true;
        }
        let Some(Some(column)) = self.kinds.get(address.segment_ord as usize) else { return false };
        let kind = column.first(address.doc_id).and_then(Kind::from_code);
        kind.is_some_and(|kind| kinds.contains(&kind))
    }

    pub(crate) fn searcher(&self) -> &Searcher {
        &self.searcher
    }

    /// What words weigh here, for one question.
    pub(crate) fn living(&self) -> Living<'_> {
        Living::new(self)
    }

    /// How many words a field holds. Summed over the lengths that each entry is stored with, so that it does not depend on
    /// how entries are spread over segments.
    pub(super) fn tokens(&self, field: Field) -> Result<u64, TantivyError> {
        let mut known = self.tokens.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(total) = known.get(&field) {
            return Ok(*total);
        }
        let mut total = 0;
        for segment in self.searcher.segment_readers() {
            let lengths = segment.get_fieldnorms_reader(field)?;
            total += segment.doc_ids_alive().map(|entry| u64::from(lengths.fieldnorm(entry))).sum::<u64>();
        }
        known.insert(field, total);
        Ok(total)
    }

    /// The term that names the document of an entry.
    pub(crate) fn document_term(&self, address: DocAddress) -> Result<String, TantivyError> {
        let mut term = String::new();
        if let Some(Some(names)) = self.names.get(address.segment_ord as usize)
            && let Some(ordinal) = names.term_ords(address.doc_id).next()
        {
            names.ord_to_str(ordinal, &mut term)?;
        }
        Ok(term)
    }

    /// Which documents there are, by their codes, and in which state.
    pub(crate) fn documents(&self) -> Result<HashMap<u64, Fingerprint>, TantivyError> {
        let mut documents = HashMap::new();
        for (segment, names) in self.searcher.segment_readers().iter().zip(&self.names) {
            let Some(names) = names else { continue };
            let fingerprints = segment.fast_fields().u64(Fields::FINGERPRINT)?;
            let mut by_ordinal: Vec<Option<u64>> = vec![None; names.num_terms()];
            for entry in segment.doc_ids_alive() {
                let ordinal = names.term_ords(entry).next().and_then(|ordinal| usize::try_from(ordinal).ok());
                if let Some(place) = ordinal.and_then(|ordinal| by_ordinal.get_mut(ordinal)) {
                    *place = fingerprints.first(entry);
                }
            }
            let mut terms = names.dictionary().stream()?;
            for fingerprint in by_ordinal {
                if !terms.advance() {
                    break;
                }
                if let Some(fingerprint) = fingerprint {
                    documents.insert(DocumentKey::code_of_term(terms.key()), Fingerprint(fingerprint));
                }
            }
        }
        Ok(documents)
    }

    /// The names of those documents whose codes are wanted, sorted.
    pub(crate) fn names(&self, wanted: impl Fn(u64) -> bool) -> Result<Vec<DocumentKey>, TantivyError> {
        let mut found = Vec::new();
        for names in self.names.iter().flatten() {
            let mut terms = names.dictionary().stream()?;
            while terms.advance() {
                if wanted(DocumentKey::code_of_term(terms.key())) {
                    found.extend(std::str::from_utf8(terms.key()).ok().and_then(DocumentKey::from_term));
                }
            }
        }
        found.sort();
        found.dedup();
        Ok(found)
    }
}
