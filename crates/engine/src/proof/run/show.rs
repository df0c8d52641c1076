//! Records as people and the matrix see them.

use std::collections::BTreeMap;

use hewto_core::proof::statement::{RunRecord, Verdict, test_name};
use hewto_core::proof::{CaseOutcome, LinkHashes, Ref, RunEvidence};
use hewto_store::Context;
use serde_json::{Value, json};

use super::chain::{Chain, Tampered};
use crate::error::{Error, Key, Kind, Result};
use crate::proof::settings::{Loaded, believed_checks, check_digest, is_self_trusted, load};
use crate::view::{CheckRunView, CheckStatus, FailingTestView};
use crate::workspace::Workspace;

/// How many failing tests a view names.
const NAMED: usize = 50;

/// A record with what it says.
#[derive(Debug)]
pub struct RunShown {
    pub record: RunRecord,
    pub view: CheckRunView,
}

/// One run by its id, or by the beginning of it.
pub fn show(ws: &Workspace, ctx: &Context, run: &str) -> Result<RunShown> {
    let chain = Chain::read(ws, ctx)?;
    let mut found: Vec<&RunRecord> = chain.records.iter().filter(|record| record.run == run).collect();
    if found.is_empty() && run.len() >= 4 {
        found = chain.records.iter().filter(|record| record.run.starts_with(run)).collect();
    }
    match found.as_slice() {
        [record] => Ok(RunShown { record: (*record).clone(), view: check_view(record) }),
        _ if chain.problems.iter().any(|problem| problem.file.starts_with(run)) => {
            Err(tampered(&chain.problems))
        }
        _ => {
            let newest: Vec<&str> =
                chain.records.iter().rev().take(5).map(|record| record.run.as_str()).collect();
            let error = Error::new(Kind::Refused, Key::RunUnknown, format!("no run `{run}` is on record"))
                .detail("runs", json!(newest));
            Err(match newest.first() {
                Some(newest) => error.hint(format!("the newest is `{newest}`")),
                None => error.hint("run `hewto proof run` first"),
            })
        }
    }
}

/// What stands against believing the records, if anything does.
pub(crate) fn tampered(problems: &[Tampered]) -> Error {
    let files: Vec<Value> =
        problems.iter().map(|problem| json!({"file": problem.file, "why": problem.why})).collect();
    let first = &problems[0];
    Error::new(
        Kind::Refused,
        Key::EvidenceTampered,
        format!("a record of a run is not authentic: `{}`: {}", first.file, first.why),
    )
    .detail("records", files)
    .hint("run the checks again; a new run starts a new end of the chain")
}

/// What the matrix needs.
#[derive(Debug, Default)]
pub struct Evidence {
    /// For each declared check the run that speaks for this tree: one of exactly this tree, else the newest of this work tree.
    pub runs: Vec<RunEvidence>,
    /// What stood behind the promises, newest first.
    pub past: Vec<BTreeMap<Ref, LinkHashes>>,
    /// When each of the first of them was recorded, with the name of its run.
    pub moments: Vec<String>,
    /// Checks that are not the ones that were trusted; their runs count for nothing.
    pub doubted: Vec<String>,
    /// Whether runs speak here that nobody has trusted: whoever made them gave the digest (`--trust`).
    pub self_trusted: bool,
    /// Records that cannot be believed.
    pub problems: Vec<Tampered>,
}

/// What is known of this tree, whose digest is given.
pub fn evidence(ws: &Workspace, ctx: &Context, tree: &str) -> Result<Evidence> {
    let loaded = load(ws, ctx)?;
    let believed = believed_checks(ws, &loaded)?;
    let chain = Chain::read(ws, ctx)?;
    let here = ws.root().display().to_string();
    let is_ours =
        |record: &&RunRecord| record.verdict.counts() && (record.worktree == here || record.tree == tree);
    let ours: Vec<&RunRecord> = chain.records.iter().rev().filter(is_ours).collect();
    let mut runs = Vec::new();
    for check in &believed {
        let wanted = check_digest(check);
        let of_check =
            || ours.iter().filter(|record| record.check == check.name && record.check_digest == wanted);
        let best = of_check().find(|record| record.tree == tree).or_else(|| of_check().next());
        runs.extend(best.map(|record| as_evidence(record, tree)));
    }
    let mut past: Vec<BTreeMap<Ref, LinkHashes>> = ours.iter().map(|record| record.links.clone()).collect();
    let moments = ours.iter().map(|record| format!("{} ({})", record.at, record.run)).collect();
    if let Some(newest) = chain.records.last() {
        past.extend(forgotten(newest));
    }
    let doubted = loaded.settings.checks.iter().filter(|check| !believed.contains(check));
    let doubted = doubted.map(|check| check.name.clone()).collect();
    let self_trusted = !runs.is_empty() && is_self_trusted(ws, &loaded)?;
    Ok(Evidence { runs, past, moments, doubted, self_trusted, problems: chain.problems })
}

/// What is left of records that are no longer kept, newest first.
fn forgotten(record: &RunRecord) -> Vec<BTreeMap<Ref, LinkHashes>> {
    let longest = record.past.values().map(Vec::len).max().unwrap_or(0);
    let at = |index: usize| {
        let known = record.past.iter();
        known.filter_map(|(reference, all)| Some((reference.clone(), all.get(index)?.clone()))).collect()
    };
    (0..longest).rev().map(at).collect()
}

fn as_evidence(record: &RunRecord, tree: &str) -> RunEvidence {
    RunEvidence {
        run: record.run.clone(),
        check: record.check.clone(),
        at: record.at.clone(),
        tree: record.tree.clone(),
        exact: record.tree == tree,
        counts: record.verdict.counts(),
        names_tests: record.names_tests,
        cases: record.cases.clone(),
        links: record.links.clone(),
        coverage: record.coverage(),
    }
}

/// Whether every declared check passed on exactly this tree, and at least one of them ran tests.
pub(crate) fn is_green(ws: &Workspace, ctx: &Context, loaded: &Loaded, tree: &str) -> Result<bool> {
    if believed_checks(ws, loaded)?.len() < loaded.settings.checks.len() {
        return Ok(false);
    }
    let chain = Chain::read(ws, ctx)?;
    let mut any_tests = false;
    for check in &loaded.settings.checks {
        let wanted = check_digest(check);
        let newest = chain.records.iter().rev().find(|record| {
            record.check == check.name && record.check_digest == wanted && record.tree == tree
        });
        match newest {
            Some(record) if record.verdict == Verdict::Passed => {
                any_tests |= record.names_tests && record.counts().0 > 0;
            }
            _ => return Ok(false),
        }
    }
    Ok(any_tests)
}

pub(super) fn check_view(record: &RunRecord) -> CheckRunView {
    let (passed, failed, skipped) = record.counts();
    let failing = record.cases.iter().filter(|case| case.outcome == CaseOutcome::Failed);
    let named = failing.take(NAMED).map(|case| FailingTestView {
        test: test_name(case),
        file: case.file.clone(),
        message: case.message.clone(),
    });
    let status = match record.verdict {
        Verdict::Passed => CheckStatus::Passed,
        Verdict::Failed => CheckStatus::Failed,
        Verdict::Torn => CheckStatus::Void(Key::RunTorn),
        Verdict::NoTests => CheckStatus::Void(Key::NoTestsRan),
    };
    let problem = match record.verdict {
        Verdict::Torn => Some(json!({
            "error": Key::RunTorn,
            "message": "files changed while the check ran, so its results count for nothing",
            "hint": "run it again; let the runner write outside the tree, or name what it depends on in `inputs`",
        })),
        Verdict::NoTests => Some(json!({
            "error": Key::NoTestsRan,
            "message": "the check ran no test",
            "hint": "look at its filter and its report: a run without tests proves nothing",
        })),
        Verdict::Passed | Verdict::Failed => None,
    };
    CheckRunView {
        check: record.check.clone(),
        run: Some(record.run.clone()),
        status,
        counts: record.verdict.counts(),
        passed,
        failed,
        skipped,
        exit: record.exit,
        ms: record.ms,
        tree: record.tree.clone(),
        failing: named.collect(),
        failing_left_out: failed.saturating_sub(NAMED),
        problem,
        ..CheckRunView::default()
    }
}
