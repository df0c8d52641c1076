//! What was recorded of each promise before: runs and acceptances, oldest first.

use std::collections::{BTreeMap, HashMap};

use crate::proof::{LinkHashes, Ref, RunEvidence};

/// What a person has accepted, as it was then.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Accepted {
    pub at: String,
    pub hashes: LinkHashes,
}

/// All that is known of the past of the promises.
#[derive(Debug, Default)]
pub struct History<'r> {
    /// By reference, oldest first.
    recorded: HashMap<&'r Ref, Vec<&'r LinkHashes>>,
    accepted: HashMap<&'r Ref, &'r Accepted>,
}

impl<'r> History<'r> {
    /// Both `runs` and `past` come newest first.
    pub fn new(
        runs: &'r [RunEvidence],
        past: &'r [BTreeMap<Ref, LinkHashes>],
        accepted: &'r [(Ref, Accepted)],
    ) -> Self {
        let mut history = Self::default();
        let of_runs = runs.iter().filter(|run| run.counts && past.is_empty()).map(|run| &run.links);
        let all: Vec<&BTreeMap<Ref, LinkHashes>> = past.iter().chain(of_runs).collect();
        for links in all.into_iter().rev() {
            for (reference, hashes) in links {
                let known = history.recorded.entry(reference).or_default();
                if known.last() != Some(&hashes) {
                    known.push(hashes);
                }
            }
        }
        history.accepted = accepted.iter().map(|(reference, accepted)| (reference, accepted)).collect();
        history
    }

    /// Whether anything was ever recorded or accepted of a promise.
    pub fn knows(&self, reference: &Ref) -> bool {
        self.recorded.contains_key(reference) || self.accepted.contains_key(reference)
    }

    fn records(&self, reference: &Ref) -> &[&'r LinkHashes] {
        self.recorded.get(reference).map(Vec::as_slice).unwrap_or_default()
    }

    /// Whether a person has accepted exactly what stands now.
    pub(crate) fn is_accepted(&self, reference: &Ref, now: &LinkHashes) -> bool {
        self.accepted.get(reference).is_some_and(|accepted| accepted.hashes.stands(now))
    }

    /// Whether the promise reads otherwise than when this test (or, without one, this code) was first recorded with it.
    pub(crate) fn is_suspect(&self, reference: &Ref, now: &LinkHashes) -> bool {
        let same = |then: &LinkHashes| {
            if now.test.is_empty() {
                then.test.is_empty() && then.code == now.code
            } else {
                then.test == now.test
            }
        };
        let accepted =
            self.accepted.get(reference).map(|accepted| &accepted.hashes).filter(|then| same(then));
        if now.test.is_empty() && now.code.is_empty() {
            return false;
        }
        let recorded = self.records(reference).iter().copied().filter(|then| same(then));
        let mut past = accepted.into_iter().chain(recorded);
        let Some(first) = past.next() else { return false };
        // Records of earlier versions do not tell what the requirement said: the first that does is asked.
        let telling = std::iter::once(first).chain(past).find(|then| !then.requirement.is_empty());
        first.text != now.text || telling.is_some_and(|then| then.requirement != now.requirement)
    }

    /// Whether code without a test changed since it was accepted or first recorded.
    pub(crate) fn is_unreviewed(&self, reference: &Ref, now: &LinkHashes) -> bool {
        let accepted = self.accepted.get(reference).map(|accepted| &accepted.hashes);
        let first = self.records(reference).iter().copied().find(|then| then.test.is_empty());
        now.test.is_empty()
            && !now.code.is_empty()
            && accepted.or(first).is_some_and(|then| !then.code.is_empty() && then.code != now.code)
    }

    /// Whether a test, or code where there was no test, was linked once and is no more. A new run does not clear it: it records
    /// only what is left.
    pub(crate) fn is_unlinked(&self, reference: &Ref, now: &LinkHashes) -> bool {
        if !now.test.is_empty() || self.is_accepted(reference, now) {
            return false;
        }
        let accepted = self.accepted.get(reference).map(|accepted| &accepted.hashes);
        let records = self.records(reference);
        let newest = records.last().copied().or(accepted);
        // Whoever accepted that there is no test has accepted it for older records too.
        let taken = accepted.is_some_and(|then| then.test.is_empty());
        let had_a_test = newest.is_some_and(|then| !then.test.is_empty())
            || (!taken && records.iter().any(|then| !then.test.is_empty()));
        let had_code = newest.is_some_and(|then| then.test.is_empty() && !then.code.is_empty());
        had_a_test || (had_code && now.code.is_empty())
    }

    /// Whether the code was another when this promise was recorded before.
    pub(crate) fn has_moved(&self, reference: &Ref, now: &LinkHashes) -> bool {
        match self.records(reference) {
            [.., before, last] => last.stands(now) && before.code != now.code && before.says_the_same(now),
            _ => false,
        }
    }
}
