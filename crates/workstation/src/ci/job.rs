//! Runs a build tool, a test runner or an allowed command, and reads its output on the way.

use std::ffi::OsString;
use std::ops::ControlFlow;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::outcome::RunView;
use super::score::{Runner, Scoreboard};
use crate::call::Call;
use crate::confine::{Last, Missing, real_files_only};
use crate::error::{Error, Key, Result};
use crate::page::budget;
use crate::process::{
    BUILD_NAMES, Child, Ended, Keep, Stream, Sweep, USER_NAMES, child_environment, plain_text, run,
};
use crate::show::show_bytes;
use crate::station::Workstation;
use hewto_core::interrupt::Interrupted;

/// Lines longer than this are cut before they are read.
const MAX_LINE: usize = 8 * 1024;
/// Progress is told this often at most.
const PROGRESS_EVERY: Duration = Duration::from_millis(250);
const PROGRESS_CHARS: usize = 200;
/// The most of an output that is ever kept.
const MAX_KEPT: usize = 8 << 20;

/// Everything that builds wants to know: that nobody is there to answer, and that colours are no use.
pub(super) const QUIET: &[(&str, &str)] = &[
    ("TERM", "dumb"),
    ("NO_COLOR", "1"),
    ("CLICOLOR", "0"),
    ("CARGO_TERM_COLOR", "never"),
    ("CI", "true"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_PAGER", "cat"),
    ("PAGER", "cat"),
    ("DOTNET_CLI_TELEMETRY_OPTOUT", "1"),
    ("DOTNET_NOLOGO", "1"),
    ("MSBUILDDISABLENODEREUSE", "1"),
    ("npm_config_update_notifier", "false"),
    ("npm_config_fund", "false"),
];

/// What to run and how to read it.
#[derive(Debug)]
pub(super) struct Job<'j> {
    pub(super) program: PathBuf,
    /// As the user wrote it or would: the program's name, then its arguments.
    pub(super) command: Vec<String>,
    pub(super) place: &'j JobPlace,
    pub(super) runners: &'j [Runner],
    pub(super) timeout_s: Option<u64>,
    pub(super) max_chars: Option<usize>,
}

/// Where to run.
#[derive(Debug)]
pub(super) struct JobPlace {
    pub(super) folder: OwnedFd,
    pub(super) shown: String,
    /// Where the folder really is.
    real: PathBuf,
    /// The file that was named, when it was no folder.
    pub(super) file: Option<OsString>,
}

impl JobPlace {
    /// The folder that a path names, or the one that the named file is in.
    pub(super) fn find(station: &Workstation, field: &str, path: &str) -> Result<Self> {
        let roots = station.roots();
        let wanted = roots.wanted(field, path)?;
        match roots.open_folder(&wanted) {
            Ok(folder) => {
                let real = folder.place.path(roots);
                Ok(Self { folder: folder.fd, shown: wanted.shown, real, file: None })
            }
            Err(error) if error.key == Key::NotADirectory => {
                let spot = roots.locate(&wanted, Last::Follow, Missing::Report)?;
                let kind = spot.kind().ok_or(error)?;
                real_files_only(kind, &wanted.shown)?;
                let parts = &spot.place.parts[..spot.place.parts.len() - 1];
                let shown = roots.shown(spot.place.root, parts);
                let mut real = spot.place.path(roots);
                real.pop();
                Ok(Self { folder: spot.folder, shown, real, file: spot.name })
            }
            Err(error) => Err(error),
        }
    }
}

impl JobPlace {
    /// The same, where the owner of the machine lets the project's code run.
    pub(super) fn find_trusted(station: &Workstation, field: &str, path: &str) -> Result<Self> {
        let place = Self::find(station, field, path)?;
        station.permit_run(&place.real, &place.shown)?;
        Ok(place)
    }
}

impl Job<'_> {
    pub(super) fn perform(self, station: &Workstation, call: &Call<'_>) -> Result<RunView> {
        let allowed = self.time(station)?;
        let arguments: Vec<OsString> = self.command.iter().skip(1).map(OsString::from).collect();
        let mut environment = child_environment(station, &[USER_NAMES, BUILD_NAMES]);
        environment.extend(QUIET.iter().map(|(name, value)| ((*name).into(), (*value).into())));
        let child = Child {
            program: &self.program,
            arguments: &arguments,
            folder: &self.place.folder,
            environment,
            deadline: Some(Instant::now() + allowed),
            keep: Keep::Tail((budget(self.max_chars) * 4).min(MAX_KEPT)),
            sweep: Sweep::Everywhere,
        };
        let mut watcher = Watcher::new(Scoreboard::new(self.runners), call);
        let finished = run(&child, call, &mut |stream, chunk| {
            watcher.watch(stream, chunk);
            ControlFlow::Continue(())
        })?;
        if finished.ended == Ended::Interrupted(Interrupted::Cancelled) {
            return Err(Interrupted::Cancelled.into());
        }
        let tests = watcher.finish();
        Ok(RunView::new(self.command, self.place.shown.clone(), &finished, tests, self.max_chars))
    }

    fn time(&self, station: &Workstation) -> Result<Duration> {
        let limits = station.limits();
        let Some(seconds) = self.timeout_s else { return Ok(limits.run_time) };
        let wanted = Duration::from_secs(seconds);
        if seconds == 0 || wanted > limits.longest_run_time {
            let expected = format!("1 to {} seconds", limits.longest_run_time.as_secs());
            return Err(Error::invalid_argument(
                "timeout_s",
                &expected,
                format!("{seconds} is not {expected}"),
            ));
        }
        Ok(wanted)
    }
}

/// Cuts output into lines, reads them, and tells of progress.
struct Watcher<'w> {
    board: Scoreboard,
    call: &'w Call<'w>,
    lines: [Vec<u8>; 2],
    told: Option<Instant>,
}

impl<'w> Watcher<'w> {
    fn new(board: Scoreboard, call: &'w Call<'w>) -> Self {
        Self { board, call, lines: [vec![], vec![]], told: None }
    }

    fn watch(&mut self, stream: Stream, chunk: &[u8]) {
        let index = usize::from(stream == Stream::Stderr);
        for part in chunk.split_inclusive(|byte| *byte == b'\n') {
            let line = &mut self.lines[index];
            let room = MAX_LINE - line.len().min(MAX_LINE);
            line.extend_from_slice(&part[..part.len().min(room)]);
            if part.ends_with(b"\n") {
                let line = std::mem::take(line);
                self.line(&line);
            }
        }
    }

    fn line(&mut self, line: &[u8]) {
        let text = show_bytes(&plain_text(line)).text;
        let text = text.trim_end();
        self.board.line(text);
        let due = self.told.is_none_or(|told| told.elapsed() >= PROGRESS_EVERY);
        if due && !text.trim().is_empty() {
            self.told = Some(Instant::now());
            let short: String = text.trim_start().chars().take(PROGRESS_CHARS).collect();
            self.call.report(&short);
        }
    }

    fn finish(mut self) -> Option<super::outcome::TestsView> {
        for line in std::mem::take(&mut self.lines) {
            if !line.is_empty() {
                self.line(&line);
            }
        }
        self.board.finish()
    }
}
