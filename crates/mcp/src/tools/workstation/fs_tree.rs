//! `fs_tree`: a folder with everything below it.

use hewto_call::Lane;
use hewto_engine::workstation::files;
use hewto_engine::{Context, Project, Result};

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, StationTool};

pub(crate) struct FsTree;

impl StationTool for FsTree {
    const ABOUT: About = About {
        name: "fs_tree",
        title: "Show a tree",
        description: "Show what is below a folder, without what .gitignore leaves out. By name: fs_find. By content: fs_search.",
        toolset: Toolset::Workstation,
        effect: Effect::Reads,
        repeat: Repeat::ChangesNothing,
        aliases: &["directory_tree"],
    };
    const LANE: Lane = Lane::Walk;
    type Params = files::Tree;
    type View = files::TreeView;

    fn run(project: &Project, context: &Context, request: files::Tree) -> Result<files::TreeView> {
        project.perform(context, |station, call| files::tree(station, call, &request))
    }
}
