//! A seeded stand-in for the model, and small documents.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use hewto_search::{
    Document, DocumentKey, Embedder, Embedding, Entry, Fingerprint, Identity, Index, Kind, ModelError, Query,
    Scenario, Tokens,
};

/// Each word has its own direction; a text points where its words point together.
#[derive(Debug, Default)]
pub(crate) struct StandIn {
    pub(crate) embedded: AtomicUsize,
    pub(crate) broken: AtomicBool,
    pub(crate) seed: u8,
    /// How near it finds any text to the tokens of any short query; nothing where it does not tell tokens apart.
    pub(crate) near: Option<f32>,
    /// Whether it makes vectors in bulk, which leave out the first word.
    pub(crate) in_bulk: bool,
}

const DIMENSIONS: usize = 64;

impl Embedder for StandIn {
    fn identity(&self) -> Identity {
        Identity([self.seed; 32])
    }

    fn dimensions(&self) -> usize {
        DIMENSIONS
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Embedding>, ModelError> {
        if self.broken.load(Ordering::Relaxed) {
            return Err(ModelError::Run { reason: "it is broken".to_owned() });
        }
        self.embedded.fetch_add(texts.len(), Ordering::Relaxed);
        Ok(texts.iter().map(|text| Embedding { vector: vector(text), tokens: self.tokens(text) }).collect())
    }

    fn has_tokens(&self) -> bool {
        self.near.is_some()
    }

    fn has_bulk(&self) -> bool {
        self.in_bulk
    }

    fn embed_in_bulk(&self, texts: &[&str]) -> Result<Vec<Embedding>, ModelError> {
        let rest = |text: &&str| text.split_once(' ').map_or(String::new(), |(_, rest)| rest.to_owned());
        let made = texts.iter().map(rest).map(|text| Embedding { vector: vector(&text), tokens: None });
        Ok(made.collect())
    }
}

impl StandIn {
    /// One token, which is as near to that of any question as `near` says; of what is said precisely, as near as can be.
    fn tokens(&self, text: &str) -> Option<Tokens> {
        let near = if text.contains("precisely") { 1.0 } else { self.near? };
        let is_asked = text.len() < 40;
        let vector = if is_asked { [1.0, 0.0] } else { [near, (1.0 - near * near).sqrt()] };
        Some(Tokens { width: 2, vectors: vector.to_vec(), weights: vec![1.0] })
    }
}

fn vector(text: &str) -> Vec<f32> {
    let mut sum = vec![0.01_f32; DIMENSIONS];
    for word in text.to_lowercase().split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        let mut state = word.bytes().fold(0x9e37_79b9_7f4a_7c15_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        for value in &mut sum {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            *value += if state >> 63 == 1 { 1.0 } else { -1.0 };
        }
    }
    let length = sum.iter().map(|x| x * x).sum::<f32>().sqrt();
    sum.into_iter().map(|x| x / length).collect()
}

pub(crate) fn open(folder: &Path) -> Index {
    Index::open(folder, Some(Arc::new(StandIn::default()))).unwrap()
}

pub(crate) fn key(id: &str) -> DocumentKey {
    DocumentKey::new(Kind::Spec, id)
}

/// A spec with a Purpose and one requirement for each pair of name and text.
pub(crate) fn spec(id: &str, requirements: &[(&str, &str)]) -> Document {
    let mut entries = vec![Entry {
        kind: Kind::Spec,
        requirement: None,
        text: format!("Why there is {id}"),
        scenarios: Vec::new(),
    }];
    entries.extend(requirements.iter().map(|(name, text)| Entry {
        kind: Kind::Requirement,
        requirement: Some((*name).to_owned()),
        text: (*text).to_owned(),
        scenarios: vec![Scenario {
            name: format!("{name} happens"),
            text: "WHEN it does THEN it is".to_owned(),
        }],
    }));
    Document {
        key: key(id),
        fingerprint: Fingerprint::of(format!("{requirements:?}").as_bytes()),
        title: id.into(),
        heading: id.into(),
        entries,
    }
}

pub(crate) fn fill(index: &Index, documents: Vec<Document>) {
    index.apply(documents, &[]).unwrap();
    index.embed_all(|_| true).unwrap();
}

/// `spec/requirement` of each hit.
pub(crate) fn found(index: &Index, text: &str) -> Vec<String> {
    let answer = index.search(&Query::new(text)).unwrap();
    let name = |hit: &hewto_search::Hit| match &hit.requirement {
        Some(requirement) => format!("{}/{requirement}", hit.document.id),
        None => hit.document.id.clone(),
    };
    answer.hits.iter().map(name).collect()
}
