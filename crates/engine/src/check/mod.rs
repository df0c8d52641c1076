//! `validate`: everything that is wrong with a workspace, with file, line and what to do about it.
//!
//! The readers find what is wrong inside one document; this module asks them all and adds what only shows when
//! documents are compared. It never stops at the first fault.

mod archive;
mod change;
mod dependencies;
mod fix;
mod review;
mod spec;
mod verdict;
mod workspace;

use std::sync::atomic::{AtomicU64, Ordering};

use hewto_core::diagnostic::{Finding, Severity};
use hewto_core::id::WorkItem;
use hewto_core::rules::workspace::is_advice;
use hewto_store::{Context, Progress, SpecEntry};

use crate::error::Result;
use crate::item::Item;
use crate::proof;
use crate::view::{DiagnosticView, ReportView, SummaryView, VerdictView};
use crate::workspace::Workspace;

pub use change::validate_change;
pub(crate) use change::verdict_on;
pub use fix::fix;
pub use verdict::validate_spec;
pub(crate) use workspace::distrust;

/// Progress is reported after so many specs.
const REPORT_EVERY: u64 = 64;

/// Whether warnings count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strictness {
    Normal,
    Strict,
}

impl From<bool> for Strictness {
    fn from(is_strict: bool) -> Self {
        if is_strict { Self::Strict } else { Self::Normal }
    }
}

impl Strictness {
    /// Whether something of this weight makes what it is about not valid.
    fn refuses(self, severity: Severity) -> bool {
        match severity {
            Severity::Error => true,
            Severity::Warning => self == Self::Strict,
            Severity::Info => false,
        }
    }
}

/// Judges the spec or the change that somebody named.
pub fn validate_item(ws: &Workspace, ctx: &Context, id: &str, strictness: Strictness) -> Result<VerdictView> {
    match Item::load(ws, ctx, id)?.id {
        WorkItem::Spec(id) => validate_spec(ws, ctx, Some(id.as_str()), strictness),
        WorkItem::Change(id) => validate_change(ws, ctx, Some(id.as_str()), strictness),
    }
}

/// Looks at everything and changes nothing.
pub fn validate(ws: &Workspace, ctx: &Context, strictness: Strictness) -> Result<ReportView> {
    let snapshot = ws.store().snapshot(ctx)?;
    let mut findings = workspace::findings(ws, ctx, &snapshot)?;
    findings.extend(each_spec(ws, ctx, &snapshot.specs)?);
    findings.extend(dependencies::findings(&snapshot.specs));
    findings.extend(change::findings(ws, ctx)?);
    findings.extend(review::findings(ws, ctx, &snapshot)?);
    findings.extend(proof::findings(ws, ctx)?);
    Ok(report(findings, snapshot.specs.len(), strictness))
}

/// The findings about single specs, read on all cores.
fn each_spec(ws: &Workspace, ctx: &Context, specs: &[std::sync::Arc<SpecEntry>]) -> Result<Vec<Finding>> {
    let checked = AtomicU64::new(0);
    let findings_of = |share: &[std::sync::Arc<SpecEntry>]| -> Result<Vec<Finding>> {
        let mut findings = Vec::new();
        for entry in share {
            ctx.check()?;
            findings.extend(spec::findings(ws, ctx, entry)?);
            let done = checked.fetch_add(1, Ordering::Relaxed) + 1;
            if done.is_multiple_of(REPORT_EVERY) {
                let message = "checking specs".to_owned();
                ctx.report(Progress { done, total: u64::try_from(specs.len()).ok(), message });
            }
        }
        Ok(findings)
    };
    let findings: Result<Vec<Vec<Finding>>> =
        hewto_parallel::map_chunks(specs, findings_of).into_iter().collect();
    Ok(findings?.concat())
}

fn report(mut findings: Vec<Finding>, specs: usize, strictness: Strictness) -> ReportView {
    findings.sort();
    findings.dedup();
    let count = |severity| findings.iter().filter(|finding| finding.severity == severity).count();
    let summary = SummaryView {
        specs,
        errors: count(Severity::Error),
        warnings: count(Severity::Warning),
        infos: count(Severity::Info),
    };
    let counts = |finding: &&Finding| finding.severity == Severity::Warning && !is_advice(finding.code);
    let is_strict = strictness == Strictness::Strict;
    let valid = summary.errors == 0 && !(is_strict && findings.iter().any(|finding| counts(&finding)));
    ReportView {
        valid,
        issues: findings.iter().map(DiagnosticView::from).collect(),
        summary,
        fixed: Vec::new(),
    }
}

impl From<&Finding> for DiagnosticView {
    fn from(finding: &Finding) -> Self {
        Self {
            code: finding.code.to_owned(),
            severity: finding.severity,
            file: finding.file.clone(),
            line: finding.line,
            message: finding.message.clone(),
            hint: finding.hint.clone(),
        }
    }
}
