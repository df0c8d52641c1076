//! `fs_delete`: away with it.

use hewto_call::Lane;
use hewto_engine::workstation::files;
use hewto_engine::{Context, Project, Result};

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, StationTool};

pub(crate) struct FsDelete;

impl StationTool for FsDelete {
    const ABOUT: About = About {
        name: "fs_delete",
        title: "Delete",
        description: "Delete a file, a link or an empty folder; a folder with everything in it with recursive: true.",
        toolset: Toolset::Workstation,
        effect: Effect::Overwrites,
        repeat: Repeat::ChangesNothing,
        aliases: &["delete_file"],
    };
    const LANE: Lane = Lane::WriteTree;
    type Params = files::Delete;
    type View = files::DeleteView;

    fn run(project: &Project, context: &Context, request: files::Delete) -> Result<files::DeleteView> {
        project.perform(context, |station, call| files::delete(station, call, &request))
    }
}
