//! One question is put to many indexes, and embedded once.

use std::sync::{Arc, Mutex, PoisonError};

use hewto_search::{Embedder, Embedding, Identity, ModelError};

/// So many texts of questions keep their vector: one question is put to many indexes.
const QUESTIONS: usize = 64;

/// A model that remembers what it was asked last.
#[derive(Debug)]
pub(super) struct Remembering {
    model: Arc<dyn Embedder>,
    last: Mutex<Vec<(String, Embedding)>>,
}

impl Remembering {
    pub(super) fn new(model: Arc<dyn Embedder>) -> Self {
        Self { model, last: Mutex::default() }
    }
}

impl Embedder for Remembering {
    fn identity(&self) -> Identity {
        self.model.identity()
    }

    fn dimensions(&self) -> usize {
        self.model.dimensions()
    }

    fn has_tokens(&self) -> bool {
        self.model.has_tokens()
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Embedding>, ModelError> {
        self.model.embed(texts)
    }

    fn knows_any(&self, words: &[&str]) -> bool {
        self.model.knows_any(words)
    }

    fn read(&self, question: &str, texts: &[&str]) -> Option<Vec<f32>> {
        self.model.read(question, texts)
    }

    fn embed_question(&self, question: &str) -> Result<Embedding, ModelError> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, embedding)) = last.iter().find(|(known, _)| known == question) {
            return Ok(embedding.clone());
        }
        let embedding = self.model.embed_question(question)?;
        if last.len() >= QUESTIONS {
            last.remove(0);
        }
        last.push((question.to_owned(), embedding.clone()));
        Ok(embedding)
    }
}
