//! A vector in 8-bit integers with one factor.

use rten_simd::ops::{BitOps as _, Extend as _, NumOps as _};
use rten_simd::{Isa, SimdOp};

/// `factor * values` is the vector, to about half a percent of its largest component.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Quantized {
    pub(crate) factor: f32,
    pub(crate) values: Vec<i8>,
}

impl Quantized {
    /// The cosine between the two vectors.
    pub(crate) fn cosine(&self, other: &Self) -> f32 {
        let products = self.values.iter().zip(&other.values).map(|(a, b)| f32::from(*a) * f32::from(*b));
        products.sum::<f32>() * self.factor * other.factor
    }

    pub(crate) fn of(vector: &[f32]) -> Self {
        let largest = vector.iter().fold(0.0_f32, |largest, x| largest.max(x.abs()));
        if largest == 0.0 || !largest.is_finite() {
            return Self { factor: 0.0, values: vec![0; vector.len()] };
        }
        let factor = largest / 127.0;
        #[expect(
            clippy::cast_possible_truncation,
            reason = "a component divided by the factor is within 127"
        )]
        let values = vector.iter().map(|x| (x / factor).round() as i8).collect();
        Self { factor, values }
    }
}

/// The products of a vector's components with those of each of some others, summed, in the widest registers of the processor at hand,
/// whatever one the program was compiled for: a scan of all vectors is nothing else.
pub(crate) fn dots<'v>(vector: &[i8], others: impl Iterator<Item = &'v [i8]>) -> Vec<i32> {
    Dots { vector, others }.dispatch()
}

struct Dots<'v, T> {
    vector: &'v [i8],
    others: T,
}

impl<'o, T: Iterator<Item = &'o [i8]>> SimdOp for Dots<'_, T> {
    type Output = Vec<i32>;

    #[inline(always)]
    #[expect(clippy::inline_always, reason = "what is not inlined is not compiled for that processor")]
    fn eval<I: Isa>(self, isa: I) -> Vec<i32> {
        let mut sums = Vec::with_capacity(self.others.size_hint().0);
        // No closure between here and the instructions: none would be inlined.
        for other in self.others {
            sums.push(dot(isa, self.vector, other));
        }
        sums
    }
}

#[inline(always)]
#[expect(clippy::inline_always, reason = "what is not inlined is not compiled for that processor")]
fn dot<I: Isa>(isa: I, a: &[i8], b: &[i8]) -> i32 {
    let (bytes, sums) = (isa.i8(), isa.i32());
    let mut total = sums.zero();
    let (mut a, mut b) = (a.chunks_exact(bytes.len()), b.chunks_exact(bytes.len()));
    for (x, y) in a.by_ref().zip(b.by_ref()) {
        total = sums.add(total, products(isa, bytes.load(x), bytes.load(y)));
    }
    if !a.remainder().is_empty() {
        // What is behind the end counts as nothing.
        let (x, y) = (bytes.load_pad(a.remainder()).0, bytes.load_pad(b.remainder()).0);
        total = sums.add(total, products(isa, x, y));
    }
    sums.sum(total)
}

/// The products of the components, four of them added up in each place. Two fit into sixteen bits, since none is below -127.
#[inline(always)]
#[expect(clippy::inline_always, reason = "what is not inlined is not compiled for that processor")]
fn products<I: Isa>(isa: I, x: I::I8, y: I::I8) -> I::I32 {
    let (bytes, pairs, sums) = (isa.i8(), isa.i16(), isa.i32());
    let low = pairs.mul(bytes.extend_low(x), bytes.extend_low(y));
    let high = pairs.mul(bytes.extend_high(x), bytes.extend_high(y));
    let both = pairs.add(low, high);
    sums.add(pairs.extend_low(both), pairs.extend_high(both))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_vector_of_nothing_stays_nothing() {
        assert_eq!(Quantized::of(&[0.0, 0.0]), Quantized { factor: 0.0, values: vec![0, 0] });
        assert_eq!(Quantized::of(&[f32::INFINITY, 1.0]).values, [0, 0]);
    }

    proptest! {
        #[test]
        fn products_are_exact(pairs in proptest::collection::vec((-127_i8..=127, -127_i8..=127), 0..500)) {
            let (a, b): (Vec<i8>, Vec<i8>) = pairs.iter().copied().unzip();
            let expected: i32 = pairs.iter().map(|(x, y)| i32::from(*x) * i32::from(*y)).sum();
            prop_assert_eq!(dots(&a, [&b[..], &a].into_iter())[0], expected);
        }

        #[test]
        fn little_is_lost(vector in proptest::collection::vec(-1.0_f32..1.0, 1..64)) {
            let quantized = Quantized::of(&vector);
            let largest = vector.iter().fold(0.0_f32, |largest, x| largest.max(x.abs()));
            for (x, q) in vector.iter().zip(&quantized.values) {
                prop_assert!((x - f32::from(*q) * quantized.factor).abs() <= largest / 127.0 * 0.51);
            }
        }
    }
}
