//! `fs_edit`: exact replacements in a file, all or none.

use hewto_call::Lane;
use hewto_engine::workstation::files;
use hewto_engine::{Context, Project, Result};

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, StationTool};

pub(crate) struct FsEdit;

impl StationTool for FsEdit {
    const ABOUT: About = About {
        name: "fs_edit",
        title: "Edit a file",
        description: "Replace exact texts in a file, all or none, and show the diff. Each old_text has to occur exactly once; a failed match shows the nearest text. dry_run shows the diff only.",
        toolset: Toolset::Workstation,
        effect: Effect::Overwrites,
        repeat: Repeat::Matters,
        aliases: &["edit_file"],
    };
    const LANE: Lane = Lane::WriteFile;
    type Params = files::EditFile;
    type View = files::EditView;

    fn run(project: &Project, context: &Context, request: files::EditFile) -> Result<files::EditView> {
        project.perform(context, |station, call| files::edit(station, call, &request))
    }
}
