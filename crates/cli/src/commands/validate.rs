//! `hewto validate`: the report on every document of the workspace.

use std::fmt::Write;

use anstyle::Style;
use hewto_core::diagnostic::Severity;
use hewto_engine::check::{self, Strictness};
use hewto_engine::view::{DiagnosticView, ReportView};
use serde_json::json;

use crate::act;
use crate::failure::{Outcome, Verdict};
use crate::place::{Place, context};
use crate::ui::{BAD, DIM, GOOD, NAME, Ui, WARN, count, one_line, paint};

/// Check every document of the workspace, or one spec or change
#[derive(Debug, clap::Args)]
#[command(after_help = "Exits with 1 when there are errors, with --strict also when there are warnings.")]
pub(crate) struct Args {
    /// The id of a spec or a change; everything when absent
    #[arg(conflicts_with = "fix")]
    id: Option<String>,
    /// Let warnings count as errors
    #[arg(long)]
    strict: bool,
    /// Fix what can be fixed without judgement, then report what is left
    #[arg(long)]
    fix: bool,
}

/// Severities in the order of the report, with their headings.
const SECTIONS: [(Severity, &str, Style); 3] =
    [(Severity::Error, "ERRORS", BAD), (Severity::Warning, "WARNINGS", WARN), (Severity::Info, "INFO", NAME)];

pub(crate) fn run(ui: &mut Ui, place: &Place, args: &Args) -> Outcome {
    let workspace = place.workspace()?;
    let strictness = Strictness::from(args.strict);
    if let Some(id) = &args.id {
        let verdict = check::validate_item(&workspace, &context(), id, strictness)?;
        ui.answer(&verdict, super::change::verdict)?;
        return Ok(if verdict.valid { Verdict::Yes } else { Verdict::No });
    }
    let report = if args.fix {
        let inputs = json!({ "fix": true, "strict": args.strict });
        act::in_workspace(&workspace, "validate", inputs, |ctx| check::fix(&workspace, ctx, strictness))?
    } else {
        check::validate(&workspace, &context(), strictness)?
    };
    ui.answer(&report, render)?;
    Ok(if report.valid { Verdict::Yes } else { Verdict::No })
}

fn render(report: &ReportView) -> String {
    let mut out = String::new();
    if !report.fixed.is_empty() {
        let _ = writeln!(out, "{}", paint(GOOD, &format!("FIXED ({})", report.fixed.len())));
        for line in &report.fixed {
            let _ = writeln!(out, "  {}", one_line(line));
        }
        out.push('\n');
    }
    for (severity, heading, style) in SECTIONS {
        let issues: Vec<&DiagnosticView> =
            report.issues.iter().filter(|issue| issue.severity == severity).collect();
        if issues.is_empty() {
            continue;
        }
        let _ = writeln!(out, "{}", paint(style, &format!("{heading} ({})", issues.len())));
        match severity {
            Severity::Info => render_grouped(&mut out, &issues),
            Severity::Warning | Severity::Error => {
                for issue in &issues {
                    render_issue(&mut out, issue);
                }
            }
        }
        out.push('\n');
    }
    let summary = &report.summary;
    if report.issues.is_empty() {
        let _ = writeln!(out, "No issues found. Workspace is valid ({}).", count(summary.specs, "spec"));
    } else {
        let (style, status) = if report.valid { (GOOD, "PASSED") } else { (BAD, "FAILED") };
        let _ = writeln!(
            out,
            "Status: {} | Specs: {} | Errors: {} | Warnings: {} | Info: {}",
            paint(style, status),
            summary.specs,
            summary.errors,
            summary.warnings,
            summary.infos
        );
    }
    out
}

/// Information needs no action, so each kind of it is told once, with its first place.
fn render_grouped(out: &mut String, issues: &[&DiagnosticView]) {
    let mut told: Vec<&str> = Vec::new();
    for issue in issues {
        if told.contains(&issue.code.as_str()) {
            continue;
        }
        told.push(&issue.code);
        render_issue(out, issue);
        let alike = issues.iter().filter(|other| other.code == issue.code).count();
        if alike > 1 {
            let _ = writeln!(out, "    {}", paint(DIM, &format!("and {} more like this", alike - 1)));
        }
    }
}

fn render_issue(out: &mut String, issue: &DiagnosticView) {
    let line = issue.line.map(|line| format!(":{line}")).unwrap_or_default();
    let _ = writeln!(
        out,
        "  {}{line}: {} {}",
        one_line(&issue.file),
        one_line(&issue.message),
        paint(DIM, &format!("[{}]", issue.code))
    );
    if !issue.hint.is_empty() {
        let _ = writeln!(out, "    hint: {}", one_line(&issue.hint));
    }
}
