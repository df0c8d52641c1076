//! `fs_write`: a whole file, replaced at once.

use hewto_call::Lane;
use hewto_engine::workstation::files;
use hewto_engine::{Context, Project, Result};

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, StationTool};

pub(crate) struct FsWrite;

impl StationTool for FsWrite {
    const ABOUT: About = About {
        name: "fs_write",
        title: "Write a file",
        description: "Write a whole file: new, or in place of the old one at once. Folders on the way are made; mode, byte order mark and line ends of an existing file are kept. To change a part: fs_edit.",
        toolset: Toolset::Workstation,
        effect: Effect::Overwrites,
        repeat: Repeat::ChangesNothing,
        aliases: &["write_file"],
    };
    const LANE: Lane = Lane::WriteFile;
    type Params = files::Write;
    type View = files::WriteView;

    fn run(project: &Project, context: &Context, request: files::Write) -> Result<files::WriteView> {
        project.perform(context, |station, call| files::write(station, call, &request))
    }
}
