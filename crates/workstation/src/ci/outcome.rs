//! What came of a program that ran.

use schemars::JsonSchema;
use serde::Serialize;

use crate::error::{Error, Key, Result};
use crate::page::budget;
use crate::process::{Captured, Ended, Finished, plain_text};
use crate::show::{ending, json_chars, show_bytes};

/// How many characters the names of failing tests may take.
const NAMES_CHARS: usize = 6_000;

/// A program that ran. Both outputs are their ends, which say what went wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RunView {
    /// The program and its arguments
    pub command: Vec<String>,
    /// The folder it ran in
    pub cwd: String,
    /// Absent when it was killed
    pub exit_code: Option<i32>,
    /// The signal that ended it
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub signal: Option<i32>,
    pub duration_ms: u64,
    pub stdout: String,
    pub stderr: String,
    /// Whether the beginning of an output is left out
    pub truncated: bool,
    /// Whether it was killed because it took too long; the outputs are what came until then
    pub timed_out: bool,
    /// What a known test runner reported
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub tests: Option<TestsView>,
    /// How to get what was left out
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub note: Option<String>,
}

/// What a test runner reported.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TestsView {
    pub passed: u64,
    pub failed: u64,
    pub skipped: u64,
    /// The failing tests, as far as they fit
    pub failed_names: Vec<String>,
}

impl RunView {
    pub fn succeeded(&self) -> bool {
        self.exit_code == Some(0)
    }

    /// The view when the program succeeded, else an error that carries all of it.
    pub fn into_result(self) -> Result<Self> {
        if self.succeeded() {
            return Ok(self);
        }
        let program = self.command.first().map_or("", String::as_str);
        let error = match self.exit_code {
            _ if self.timed_out => {
                let message = format!("`{program}` was killed after {} s", self.duration_ms / 1000);
                Error::machine(Key::Timeout, message)
                    .hint("allow more time with `timeout_s`, or run a smaller part")
            }
            Some(code) => {
                Error::refused(Key::CommandFailed, format!("`{program}` ended with exit code {code}"))
            }
            None => Error::refused(Key::CommandFailed, format!("`{program}` was killed by a signal")),
        };
        let body = serde_json::to_value(&self).ok().and_then(|value| value.as_object().cloned());
        Err(body.into_iter().flatten().fold(error, |error, (name, value)| error.detail(&name, value)))
    }

    pub(super) fn new(
        command: Vec<String>,
        cwd: String,
        finished: &Finished,
        mut tests: Option<TestsView>,
        max_chars: Option<usize>,
    ) -> Self {
        let mut left = budget(max_chars);
        left = left.saturating_sub(command.iter().map(|word| json_chars(word) + 3).sum());
        if let Some(tests) = &mut tests {
            left = left.saturating_sub(tests.shorten(NAMES_CHARS.min(left / 3)));
        }
        let (all_out, all_err) = (text(&finished.stdout), text(&finished.stderr));
        let (out_room, err_room) = share(left, json_chars(&all_out), json_chars(&all_err));
        let (stdout, stderr) = (ending(&all_out, out_room), ending(&all_err, err_room));
        let truncated = finished.stdout.is_cut()
            || finished.stderr.is_cut()
            || stdout.len() < all_out.len()
            || stderr.len() < all_err.len();
        let note = truncated.then(|| {
            format!(
                "of {} bytes of stdout and {} of stderr the ends are shown; ask for more with `max_chars`",
                finished.stdout.total(),
                finished.stderr.total()
            )
        });
        Self {
            command,
            cwd,
            exit_code: finished.exit_code(),
            signal: finished.signal(),
            duration_ms: u64::try_from(finished.duration.as_millis()).unwrap_or(u64::MAX),
            stdout: stdout.to_owned(),
            stderr: stderr.to_owned(),
            truncated,
            timed_out: matches!(finished.ended, Ended::Interrupted(_)),
            tests,
            note,
        }
    }
}

impl TestsView {
    /// Drops names that do not fit; tells what the rest takes.
    fn shorten(&mut self, room: usize) -> usize {
        let mut used = 0;
        let fits = self
            .failed_names
            .iter()
            .take_while(|name| {
                used += json_chars(name) + 3;
                used <= room
            })
            .count();
        self.failed_names.truncate(fits);
        used.min(room)
    }
}

fn text(captured: &Captured) -> String {
    show_bytes(&plain_text(captured.bytes())).text
}

/// Half for each, and what one does not need for the other.
fn share(room: usize, stdout: usize, stderr: usize) -> (usize, usize) {
    let half = room / 2;
    if stdout <= half {
        (stdout, room - stdout)
    } else if stderr <= half {
        (room - stderr, stderr)
    } else {
        (half, room - half)
    }
}
