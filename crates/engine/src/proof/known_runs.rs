//! What the runs of this project have shown, as far as the matrix asks.

use std::collections::BTreeMap;

use hewto_core::proof::{LinkHashes, Ref, RunEvidence};
use hewto_store::Context;

use super::run;
use super::settings::load;
use crate::error::Result;
use crate::view::{LinkProblemView, ProblemSeverity};
use crate::workspace::Workspace;

/// Runs, the past of the promises (newest first), and records that cannot be believed.
pub(crate) type KnownRuns = (Vec<RunEvidence>, Vec<BTreeMap<Ref, LinkHashes>>, Vec<LinkProblemView>);

/// Everything that is known of runs.
pub(crate) fn known(ws: &Workspace, ctx: &Context) -> Result<KnownRuns> {
    if !run::has_records(ws)? {
        return Ok((Vec::new(), Vec::new(), Vec::new()));
    }
    let tree = run::tree::hex(&run::tree::read(ws, ctx, &load(ws, ctx)?.settings)?);
    let evidence = run::evidence(ws, ctx, &tree)?;
    let problems = evidence.problems.into_iter().map(|problem| LinkProblemView {
        error: "evidence_tampered".to_owned(),
        // It counts for nothing, so it makes nothing green; what it hides shows as not run.
        severity: ProblemSeverity::Warning,
        path: problem.file,
        line: 1,
        message: format!("a record of a run cannot be believed: {}", problem.why),
        hint: "run the checks again; a new run starts a new end of the chain".to_owned(),
        ..LinkProblemView::default()
    });
    Ok((evidence.runs, evidence.past, problems.collect()))
}
