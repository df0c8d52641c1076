//! `ci_run`: a command that the user has allowed by name.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::command_line::split;
use super::job::{Job, JobPlace};
use super::outcome::RunView;
use super::score::runners_of;
use crate::call::Call;
use crate::error::{Error, Key, Result};
use crate::process::find_program;
use crate::station::Workstation;

/// What to run. No shell sees it.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// A program and its arguments, as they would be typed
    pub command: String,
    /// Default the first root
    pub cwd: Option<String>,
    /// Seconds it may take; default 600
    #[schemars(range(min = 1, max = 3600))]
    pub timeout_s: Option<u64>,
    #[schemars(range(min = 1000, max = 2_000_000))]
    pub max_chars: Option<usize>,
}

/// Runs an allowed command.
pub fn run(station: &Workstation, call: &Call<'_>, request: &Run) -> Result<RunView> {
    let command = split(&request.command)?;
    let place = JobPlace::find_trusted(station, "cwd", request.cwd.as_deref().unwrap_or("."))?;
    let program = allowed(station, &command)?;
    if place.file.is_some() {
        return Err(Error::refused(Key::NotADirectory, "`cwd` is not a folder"));
    }
    let runners = runners_of(&command);
    let (timeout_s, max_chars) = (request.timeout_s, request.max_chars);
    Job { program, command, place: &place, runners, timeout_s, max_chars }.perform(station, call)
}

/// The program of a command, when the user allows it with these arguments.
fn allowed(station: &Workstation, command: &[String]) -> Result<PathBuf> {
    let commands = &station.settings().commands;
    let (name, arguments) = command.split_first().expect("a split command has a first word");
    let Some(prefixes) = commands.get(name) else {
        let known: Vec<&String> = commands.keys().collect();
        let error = Error::refused(Key::CommandNotAllowed, format!("`{name}` is not an allowed command"))
            .detail("allowed", json!(known));
        return Err(if known.is_empty() {
            error.hint("the user can allow commands in `[workstation.commands]` of the configuration")
        } else {
            error.hint("use one of the allowed commands, or ask the user to allow this one")
        });
    };
    if !prefixes.is_empty() && !prefixes.iter().any(|prefix| arguments.starts_with(prefix)) {
        return Err(Error::refused(
            Key::CommandNotAllowed,
            format!("`{name}` is not allowed with these arguments"),
        )
        .hint("begin the arguments with one of the allowed prefixes")
        .detail("allowed_prefixes", json!(prefixes)));
    }
    find_program(station, name)
}
