//! How near the entries of an index are to a query, and which of them are the nearest.

use std::ops::Range;

use tantivy::DocAddress;

use super::{NO_ENTRY, NONE, Rows, SUMMARY, address};
use crate::document::Kind;
use crate::vectors::{Quantized, Vectors};

/// So many entries are compared by one core in a piece.
const PIECE: usize = 4_096;
/// So many entries are taken by meaning.
const MOST_ALIKE: usize = 1_000;

impl Rows {
    /// How near each entry is to a query: the mean of the whole and of the best passage, which asks for an entry that is
    /// about the matter and has a place that says it.
    pub(crate) fn similarities(
        &self,
        vectors: &Vectors,
        query: &Quantized,
        kinds: &[Kind],
        most: usize,
    ) -> Similarities {
        let scan = Comparison { rows: self, vectors, query, kinds, most };
        let mut firsts = Vec::with_capacity(self.segments.len());
        let mut pieces = Vec::new();
        for (ordinal, segment) in self.segments.iter().enumerate() {
            firsts.push(pieces.len());
            let entries = segment.ends.len();
            pieces.extend((0..entries).step_by(PIECE).map(|from| (ordinal, from..entries.min(from + PIECE))));
        }
        let compared = if pieces.len() < 2 {
            vec![scan.compare(&pieces)]
        } else {
            hewto_parallel::map_chunks(&pieces, |pieces| scan.compare(pieces))
        };
        let mut all = Similarities { firsts, ..Similarities::default() };
        let mut nearest = Nearest::default();
        for (cosines, near) in compared {
            all.cosines.extend(cosines);
            nearest.kept.extend(near.kept);
        }
        nearest.cut();
        nearest.kept.sort_unstable_by_key(|(address, _)| *address);
        all.nearest = nearest.kept;
        all
    }
}

/// How near entries are to a query.
#[derive(Debug, Default)]
pub(crate) struct Similarities {
    /// Where the pieces of each segment begin.
    firsts: Vec<usize>,
    /// By piece and entry; not a number where there is no vector, or nobody asked for the kind.
    cosines: Vec<Vec<f32>>,
    /// The nearest, in the order of their addresses.
    pub(crate) nearest: Vec<(DocAddress, f32)>,
}

impl Similarities {
    pub(crate) fn of(&self, address: DocAddress) -> Option<f32> {
        let (segment, entry) = (address.segment_ord as usize, address.doc_id as usize);
        let piece = self.cosines.get(self.firsts.get(segment)? + entry / PIECE)?;
        piece.get(entry % PIECE).copied().filter(|cosine| !cosine.is_nan())
    }
}

/// One query on its way through the vectors of all entries.
struct Comparison<'s> {
    rows: &'s Rows,
    vectors: &'s Vectors,
    query: &'s Quantized,
    kinds: &'s [Kind],
    /// How many passages of an entry count.
    most: usize,
}

impl Comparison<'_> {
    /// The cosines of some pieces, and the nearest of their entries. Nothing but these is allocated anew for each piece.
    fn compare(&self, pieces: &[(usize, Range<usize>)]) -> (Vec<Vec<f32>>, Nearest) {
        let (mut all, mut nearest) = (Vec::with_capacity(pieces.len()), Nearest::default());
        let (mut own, mut places, mut cosines) = (Vec::new(), Vec::new(), Vec::new());
        for (ordinal, range) in pieces {
            let segment = &self.rows.segments[*ordinal];
            own.clear();
            places.clear();
            for (place, (entry, rows)) in segment.entries_in(range.clone()).enumerate() {
                if self.is_wanted(segment.kinds[entry]) {
                    let before = own.len();
                    own.extend(self.counting(rows));
                    if own.len() > before {
                        places.push((place, own.len()));
                    }
                }
            }
            self.vectors.cosines_into(self.query, &own, &mut cosines);
            let mut piece = vec![f32::NAN; range.len()];
            let mut start = 0;
            for (place, end) in &places {
                let whole = cosines[start];
                let best = cosines[start + 1..*end].iter().copied().fold(whole, f32::max);
                let cosine = f32::midpoint(whole, best);
                piece[*place] = cosine;
                nearest.take(cosine, || address(*ordinal, range.start + place));
                start = *end;
            }
            all.push(piece);
        }
        (all, nearest)
    }

    /// Those of an entry's rows that count and are there.
    fn counting<'r>(&self, rows: &'r [u32]) -> impl Iterator<Item = u32> + use<'r> {
        rows.iter().take(self.most).copied().filter(|row| *row != NONE)
    }

    fn is_wanted(&self, code: u8) -> bool {
        let of_kind = || self.kinds.iter().any(|kind| kind.code() == code & !SUMMARY);
        code != NO_ENTRY && (self.kinds.is_empty() || of_kind())
    }
}

/// The nearest entries of those that came by, in the order of their addresses.
#[derive(Debug)]
struct Nearest {
    kept: Vec<(DocAddress, f32)>,
    /// What is not nearer is not among them.
    least: f32,
}

impl Default for Nearest {
    fn default() -> Self {
        Self { kept: Vec::new(), least: f32::NEG_INFINITY }
    }
}

impl Nearest {
    fn take(&mut self, cosine: f32, address: impl FnOnce() -> DocAddress) {
        if cosine > self.least {
            self.kept.push((address(), cosine));
            if self.kept.len() >= 4 * MOST_ALIKE {
                self.cut();
            }
        }
    }

    /// Drops all but the nearest. Of those at one distance the first stay.
    fn cut(&mut self) {
        if self.kept.len() > MOST_ALIKE {
            let nearer =
                |a: &(DocAddress, f32), b: &(DocAddress, f32)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
            let (_, last, _) = self.kept.select_nth_unstable_by(MOST_ALIKE - 1, nearer);
            self.least = last.1;
            self.kept.truncate(MOST_ALIKE);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Of few different values, so that many are equally near.
        #[test]
        fn the_nearest_are_those_that_sorting_all_would_find(values in proptest::collection::vec(0_u8..40, 0..9_000)) {
            let all: Vec<(DocAddress, f32)> =
                values.iter().enumerate().map(|(at, value)| (address(at / 5_000, at % 5_000), f32::from(*value) / 40.0)).collect();
            let mut nearest = Nearest::default();
            for (address, cosine) in &all {
                nearest.take(*cosine, || *address);
            }
            nearest.cut();
            nearest.kept.sort_unstable_by_key(|(address, _)| *address);
            let mut expected = all;
            expected.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            expected.truncate(MOST_ALIKE);
            expected.sort_unstable_by_key(|(address, _)| *address);
            prop_assert_eq!(nearest.kept, expected);
        }
    }

    #[test]
    fn an_entry_is_as_near_as_its_whole_and_its_best_passage() {
        use crate::rows::Segment;
        use crate::vectors::Place;
        let mut vectors = Vectors::new(2);
        for (key, vector) in [(1, [1.0, 0.0]), (2, [0.0, 1.0]), (3, [0.6, 0.8])] {
            let quantized = Quantized::of(&vector);
            vectors.push(key, quantized.factor, &quantized.values, Place::NOWHERE);
        }
        // A whole with a part, one that lacks its vector, one that was removed, and a summary.
        let segment = Segment {
            kinds: vec![
                Kind::Requirement.code(),
                Kind::Requirement.code(),
                NO_ENTRY,
                Kind::Spec.code() | SUMMARY,
            ],
            ends: vec![2, 3, 3, 4],
            rows: vec![1, 0, NONE, 2],
            keys: vec![2, 1, 9, 3],
        };
        let rows = Rows { segments: vec![Segment::default(), segment], ..Rows::default() };
        let query = Quantized::of(&[1.0, 0.0]);
        let near = rows.similarities(&vectors, &query, &[], usize::MAX);
        let rounded = |entry| near.of(address(1, entry)).map(|cosine| (cosine * 10.0).round() / 10.0);
        assert_eq!([0, 1, 2, 3, 4].map(rounded), [Some(0.5), None, None, Some(0.6), None]);
        assert_eq!(near.of(address(7, 0)), None);
        assert_eq!(near.nearest.iter().map(|(at, _)| at.doc_id).collect::<Vec<_>>(), [0, 3]);
        let wholes = rows.similarities(&vectors, &query, &[Kind::Requirement], 1);
        assert_eq!(wholes.nearest.len(), 1);
        assert!(wholes.of(address(1, 0)).is_some_and(|cosine| cosine.abs() < 0.01));
    }
}
