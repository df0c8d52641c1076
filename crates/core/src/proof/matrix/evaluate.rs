//! From links and runs to states.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::cases::{CaseIndex, Matched};
use super::history::{Accepted, History};
use super::row::{Debt, Row, Waiver};
use super::verdict::Verdict;
use crate::proof::{CaseResult, Link, LinkHashes, LinkKind, Promise, Ref, RunEvidence, State, combined_hash};

/// What is known beside the promises themselves.
#[derive(Debug, Default)]
pub struct Known<'k> {
    /// Links with today's names.
    pub links: &'k [Link],
    /// The runs whose cases count, newest first.
    pub runs: &'k [RunEvidence],
    /// What stood behind the promises in runs before, newest first; without any the runs themselves are the past.
    pub past: &'k [BTreeMap<Ref, LinkHashes>],
    pub accepted: &'k [(Ref, Accepted)],
    pub baseline_uncovered: BTreeSet<Ref>,
    pub baseline_failing: BTreeSet<String>,
    pub waivers: BTreeMap<Ref, Waiver>,
    /// Today, `2026-12-31`: a waiver ends with its last day.
    pub today: &'k str,
}

/// Judges promises one by one; what it needs of links and runs is sorted once.
#[derive(Debug)]
pub struct Matrix<'k> {
    known: &'k Known<'k>,
    by_requirement: HashMap<(&'k str, &'k str), Vec<&'k Link>>,
    runs: Vec<(&'k RunEvidence, CaseIndex<'k>)>,
    history: History<'k>,
}

const NOTHING_LINKED: &str = "nothing is linked";

impl<'k> Matrix<'k> {
    pub fn new(known: &'k Known<'k>) -> Self {
        let mut by_requirement: HashMap<_, Vec<&Link>> = HashMap::new();
        for link in known.links {
            by_requirement
                .entry((link.reference.capability(), link.reference.requirement()))
                .or_default()
                .push(link);
        }
        let mut seen = BTreeSet::new();
        let runs = known.runs.iter().filter(|run| run.counts && run.names_tests);
        // The newest run of a check is what counts of it.
        let runs = runs.filter(|run| seen.insert(run.check.clone()));
        Self {
            known,
            by_requirement,
            runs: runs.map(|run| (run, CaseIndex::new(&run.cases))).collect(),
            history: History::new(known.runs, known.past, known.accepted),
        }
    }

    /// How a promise stands; `siblings` is how many scenarios its requirement has.
    pub fn row(&self, promise: &Promise, siblings: usize) -> Row {
        let (code, tests) = self.links(promise, siblings);
        let named = self.named_in_reports(&promise.reference);
        let is_bare = code.is_empty() && tests.is_empty() && named.is_empty();
        let (verdict, hashes) = if is_bare && !self.history.knows(&promise.reference) {
            // There is nothing that what it says could be compared with.
            (Verdict::plain(State::Uncovered, NOTHING_LINKED), LinkHashes::default())
        } else {
            let hashes = hashes(promise, &code, &tests);
            (self.verdict(promise, &code, &tests, named, &hashes), hashes)
        };
        let run = verdict.run();
        let mut row = Row {
            fresh: verdict.state.is_proven() && verdict.is_fresh(&promise.reference, &hashes),
            exact: verdict.is_exact(),
            moved: verdict.state == State::Verified && self.history.has_moved(&promise.reference, &hashes),
            promise: promise.clone(),
            state: verdict.state,
            reason: verdict.reason,
            code: code.into_iter().cloned().collect(),
            tests: tests.into_iter().cloned().collect(),
            result: verdict.result,
            run: run.map(|run| run.run.clone()),
            debt: None,
            hashes,
            failing: verdict.failing,
        };
        row.debt = self.debt(&row);
        row
    }

    /// What stands behind each promise now; promises without any link are left out.
    pub fn hashes(&self, promise: &Promise, siblings: usize) -> Option<LinkHashes> {
        let (code, tests) = self.links(promise, siblings);
        (!code.is_empty() || !tests.is_empty()).then(|| hashes(promise, &code, &tests))
    }

    /// Code may be linked to the requirement as a whole; a test only where that has a single scenario.
    fn links(&self, promise: &Promise, siblings: usize) -> (Vec<&'k Link>, Vec<&'k Link>) {
        let key = (promise.reference.capability(), promise.reference.requirement());
        let all = self.by_requirement.get(&key).map(Vec::as_slice).unwrap_or_default();
        let meant = all.iter().copied().filter(|link| {
            let broad = link.reference.scenario().is_none() && promise.reference.scenario().is_some();
            link.reference.covers(&promise.reference)
                && (!broad || link.kind != LinkKind::Test || siblings <= 1)
        });
        let (tests, code): (Vec<_>, Vec<_>) = meant.partition(|link| link.kind == LinkKind::Test);
        (code, tests)
    }

    fn verdict(
        &self,
        promise: &Promise,
        code: &[&'k Link],
        tests: &[&'k Link],
        named: Vec<(&'k RunEvidence, Vec<&'k CaseResult>)>,
        now: &LinkHashes,
    ) -> Verdict<'k> {
        let reference = &promise.reference;
        let plain = Verdict::plain;
        if tests.is_empty() && named.is_empty() {
            return if self.history.is_unlinked(reference, now) {
                plain(State::Unlinked, "its tag is gone")
            } else if self.history.is_unreviewed(reference, now) {
                plain(State::Unreviewed, "code changed and no test is linked")
            } else if self.history.is_suspect(reference, now) {
                plain(State::Suspect, "the promise changed and its code did not")
            } else {
                plain(State::Uncovered, if code.is_empty() { NOTHING_LINKED } else { "no test is linked" })
            };
        }
        let verdict = self.tested(reference, tests, named);
        if verdict.state != State::Verified {
            return verdict;
        }
        let suspect = self.history.is_suspect(reference, now);
        verdict.held_against(reference, now, code, suspect)
    }

    fn named_in_reports(&self, reference: &Ref) -> Vec<(&'k RunEvidence, Vec<&'k CaseResult>)> {
        let named = self.runs.iter().map(|(run, index)| (*run, index.naming(reference)));
        named.filter(|(_, cases)| !cases.is_empty()).collect()
    }

    /// What the runs say about all tests together.
    fn tested(
        &self,
        reference: &Ref,
        tests: &[&'k Link],
        named: Vec<(&'k RunEvidence, Vec<&'k CaseResult>)>,
    ) -> Verdict<'k> {
        if self.runs.is_empty() {
            return Verdict::plain(State::Linked, "no run is known");
        }
        let mut verdict = Verdict::passed();
        for (run, cases) in named {
            verdict.take(run, &cases, reference.to_string().as_str());
        }
        for link in tests {
            let label = link
                .title
                .clone()
                .or_else(|| link.suites.last().cloned())
                .unwrap_or_else(|| link.path.clone());
            let mut found = false;
            for (run, index) in &self.runs {
                match index.of(link) {
                    Matched::Absent => {}
                    Matched::Cases(cases) => {
                        found = true;
                        verdict.take(run, &cases, &label);
                    }
                    // The report itself says which one it is where the reference stands in the title.
                    Matched::Ambiguous(_) if !index.naming(reference).is_empty() => found = true,
                    Matched::Ambiguous(count) => {
                        found = true;
                        let reason =
                            format!("{count} tests are called `{label}`: put the ref into the title");
                        verdict.worsen(State::Ambiguous, reason, run, None);
                    }
                }
            }
            if !found {
                let reason = format!("`{label}` is in no run");
                verdict.worsen(State::NotRun, reason, self.runs[0].0, None);
            }
        }
        verdict
    }

    fn debt(&self, row: &Row) -> Option<Debt> {
        let reference = &row.promise.reference;
        if row.state.is_proven() {
            return None;
        }
        let waivers = &self.known.waivers;
        let waiver = waivers.get(reference).or_else(|| waivers.get(&reference.whole_requirement()));
        if let Some(waiver) = waiver.filter(|waiver| waiver.until.as_str() >= self.known.today) {
            return Some(Debt::Waived { until: waiver.until.clone(), reason: waiver.reason.clone() });
        }
        let known = match row.state {
            State::Uncovered | State::Linked | State::NotRun | State::Ambiguous | State::Unexercised => {
                self.known.baseline_uncovered.contains(reference)
            }
            State::Failed => {
                !row.failing.is_empty()
                    && row.failing.iter().all(|name| self.known.baseline_failing.contains(name))
            }
            _ => false,
        };
        known.then_some(Debt::Baseline)
    }
}

fn hashes(promise: &Promise, code: &[&Link], tests: &[&Link]) -> LinkHashes {
    LinkHashes {
        text: promise.text_hash(),
        requirement: promise.requirement_hash(),
        code: combined_hash(code),
        test: combined_hash(tests),
    }
}

#[cfg(test)]
#[path = "evaluate_tests.rs"]
mod tests;
