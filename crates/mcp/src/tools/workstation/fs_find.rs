//! `fs_find`: files by their names.

use hewto_call::Lane;
use hewto_engine::workstation::files;
use hewto_engine::{Context, Project, Result};

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, StationTool};

pub(crate) struct FsFind;

impl StationTool for FsFind {
    const ABOUT: About = About {
        name: "fs_find",
        title: "Find files by name",
        description: "Find files and folders by a glob on the name (`*.rs`) or, with a slash, on the path below the folder (`src/**/*.rs`). Inside files: fs_search.",
        toolset: Toolset::Workstation,
        effect: Effect::Reads,
        repeat: Repeat::ChangesNothing,
        aliases: &["search_files"],
    };
    const LANE: Lane = Lane::Walk;
    type Params = files::Find;
    type View = files::FindView;

    fn run(project: &Project, context: &Context, request: files::Find) -> Result<files::FindView> {
        project.perform(context, |station, call| files::find(station, call, &request))
    }
}
