//! `fs_exists`: whether something is there.

use hewto_call::Lane;
use hewto_engine::workstation::files;
use hewto_engine::{Context, Project, Result};
use schemars::JsonSchema;
use serde::Deserialize;

use super::args;
use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, StationTool};

pub(crate) struct FsExists;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    path: String,
    /// Default any
    #[serde(default)]
    #[schemars(schema_with = "args::wanted_kind")]
    kind: Option<files::WantedKind>,
}

impl StationTool for FsExists {
    const ABOUT: About = About {
        name: "fs_exists",
        title: "Is it there",
        description: "Tell whether a path is there, or whether it is a file or a directory when kind says so.",
        toolset: Toolset::Workstation,
        effect: Effect::Reads,
        repeat: Repeat::ChangesNothing,
        aliases: &["file_exists", "directory_exists"],
    };
    const LANE: Lane = Lane::StatPath;
    type Params = Params;
    type View = files::ExistsView;

    fn run(project: &Project, context: &Context, params: Params) -> Result<files::ExistsView> {
        let request = files::Exists { path: params.path, kind: params.kind.unwrap_or_default() };
        project.perform(context, |station, call| files::exists(station, call, &request))
    }
}
