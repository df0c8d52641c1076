//! Which vectors belong to which entry of the word index, for one state of both.

mod similar;

use std::ops::Range;

use tantivy::{DocAddress, Searcher, TantivyError};

use crate::document::Kind;
use crate::lexical::Fields;
use crate::passage::bulk_key;
use crate::rank::Role;
use crate::vectors::Vectors;

pub(crate) use self::similar::Similarities;

/// No vector yet.
const NONE: u32 = u32::MAX;
/// Not an entry: removed, or a mark.
const NO_ENTRY: u8 = u8::MAX;
/// Set in the code of a kind when the entry is a summary.
const SUMMARY: u8 = 0x40;
/// With more entries than these only the whole of each counts: parts are worth little among so many, and would cost
/// three times the memory, and three times as long to make.
const MANY: u64 = 20_000;
/// With more than this share of the vectors missing, meaning is left out: it would only find what it knows.
const MISSING_TENTHS: usize = 1;

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

    /// The whole of each of these entries, by the vectors that are made in bulk.
    pub(crate) fn in_bulk(&self, vectors: &Vectors) -> Self {
        let segments: Vec<Segment> = self.segments.iter().map(Segment::wholes).collect();
        let passages = segments.iter().map(|segment| segment.keys.len()).sum();
        let entries = self.entries;
        let mut all =
            Self { segments, entries, passages, parts: 1, many: true, made_in_bulk: true, missing: 0 };
        all.find_missing(vectors);
        all
    }

    /// Whether there are so many entries that vectors made in bulk do.
    pub(crate) fn is_bulk(&self) -> bool {
        self.many
    }

    /// Whether so many vectors are there that they can rank.
    pub(crate) fn can_rank(&self) -> bool {
        self.missing * 10 <= self.passages * MISSING_TENTHS
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
    /// The same entries with the first passage of each, their rows yet to be found.
    fn wholes(&self) -> Self {
        let mut wholes = Self { kinds: self.kinds.clone(), ..Self::default() };
        let mut start = 0;
        for end in &self.ends {
            wholes.keys.extend((start < *end).then(|| self.keys[start as usize]));
            wholes.ends.push(u32::try_from(wholes.keys.len()).unwrap_or(NONE));
            start = *end;
        }
        wholes.rows = vec![NONE; wholes.keys.len()];
        wholes
    }

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

fn address(segment: usize, entry: usize) -> DocAddress {
    let part = |n: usize| u32::try_from(n).expect("tantivy counts segments and entries in 32 bits");
    DocAddress { segment_ord: part(segment), doc_id: part(entry) }
}
