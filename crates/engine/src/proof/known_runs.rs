//! What the runs of this project have shown, as far as the matrix asks.

use std::collections::BTreeMap;

use hewto_core::proof::{LinkHashes, Ref, RunEvidence};
use hewto_store::{Context, Own};

use super::run;
use crate::error::Result;
use crate::view::{LinkProblemView, ProblemSeverity};
use crate::workspace::Workspace;

/// What runs have shown.
#[derive(Debug, Default)]
pub(crate) struct KnownRuns {
    pub(crate) runs: Vec<RunEvidence>,
    /// The past of the promises, newest first.
    pub(crate) past: Vec<BTreeMap<Ref, LinkHashes>>,
    /// When that was recorded, and by which run, as far as the records are still there.
    pub(crate) moments: Vec<String>,
    /// Records that cannot be believed.
    pub(crate) problems: Vec<LinkProblemView>,
}

/// Everything that is known of runs, for a tree with this digest; nothing where there is no run to ask about.
pub(crate) fn known(ws: &Workspace, ctx: &Context, tree: Option<&str>) -> Result<KnownRuns> {
    let Some(tree) = tree else { return Ok(KnownRuns::default()) };
    let evidence = run::evidence(ws, ctx, tree)?;
    let problems = evidence.problems.into_iter().map(|problem| LinkProblemView {
        error: "evidence_tampered".to_owned(),
        // It counts for nothing, so it makes nothing green; what it hides shows as not run.
        severity: ProblemSeverity::Warning,
        path: problem.file,
        line: 1,
        message: format!("a record of a run is not authentic: {}", problem.why),
        hint: "run the checks again; a new run starts a new end of the chain".to_owned(),
        ..LinkProblemView::default()
    });
    let doubted = evidence.doubted.into_iter().map(|check| LinkProblemView {
        error: "check_not_trusted".to_owned(),
        severity: ProblemSeverity::Warning,
        path: Own::Proof.path().to_owned(),
        line: 1,
        message: format!(
            "the check `{check}` is not the one that was trusted here; its runs count for nothing"
        ),
        hint: "let the owner of this machine look at it with `hewto trust`".to_owned(),
        ..LinkProblemView::default()
    });
    let self_trusted = evidence.self_trusted.then(|| LinkProblemView {
        error: "check_not_trusted".to_owned(),
        severity: ProblemSeverity::Info,
        path: Own::Proof.path().to_owned(),
        line: 1,
        message: "nobody has trusted the checks on this machine: their runs rest on the word of whoever made them (`--trust`)"
            .to_owned(),
        hint: "let the owner of this machine look at them with `hewto trust`; then only those count".to_owned(),
        ..LinkProblemView::default()
    });
    Ok(KnownRuns {
        runs: evidence.runs,
        past: evidence.past,
        moments: evidence.moments,
        problems: problems.chain(doubted).chain(self_trusted).collect(),
    })
}
