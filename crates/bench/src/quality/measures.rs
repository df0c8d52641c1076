//! nDCG@10, MRR@10 and recall@5 with bootstrap intervals.

use std::collections::HashMap;
use std::fmt;

const DEPTH: usize = 10;
const RECALL_DEPTH: usize = 5;
const RESAMPLES: usize = 2_000;

/// Means over queries.
#[derive(Debug)]
pub(crate) struct Measures {
    pub(crate) count: usize,
    pub(crate) ndcg: Estimate,
    pub(crate) mrr: Estimate,
    pub(crate) recall: Estimate,
}

/// A mean and the interval that holds 95 % of the means of resampled queries.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Estimate {
    pub(crate) mean: f64,
    low: f64,
    high: f64,
}

impl fmt::Display for Estimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.3} ({:.3}–{:.3})", self.mean, self.low, self.high)
    }
}

impl Measures {
    /// Of rankings, each with the grades of what is relevant.
    pub(crate) fn of<'r>(rankings: impl Iterator<Item = (&'r HashMap<String, u32>, &'r [String])>) -> Self {
        let (mut ndcgs, mut mrrs, mut recalls) = (Vec::new(), Vec::new(), Vec::new());
        for (grades, ranking) in rankings {
            ndcgs.push(ndcg(grades, ranking));
            mrrs.push(reciprocal_rank(grades, ranking));
            recalls.push(recall(grades, ranking));
        }
        let count = ndcgs.len();
        Self { count, ndcg: estimate(&ndcgs), mrr: estimate(&mrrs), recall: estimate(&recalls) }
    }
}

fn ndcg(grades: &HashMap<String, u32>, ranking: &[String]) -> f64 {
    let gain = |grade: u32| f64::from(2_u32.pow(grade) - 1);
    let discounted = |grades: &mut dyn Iterator<Item = u32>| -> f64 {
        grades.take(DEPTH).zip(2_u32..).map(|(grade, place)| gain(grade) / f64::from(place).log2()).sum()
    };
    let mut ideal: Vec<u32> = grades.values().copied().collect();
    ideal.sort_unstable_by(|a, b| b.cmp(a));
    let found = discounted(&mut ranking.iter().map(|name| grades.get(name).copied().unwrap_or(0)));
    found / discounted(&mut ideal.into_iter())
}

/// Of the first full answer.
fn reciprocal_rank(grades: &HashMap<String, u32>, ranking: &[String]) -> f64 {
    let place = ranking.iter().take(DEPTH).zip(1_u32..).find(|(name, _)| grades.get(*name) == Some(&2));
    place.map_or(0.0, |(_, place)| 1.0 / f64::from(place))
}

/// Of full answers.
#[expect(clippy::cast_precision_loss, reason = "a handful of answers")]
fn recall(grades: &HashMap<String, u32>, ranking: &[String]) -> f64 {
    let answers = grades.values().filter(|grade| **grade == 2).count();
    let found = ranking.iter().take(RECALL_DEPTH).filter(|name| grades.get(*name) == Some(&2)).count();
    found as f64 / answers as f64
}

#[expect(clippy::cast_precision_loss, reason = "hundreds of queries")]
pub(crate) fn estimate(values: &[f64]) -> Estimate {
    let count = values.len().max(1);
    let mean = values.iter().sum::<f64>() / count as f64;
    // A fixed seed: the same values have the same interval.
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut draw = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        values.get(usize::try_from(state % count as u64).unwrap_or(0)).copied().unwrap_or(0.0)
    };
    let mut means: Vec<f64> =
        (0..RESAMPLES).map(|_| (0..count).map(|_| draw()).sum::<f64>() / count as f64).collect();
    means.sort_unstable_by(f64::total_cmp);
    Estimate { mean, low: means[RESAMPLES / 40], high: means[RESAMPLES - 1 - RESAMPLES / 40] }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grades(pairs: &[(&str, u32)]) -> HashMap<String, u32> {
        pairs.iter().map(|(name, grade)| ((*name).to_owned(), *grade)).collect()
    }

    fn ranking(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn a_perfect_ranking_scores_one_and_an_empty_one_nothing() {
        let grades = grades(&[("a", 2), ("b", 1)]);
        let perfect = ranking(&["a", "b", "x"]);
        assert_eq!(
            (ndcg(&grades, &perfect), reciprocal_rank(&grades, &perfect), recall(&grades, &perfect)),
            (1.0, 1.0, 1.0)
        );
        assert_eq!(
            (ndcg(&grades, &[]), reciprocal_rank(&grades, &[]), recall(&grades, &[])),
            (0.0, 0.0, 0.0)
        );
    }

    #[test]
    fn places_are_discounted() {
        let grades = grades(&[("a", 2)]);
        assert!((ndcg(&grades, &ranking(&["x", "a"])) - 1.0 / 3_f64.log2()).abs() < 1e-12);
        assert!((reciprocal_rank(&grades, &ranking(&["x", "y", "a"])) - 1.0 / 3.0).abs() < 1e-12);
        assert!(recall(&grades, &ranking(&["1", "2", "3", "4", "5", "a"])) < f64::EPSILON);
    }

    #[test]
    fn an_interval_holds_its_mean_and_shrinks_to_it() {
        let wide = estimate(&[0.0, 1.0, 0.0, 1.0]);
        assert!(wide.low < wide.mean && wide.mean < wide.high);
        let certain = estimate(&[0.5; 9]);
        assert!((certain.low - 0.5).abs() < 1e-12 && (certain.high - 0.5).abs() < 1e-12);
    }
}
