//! `ci_detect`: what builds this folder, and with which commands.

use hewto_core::schema::unstated;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::build::Action;
use super::job::JobPlace;
use super::toolchain::{Project, Tool};
use crate::call::Call;
use crate::confine::first_root;
use crate::error::Result;
use crate::process::find_program;
use crate::show::show_path;
use crate::station::Workstation;

/// Where to look.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Detect {
    /// Default the first root
    #[serde(default = "first_root")]
    #[schemars(skip_serializing_if = "unstated")]
    pub path: String,
}

/// One build tool of a folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ToolchainView {
    pub tool: Tool,
    /// The file that gives it away
    pub marker: String,
    /// The program that would run; absent when it is not installed
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub program: Option<String>,
    /// What `ci_build` runs
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub build: Option<String>,
    /// What `ci_test` runs
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub test: Option<String>,
    /// What `ci_restore` runs
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub restore: Option<String>,
}

/// The build tools of a folder; the first one that can do a thing does it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DetectView {
    pub path: String,
    pub toolchains: Vec<ToolchainView>,
}

/// Looks what builds a folder. Nothing is run.
pub fn detect(station: &Workstation, call: &Call<'_>, request: &Detect) -> Result<DetectView> {
    call.check()?;
    let place = JobPlace::find(station, "path", &request.path)?;
    let project = Project::look(&place.folder, &place.shown)?;
    let toolchains = project
        .toolchains()
        .into_iter()
        .map(|toolchain| {
            let command = |action| toolchain.command(action, &project);
            let line = |action| {
                command(action).map(|(programs, arguments)| [&programs[..1], &arguments].concat().join(" "))
            };
            let programs =
                command(Action::Test).or_else(|| command(Action::Build)).map(|(programs, _)| programs);
            let program = programs
                .into_iter()
                .flatten()
                .find_map(|name| find_program(station, name).ok())
                .map(|path| show_path(&path));
            ToolchainView {
                tool: toolchain.tool,
                program,
                build: line(Action::Build),
                test: line(Action::Test),
                restore: line(Action::Restore),
                marker: toolchain.marker,
            }
        })
        .collect();
    Ok(DetectView { path: place.shown, toolchains })
}
