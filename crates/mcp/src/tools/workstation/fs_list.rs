//! `fs_list`: the names in a folder.

use hewto_call::Lane;
use hewto_engine::workstation::files;
use hewto_engine::{Context, Project, Result};

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, StationTool};

pub(crate) struct FsList;

impl StationTool for FsList {
    const ABOUT: About = About {
        name: "fs_list",
        title: "List a folder",
        description: "List a folder: names, types, sizes. With everything below it: fs_tree.",
        toolset: Toolset::Workstation,
        effect: Effect::Reads,
        repeat: Repeat::ChangesNothing,
        aliases: &["list_directory", "list_directory_with_sizes"],
    };
    const LANE: Lane = Lane::StatPath;
    type Params = files::List;
    type View = files::ListView;

    fn run(project: &Project, context: &Context, request: files::List) -> Result<files::ListView> {
        project.perform(context, |station, call| files::list(station, call, &request))
    }
}
