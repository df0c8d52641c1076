//! `fs_copy`: a copy.

use hewto_call::Lane;
use hewto_engine::workstation::files;
use hewto_engine::{Context, Project, Result};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, StationTool};

pub(crate) struct FsCopy;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    source: String,
    destination: String,
    /// Needed for folders
    recursive: Option<bool>,
}

impl StationTool for FsCopy {
    const ABOUT: About = About {
        name: "fs_copy",
        title: "Copy",
        description: "Copy a file, or a folder with recursive: true. An existing destination is refused.",
        toolset: Toolset::Workstation,
        effect: Effect::Adds,
        repeat: Repeat::Matters,
        aliases: &[],
    };
    const LANE: Lane = Lane::WriteTree;
    type Params = Params;
    type View = files::CopyView;

    fn run(project: &Project, context: &Context, params: Params) -> Result<files::CopyView> {
        let request = files::Copy {
            source: params.source,
            destination: params.destination,
            recursive: params.recursive == Some(true),
        };
        project.perform(context, |station, call| files::copy(station, call, &request))
    }
}
