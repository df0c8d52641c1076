//! `ci_build`, `ci_test`, `ci_restore`: the tool of a folder, asked for one thing.

use hewto_core::schema::unstated;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::job::{Job, JobPlace};
use super::outcome::RunView;
use super::score::Runner;
use super::toolchain::{Project, Tool, Toolchain};
use crate::call::Call;
use crate::confine::first_root;
use crate::error::{self, Error, Key, Result};
use crate::process::find_program;
use crate::station::Workstation;

/// What a build tool can be asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    Build,
    Test,
    /// Fetch what the project depends on
    Restore,
}

/// What to build, test or restore.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Build {
    /// A folder, or a project file in it; default the first root
    #[serde(default = "first_root")]
    #[schemars(skip_serializing_if = "unstated")]
    pub path: String,
    /// Where a folder has several
    pub tool: Option<Tool>,
    /// Seconds it may take; default 600
    #[schemars(range(min = 1, max = 3600))]
    pub timeout_s: Option<u64>,
    #[schemars(range(min = 1000, max = 2_000_000))]
    pub max_chars: Option<usize>,
}

/// Builds, tests or restores.
pub fn build(station: &Workstation, call: &Call<'_>, action: Action, request: &Build) -> Result<RunView> {
    let place = JobPlace::find_trusted(station, "path", &request.path)?;
    let project = Project::look(&place.folder, &place.shown)?;
    let (tool, programs, arguments) = choose(&project, action, request, &place.shown)?;
    let program = programs
        .iter()
        .map(|name| find_program(station, name))
        .reduce(|first, next| first.or_else(|error| next.map_err(|_| error)))
        .expect("every command names a program")?;
    let mut command: Vec<String> = vec![programs[0].to_owned()];
    if let Some(name) = program.file_name().and_then(|name| name.to_str()) {
        name.clone_into(&mut command[0]);
    }
    command.extend(arguments.iter().map(|&argument| argument.to_owned()));
    // Only dotnet takes the project file itself; the others find theirs in the folder.
    if let (Tool::Dotnet, Some(file)) = (tool, place.file.as_ref().and_then(|file| file.to_str())) {
        command.push(format!("./{file}"));
    }
    let runners = if action == Action::Test { runners_for(tool) } else { &[] };
    let (timeout_s, max_chars) = (request.timeout_s, request.max_chars);
    Job { program, command, place: &place, runners, timeout_s, max_chars }.perform(station, call)
}

type Chosen = (Tool, Vec<&'static str>, Vec<&'static str>);

fn choose(project: &Project, action: Action, request: &Build, shown: &str) -> Result<Chosen> {
    let toolchains = project.toolchains();
    let wanted = |toolchain: &&Toolchain| request.tool.is_none_or(|tool| tool == toolchain.tool);
    let chosen = toolchains.iter().filter(wanted).find_map(|toolchain| {
        let (programs, arguments) = toolchain.command(action, project)?;
        Some((toolchain.tool, programs, arguments))
    });
    chosen.ok_or_else(|| {
        let found: Vec<Tool> = toolchains.iter().map(|toolchain| toolchain.tool).collect();
        let message = if toolchains.is_empty() {
            format!("no build tool is known for `{shown}`")
        } else {
            let action = match action {
                Action::Build => "build",
                Action::Test => "test",
                Action::Restore => "restore",
            };
            format!("nothing in `{shown}` says how to {action} it")
        };
        Error::refused(Key::ToolchainNotFound, message)
            .hint(
                error::Action::DetectProject
                    .then(" for the folder of the project, or ")
                    .action(error::Action::RunCommand),
            )
            .detail("path", shown)
            .detail("found", json!(found))
    })
}

/// Which reports the tests of a tool may print.
fn runners_for(tool: Tool) -> &'static [Runner] {
    match tool {
        Tool::Cargo => &[Runner::Cargo],
        Tool::Go => &[Runner::Go],
        Tool::Dotnet => &[Runner::Dotnet],
        Tool::Maven => &[Runner::Maven],
        Tool::Gradle => &[Runner::Gradle],
        Tool::Pnpm | Tool::Npm => Runner::NODE,
        Tool::Pytest => &[Runner::Pytest],
        Tool::Make | Tool::Just => Runner::ALL,
    }
}
