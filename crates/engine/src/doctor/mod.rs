//! `doctor`: whether everything that hewto stands on is sound, and what to do where it is not.
//!
//! It looks at the workspace, the machine's part of it (`machine`) and the agents' configuration (`agents`). It starts no
//! program itself: whoever calls hands in a probe that does. Unless it is asked to mend, it changes nothing.

mod agents;
mod machine;

use std::path::Path;

use hewto_core::diagnostic::Severity;
use hewto_store::{Context, Start};
use schemars::JsonSchema;
use serde::Serialize;

use crate::check::{self, Strictness};
use crate::claim;
use crate::error::Result;
use crate::gate;
use crate::install::{ConfiguredServer, Personal};
use crate::proof;
use crate::view::ReportView;
use crate::workspace::Workspace;

/// What the whole examination found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DoctorView {
    /// Absent where there is no workspace
    pub root: Option<String>,
    /// False when there is an error
    pub healthy: bool,
    pub findings: Vec<FindingView>,
    /// What was mended, with `--fix`
    pub fixed: Vec<String>,
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FindingView {
    /// `workspace`, `layout`, `configuration`, `gates`, `proof`, `claims`, `documents`, `logs`, `lock`, `journal`, `index`, `git`, `installation` or the name of an agent
    pub check: String,
    pub status: Status,
    pub message: String,
    /// What to do about it
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    Ok,
    Warning,
    Error,
}

/// What came of starting a server as an agent would.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Probe {
    /// It answered `tools/list`.
    Answers { tools: usize },
    /// There is no such program.
    Missing,
    /// It was not started, because it is not certain what it would do.
    NotStarted(String),
    /// It was started and did not answer.
    Silent(String),
}

/// What the caller knows and can do that the engine cannot.
pub struct Examiner<'a> {
    /// Starts a server as configured, with the workspace as its folder, and asks it for its tools.
    pub probe: &'a dyn Fn(&ConfiguredServer, &Path) -> Probe,
    /// Whether the git program can be found.
    pub has_git: bool,
    /// The program that agents are told to start.
    pub command: String,
    /// The person's own files.
    pub personal: Option<Personal>,
}

impl std::fmt::Debug for Examiner<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Examiner").field("has_git", &self.has_git).field("command", &self.command).finish()
    }
}

/// Looks at everything.
pub fn examine(start: Start<'_>, ctx: &Context, examiner: &Examiner<'_>) -> DoctorView {
    let mut findings = Findings::default();
    let workspace = match Workspace::discover(start) {
        Ok(workspace) => workspace,
        Err(error) => {
            let fix = error.plain_hint().unwrap_or_default();
            findings.error("workspace", error.to_string(), &fix);
            if let Start::Here(folder) = start
                && hewto_store::is_unmarked_specman(folder)
            {
                let message = "these are SpecMan's documents (spec/, impl/) without its marker `.specman/`";
                findings.warning("layout", message.to_owned(), "run `hewto init` to work on them in place");
            }
            return findings.view(None);
        }
    };
    let report = check::validate(&workspace, ctx, Strictness::Normal);
    look(&workspace, ctx, examiner, Some(&report), findings)
}

/// Looks at a workspace that is open; what its documents say where they were validated already.
pub(crate) fn examine_open(
    workspace: &Workspace,
    ctx: &Context,
    examiner: &Examiner<'_>,
    report: Option<&Result<ReportView>>,
) -> DoctorView {
    look(workspace, ctx, examiner, report, Findings::default())
}

fn look(
    workspace: &Workspace,
    ctx: &Context,
    examiner: &Examiner<'_>,
    report: Option<&Result<ReportView>>,
    mut findings: Findings,
) -> DoctorView {
    findings
        .ok("workspace", format!("{} ({})", workspace.root().display(), workspace.layout_names().join(", ")));
    look_at_layout(workspace, &mut findings);
    look_at_configuration(workspace, ctx, &mut findings);
    look_at_gates(workspace, ctx, &mut findings);
    look_at_proof(workspace, ctx, &mut findings);
    look_at_claims(workspace, ctx, &mut findings);
    machine::look(workspace, ctx, examiner, &mut findings);
    if let Some(report) = report {
        look_at_documents(report, &mut findings);
    }
    agents::look(workspace, ctx, examiner, &mut findings);
    findings.view(Some(workspace.root().display().to_string()))
}

/// Mends what can be mended without judgement, then looks at everything. What resists keeps nothing else from it.
pub fn mend(start: Start<'_>, ctx: &Context, examiner: &Examiner<'_>) -> DoctorView {
    let Ok(workspace) = Workspace::discover(start) else { return examine(start, ctx, examiner) };
    let attempts = [
        ("journal", machine::mend(&workspace, ctx)),
        ("documents", check::fix(&workspace, ctx, Strictness::Normal).map(|report| report.fixed)),
        ("installation", agents::mend(&workspace, ctx, examiner)),
    ];
    let DoctorView { root, findings, .. } = examine(start, ctx, examiner);
    let (mut findings, mut fixed) = (Findings(findings), Vec::new());
    for (check, attempt) in attempts {
        match attempt {
            Ok(mended) => fixed.extend(mended),
            Err(error) if findings.0.iter().any(|known| known.message == error.to_string()) => {}
            Err(error) => findings.failed(check, &error),
        }
    }
    DoctorView { fixed, ..findings.view(root) }
}

fn look_at_layout(workspace: &Workspace, findings: &mut Findings) {
    let found = workspace.layout_findings();
    for finding in found {
        findings.error("layout", format!("{}: {}", finding.file, finding.message), &finding.hint);
    }
    if found.is_empty() {
        let roots: Vec<&str> = workspace.spec_roots().collect();
        findings.ok("layout", format!("specs in {}", roots.join(", ")));
    }
}

/// Says what is wrong with the configuration, line by line; for all of it the defaults hold.
fn look_at_configuration(workspace: &Workspace, ctx: &Context, findings: &mut Findings) {
    for fault in &workspace.configuration(ctx).findings {
        let line = fault.line.map(|line| format!(":{line}")).unwrap_or_default();
        let message = format!("{}{line}: {}", fault.file, fault.message);
        match fault.severity {
            Severity::Error => findings.error("configuration", message, &fault.hint),
            Severity::Warning | Severity::Info => findings.warning("configuration", message, &fault.hint),
        }
    }
}

fn look_at_gates(workspace: &Workspace, ctx: &Context, findings: &mut Findings) {
    match gate::show(workspace, ctx) {
        Err(error) => findings.failed("gates", &error),
        Ok(gates) => match gates.notice {
            Some(notice) => {
                findings.add("gates", Status::Ok, notice, Some("run `hewto gate plan terminal`"));
            }
            None => findings
                .ok("gates", format!("plan: {}, archive: {}", gates.levels.plan, gates.levels.archive)),
        },
    }
}

/// Says what proof goes by and cannot: until it is mended it counts for nothing.
fn look_at_proof(workspace: &Workspace, ctx: &Context, findings: &mut Findings) {
    let found = proof::findings(workspace, ctx).and_then(|mut found| {
        found.extend(proof::findings_here(workspace, ctx)?);
        Ok(found)
    });
    match found {
        Err(error) => findings.failed("proof", &error),
        Ok(found) => {
            for fault in found {
                let line = fault.line.map(|line| format!(":{line}")).unwrap_or_default();
                let message = format!("{}{line}: {}", fault.file, fault.message);
                match fault.severity {
                    Severity::Error => findings.error("proof", message, &fault.hint),
                    Severity::Warning | Severity::Info => findings.warning("proof", message, &fault.hint),
                }
            }
        }
    }
}

/// Claims that cannot be read stop everybody who writes.
fn look_at_claims(workspace: &Workspace, ctx: &Context, findings: &mut Findings) {
    match claim::who(workspace, ctx) {
        Err(error) => findings.failed("claims", &error),
        Ok(held) if held.claims.is_empty() => {}
        Ok(held) => findings.ok("claims", format!("{} held", held.claims.len())),
    }
}

fn look_at_documents(report: &Result<ReportView>, findings: &mut Findings) {
    match report {
        Err(error) => findings.failed("documents", error),
        Ok(report) => {
            let summary = &report.summary;
            let message = format!(
                "specs: {}, errors: {}, warnings: {}",
                summary.specs, summary.errors, summary.warnings
            );
            match (summary.errors, summary.warnings) {
                (0, 0) => findings.ok("documents", message),
                (0, _) => findings.warning("documents", message, "run `hewto validate` to see them"),
                _ => findings.error("documents", message, "run `hewto validate` to see them"),
            }
        }
    }
}

#[derive(Debug, Default)]
struct Findings(Vec<FindingView>);

impl Findings {
    fn ok(&mut self, check: &str, message: impl Into<String>) {
        self.add(check, Status::Ok, message.into(), None);
    }

    fn warning(&mut self, check: &str, message: impl Into<String>, fix: &str) {
        self.add(check, Status::Warning, message.into(), Some(fix));
    }

    fn error(&mut self, check: &str, message: impl Into<String>, fix: &str) {
        self.add(check, Status::Error, message.into(), Some(fix));
    }

    /// A look that itself failed.
    fn failed(&mut self, check: &str, error: &crate::Error) {
        self.error(check, error.to_string(), &error.plain_hint().unwrap_or_else(|| "try again".to_owned()));
    }

    fn add(&mut self, check: &str, status: Status, message: String, fix: Option<&str>) {
        let fix = fix.filter(|fix| !fix.is_empty()).map(str::to_owned);
        self.0.push(FindingView { check: check.to_owned(), status, message, fix });
    }

    fn view(self, root: Option<String>) -> DoctorView {
        let healthy = self.0.iter().all(|finding| finding.status != Status::Error);
        DoctorView { root, healthy, findings: self.0, fixed: Vec::new() }
    }
}
