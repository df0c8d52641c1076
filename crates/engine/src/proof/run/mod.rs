//! Runs of the declared checks: the only thing that writes evidence.
//!
//! A run is shared by all who ask for the same tree and the same check: whoever comes first runs it, others wait at the lock
//! of that pair and read its record. One checkout runs one check at a time.

mod chain;
mod execute;
mod id;
mod isolate;
mod job;
mod progress;
mod show;
pub(crate) mod tree;

use std::sync::Arc;
use std::time::{Duration, Instant};

use hewto_core::near::near;
use hewto_core::proof::settings::{Check, digest};
use hewto_core::proof::statement::Verdict;
use hewto_store::{Context, Own};
use serde_json::json;

pub(crate) use chain::has_records;
pub use chain::{Chain, Tampered};
pub use id::begun_at;
pub(crate) use job::Jobs;
pub(crate) use show::is_green;
pub use show::{Evidence, RunShown, evidence, show};

use self::execute::{Purpose, Ran, execute};
use self::job::{Job, JobState};
use super::declare::with_declaration;
use super::settings::{Loaded, check_digest, load, load_to_run};
use super::standing::{Query, matrix};
use crate::error::{Action, Error, Key, Kind, Result};
use crate::trust::Subject;
use crate::view::{CheckRunView, CheckStatus, PromiseStateView, ProofRunView, RunProgressView, RunStatus};
use crate::workspace::Workspace;

/// Whether an equal run that has passed already will do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Reuse {
    #[default]
    Passed,
    Never,
}

/// What is to be run.
#[derive(Debug, Clone, Default)]
pub struct RunRequest {
    /// The names of the checks; none means all.
    pub checks: Vec<String>,
    /// Promises whose standing the answer tells, once the checks have ended.
    pub refs: Vec<String>,
    /// How long the call waits; none means to the end.
    pub wait: Option<Duration>,
    pub reuse: Reuse,
}

/// Starts the checks, and waits for them as long as the call wants to.
pub fn run(ws: &Workspace, ctx: &Context, request: &RunRequest) -> Result<ProofRunView> {
    let loaded = load_to_run(ws, ctx)?;
    let checks = chosen(&loaded, &request.checks)?;
    // A name that is none is told before anything runs.
    standing_of(ws, ctx, &request.refs)?;
    require_trust(ws, &loaded)?;
    let job = Arc::new(Job::new(ctx, &request.refs));
    ws.jobs().add(Arc::clone(&job));
    // The job lives on when the call leaves; only its own cancellation ends it.
    let own = ctx.clone().without_deadline().with_cancellation(job.cancellation.clone());
    let (workspace, worker, reuse) = (ws.clone(), Arc::clone(&job), request.reuse);
    let spawned = std::thread::Builder::new().name("proof".to_owned()).spawn(move || {
        let _ended = EndOnDrop(&worker);
        for check in checks {
            let tell = |progress| worker.tell(progress);
            let view = match run_one(&workspace, &own, &loaded, &check, reuse, &tell) {
                Ok(view) => view,
                Err(error) => failure(&check, &error),
            };
            let is_cancelled = view.status == CheckStatus::Void(Key::Cancelled);
            worker.add(view);
            if is_cancelled {
                break;
            }
        }
    });
    if let Err(error) = spawned {
        job.end();
        return Err(Error::new(Kind::Machine, Key::IoError, "cannot start a thread").caused_by(error));
    }
    with_promises(ws, ctx, &job, wait(ctx, &job, request.wait))
}

/// Waits again for checks that were started before.
pub fn resume(ws: &Workspace, ctx: &Context, run: &str, time: Option<Duration>) -> Result<ProofRunView> {
    let job = find(ws, run)?;
    with_promises(ws, ctx, &job, wait(ctx, &job, time))
}

/// Ends checks that were started before, and everything that they started. Only who started them can.
pub fn cancel(ws: &Workspace, ctx: &Context, run: &str) -> Result<ProofRunView> {
    let job = find(ws, run)?;
    if job.client != ctx.client() {
        return Err(Error::new(
            Kind::Refused,
            Key::RunNotYours,
            format!("the run `{run}` was started by somebody else"),
        )
        .detail("run", run)
        .hint("let it end, or ask whoever started it"));
    }
    job.cancellation.cancel();
    Ok(wait(ctx, &job, None))
}

/// Tells how the promises stand that were asked for, where everything has ended.
fn with_promises(ws: &Workspace, ctx: &Context, job: &Job, view: ProofRunView) -> Result<ProofRunView> {
    if view.status == RunStatus::Running {
        return Ok(view);
    }
    Ok(ProofRunView { promises: standing_of(ws, ctx, &job.refs)?, ..view })
}

fn standing_of(ws: &Workspace, ctx: &Context, refs: &[String]) -> Result<Vec<PromiseStateView>> {
    let mut promises = Vec::new();
    for name in refs {
        let query = Query { target: Some(name.clone()), ..Query::default() };
        promises.extend(matrix(ws, ctx, &query)?.rows.into_iter().map(|row| PromiseStateView {
            reference: row.reference,
            state: row.state,
            reason: row.reason,
        }));
    }
    Ok(promises)
}

fn find(ws: &Workspace, run: &str) -> Result<Arc<Job>> {
    ws.jobs().find(run).ok_or_else(|| {
        Error::new(Kind::Refused, Key::RunUnknown, format!("no run `{run}` is known to this server"))
            .detail("run", run)
            .hint(Action::RunProof.to("start one; a run that has passed answers at once"))
    })
}

/// A job ends even when its thread panics.
struct EndOnDrop<'j>(&'j Job);

impl Drop for EndOnDrop<'_> {
    fn drop(&mut self) {
        self.0.end();
    }
}

fn wait(ctx: &Context, job: &Job, time: Option<Duration>) -> ProofRunView {
    let state = job.wait(ctx, time.map(|time| Instant::now() + time));
    if time.is_none() && !state.ended && ctx.cancellation().is_cancelled() {
        // Whoever waits to the end is the only one who waits: their leaving ends it.
        job.cancellation.cancel();
        return view(ctx, job, &job.wait(&Context::background(), None));
    }
    view(ctx, job, &state)
}

fn view(ctx: &Context, job: &Job, state: &JobState) -> ProofRunView {
    let is_cancelled = |check: &CheckRunView| check.status == CheckStatus::Void(Key::Cancelled);
    let status = match &state.done[..] {
        _ if !state.ended => RunStatus::Running,
        done if done.iter().any(is_cancelled) => RunStatus::Cancelled,
        done if done.is_empty() || done.iter().any(|check| check.problem.is_some()) => RunStatus::Error,
        done if done.iter().all(|check| check.status == CheckStatus::Passed) => RunStatus::Passed,
        _ => RunStatus::Failed,
    };
    let progress = state.progress.as_ref().filter(|_| !state.ended).map(|progress| RunProgressView {
        done: progress.done,
        total: progress.total,
        message: progress.message.clone(),
    });
    let next =
        (!state.ended).then(|| ctx.say(Action::WaitForRun { run: job.id.clone() }.then(" for its result")));
    ProofRunView {
        run: job.id.clone(),
        status,
        checks: state.done.clone(),
        promises: Vec::new(),
        progress,
        next,
    }
}

fn chosen(loaded: &Loaded, names: &[String]) -> Result<Vec<Check>> {
    let known = &loaded.settings.checks;
    if known.is_empty() {
        let error = Error::new(Kind::Machine, Key::CheckUnknown, "no check is declared");
        let misspelt = loaded.warnings.first().map(|fault| {
            format!("`{}`, line {}: {}, {}\n", Own::Proof.path(), fault.line, fault.message, fault.hint)
        });
        let before = format!(
            "{}run `hewto proof init` to declare the ones that fit this project. ",
            misspelt.unwrap_or_default()
        );
        let name = names.first().map(String::as_str).unwrap_or_default();
        return Err(with_declaration(error.detail("checks", json!([])), name, &before));
    }
    if names.is_empty() {
        return Ok(known.clone());
    }
    let find = |name: &String| {
        loaded.settings.check(name).cloned().ok_or_else(|| {
            let all: Vec<&str> = known.iter().map(|check| check.name.as_str()).collect();
            let error = Error::new(Kind::Usage, Key::CheckUnknown, format!("no check named `{name}`"))
                .detail("checks", json!(all));
            let before = match near(name, all.iter().copied(), 1).first() {
                Some(meant) => return error.hint(format!("did you mean `{meant}`?")),
                None => format!("declared are `{}`. ", all.join("`, `")),
            };
            with_declaration(error, name, &before)
        })
    };
    names.iter().map(find).collect()
}

/// Refuses unless the owner has trusted exactly these settings.
fn require_trust(ws: &Workspace, loaded: &Loaded) -> Result<()> {
    let text = loaded.text.as_deref().unwrap_or_default();
    ws.trust().require(ws.root(), Subject::Proof, text, ws.children().given_trust.as_ref()).map_err(
        |mut error| {
            if error.key == Key::NotTrusted {
                error.key = Key::CheckNotTrusted;
                // A check that cannot run is no answer: exit code 3.
                error.kind = Kind::Machine;
                error = error.detail("digest", digest(text.as_bytes()));
            }
            error
        },
    )
}

fn run_one(
    ws: &Workspace,
    ctx: &Context,
    loaded: &Loaded,
    check: &Check,
    reuse: Reuse,
    tell: &dyn Fn(crate::Progress),
) -> Result<CheckRunView> {
    let folder = ws.shared_folder();
    let own_lock =
        format!("proof/locks/checkout-{}", &digest(ws.root().display().to_string().as_bytes())[..16]);
    let asked_at = ctx.now_rfc3339();
    loop {
        let tree = tree::read(ws, ctx, loaded)?;
        let (tree_digest, check_digest) = (tree::hex(&tree), check_digest(check));
        let key = digest(format!("{tree_digest} {check_digest}").as_bytes());
        let earlier = |since: Option<&str>| -> Result<Option<_>> {
            let chain = Chain::read(ws, ctx)?;
            let equal = chain.records.into_iter().rev().find(|record| {
                record.tree == tree_digest
                    && record.check_digest == check_digest
                    && since.is_none_or(|since| record.at.as_str() >= since)
            });
            // What failed is tried again: it may have failed for something that is not in the tree.
            Ok(equal.filter(|record| since.is_some() || record.verdict == Verdict::Passed))
        };
        if reuse == Reuse::Passed
            && let Some(record) = earlier(None)?
        {
            chain::bring_up(ws, ctx, &loaded.settings.checks, &record)?;
            return Ok(CheckRunView { cached: true, ..show::check_view(&record) });
        }
        let lock_name = format!("proof/locks/{}", &key[..2]);
        let lock = if let Some(lock) = folder.try_lock(&lock_name)? {
            lock
        } else {
            tell(crate::Progress {
                done: 0,
                total: None,
                message: format!("{}: waiting for a run of the same tree", check.name),
            });
            let lock = chain::wait_for_lock(&folder, &lock_name, ctx)?;
            if let Some(record) = earlier(Some(&asked_at))? {
                chain::bring_up(ws, ctx, &loaded.settings.checks, &record)?;
                return Ok(CheckRunView { shared: true, ..show::check_view(&record) });
            }
            lock
        };
        let checkout = if let Some(checkout) = folder.try_lock(&own_lock)? {
            checkout
        } else {
            let checkout = chain::wait_for_lock(&folder, &own_lock, ctx)?;
            // While we waited the tree may have become another one.
            if tree::read(ws, ctx, loaded)? != tree {
                drop((checkout, lock));
                continue;
            }
            checkout
        };
        let before = Chain::read(ws, ctx)?;
        let ran = execute(ws, ctx, loaded, check, &tree, Purpose::Record, tell)?;
        drop((checkout, lock));
        return Ok(told(&before, &ran));
    }
}

fn told(before: &Chain, ran: &Ran) -> CheckRunView {
    let mut view = show::check_view(&ran.record);
    view.torn = ran.torn.iter().take(20).cloned().collect();
    view.coverage_problem.clone_from(&ran.coverage_problem);
    if ran.record.verdict != Verdict::Passed && view.failing.is_empty() {
        let tail = execute::last_lines(&ran.tail, 20);
        view.output_tail = Some(tail).filter(|tail| !tail.is_empty());
    }
    let last = before.records.iter().rev().find(|record| record.check == ran.record.check);
    if let Some(last) = last {
        let changed =
            ran.record.harness.iter().filter(|(file, digest)| last.harness.get(*file) != Some(digest));
        view.harness_changed = changed.map(|(file, _)| file.clone()).collect();
    }
    view
}

/// Runs a check to see whether it works. Nothing is kept: this is no evidence. A first run may leave what later ones find
/// (a lock file), so one that was torn is made again.
pub(crate) fn try_check(ws: &Workspace, ctx: &Context, check: &Check) -> CheckRunView {
    let once = || {
        let loaded = load(ws, ctx)?;
        let tree = tree::read_for_trial(ws, ctx, &loaded, check)?;
        let tell = |progress| ctx.report(progress);
        execute(ws, ctx, &loaded, check, &tree, Purpose::Trial, &tell)
    };
    let tried = match once() {
        Ok(ran) if ran.record.verdict == Verdict::Torn => once(),
        tried => tried,
    };
    match tried {
        Ok(ran) => CheckRunView { run: None, counts: false, ..told(&Chain::default(), &ran) },
        Err(error) => failure(check, &error),
    }
}

/// A check of which nothing is known, and why.
fn failure(check: &Check, error: &Error) -> CheckRunView {
    let problem = if error.key == Key::Cancelled { None } else { Some(error.to_json()) };
    CheckRunView {
        check: check.name.clone(),
        status: CheckStatus::Void(error.key),
        problem,
        ..CheckRunView::default()
    }
}
