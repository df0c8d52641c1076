//! Whether everything is sound: documents, machine, index.

use hewto_store::Context;

use crate::check::{self, Strictness};
use crate::doctor::{self, Examiner, Probe};
use crate::error::Result;
use crate::search;
use crate::view::{HealthPage, ReportView};
use crate::workspace::Workspace;

/// Looks at everything and starts no program.
pub fn health(ws: &Workspace, ctx: &Context) -> Result<HealthPage> {
    let report = check::validate(ws, ctx, Strictness::Normal);
    let doctor = doctor::examine_open(ws, ctx, &examiner(), Some(&report));
    Ok(HealthPage { report: Some(report?), doctor, index: search::status(ws, ctx).ok() })
}

/// The same for whoever has validated the documents already, or is still about to.
pub fn health_with(ws: &Workspace, ctx: &Context, report: Option<ReportView>) -> Result<HealthPage> {
    let report = report.map(Ok);
    let doctor = doctor::examine_open(ws, ctx, &examiner(), report.as_ref());
    Ok(HealthPage { report: report.transpose()?, doctor, index: search::status(ws, ctx).ok() })
}

fn examiner() -> Examiner<'static> {
    Examiner {
        probe: &|_, _| Probe::NotStarted("a page starts no programs; run `hewto doctor`".to_owned()),
        has_git: true,
        command: "hewto".to_owned(),
        personal: None,
    }
}
