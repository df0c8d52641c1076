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

/// The products of two vectors' components, summed.
pub(crate) fn dot(a: &[i8], b: &[i8]) -> i32 {
    Dot { a, b }.dispatch()
}

/// In the widest registers of the processor at hand, whatever one it was compiled for: a scan of all vectors is nothing else.
struct Dot<'v> {
    a: &'v [i8],
    b: &'v [i8],
}

impl SimdOp for Dot<'_> {
    type Output = i32;

    #[inline(always)]
    #[expect(clippy::inline_always, reason = "what is not inlined is not compiled for that processor")]
    fn eval<I: Isa>(self, isa: I) -> i32 {
        let (bytes, products, sums) = (isa.i8(), isa.i16(), isa.i32());
        let mut total = sums.zero();
        let mut add = |x: I::I8, y: I::I8| {
            let low = products.mul(bytes.extend_low(x), bytes.extend_low(y));
            let high = products.mul(bytes.extend_high(x), bytes.extend_high(y));
            for product in [low, high] {
                total = sums.add(total, products.extend_low(product));
                total = sums.add(total, products.extend_high(product));
            }
        };
        let (mut a, mut b) = (self.a.chunks_exact(bytes.len()), self.b.chunks_exact(bytes.len()));
        for (x, y) in a.by_ref().zip(b.by_ref()) {
            add(bytes.load(x), bytes.load(y));
        }
        // What is behind the end counts as nothing.
        add(bytes.load_pad(a.remainder()).0, bytes.load_pad(b.remainder()).0);
        sums.sum(total)
    }
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
        fn products_are_exact(pairs in proptest::collection::vec((any::<i8>(), any::<i8>()), 0..100)) {
            let (a, b): (Vec<i8>, Vec<i8>) = pairs.iter().copied().unzip();
            let expected: i32 = pairs.iter().map(|(x, y)| i32::from(*x) * i32::from(*y)).sum();
            prop_assert_eq!(dot(&a, &b), expected);
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
