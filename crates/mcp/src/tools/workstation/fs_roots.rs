//! `fs_roots`: the allowed folders.

use hewto_call::Lane;
use hewto_engine::workstation::files;
use hewto_engine::{Context, Project, Result};

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, StationTool};
use crate::tools::args::Nothing;

pub(crate) struct FsRoots;

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
    type Params = Nothing;
    type View = files::RootsView;

    fn run(project: &Project, context: &Context, _: Nothing) -> Result<files::RootsView> {
        project.perform(context, |station, _| Ok(files::roots(station)))
    }
}
