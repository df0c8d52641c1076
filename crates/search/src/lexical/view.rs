//! One state of the word index: what was committed when it was opened, with the names of its documents at hand.

use std::collections::HashMap;
use std::fmt;

use tantivy::columnar::StrColumn;
use tantivy::{DocAddress, Searcher, TantivyError};

use super::Fields;
use crate::document::{DocumentKey, Fingerprint};

pub(crate) struct View {
    searcher: Searcher,
    /// For each segment, the names of its documents; `None` where there are none.
    names: Vec<Option<StrColumn>>,
}

impl fmt::Debug for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("View").field("segments", &self.names.len()).finish_non_exhaustive()
    }
}

impl View {
    pub(super) fn open(searcher: Searcher) -> Result<Self, TantivyError> {
        let names = searcher.segment_readers().iter().map(|segment| segment.fast_fields().str(Fields::KEY));
        Ok(Self { names: names.collect::<Result<_, _>>()?, searcher })
    }

    pub(crate) fn searcher(&self) -> &Searcher {
        &self.searcher
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
