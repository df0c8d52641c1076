//! Which texts are run together: those of like length, so that little is spent on padding.

/// Texts for one run.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Batch {
    /// Their places in the list that came in.
    pub(super) members: Vec<usize>,
    /// The length of the longest.
    pub(super) width: usize,
}

/// Tokens in a run, padding included. More would not fit the processor's caches, which made runs slower.
const TOKENS: usize = 256;

pub(super) fn batches(tokens: &[Vec<i32>]) -> Vec<Batch> {
    let mut order: Vec<usize> = (0..tokens.len()).collect();
    order.sort_by_key(|index| tokens[*index].len());
    let mut batches: Vec<Batch> = Vec::new();
    for index in order {
        let width = tokens[index].len();
        match batches.last_mut() {
            Some(batch) if (batch.members.len() + 1) * width <= TOKENS => {
                batch.members.push(index);
                batch.width = width;
            }
            _ => batches.push(Batch { members: vec![index], width }),
        }
    }
    batches
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn like_lengths_run_together() {
        let tokens: Vec<Vec<i32>> = [128, 10, 128, 12].map(|length| vec![0; length]).into();
        let expected = [Batch { members: vec![1, 3], width: 12 }, Batch { members: vec![0, 2], width: 128 }];
        assert_eq!(batches(&tokens), expected);
    }

    proptest! {
        #[test]
        fn every_text_runs_once_and_runs_stay_small(lengths in proptest::collection::vec(1_usize..300, 0..60)) {
            let tokens: Vec<Vec<i32>> = lengths.iter().map(|length| vec![0; *length]).collect();
            let batches = batches(&tokens);
            let mut seen: Vec<usize> = batches.iter().flat_map(|batch| batch.members.clone()).collect();
            seen.sort_unstable();
            prop_assert_eq!(seen, (0..lengths.len()).collect::<Vec<_>>());
            for batch in &batches {
                let longest = batch.members.iter().map(|index| lengths[*index]).max();
                prop_assert_eq!(Some(batch.width), longest);
                prop_assert!(batch.members.len() == 1 || batch.members.len() * batch.width <= TOKENS);
            }
        }
    }
}
