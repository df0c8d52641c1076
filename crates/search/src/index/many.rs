//! One question, put to many indexes: the best of all of them, and nothing else is read out.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use super::answer::Hit;
use super::compare::{best_places, compare};
use super::weigh::{Question, Scored, Weighed};
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
    compare(&mut weighed, question);
    // Nearly always these are enough; all of them in order would take longer than finding them.
    let likely = best_places(&weighed, limit.saturating_mul(8).max(LIKELY), |_| true);
    let least =
        likely.iter().map(|(place, at)| weighed[*place].scored[*at].score).fold(f32::INFINITY, f32::min);
    let mut kept = Vec::with_capacity(limit.min(likely.len()));
    for is_among in [|score: f32, least: f32| score >= least, |score: f32, least: f32| score < least] {
        let all = weighed
            .iter()
            .enumerate()
            .flat_map(|(place, one)| one.scored.iter().map(move |scored| Entry { place, scored }));
        let mut heap: BinaryHeap<Entry<'_>> =
            all.filter(|entry| is_among(entry.scored.score, least)).collect();
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
        if kept.len() == limit {
            break;
        }
    }
    Ok(kept)
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
