//! A text word by word: each token that says something has a short vector of its own.
//!
//! How near a text comes to a question is the mean, over the tokens of the question, of the cosine with the nearest token of the
//! text; tokens count by how much the model thinks that they matter. That tells what a single vector for all of it blurs: a text
//! may be about seats and reservations, and say nothing of bicycles. Those of a text are kept in four bits a number.

use crate::vectors::{Quantized, dots};

/// The largest number of a token in four bits.
const MOST: f32 = 7.0;

/// The tokens of a text, as the model gives them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Tokens {
    /// How long the vector of each is.
    pub width: usize,
    /// Vectors of length one, one after the other.
    pub vectors: Vec<f32>,
    /// What each counts in a question.
    pub weights: Vec<f32>,
}

/// The tokens of a question, ready to be compared.
#[derive(Debug)]
pub(crate) struct AskedTokens {
    tokens: Vec<Quantized>,
    /// They add up to one.
    weights: Vec<f32>,
}

impl AskedTokens {
    /// `None` where nothing is said.
    pub(crate) fn of(tokens: &Tokens) -> Option<Self> {
        let all: f32 = tokens.weights.iter().sum();
        if tokens.width == 0 || all <= 0.0 || !all.is_finite() {
            return None;
        }
        let vectors = tokens.vectors.chunks_exact(tokens.width);
        let weights = tokens.weights.iter().map(|weight| weight / all);
        Some(Self { tokens: vectors.map(Quantized::of).collect(), weights: weights.collect() })
    }

    /// How near a text comes, between 0 and 1, from its packed tokens.
    #[expect(clippy::cast_precision_loss, reason = "so few small products are exact in a float")]
    pub(crate) fn nearness(&self, packed: &[u8]) -> f32 {
        let Some(width) = self.tokens.first().map(|token| token.values.len()).filter(|width| *width > 1)
        else {
            return 0.0;
        };
        let (factors, values) = unpacked(packed, width);
        let near = |asked: &Quantized| {
            let sums = dots(&asked.values, values.chunks_exact(width));
            let cosines =
                sums.into_iter().zip(&factors).map(|(sum, factor)| sum as f32 * asked.factor * factor);
            cosines.fold(0.0, f32::max)
        };
        let sum: f32 =
            self.tokens.iter().zip(&self.weights).map(|(asked, weight)| near(asked) * weight).sum();
        sum.clamp(0.0, 1.0)
    }
}

/// The factor of each token, and their numbers one after the other.
fn unpacked(packed: &[u8], width: usize) -> (Vec<f32>, Vec<i8>) {
    let tokens = packed.chunks_exact(packed_size(width));
    let mut factors = Vec::with_capacity(tokens.len());
    let mut values = Vec::with_capacity(tokens.len() * width);
    for token in tokens {
        let Some((length, halves)) = token.split_first() else { continue };
        factors.push(f32::from(*length) / 255.0 / MOST);
        values.extend(halves.iter().map(|byte| (byte >> 4).cast_signed() - 8));
        values.extend(halves.iter().map(|byte| (byte & 15).cast_signed() - 8));
    }
    (factors, values)
}

/// The bytes of one token whose vector is so long: its largest number, then two numbers a byte.
fn packed_size(width: usize) -> usize {
    1 + width / 2
}

impl Tokens {
    /// In four bits a number, the first half of each vector in the upper halves of its bytes.
    pub(crate) fn packed(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.weights.len() * packed_size(self.width));
        for vector in self.vectors.chunks_exact(self.width.max(1)) {
            let largest = vector.iter().fold(0.0_f32, |largest, x| largest.max(x.abs())).min(1.0);
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 255")]
            let length = (largest * 255.0).round() as u8;
            bytes.push(length);
            let factor = f32::from(length.max(1)) / 255.0 / MOST;
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 1 and 15")]
            let number = |x: &f32| ((x / factor).round().clamp(-MOST, MOST) + 8.0) as u8;
            let (first, second) = vector.split_at(vector.len() / 2);
            bytes.extend(first.iter().zip(second).map(|(x, y)| number(x) << 4 | number(y)));
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn tokens(vectors: &[[f32; 4]], weights: &[f32]) -> Tokens {
        let unit = |vector: &[f32; 4]| {
            let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt().max(f32::MIN_POSITIVE);
            vector.map(|x| x / length)
        };
        Tokens { width: 4, vectors: vectors.iter().flat_map(unit).collect(), weights: weights.to_vec() }
    }

    #[test]
    fn each_token_of_a_question_counts_with_the_nearest_of_the_text() {
        let text = tokens(&[[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]], &[1.0, 1.0]).packed();
        let near = |vectors: &[[f32; 4]], weights: &[f32]| {
            AskedTokens::of(&tokens(vectors, weights)).unwrap().nearness(&text)
        };
        let (there, elsewhere) = ([1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]);
        assert!((near(&[there], &[1.0]) - 1.0).abs() < 0.01);
        assert!(near(&[elsewhere], &[1.0]) < 0.01);
        assert!((near(&[there, elsewhere], &[1.0, 1.0]) - 0.5).abs() < 0.01);
        assert!((near(&[there, elsewhere], &[3.0, 1.0]) - 0.75).abs() < 0.01);
    }

    #[test]
    fn what_says_nothing_is_near_to_nothing() {
        assert!(AskedTokens::of(&Tokens::default()).is_none());
        assert!(AskedTokens::of(&tokens(&[[1.0, 0.0, 0.0, 0.0]], &[0.0])).is_none());
        let asked = AskedTokens::of(&tokens(&[[1.0, 0.0, 0.0, 0.0]], &[1.0])).unwrap();
        assert!(asked.nearness(&[]) < f32::EPSILON);
        assert!(asked.nearness(&[255, 0xff]) < f32::EPSILON, "a piece of a token");
    }

    proptest! {
        #[test]
        fn four_bits_cost_little(vectors in proptest::collection::vec(proptest::array::uniform4(-1.0_f32..1.0), 1..8)) {
            let weights = vec![1.0; vectors.len()];
            let all = tokens(&vectors, &weights);
            for (vector, token) in vectors.iter().zip(all.vectors.chunks_exact(4)) {
                prop_assume!(vector.iter().any(|x| x.abs() > 0.05));
                let asked = Tokens { width: 4, vectors: token.to_vec(), weights: vec![1.0] };
                prop_assert!(AskedTokens::of(&asked).unwrap().nearness(&all.packed()) > 0.93);
            }
        }

        #[test]
        fn any_bytes_are_compared(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
            let asked = AskedTokens::of(&tokens(&[[0.5, 0.5, 0.5, 0.5]], &[1.0])).unwrap();
            prop_assert!((0.0..=1.0).contains(&asked.nearness(&bytes)));
        }
    }
}
