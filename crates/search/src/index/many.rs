//! One question, put to many indexes: the best of all of them, and nothing else is read out.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use super::answer::Hit;
use super::compare::{best_places, compare};
use super::question::Question;
use super::weigh::{Scored, Weighed};
use crate::error::SearchError;

/// At least so many of the best are looked through before the rest is.
const LIKELY: usize = 256;

/// The best entries of several indexes that were asked one question, each with the place of its index among them, for as many as
/// `keep` takes up to the limit. Those of one score stand in the order of the indexes.
pub fn best_of(
    mut weighed: Vec<Weighed>,
    question: &Question<'_>,
    limit: usize,
    mut keep: impl FnMut(usize, &Hit) -> bool,
) -> Result<Vec<(usize, Hit)>, SearchError> {
    if weighed.iter().any(|one| one.is_quoted) {
        weighed.iter_mut().filter(|one| !one.is_quoted).for_each(|one| one.scored.clear());
    }
    compare(&mut weighed, question);
    let all = || {
        let places = weighed.iter().enumerate();
        places.flat_map(|(place, one)| (0..one.scored.len()).map(move |at| (place, at)))
    };
    // Nearly always these are enough; all of them in order would take longer than finding them.
    let likely = best_places(&weighed, limit.saturating_mul(8).max(LIKELY), |_| true);
    let score = |(place, at): &(usize, usize)| weighed[*place].scored[*at].score;
    let least = likely.iter().map(score).fold(f32::INFINITY, f32::min);
    let entry = |(place, at): (usize, usize)| Entry { place, scored: &weighed[place].scored[at] };
    let first = likely.into_iter().filter(|place| score(place) > least).map(entry).collect();
    let mut kept = Vec::with_capacity(limit.min(LIKELY));
    take_best(&weighed, first, limit, &mut kept, &mut keep)?;
    if kept.len() < limit {
        let rest = all().filter(|place| score(place) <= least).map(entry).collect();
        take_best(&weighed, rest, limit, &mut kept, &mut keep)?;
    }
    Ok(kept)
}

/// Reads out the best of these until there are enough.
fn take_best(
    weighed: &[Weighed],
    mut heap: BinaryHeap<Entry<'_>>,
    limit: usize,
    kept: &mut Vec<(usize, Hit)>,
    keep: &mut impl FnMut(usize, &Hit) -> bool,
) -> Result<(), SearchError> {
    while kept.len() < limit {
        let Some(first) = heap.pop() else { break };
        let mut equals = vec![first.scored.clone()];
        while heap.peek().is_some_and(|next| next.cmp(&first) == Ordering::Equal) {
            equals.extend(heap.pop().map(|next| next.scored.clone()));
        }
        let index = &weighed[first.place];
        for scored in index.in_order(&equals)? {
            if kept.len() == limit {
                break;
            }
            let hit = index.read(scored)?;
            kept.extend(hit.filter(|hit| keep(first.place, hit)).map(|hit| (first.place, hit)));
        }
    }
    Ok(())
}

/// An entry of one of the indexes: the better its score and the earlier its index, the greater.
struct Entry<'w> {
    place: usize,
    scored: &'w Scored,
}

impl Ord for Entry<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_score = self.scored.score.total_cmp(&other.scored.score);
        by_score.then_with(|| Reverse(self.place).cmp(&Reverse(other.place)))
    }
}

impl PartialOrd for Entry<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Entry<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Entry<'_> {}
