//! A vector in 8-bit integers with one factor.

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
///
/// The fixed-size blocks let the compiler use the processor's wide multiply-add, without which a scan takes five
/// times as long.
pub(super) fn dot(a: &[i8], b: &[i8]) -> i32 {
    const BLOCK: usize = 32;
    let blocks = a.chunks_exact(BLOCK).zip(b.chunks_exact(BLOCK));
    let rest = a.chunks_exact(BLOCK).remainder().iter().zip(b.chunks_exact(BLOCK).remainder());
    let sum = |pairs: std::iter::Zip<std::slice::Iter<'_, i8>, std::slice::Iter<'_, i8>>| {
        pairs.map(|(x, y)| i32::from(i16::from(*x) * i16::from(*y))).sum::<i32>()
    };
    blocks.map(|(x, y)| sum(x.iter().zip(y))).sum::<i32>() + sum(rest)
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
