//! `fs_exists`: whether something is there.

use hewto_call::Lane;
use hewto_engine::workstation::files;
use hewto_engine::{Context, Project, Result};

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, StationTool};

pub(crate) struct FsExists;

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
    type Params = files::Exists;
    type View = files::ExistsView;

    fn run(project: &Project, context: &Context, request: files::Exists) -> Result<files::ExistsView> {
        project.perform(context, |station, call| files::exists(station, call, &request))
    }
}
