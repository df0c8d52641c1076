//! The best entries for a query by words.
//!
//! What the entries of one segment score decides how little of the next has to be looked at; tantivy's own collector begins anew with
//! each segment, and looks at every entry where only some kinds are wanted.

use tantivy::query::{EnableScoring, Query, Weight};
use tantivy::{DocAddress, SegmentReader, TantivyError};

use super::View;
use super::statistics::Living;
use crate::document::Kind;

/// With more entries than these the segments are shared out among the cores.
const MANY: u64 = 50_000;

/// So many of the best entries of these kinds, or of any if there are none; the best first, those of one score in the order of their
/// addresses.
pub(super) fn best(
    living: &Living<'_>,
    kinds: &[Kind],
    query: &dyn Query,
    most: usize,
) -> Result<Vec<(f32, DocAddress)>, TantivyError> {
    let view = living.view();
    let searcher = view.searcher();
    let weight = query.weight(EnableScoring::enabled_from_statistics_provider(living, searcher))?;
    let segments: Vec<(u32, &SegmentReader)> = (0..).zip(searcher.segment_readers()).collect();
    let look = |segments: &[(u32, &SegmentReader)]| -> Result<Best, TantivyError> {
        let mut best = Best::new(most);
        for (ordinal, segment) in segments {
            best.look_at(view, kinds, weight.as_ref(), *ordinal, segment)?;
        }
        Ok(best)
    };
    if searcher.num_docs() <= MANY {
        return look(&segments).map(Best::in_order);
    }
    let mut all = Best::new(most);
    for best in hewto_parallel::map_chunks(&segments, look) {
        all.kept.extend(best?.kept);
    }
    Ok(all.in_order())
}

/// The best of those that came by.
struct Best {
    most: usize,
    kept: Vec<(f32, DocAddress)>,
    /// What does not score more is not among them.
    least: f32,
}

impl Best {
    fn new(most: usize) -> Self {
        Self { most, kept: Vec::new(), least: f32::MIN }
    }

    fn look_at(
        &mut self,
        view: &View,
        kinds: &[Kind],
        weight: &dyn Weight,
        ordinal: u32,
        segment: &SegmentReader,
    ) -> Result<(), TantivyError> {
        weight.for_each_pruning(self.least, segment, &mut |entry, score| {
            let address = DocAddress::new(ordinal, entry);
            if !segment.is_deleted(entry) && view.is_of_kind(address, kinds) {
                self.kept.push((score, address));
                if self.kept.len() >= 2 * self.most {
                    self.cut();
                }
            }
            self.least
        })
    }

    /// Drops all but the best. Of those that score the same the first stay.
    fn cut(&mut self) {
        if let Some(last) = self.most.checked_sub(1).filter(|last| *last < self.kept.len()) {
            let (_, worst, _) = self.kept.select_nth_unstable_by(last, Self::better);
            self.least = worst.0;
            self.kept.truncate(self.most);
        }
    }

    fn in_order(mut self) -> Vec<(f32, DocAddress)> {
        self.cut();
        self.kept.sort_unstable_by(Self::better);
        self.kept
    }

    fn better(a: &(f32, DocAddress), b: &(f32, DocAddress)) -> std::cmp::Ordering {
        b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1))
    }
}
