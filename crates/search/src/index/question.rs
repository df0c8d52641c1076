//! A question: what it asks for, by words and by meaning.

use std::sync::OnceLock;

use super::Shared;
use super::answer::Query;
use crate::language::Language;
use crate::lexical::Asked;
use crate::sense::without_repeats;
use crate::tokens::AskedTokens;
use crate::vectors::Quantized;
use crate::words::words;

/// A question, read once, for as many indexes as it is put to.
#[derive(Debug)]
pub struct Question<'q> {
    pub(super) query: Query<'q>,
    /// Its text without repeats.
    pub(super) text: String,
    pub(super) asked: Asked,
    /// What it means, once somebody had to know; nothing where the model could not tell.
    pub(super) meaning: OnceLock<Option<AskedMeaning>>,
}

/// What a question means.
#[derive(Debug)]
pub(super) struct AskedMeaning {
    pub(super) vector: Quantized,
    tokens: Option<AskedTokens>,
}

impl<'q> Question<'q> {
    pub fn new(query: &Query<'q>) -> Self {
        let text = without_repeats(query.text).into_owned();
        let asked = Asked::parse(&text);
        Self { query: query.clone(), text, asked, meaning: OnceLock::new() }
    }

    /// Its tokens, once its meaning is known, by a model that tells tokens apart.
    pub(super) fn tokens(&self) -> Option<&AskedTokens> {
        self.meaning.get()?.as_ref()?.tokens.as_ref()
    }

    /// How near a vector is to what it means, once that is known.
    pub(super) fn nearness(&self, vector: &[f32]) -> Option<f32> {
        Some(self.meaning.get()?.as_ref()?.vector.cosine(&Quantized::of(vector)))
    }

    pub(super) fn text(&self) -> &str {
        self.text.trim()
    }

    /// Its words as they are spelled, but for small ones.
    pub(super) fn spelled(&self) -> Vec<&str> {
        let words = words(&self.text, Language::of([self.text()]));
        words.into_iter().filter(|word| !word.is_small).map(|word| &self.text[word.span]).collect()
    }

    pub(super) fn query(&self) -> &Query<'q> {
        &self.query
    }
}

/// What a text means as a question; nothing, and the reason kept, where the model could not tell.
pub(super) fn embed(shared: &Shared, text: &str) -> Option<AskedMeaning> {
    match shared.embedder.as_ref()?.embed_question(text) {
        Ok(embedding) => Some(AskedMeaning {
            vector: Quantized::of(&embedding.vector),
            tokens: embedding.tokens.as_ref().and_then(AskedTokens::of),
        }),
        Err(error) => {
            shared.set_failure(Some(error));
            None
        }
    }
}
