//! `fs_roots`: the allowed folders.

use hewto_call::Lane;
use hewto_engine::workstation::files;
use hewto_engine::{Context, Project, Result};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, StationTool};

pub(crate) struct FsRoots;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {}

impl StationTool for FsRoots {
    const ABOUT: About = About {
        name: "fs_roots",
        title: "Allowed folders",
        description: "List the allowed folders. Relative paths start at the first.",
        toolset: Toolset::Workstation,
        effect: Effect::Reads,
        repeat: Repeat::ChangesNothing,
        aliases: &["list_allowed_directories"],
    };
    const LANE: Lane = Lane::StatPath;
    type Params = Params;
    type View = files::RootsView;

    fn run(project: &Project, context: &Context, _: Params) -> Result<files::RootsView> {
        project.perform(context, |station, _| Ok(files::roots(station)))
    }
}
