//! All vectors in one block of memory, found by key.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasherDefault, Hasher};

use super::quantized::{Quantized, dots};
use super::token_file::Place;

/// Vectors of one model.
#[derive(Debug, Default)]
pub(crate) struct Vectors {
    dimensions: usize,
    values: Vec<i8>,
    factors: Vec<f32>,
    keys: Vec<u64>,
    /// Where the tokens of each lie.
    tokens: Vec<Place>,
    rows: HashMap<u64, u32, BuildHasherDefault<AsItIs>>,
}

/// One vector of the table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Row<'v> {
    pub(crate) key: u64,
    pub(crate) factor: f32,
    pub(crate) values: &'v [i8],
    pub(crate) tokens: Place,
}

/// Keys are pieces of a SHA-256 already: hashing them once more would take longer than finding them.
#[derive(Debug, Default)]
struct AsItIs(u64);

impl Hasher for AsItIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }
}

impl Vectors {
    pub(crate) fn new(dimensions: usize) -> Self {
        Self { dimensions, ..Self::default() }
    }

    pub(crate) fn dimensions(&self) -> usize {
        self.dimensions
    }

    pub(crate) fn len(&self) -> usize {
        self.factors.len()
    }

    pub(crate) fn row(&self, key: u64) -> Option<u32> {
        self.rows.get(&key).copied()
    }

    pub(crate) fn contains(&self, key: u64) -> bool {
        self.rows.contains_key(&key)
    }

    /// Where the tokens lie of the text whose vector is in a row.
    pub(crate) fn tokens(&self, row: u32) -> Place {
        self.tokens.get(row as usize).copied().unwrap_or(Place::NOWHERE)
    }

    /// Adds a vector; one that has another length is left out. Of one that is there already only the tokens are taken: they were made again
    /// because those from before are damaged.
    pub(crate) fn push(&mut self, key: u64, factor: f32, values: &[i8], tokens: Place) {
        let Ok(row) = u32::try_from(self.factors.len()) else { return };
        if values.len() != self.dimensions {
            return;
        }
        match self.rows.entry(key) {
            Entry::Vacant(place) => {
                place.insert(row);
                self.keys.push(key);
                self.factors.push(factor);
                self.tokens.push(tokens);
                self.values.extend_from_slice(values);
            }
            Entry::Occupied(place) if tokens.is_somewhere() => self.tokens[*place.get() as usize] = tokens,
            Entry::Occupied(_) => {}
        }
    }

    pub(crate) fn reserve(&mut self, more: usize) {
        self.values.reserve(more * self.dimensions);
        self.factors.reserve(more);
        self.keys.reserve(more);
        self.tokens.reserve(more);
        self.rows.reserve(more);
    }

    /// Every vector, in the order they came.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Row<'_>> {
        let values = self.values.chunks_exact(self.dimensions.max(1));
        let rows = self.keys.iter().zip(&self.factors).zip(values).zip(&self.tokens);
        rows.map(|(((key, factor), values), tokens)| Row {
            key: *key,
            factor: *factor,
            values,
            tokens: *tokens,
        })
    }

    /// The cosines of a vector with rows, in their order, in the place of whatever is there.
    #[expect(
        clippy::cast_precision_loss,
        reason = "384 products of 127 by 127 are exact in a float's 24 bits"
    )]
    pub(crate) fn cosines_into(&self, query: &Quantized, rows: &[u32], cosines: &mut Vec<f32>) {
        let values = |row: &u32| {
            let start = *row as usize * self.dimensions;
            &self.values[start..start + self.dimensions]
        };
        let factors = rows.iter().map(|row| self.factors[*row as usize] * query.factor);
        let sums = dots(&query.values, rows.iter().map(values));
        cosines.clear();
        cosines.extend(sums.into_iter().zip(factors).map(|(sum, factor)| sum as f32 * factor));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vector_is_found_by_key_and_compared() {
        let mut vectors = Vectors::new(3);
        for (key, vector) in [(7, [1.0, 0.0, 0.0]), (9, [0.6, 0.8, 0.0])] {
            let quantized = Quantized::of(&vector);
            vectors.push(key, quantized.factor, &quantized.values, Place::NOWHERE);
        }
        let query = Quantized::of(&[1.0, 0.0, 0.0]);
        let cosine = |key| {
            let mut cosines = Vec::new();
            vectors.cosines_into(&query, &[vectors.row(key).unwrap()], &mut cosines);
            cosines[0]
        };
        assert!((cosine(7) - 1.0).abs() < 0.01);
        assert!((cosine(9) - 0.6).abs() < 0.01);
        assert_eq!(vectors.row(8), None);
    }

    #[test]
    fn a_key_is_kept_once_and_a_wrong_length_not_at_all() {
        let mut vectors = Vectors::new(2);
        let tokens = Place { at: 7, length: 9 };
        vectors.push(1, 1.0, &[1, 2], tokens);
        vectors.push(1, 1.0, &[3, 4], Place::NOWHERE);
        vectors.push(2, 1.0, &[1, 2, 3], Place::NOWHERE);
        assert_eq!(
            vectors.iter().collect::<Vec<_>>(),
            [Row { key: 1, factor: 1.0, values: &[1, 2], tokens }]
        );
        assert_eq!((vectors.tokens(0), vectors.tokens(1)), (tokens, Place::NOWHERE));
    }
}
