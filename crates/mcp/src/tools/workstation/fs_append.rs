//! `fs_append`: more at the end of a file.

use hewto_call::Lane;
use hewto_engine::workstation::files;
use hewto_engine::{Context, Project, Result};

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, StationTool};

pub(crate) struct FsAppend;

impl StationTool for FsAppend {
    const ABOUT: About = About {
        name: "fs_append",
        title: "Append to a file",
        description: "Append text to a file, or begin it. For texts too long for one fs_write.",
        toolset: Toolset::Workstation,
        effect: Effect::Adds,
        repeat: Repeat::Matters,
        aliases: &[],
    };
    const LANE: Lane = Lane::WriteFile;
    type Params = files::Append;
    type View = files::AppendView;

    fn run(project: &Project, context: &Context, request: files::Append) -> Result<files::AppendView> {
        project.perform(context, |station, call| files::append(station, call, &request))
    }
}
