//! `fs_info`: the facts about a path.

use hewto_call::Lane;
use hewto_engine::workstation::files;
use hewto_engine::{Context, Project, Result};

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, StationTool};

pub(crate) struct FsInfo;

impl StationTool for FsInfo {
    const ABOUT: About = About {
        name: "fs_info",
        title: "Facts about a path",
        description: "Tell type, size, permissions, times and links of a file or folder.",
        toolset: Toolset::Workstation,
        effect: Effect::Reads,
        repeat: Repeat::ChangesNothing,
        aliases: &["get_file_info"],
    };
    const LANE: Lane = Lane::StatPath;
    type Params = files::Info;
    type View = files::InfoView;

    fn run(project: &Project, context: &Context, request: files::Info) -> Result<files::InfoView> {
        project.perform(context, |station, call| files::info(station, call, &request))
    }
}
