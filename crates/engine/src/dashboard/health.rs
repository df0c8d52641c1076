//! Whether everything is sound: documents, machine, index.

use hewto_store::Context;

use crate::check::{self, Strictness};
use crate::doctor::{self, Examiner, Probe};
use crate::error::Result;
use crate::search;
use crate::view::HealthPage;
use crate::workspace::Workspace;

/// Looks at everything and starts no program.
pub fn health(ws: &Workspace, ctx: &Context) -> Result<HealthPage> {
    let report = check::validate(ws, ctx, Strictness::Normal);
    let examiner = Examiner {
        probe: &|_, _| Probe::NotStarted("a page starts no programs; run `hewto doctor`".to_owned()),
        has_git: true,
        command: "hewto".to_owned(),
        personal: None,
    };
    let doctor = doctor::examine_open(ws, ctx, &examiner, &report);
    Ok(HealthPage { report: report?, doctor, index: search::status(ws, ctx).ok() })
}
