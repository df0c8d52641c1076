//! `fs_mkdir`: a folder.

use hewto_call::Lane;
use hewto_engine::workstation::files;
use hewto_engine::{Context, Project, Result};

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, StationTool};

pub(crate) struct FsMkdir;

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
    type Params = files::MakeDir;
    type View = files::MakeDirView;

    fn run(project: &Project, context: &Context, request: files::MakeDir) -> Result<files::MakeDirView> {
        project.perform(context, |station, call| files::make_dir(station, call, &request))
    }
}
