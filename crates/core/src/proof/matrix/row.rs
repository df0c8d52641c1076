//! One promise in the table.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::proof::{CaseOutcome, Link, LinkHashes, Promise, State};

/// A promise with everything that is known of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    pub promise: Promise,
    pub state: State,
    /// Why it is in this state, in a few words.
    pub reason: Cow<'static, str>,
    pub code: Vec<Link>,
    pub tests: Vec<Link>,
    pub result: Option<CaseOutcome>,
    /// The run that the result is from.
    pub run: Option<String>,
    /// Whether text, code and tests are what they were in that run.
    pub fresh: bool,
    /// Whether the whole tree is.
    pub exact: bool,
    pub debt: Option<Debt>,
    /// Whether code changed since it was last recorded and the test passed since.
    pub moved: bool,
    /// What stands behind it now; empty where nothing does and nothing ever did.
    pub hashes: LinkHashes,
    /// The names of the cases that failed, as a baseline calls them.
    pub failing: Vec<String>,
}

/// Why a promise that is not kept is not red.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Debt {
    /// It was known when the baseline was drawn.
    Baseline,
    /// A person let it pass.
    Waived { until: String, reason: String },
}

/// What a person let pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiver {
    /// The last day, `2026-12-31`.
    pub until: String,
    pub reason: String,
}

impl Row {
    /// Whether this promise makes the whole red.
    pub fn is_red(&self) -> bool {
        !self.state.is_proven() && self.debt.is_none()
    }
}

/// The table in numbers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Summary {
    pub total: usize,
    pub by_state: BTreeMap<State, usize>,
    /// Promises that are not kept, and known for it.
    pub debt: usize,
    pub red: usize,
}

impl Summary {
    pub fn of<'r>(rows: impl IntoIterator<Item = &'r Row>) -> Self {
        let mut summary = Self::default();
        for row in rows {
            summary.total += 1;
            if row.debt.is_some() {
                summary.debt += 1;
            } else {
                *summary.by_state.entry(row.state).or_default() += 1;
            }
            summary.red += usize::from(row.is_red());
        }
        summary
    }

    pub fn verified(&self) -> usize {
        self.by_state.iter().filter(|(state, _)| state.is_proven()).map(|(_, count)| count).sum()
    }

    /// `3 scenarios: 1 verified, 1 stale, 1 known debt`
    pub fn line(&self) -> String {
        let mut parts: Vec<String> =
            self.by_state.iter().map(|(state, count)| format!("{count} {state}")).collect();
        // What is kept comes first.
        parts.sort_by_key(|part| !part.ends_with("verified"));
        if self.debt > 0 {
            parts.push(format!("{} known debt", self.debt));
        }
        let noun = if self.total == 1 { "scenario" } else { "scenarios" };
        if parts.is_empty() {
            format!("{} {noun}", self.total)
        } else {
            format!("{} {noun}: {}", self.total, parts.join(", "))
        }
    }
}
