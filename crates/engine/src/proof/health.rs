//! What is wrong with the files that proof goes by: its settings, what people let pass, and the records of runs. They count for
//! nothing meanwhile, and that has to show before somebody wonders why a gate is shut.

use hewto_core::diagnostic::Finding;
use hewto_core::proof::settings::Settings;
use hewto_core::rules::workspace::PROOF_RECORD;
use hewto_store::{Context, DocKey, Own};

use super::records::{RecordScope, Records};
use super::run::{Chain, has_records};
use crate::error::Result;
use crate::workspace::Workspace;

/// What is wrong with the files in the repository.
pub(crate) fn findings(ws: &Workspace, ctx: &Context) -> Result<Vec<Finding>> {
    let text = ws.store().read(ctx, &DocKey::Own(Own::Proof))?.map(|doc| doc.text).unwrap_or_default();
    let (settings, faults) = Settings::read(&text);
    let mut findings: Vec<Finding> = faults
        .into_iter()
        .map(|fault| Finding {
            file: Own::Proof.path().to_owned(),
            line: Some(fault.line),
            code: fault.code,
            severity: fault.severity,
            message: fault.message,
            hint: fault.hint,
        })
        .collect();
    // What people let pass is weighed by the gates, which cannot be read then.
    if settings.is_valid() {
        let records = Records::read(ws, ctx, RecordScope::Part, &|_| None)?;
        findings.extend(records.problems.into_iter().map(|problem| {
            let line = usize::try_from(problem.line).ok();
            PROOF_RECORD.on(problem.path, line, problem.message, problem.hint)
        }));
    }
    Ok(findings)
}

/// The same for what lies on this machine only: records of runs that this machine did not write so.
pub(crate) fn findings_here(ws: &Workspace, ctx: &Context) -> Result<Vec<Finding>> {
    if !has_records(ws)? {
        return Ok(Vec::new());
    }
    let told = Chain::read(ws, ctx)?.problems.into_iter().map(|problem| {
        let message = format!("a record of a run is not authentic: {}", problem.why);
        PROOF_RECORD.on(problem.file, None, message, "run the checks again: `hewto proof run`")
    });
    Ok(told.collect())
}
