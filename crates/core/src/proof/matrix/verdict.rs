//! What the runs say about the tests of one promise, held against what stands behind it now.

use std::borrow::Cow;

use super::cases::{case_name, together};
use crate::proof::{CaseOutcome, CaseResult, Coverage, Link, LinkHashes, Ref, RunEvidence, State};

pub(super) struct Verdict<'k> {
    pub(super) state: State,
    pub(super) reason: Cow<'static, str>,
    pub(super) result: Option<CaseOutcome>,
    /// The runs that it follows from: tests of one promise may be in several checks. The first is the one to show.
    runs: Vec<&'k RunEvidence>,
    pub(super) failing: Vec<String>,
}

impl<'k> Verdict<'k> {
    pub(super) fn plain(state: State, reason: &'static str) -> Self {
        Self { state, reason: reason.into(), result: None, runs: Vec::new(), failing: Vec::new() }
    }

    /// Where nothing speaks against it yet.
    pub(super) fn passed() -> Self {
        Self { result: Some(CaseOutcome::Passed), ..Self::plain(State::Verified, "") }
    }

    pub(super) fn run(&self) -> Option<&'k RunEvidence> {
        self.runs.first().copied()
    }

    /// Whether every run was of exactly this tree.
    pub(super) fn is_exact(&self) -> bool {
        !self.runs.is_empty() && self.runs.iter().all(|run| run.exact)
    }

    /// Whether code and tests are in every run what they are now.
    pub(super) fn is_fresh(&self, reference: &Ref, now: &LinkHashes) -> bool {
        let is_fresh = |run: &&RunEvidence| match run.links.get(reference) {
            Some(then) => then.code == now.code && then.test == now.test,
            None => run.exact,
        };
        !self.runs.is_empty() && self.runs.iter().all(is_fresh)
    }

    pub(super) fn take(&mut self, run: &'k RunEvidence, cases: &[&'k CaseResult], label: &str) {
        match together(cases.iter().copied()) {
            Some(CaseOutcome::Passed) if self.state == State::Verified => {
                if !self.runs.iter().any(|known| known.run == run.run) {
                    self.runs.push(run);
                }
            }
            Some(CaseOutcome::Failed) => {
                let failed = cases.iter().filter(|case| case.outcome == CaseOutcome::Failed);
                self.failing.extend(failed.clone().map(|case| case_name(&run.check, case)));
                let said = failed.clone().find_map(|case| case.message.clone());
                let reason = said.unwrap_or_else(|| format!("`{label}` failed"));
                self.worsen(State::Failed, reason, run, Some(CaseOutcome::Failed));
            }
            Some(CaseOutcome::Skipped) => {
                self.worsen(State::NotRun, format!("`{label}` was skipped"), run, Some(CaseOutcome::Skipped));
            }
            Some(CaseOutcome::Passed) | None => {}
        }
    }

    /// A failure outweighs everything, what cannot be told apart outweighs what did not run.
    pub(super) fn worsen(
        &mut self,
        state: State,
        reason: String,
        run: &'k RunEvidence,
        result: Option<CaseOutcome>,
    ) {
        let weight = |state| match state {
            State::Failed => 3,
            State::Ambiguous => 2,
            State::NotRun => 1,
            _ => 0,
        };
        if weight(state) > weight(self.state) {
            let failing = std::mem::take(&mut self.failing);
            *self = Self { state, reason: reason.into(), result, runs: vec![run], failing };
        }
    }

    /// What is left of tests that have passed, once promise, code and tests are held against what they were: in each of the
    /// runs, since one that is new says nothing of a test that only an older one has seen.
    pub(super) fn held_against(
        mut self,
        reference: &Ref,
        now: &LinkHashes,
        code: &[&'k Link],
        suspect: bool,
    ) -> Self {
        if self.runs.is_empty() {
            return self;
        }
        let judged = |run: &RunEvidence| standing(run, reference, now);
        let worst = self.runs.iter().position(|run| judged(run).0 != State::Verified);
        (self.state, self.reason) = match worst {
            _ if suspect => (State::Suspect, "the promise changed and its test did not".into()),
            Some(at) => {
                self.runs.swap(0, at);
                let (state, reason) = judged(self.runs[0]);
                (state, reason.into())
            }
            None if self.touched_nothing(reference, code) => {
                (State::Unexercised, "no line of the linked code was executed".into())
            }
            None => (State::Verified, Cow::default()),
        };
        self
    }

    /// Whether the executed lines are known, and none of them is in the linked code.
    fn touched_nothing(&self, reference: &Ref, code: &[&Link]) -> bool {
        let recorded = self.runs.iter().filter(|run| run.links.contains_key(reference));
        let known: Vec<bool> = recorded.filter_map(|run| touched(run.coverage.as_ref()?, code)).collect();
        !known.is_empty() && !known.contains(&true)
    }
}

/// How a promise whose test passed in a run stands with that run.
fn standing(run: &RunEvidence, reference: &Ref, now: &LinkHashes) -> (State, &'static str) {
    match run.links.get(reference) {
        None if run.exact => (State::Verified, ""),
        None => (State::Linked, "linked since the last run"),
        Some(then) if then.code != now.code && then.test != now.test => {
            (State::Stale, "code and test changed")
        }
        Some(then) if then.code != now.code => (State::Stale, "code changed"),
        Some(then) if then.test != now.test => (State::Stale, "test changed"),
        // Where it reads otherwise than then, an open change said so in between; else it were suspect.
        Some(_) => (State::Verified, ""),
    }
}

/// Whether any linked code was executed; nothing where none of its lines is known.
fn touched(coverage: &Coverage, code: &[&Link]) -> Option<bool> {
    let touched = |link: &&Link| -> Option<bool> {
        let anchor = link.anchor.as_ref()?;
        let lines = coverage.lines_of(&link.path)?;
        let within = |first: u32| lines.iter().filter(move |(line, _)| (first..=anchor.end).contains(line));
        // The head of a function is executed where it is declared: by whoever loads the file.
        let body = anchor.opens.map(|opens| opens + 1).filter(|body| within(*body).next().is_some());
        let mut lines = within(body.unwrap_or(anchor.start)).peekable();
        lines.peek()?;
        Some(lines.any(|(_, hits)| *hits > 0))
    };
    let known: Vec<bool> = code.iter().filter_map(touched).collect();
    // One executed piece is enough: a promise may be kept by several together.
    if known.is_empty() { None } else { Some(known.contains(&true)) }
}
