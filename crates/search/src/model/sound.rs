//! Whether a model that somebody names is one of sentences, read with our vocabulary.
//!
//! A file may run and still be something else: a classifier, a model with another vocabulary, weights that were never
//! trained. Its vectors would rank, and rank wrongly.

use super::session::Session;
use super::{ModelError, cosine};

/// Pairs that mean the same and have no word in common.
const PAIRS: [(&str, &str); 6] = [
    ("a fast car", "this automobile is quick"),
    ("the doctor cures patients", "a physician heals the sick"),
    ("we buy food", "groceries were purchased"),
    ("the kid is happy", "a joyful child"),
    ("it rains outside", "wet weather with showers"),
    ("the king rules his country", "a monarch governs the nation"),
];
/// So many have to be told from the others.
const ENOUGH: usize = 5;

/// How long its vectors are, if they tell what means the same.
pub(super) fn check(session: &Session) -> Result<usize, ModelError> {
    let texts: Vec<&str> = PAIRS.iter().flat_map(|(one, other)| [*one, *other]).collect();
    let vectors: Vec<Vec<f32>> = session.embed(&texts)?.into_iter().map(|text| text.vector).collect();
    let others: Vec<&[f32]> = vectors.iter().skip(1).step_by(2).map(Vec::as_slice).collect();
    let told = vectors.iter().step_by(2).enumerate().filter(|(own, vector)| {
        let near = |place: &usize| cosine(vector, others[*place]);
        (0..others.len()).filter(|place| place != own).all(|place| near(&place) < near(own))
    });
    if told.count() < ENOUGH {
        let reason = "it does not tell sentences that mean the same from others".to_owned();
        return Err(ModelError::Unusable { reason });
    }
    Ok(vectors.first().map_or(0, Vec::len))
}
