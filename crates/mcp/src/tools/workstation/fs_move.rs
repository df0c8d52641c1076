//! `fs_move`: another name or place.

use hewto_call::Lane;
use hewto_engine::workstation::files;
use hewto_engine::{Context, Project, Result};

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, StationTool};

pub(crate) struct FsMove;

impl StationTool for FsMove {
    const ABOUT: About = About {
        name: "fs_move",
        title: "Move or rename",
        description: "Move or rename a file or folder. An existing destination is refused.",
        toolset: Toolset::Workstation,
        effect: Effect::Overwrites,
        repeat: Repeat::Matters,
        aliases: &["move_file"],
    };
    const LANE: Lane = Lane::WriteFile;
    type Params = files::Move;
    type View = files::MoveView;

    fn run(project: &Project, context: &Context, request: files::Move) -> Result<files::MoveView> {
        project.perform(context, |station, call| files::relocate(station, call, &request))
    }
}
