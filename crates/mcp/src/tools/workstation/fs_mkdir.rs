//! `fs_mkdir`: a folder.

use hewto_call::Lane;
use hewto_engine::workstation::files;
use hewto_engine::{Context, Project, Result};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, StationTool};

pub(crate) struct FsMkdir;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    path: String,
}

impl StationTool for FsMkdir {
    const ABOUT: About = About {
        name: "fs_mkdir",
        title: "Make a folder",
        description: "Make a folder, and those above it. One that is there already is fine.",
        toolset: Toolset::Workstation,
        effect: Effect::Adds,
        repeat: Repeat::ChangesNothing,
        aliases: &["create_directory"],
    };
    const LANE: Lane = Lane::WriteFile;
    type Params = Params;
    type View = files::MakeDirView;

    fn run(project: &Project, context: &Context, params: Params) -> Result<files::MakeDirView> {
        let request = files::MakeDir { path: params.path };
        project.perform(context, |station, call| files::make_dir(station, call, &request))
    }
}
