//! `fs_search`: text inside files.

use hewto_call::Lane;
use hewto_engine::workstation::files;
use hewto_engine::{Context, Project, Result};

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, StationTool};

pub(crate) struct FsSearch;

impl StationTool for FsSearch {
    const ABOUT: About = About {
        name: "fs_search",
        title: "Search in files",
        description: "Search inside files for a text, or a regular expression with regex: true. Gives path, line, column and the line. By name: fs_find.",
        toolset: Toolset::Workstation,
        effect: Effect::Reads,
        repeat: Repeat::ChangesNothing,
        aliases: &[],
    };
    const LANE: Lane = Lane::Walk;
    type Params = files::Search;
    type View = files::SearchView;

    fn run(project: &Project, context: &Context, request: files::Search) -> Result<files::SearchView> {
        project.perform(context, |station, call| files::search(station, call, &request))
    }
}
