//! What the word index holds of an entry.

use serde::{Deserialize, Serialize};
use tantivy::schema::{
    BytesOptions, FAST, Field, INDEXED, IndexRecordOption, NumericOptions, Schema, TextFieldIndexing,
    TextOptions,
};
use tantivy::{DocAddress, Searcher, TantivyDocument, TantivyError, Term};

use super::tokens;
use crate::document::{Document, DocumentKey, Entry, Kind, Scenario};
use crate::language::Language;
use crate::passage::{self, passages};
use crate::sense::is_read_by_the_model;

/// The columns of the index.
#[derive(Debug, Clone)]
pub(crate) struct Fields {
    key: Field,
    fingerprint: Field,
    kind: Field,
    summary: Field,
    passages: Field,
    pub(super) words: Field,
    entry: Field,
}

/// An entry as it comes out again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct StoredEntry {
    pub(crate) document: String,
    pub(crate) title: String,
    pub(crate) heading: String,
    pub(crate) requirement: Option<String>,
    pub(crate) text: String,
    pub(crate) scenarios: Vec<Scenario>,
}

impl Entry {
    /// What is looked through for words. A word in the name counts twice.
    pub(crate) fn texts<'e>(&'e self, title: &'e str) -> impl Iterator<Item = &'e str> {
        let name = || self.requirement.as_deref();
        std::iter::once(title).chain(name()).chain(name()).chain(std::iter::once(self.text.as_str())).chain(
            self.scenarios.iter().flat_map(|scenario| [scenario.name.as_str(), scenario.text.as_str()]),
        )
    }

    pub(crate) fn language(&self) -> Language {
        Language::of(texts_to_read(&self.text, &self.scenarios))
    }
}

/// The texts that tell an entry's language: whole sentences rather than names.
fn texts_to_read<'e>(text: &'e str, scenarios: &'e [Scenario]) -> impl Iterator<Item = &'e str> {
    std::iter::once(text).chain(scenarios.iter().map(|scenario| scenario.text.as_str()))
}

impl Fields {
    pub(crate) const KEY: &'static str = "key";
    pub(super) const FINGERPRINT: &'static str = "fingerprint";
    pub(crate) const KIND: &'static str = "kind";
    pub(crate) const SUMMARY: &'static str = "summary";
    pub(crate) const PASSAGES: &'static str = "passages";

    pub(super) fn schema() -> (Schema, Self) {
        let mut schema = Schema::builder();
        let whole = TextFieldIndexing::default()
            .set_tokenizer("raw")
            .set_fieldnorms(false)
            .set_index_option(IndexRecordOption::Basic);
        let words = TextFieldIndexing::default()
            .set_tokenizer(tokens::NAME)
            .set_index_option(IndexRecordOption::WithFreqsAndPositions);
        let fields = Self {
            key: schema.add_text_field(
                Self::KEY,
                TextOptions::default().set_indexing_options(whole).set_fast("raw"),
            ),
            fingerprint: schema.add_u64_field(Self::FINGERPRINT, NumericOptions::from(FAST)),
            kind: schema.add_u64_field(Self::KIND, FAST | INDEXED),
            summary: schema.add_bool_field(Self::SUMMARY, NumericOptions::from(FAST)),
            passages: schema.add_u64_field(Self::PASSAGES, NumericOptions::from(FAST)),
            words: schema.add_text_field("words", TextOptions::default().set_indexing_options(words)),
            entry: schema.add_bytes_field("entry", BytesOptions::default().set_stored()),
        };
        (schema.build(), fields)
    }

    pub(super) fn key_term(&self, key: &DocumentKey) -> Term {
        Term::from_field_text(self.key, &key.to_term())
    }

    /// What is written for a document. One without entries leaves a mark, so that it is known to be up to date.
    pub(super) fn entries(&self, document: &Document) -> Vec<TantivyDocument> {
        if document.entries.is_empty() {
            return vec![self.marked(document)];
        }
        document.entries.iter().map(|entry| self.written(document, entry)).collect()
    }

    fn marked(&self, document: &Document) -> TantivyDocument {
        let mut out = TantivyDocument::new();
        out.add_text(self.key, document.key.to_term());
        out.add_u64(self.fingerprint, document.fingerprint.0);
        out
    }

    fn written(&self, document: &Document, entry: &Entry) -> TantivyDocument {
        let mut out = self.marked(document);
        let is_summary = entry.kind == Kind::Spec && document.entries.len() > 1;
        out.add_u64(self.kind, u64::from(entry.kind.code()));
        out.add_bool(self.summary, is_summary);
        // What the model does not read has no vector, which would point anywhere: words find it.
        if is_read_by_the_model(entry.texts(&document.title)) {
            for passage in passages(&document.heading, entry) {
                out.add_u64(self.passages, passage::key(&passage));
            }
        }
        let language = entry.language();
        for text in entry.texts(&document.title) {
            out.add_text(self.words, language.marked(text));
        }
        let stored = serde_json::to_vec(&StoredEntry::of(document, entry)).expect("texts have a JSON form");
        out.add_bytes(self.entry, &stored);
        out
    }

    /// Reads an entry back; `None` for a mark or for bytes that are not ours.
    pub(crate) fn stored(
        &self,
        searcher: &Searcher,
        address: DocAddress,
    ) -> Result<Option<StoredEntry>, TantivyError> {
        use tantivy::schema::Value;
        let document: TantivyDocument = searcher.doc(address)?;
        let bytes = document.get_first(self.entry).and_then(|value| value.as_bytes());
        Ok(bytes.and_then(|bytes| serde_json::from_slice(bytes).ok()))
    }
}

impl StoredEntry {
    pub(crate) fn of(document: &Document, entry: &Entry) -> Self {
        Self {
            document: document.key.to_term(),
            title: document.title.clone(),
            heading: document.heading.clone(),
            requirement: entry.requirement.clone(),
            text: entry.text.clone(),
            scenarios: entry.scenarios.clone(),
        }
    }

    pub(crate) fn language(&self) -> Language {
        Language::of(texts_to_read(&self.text, &self.scenarios))
    }

    /// The passages whose meaning was, or is to be, taken: all of them, or the first alone.
    pub(crate) fn passages(self, kind: Kind, most: usize) -> Vec<String> {
        let (heading, entry) = self.into_entry(kind);
        if most == 1 { vec![passage::whole(&heading, &entry)] } else { passages(&heading, &entry) }
    }

    /// What is read together with a question: what it says in short, and so many of its parts at most.
    pub(crate) fn closely(self, kind: Kind, most: usize) -> (String, Vec<String>) {
        let (heading, entry) = self.into_entry(kind);
        (passage::gist(&heading, &entry), passage::parts_of_whole(&heading, &entry, most))
    }

    /// The first passage, and what is embedded in its place in bulk.
    pub(crate) fn gist(self, kind: Kind) -> (String, String) {
        let (heading, entry) = self.into_entry(kind);
        (passage::whole(&heading, &entry), passage::gist(&heading, &entry))
    }

    fn into_entry(self, kind: Kind) -> (String, Entry) {
        let Self { heading, requirement, text, scenarios, .. } = self;
        (heading, Entry { kind, requirement, text, scenarios })
    }
}
