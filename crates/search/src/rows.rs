//! Which vectors belong to which entry of the word index, for one state of both.

use std::ops::Range;

use tantivy::{DocAddress, Searcher, TantivyError};

use crate::document::Kind;
use crate::lexical::Fields;
use crate::passage::bulk_key;
use crate::rank::Role;
use crate::vectors::{Quantized, Vectors};

/// No vector yet.
const NONE: u32 = u32::MAX;
/// Not an entry: removed, or a mark.
const NO_ENTRY: u8 = u8::MAX;
/// Set in the code of a kind when the entry is a summary.
const SUMMARY: u8 = 0x40;
/// With more entries than these only the whole of each counts: parts are worth little among so many, and would cost
/// three times the memory, and three times as long to make.
const MANY: u64 = 20_000;
/// So many entries are compared by one core in a piece.
const PIECE: usize = 4_096;
/// So many entries are taken by meaning.
const MOST_ALIKE: usize = 1_000;

#[derive(Debug, Default)]
pub(crate) struct Rows {
    segments: Vec<Segment>,
    pub(crate) entries: usize,
    pub(crate) passages: usize,
    /// Passages without a vector.
    pub(crate) missing: usize,
    /// How many passages of an entry count.
    pub(crate) parts: usize,
    many: bool,
    /// So vectors made in bulk count, and no others.
    made_in_bulk: bool,
}

#[derive(Debug, Default)]
struct Segment {
    /// Codes of kinds.
    kinds: Vec<u8>,
    /// Where the rows of an entry end; they begin where those of the one before end.
    ends: Vec<u32>,
    rows: Vec<u32>,
    /// The key of the vector that belongs in each row.
    keys: Vec<u64>,
}

impl Rows {
    pub(crate) fn join(
        searcher: &Searcher,
        vectors: &Vectors,
        with_parts: bool,
        has_bulk: bool,
    ) -> Result<Self, TantivyError> {
        let many = searcher.num_docs() > MANY;
        let parts = if many || !with_parts { 1 } else { usize::MAX };
        let mut all = Self { parts, many, made_in_bulk: many && has_bulk, ..Self::default() };
        for reader in searcher.segment_readers() {
            let columns = reader.fast_fields();
            let kinds = columns.column_opt::<u64>(Fields::KIND)?;
            let summaries = columns.column_opt::<bool>(Fields::SUMMARY)?;
            let passages = columns.column_opt::<u64>(Fields::PASSAGES)?;
            let entries = reader.max_doc() as usize;
            let mut segment = Segment {
                kinds: Vec::with_capacity(entries),
                ends: Vec::with_capacity(entries),
                keys: Vec::with_capacity(passages.as_ref().map_or(0, |keys| keys.values.num_vals()) as usize),
                rows: Vec::new(),
            };
            for entry in 0..reader.max_doc() {
                let kind =
                    kinds.as_ref().filter(|_| !reader.is_deleted(entry)).and_then(|kinds| kinds.first(entry));
                let kind = kind.and_then(Kind::from_code).map_or(NO_ENTRY, Kind::code);
                let is_summary =
                    summaries.as_ref().and_then(|summaries| summaries.first(entry)) == Some(true);
                segment.kinds.push(if kind != NO_ENTRY && is_summary { kind | SUMMARY } else { kind });
                if kind != NO_ENTRY {
                    all.entries += 1;
                    let own = passages.iter().flat_map(|passages| passages.values_for_doc(entry));
                    segment.keys.extend(own.take(parts));
                }
                segment.ends.push(u32::try_from(segment.keys.len()).unwrap_or(NONE));
            }
            segment.rows = vec![NONE; segment.keys.len()];
            all.passages += segment.keys.len();
            all.segments.push(segment);
        }
        all.find_missing(vectors);
        Ok(all)
    }

    /// Whether there are so many entries that vectors made in bulk do.
    pub(crate) fn is_bulk(&self) -> bool {
        self.many
    }

    /// Looks for the vectors that were not there yet, among more of them than before.
    pub(crate) fn find_missing(&mut self, vectors: &Vectors) {
        self.missing = 0;
        let made_in_bulk = self.made_in_bulk;
        for segment in &mut self.segments {
            for (row, key) in segment.rows.iter_mut().zip(&segment.keys).filter(|(row, _)| **row == NONE) {
                // Never one kind among the other: scores would depend on how many entries there have been.
                let key = if made_in_bulk { bulk_key(*key) } else { *key };
                *row = vectors.row(key).unwrap_or(NONE);
                self.missing += usize::from(*row == NONE);
            }
        }
    }

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

    /// Entries that lack a vector, with their kind.
    pub(crate) fn incomplete(&self) -> impl Iterator<Item = (DocAddress, Kind)> {
        self.segments.iter().enumerate().flat_map(|(ordinal, segment)| {
            segment
                .entries()
                .filter(|(_, rows)| rows.contains(&NONE))
                .filter_map(move |(entry, _)| Some((address(ordinal, entry), segment.kind(entry)?.0)))
        })
    }

    /// The row of the whole of an entry, if its vector is there.
    pub(crate) fn whole(&self, address: DocAddress) -> Option<u32> {
        let segment = self.segments.get(address.segment_ord as usize)?;
        let entry = address.doc_id as usize;
        let (_, rows) =
            (entry < segment.ends.len()).then(|| segment.entries_in(entry..entry + 1).next())??;
        rows.first().copied().filter(|row| *row != NONE)
    }

    /// What an entry is; `None` for what is not one.
    pub(crate) fn kind(&self, address: DocAddress) -> Option<(Kind, Role)> {
        self.segments.get(address.segment_ord as usize)?.kind(address.doc_id as usize)
    }

    /// Every row that is in use.
    pub(crate) fn used(&self) -> impl Iterator<Item = u32> {
        self.segments.iter().flat_map(|segment| &segment.rows).copied().filter(|row| *row != NONE)
    }
}

impl Segment {
    fn entries(&self) -> impl Iterator<Item = (usize, &[u32])> {
        self.entries_in(0..self.ends.len())
    }

    fn entries_in(&self, range: Range<usize>) -> impl Iterator<Item = (usize, &[u32])> {
        let mut start = range.start.checked_sub(1).map_or(0, |before| self.ends[before]);
        let ends = self.ends[range.clone()].iter();
        range.zip(ends).map(move |(entry, end)| {
            let rows = &self.rows[start as usize..*end as usize];
            start = *end;
            (entry, rows)
        })
    }

    fn kind(&self, entry: usize) -> Option<(Kind, Role)> {
        let code = *self.kinds.get(entry)?;
        let role = if code & SUMMARY == 0 { Role::Content } else { Role::Summary };
        Some((Kind::from_code(u64::from(code & !SUMMARY))?, role))
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

fn address(segment: usize, entry: usize) -> DocAddress {
    let part = |n: usize| u32::try_from(n).expect("tantivy counts segments and entries in 32 bits");
    DocAddress { segment_ord: part(segment), doc_id: part(entry) }
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
