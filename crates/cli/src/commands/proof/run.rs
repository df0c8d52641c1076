//! `hewto proof run`: runs the declared checks and keeps what they showed.

use std::fmt::Write as _;

use hewto_engine::proof::run::{Reuse, RunRequest, run as run_checks};
use hewto_engine::view::{CheckRunView, CheckStatus, ProofRunView, RunStatus};
use hewto_engine::{Error, Key, Kind};
use serde_json::{Value, json};

use crate::act;
use crate::failure::{Failure, Outcome, Verdict};
use crate::interrupt;
use crate::place::{self, Place};
use crate::ui::{BAD, DIM, GOOD, NAME, Ui, WARN, paint, visible};

/// Problems that are an answer: the check ran, and what it showed counts for nothing.
const RED: &[Key] = &[Key::RunTorn, Key::NoTestsRan, Key::ReportMissing, Key::ReportInvalid, Key::RunTimeout];

/// Run the declared checks and record what they show
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The checks to run; all of them unless named
    checks: Vec<String>,
    /// Run even where an equal run has passed already
    #[arg(long)]
    again: bool,
    /// Trust `.hewto/proof.toml` for this run if this is its SHA-256; for machines without a terminal
    #[arg(long, value_name = "DIGEST")]
    trust: Option<String>,
}

pub(crate) fn run(ui: &mut Ui, place: &Place, args: &Args) -> Outcome {
    let reuse = if args.again { Reuse::Never } else { Reuse::Passed };
    let ran = perform(
        place,
        RunRequest { checks: args.checks.clone(), reuse, ..RunRequest::default() },
        args.trust.as_deref(),
    )?;
    ui.answer(&ran, shown)?;
    verdict(&ran)
}

/// Runs all checks.
pub(super) fn all(place: &Place, trust: Option<&str>) -> Outcome<ProofRunView> {
    perform(place, RunRequest::default(), trust)
}

#[expect(clippy::needless_pass_by_value, reason = "a request is made for one run")]
fn perform(place: &Place, request: RunRequest, trust: Option<&str>) -> Outcome<ProofRunView> {
    let workspace = place.workspace_that_runs(trust)?;
    let context = place::unhurried();
    interrupt::calls_off(&context)?;
    let inputs = json!({ "checks": request.checks });
    let layout = || Some(workspace.layout().clone());
    Ok(act::noted(context, "proof run", inputs, layout, |ctx| run_checks(&workspace, ctx, &request))?)
}

/// What the command as a whole says: yes, no, or that a check could not run.
pub(crate) fn verdict(ran: &ProofRunView) -> Outcome {
    for check in &ran.checks {
        let Some(problem) = &check.problem else { continue };
        let text = |name: &str| problem.get(name).and_then(Value::as_str).unwrap_or_default();
        if !matches!(check.status, CheckStatus::Void(why) if RED.contains(&why)) {
            let message = format!("the check `{}` cannot run: {}", check.check, text("message"));
            let error = Error::new(Kind::Machine, Key::CheckFailedToRun, message);
            let error = match text("hint") {
                "" => error,
                hint => error.hint(hint),
            };
            return Err(Failure::Beside(Box::new(error)));
        }
    }
    Ok(if ran.status == RunStatus::Passed { Verdict::Yes } else { Verdict::No })
}

/// The run as people read it: what failed first.
pub(crate) fn shown(ran: &ProofRunView) -> String {
    let mut checks: Vec<&CheckRunView> = ran.checks.iter().collect();
    checks.sort_by_key(|check| check.status == CheckStatus::Passed);
    let mut text = String::new();
    for check in checks {
        text.push_str(&check_shown(check));
    }
    if ran.status == RunStatus::Cancelled {
        text.push_str("cancelled: nothing was recorded\n");
    }
    text
}

/// One check: its counts, then what failed or why nothing counts.
pub(crate) fn check_shown(check: &CheckRunView) -> String {
    let style = match check.status {
        CheckStatus::Passed => GOOD,
        CheckStatus::Failed => BAD,
        CheckStatus::Void(_) => WARN,
    };
    let mut text = format!("{} {}", paint(NAME, &visible(&check.check)), paint(style, check.status.as_str()));
    if check.run.is_some() || check.passed + check.failed + check.skipped > 0 {
        let _ = write!(text, "  {} passed, {} failed, {} skipped", check.passed, check.failed, check.skipped);
        let how = match (check.cached, check.shared) {
            (true, _) => " (an equal run, not run again)".to_owned(),
            (_, true) => " (shared with whoever ran it)".to_owned(),
            _ => format!(" in {}.{} s", check.ms / 1000, check.ms % 1000 / 100),
        };
        text.push_str(&paint(DIM, &how));
    }
    text.push('\n');
    for failing in &check.failing {
        let _ = write!(text, "  {} {}", paint(BAD, "failed"), visible(&failing.test));
        if let Some(file) = &failing.file {
            text.push_str(&paint(DIM, &format!(" ({})", visible(file))));
        }
        if let Some(message) = &failing.message {
            let _ = write!(text, ": {}", visible(message));
        }
        text.push('\n');
    }
    if check.failing_left_out > 0 {
        let _ = writeln!(text, "  and {} more", check.failing_left_out);
    }
    if let Some(problem) = &check.problem {
        let field = |name: &str| problem.get(name).and_then(Value::as_str).unwrap_or_default();
        let _ = writeln!(text, "  {}", visible(field("message")));
        if !field("hint").is_empty() {
            let _ = writeln!(text, "  {} {}", paint(NAME, "hint:"), visible(field("hint")));
        }
        for line in field("output_tail").lines() {
            let _ = writeln!(text, "  {} {}", paint(DIM, "|"), visible(line));
        }
    }
    for file in &check.torn {
        let _ = writeln!(text, "  changed while it ran: {}", visible(file));
    }
    for file in &check.harness_changed {
        let _ = writeln!(text, "  {} {}", paint(WARN, "the harness changed:"), visible(file));
    }
    if let Some(problem) = &check.coverage_problem {
        let _ = writeln!(text, "  {} {}", paint(WARN, "executed lines are unknown:"), visible(problem));
    }
    for line in check.output_tail.iter().flat_map(|tail| tail.lines()) {
        let _ = writeln!(text, "  {} {}", paint(DIM, "|"), visible(line));
    }
    text
}
