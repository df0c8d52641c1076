//! `fs_copy`: a copy.

use hewto_call::Lane;
use hewto_engine::workstation::files;
use hewto_engine::{Context, Project, Result};

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, StationTool};

pub(crate) struct FsCopy;

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
    type Params = files::Copy;
    type View = files::CopyView;

    fn run(project: &Project, context: &Context, request: files::Copy) -> Result<files::CopyView> {
        project.perform(context, |station, call| files::copy(station, call, &request))
    }
}
