//! One check, run once: digest the tree, remove the old report, run, digest again, read the report, write the record.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hewto_core::proof::report::{self, ReportError};
use hewto_core::proof::settings::{Check, Format, digest};
use hewto_core::proof::statement::{RunRecord, Verdict};
use hewto_core::proof::{CaseOutcome, CaseResult};
use hewto_store::{Context, head_commit};
use hewto_workstation::ci::{self, CheckEnd};
use hewto_workstation::tree::Tree;
use hewto_workstation::{Call, Protected, Roots, Settings as StationSettings, Workstation};

use super::isolate::Isolated;
use super::progress::Tally;
use super::{chain, tree};
use crate::error::{Error, Key, Kind, Result};
use crate::proof::linked;
use crate::proof::preset::report_folder;
use crate::proof::settings::{Loaded, check_digest};
use crate::workspace::Workspace;

/// Stands for the names of the linked tests in the command line of a check.
const LINKED_TESTS: &str = "{tests}";
/// The most that is kept of executed lines; a larger report says nothing.
const MAX_COVERED_LINES: usize = 2_000_000;

/// A record, and what only the run itself knows.
#[derive(Debug)]
pub(super) struct Ran {
    pub(super) record: RunRecord,
    /// The files that changed under the run.
    pub(super) torn: Vec<String>,
    /// The end of what the runner printed.
    pub(super) tail: String,
    /// Why the report on executed lines was not read.
    pub(super) coverage_problem: Option<String>,
}

/// What a run is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    Record,
    /// To see whether the check works.
    Trial,
}

/// Runs a check on the tree that was read just now.
pub(super) fn execute(
    ws: &Workspace,
    ctx: &Context,
    loaded: &Loaded,
    check: &Check,
    before: &Tree,
    purpose: Purpose,
    tell: &dyn Fn(crate::Progress),
) -> Result<Ran> {
    let isolated = if check.isolate { Some(Isolated::make(ws, ctx, before)?) } else { None };
    let place: &Path = isolated.as_ref().map_or(ws.root(), Isolated::path);
    let station = station(ws, place)?;
    let is_cancelled = || ctx.cancellation().is_cancelled();
    let call = Call::unbounded().with_deadline(ctx.deadline()).with_cancellation(&is_cancelled);
    let reports: Vec<&str> =
        [&check.report, &check.coverage].into_iter().flatten().map(String::as_str).collect();
    for pattern in &reports {
        ci::remove_reports(&station, &call, pattern)?;
    }
    if let Some(folder) = report_folder(check) {
        let made = fs_err::create_dir_all(place.join(folder));
        made.map_err(|error| {
            Error::new(Kind::Machine, Key::IoError, "cannot make the folder of the report").caused_by(error)
        })?;
    }
    let linked = linked(ws, ctx)?;
    // What an isolated run is about is the copy; what is recorded of the links was read from the tree itself.
    let edited: Vec<String> = match &isolated {
        Some(_) => before.differences(&tree::read(ws, ctx, loaded)?).into_iter().map(str::to_owned).collect(),
        None => Vec::new(),
    };
    let stamps: Vec<(&String, Option<FileStamp>)> =
        linked.files.iter().map(|path| (path, stamp_of(place, path))).collect();
    let command = with_tests(&check.run, &linked.tests);
    let mut tally = Tally::default();
    let ended = ci::check(
        &station,
        &call,
        &ci::Check {
            command: &command,
            time: Duration::from_secs(check.timeout_s),
            keep_output: report::MAX_BYTES,
        },
        &mut |line| {
            tally.line(line);
            tell(tally.progress(&check.name));
        },
    );
    let ended = match ended {
        Ok(ended) if ended.timed_out => Err(timed_out(check, &ended)),
        ended => ended.map_err(Error::from),
    };
    let ended = match ended {
        Ok(ended) => ended,
        Err(error) => {
            // Half a report must not be taken for one.
            for pattern in &reports {
                let _ = ci::remove_reports(&station, &Call::unbounded(), pattern);
            }
            return Err(error);
        }
    };
    let after = match &isolated {
        Some(isolated) => isolated.tree(ctx, before)?,
        None if purpose == Purpose::Trial => tree::read_for_trial(ws, ctx, loaded, check)?,
        None => tree::read(ws, ctx, loaded)?,
    };
    let inputs = tree::inputs(&check.inputs)?;
    // A test that was another one for a while and is itself again shows in no digest.
    let touched = stamps.iter().filter(|(path, stamp)| *stamp != stamp_of(place, path));
    let touched = touched.map(|(path, _)| path.as_str()).chain(edited.iter().map(String::as_str));
    let torn: BTreeSet<&str> = before.differences(&after).into_iter().chain(touched).collect();
    let torn: Vec<String> =
        torn.into_iter().filter(|path| inputs.is_match(path)).map(str::to_owned).collect();
    let (cases, report_digest) = read_cases(&station, &call, check, &ended)?;
    let (coverage, coverage_problem) = read_coverage(&station, &call, check, &ended);
    let record = RunRecord {
        // The chain gives it its place.
        run: String::new(),
        check: check.name.clone(),
        check_digest: check_digest(check),
        tree: tree::hex(before),
        head: head_commit(ws.root()),
        argv: command,
        exit: ended.exit,
        at: ctx.now_rfc3339(),
        ms: u64::try_from(ended.duration.as_millis()).unwrap_or(u64::MAX),
        by: ctx.client().to_owned(),
        worktree: ws.root().display().to_string(),
        verdict: verdict(check, &ended, &cases, &torn),
        names_tests: check.format.names_tests(),
        harness: harness(place, check),
        report: report_digest,
        cases,
        links: linked.hashes,
        past: BTreeMap::new(),
        coverage,
        prev: None,
    };
    let record = match purpose {
        Purpose::Record => chain::append(ws, ctx, &loaded.settings.checks, record)?,
        Purpose::Trial => record,
    };
    Ok(Ran { record, torn, tail: ended.tail, coverage_problem })
}

/// The command line, with the names of the linked tests where it asks for them: a suite that is run whole elsewhere need not be
/// run twice.
fn with_tests(command: &[String], tests: &BTreeSet<String>) -> Vec<String> {
    let word = |word: &String| {
        if word == LINKED_TESTS { tests.iter().cloned().collect() } else { vec![word.clone()] }
    };
    command.iter().flat_map(word).collect()
}

/// Inode, size and times.
type FileStamp = (u64, u64, i64, i64, i64, i64);

/// What the file system says of a file; nothing where there is none.
fn stamp_of(place: &Path, path: &str) -> Option<FileStamp> {
    let of = fs_err::symlink_metadata(place.join(path)).ok()?;
    Some((of.ino(), of.size(), of.mtime(), of.mtime_nsec(), of.ctime(), of.ctime_nsec()))
}

/// The workstation of a place: no root but this, the machine's programs and environment.
fn station(ws: &Workspace, place: &Path) -> Result<Workstation> {
    let machine = ws.children();
    let settings = StationSettings {
        search_path: machine.search_path.clone(),
        environment: machine.environment.clone(),
        ..StationSettings::default()
    };
    Ok(Workstation::new(Roots::open(&[PathBuf::from(place)], Protected::default())?, settings))
}

fn read_cases(
    station: &Workstation,
    call: &Call<'_>,
    check: &Check,
    ended: &CheckEnd,
) -> Result<(Vec<CaseResult>, String)> {
    if check.format == Format::Exit {
        return Ok((Vec::new(), digest(b"")));
    }
    let Some(pattern) = &check.report else {
        let cases = report::read(check.format, &ended.output)
            .map_err(|error| invalid(check, "its output", &error, ended))?;
        return Ok((cases, digest(&ended.output)));
    };
    let files = ci::read_reports(station, call, pattern, ended.began, report::MAX_BYTES)
        .map_err(|error| about_run(Error::from(error), check, ended))?;
    let mut all = Vec::new();
    let mut digests = String::new();
    for file in files {
        let cases = report::read(check.format, &file.bytes)
            .map_err(|error| invalid(check, &file.path, &error, ended))?;
        if all.len() + cases.len() > report::MAX_CASES {
            return Err(invalid(check, &file.path, &ReportError::TooManyCases, ended));
        }
        all.extend(cases);
        digests.push_str(&digest(&file.bytes));
    }
    let digest = if digests.len() == 64 { digests } else { digest(digests.as_bytes()) };
    Ok((all, digest))
}

type CoveredLines = BTreeMap<String, Vec<(u32, u64)>>;

/// The executed lines. A report that is missing or broken proves nothing and breaks nothing.
fn read_coverage(
    station: &Workstation,
    call: &Call<'_>,
    check: &Check,
    ended: &CheckEnd,
) -> (Option<CoveredLines>, Option<String>) {
    let Some(pattern) = &check.coverage else { return (None, None) };
    let files = match ci::read_reports(station, call, pattern, ended.began, report::MAX_BYTES) {
        Ok(files) => files,
        Err(error) => return (None, Some(error.message)),
    };
    let mut covered = CoveredLines::new();
    for file in files {
        match report::read_coverage(&file.bytes) {
            Ok(coverage) => covered.extend(coverage.files.into_iter().map(|(path, lines)| (path, lines.0))),
            Err(error) => return (None, Some(format!("`{}`: {error}", file.path))),
        }
    }
    if covered.values().map(Vec::len).sum::<usize>() > MAX_COVERED_LINES {
        return (None, Some(format!("it covers more than {MAX_COVERED_LINES} lines")));
    }
    (Some(covered), None)
}

fn verdict(check: &Check, ended: &CheckEnd, cases: &[CaseResult], torn: &[String]) -> Verdict {
    let ran = cases.iter().any(|case| case.outcome != CaseOutcome::Skipped);
    if !torn.is_empty() {
        Verdict::Torn
    } else if check.format.names_tests() && !ran {
        Verdict::NoTests
    } else if ended.exit == Some(0) && cases.iter().all(|case| case.outcome != CaseOutcome::Failed) {
        Verdict::Passed
    } else {
        Verdict::Failed
    }
}

fn harness(place: &Path, check: &Check) -> BTreeMap<String, String> {
    let of = |file: &String| {
        let bytes = fs_err::read(place.join(file));
        (file.clone(), bytes.map_or_else(|_| "absent".to_owned(), |bytes| digest(&bytes)))
    };
    check.harness.iter().map(of).collect()
}

fn timed_out(check: &Check, ended: &CheckEnd) -> Error {
    let error = Error::new(
        Kind::Refused,
        Key::RunTimeout,
        format!("the check `{}` did not end within {} seconds", check.name, check.timeout_s),
    )
    .hint(format!("make it faster, or raise `timeout_s` of `[check.{}]`", check.name));
    about_run(error, check, ended)
}

fn invalid(check: &Check, what: &str, error: &ReportError, ended: &CheckEnd) -> Error {
    let format = check.format.as_str();
    let error = Error::new(
        Kind::Refused,
        Key::ReportInvalid,
        format!("the report of `{}` cannot be read as `{format}`: `{what}`: {error}", check.name),
    )
    .detail("report", what)
    .hint(format!("let the runner write `{format}`, or set `format` of `[check.{}]`", check.name));
    about_run(error, check, ended)
}

/// What a person needs to see why a run said nothing.
fn about_run(error: Error, check: &Check, ended: &CheckEnd) -> Error {
    let error = error.detail("check", check.name.as_str());
    let error = match (ended.exit, ended.signal) {
        (Some(exit), _) => error.detail("exit", exit),
        (None, Some(signal)) => error.detail("signal", signal),
        _ => error,
    };
    let tail: String = last_lines(&ended.tail, 20);
    if tail.is_empty() { error } else { error.detail("output_tail", tail) }
}

/// The last lines of a text.
pub(super) fn last_lines(text: &str, most: usize) -> String {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    lines[lines.len().saturating_sub(most)..].join("\n")
}
