//! Which parts of a list can stay where they are when it gets another order.

/// For each new place that takes up an old one: whether the old part can stay. The most that can stay do; the others
/// have to move.
pub(crate) fn in_place(taken_from: &[Option<usize>]) -> Vec<bool> {
    let known: Vec<(usize, usize)> =
        taken_from.iter().enumerate().filter_map(|(new, old)| old.map(|old| (new, old))).collect();
    // The longest run of rising old places: `tails[n]` ends the best run of n + 1, `before` leads back through it.
    let mut tails: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = vec![None; known.len()];
    for at in 0..known.len() {
        let length = tails.partition_point(|&tail| known[tail].1 < known[at].1);
        before[at] = length.checked_sub(1).map(|shorter| tails[shorter]);
        if length == tails.len() {
            tails.push(at);
        } else {
            tails[length] = at;
        }
    }
    let mut stays = vec![false; taken_from.len()];
    let mut at = tails.last().copied();
    while let Some(one) = at {
        stays[known[one].0] = true;
        at = before[one];
    }
    stays
}

#[cfg(test)]
mod tests {
    use super::in_place;

    #[test]
    fn as_many_as_can_stay_where_they_are() {
        for (taken_from, expected) in [
            (vec![Some(0), Some(1), Some(2)], vec![true, true, true]),
            (vec![Some(2), Some(0), Some(1)], vec![false, true, true]),
            (vec![Some(1), None, Some(2), Some(0)], vec![true, false, true, false]),
            (vec![None, None], vec![false, false]),
            (vec![], vec![]),
        ] {
            assert_eq!(in_place(&taken_from), expected, "{taken_from:?}");
        }
    }
}
