//! What the words of a question find, which needs no model: it is looked up while the model reads the question.

use tantivy::{DocAddress, TantivyError};

use crate::document::Kind;
use crate::lexical::{Asked, Lexical, View, WordMatch};

/// What words alone say of a question.
#[derive(Debug)]
pub(super) struct ByWords {
    /// The words that were looked up, in the language in which they occur.
    pub(super) words: Vec<String>,
    /// In the order of their addresses.
    pub(super) matches: Vec<(DocAddress, WordMatch)>,
    /// The share of them that occur anywhere.
    pub(super) known: f32,
}

impl ByWords {
    pub(super) fn find(
        asked: &Asked,
        view: &View,
        lexical: &Lexical,
        kinds: &[Kind],
    ) -> Result<Self, TantivyError> {
        let (living, fields) = (view.living(), lexical.fields());
        let asked = asked.clone().settled(&living, fields)?;
        let matches = asked.matches(&living, fields, kinds)?;
        let known = asked.known(&living, fields)?;
        Ok(Self { words: asked.words, matches, known })
    }
}
