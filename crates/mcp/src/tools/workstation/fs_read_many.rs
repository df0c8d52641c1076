//! `fs_read_many`: several files in one answer.

use hewto_call::Lane;
use hewto_engine::workstation::files;
use hewto_engine::{Context, Project, Result};
use rmcp::model::ContentBlock;

use super::media::media_block;
use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, StationTool};

pub(crate) struct FsReadMany;

impl StationTool for FsReadMany {
    const ABOUT: About = About {
        name: "fs_read_many",
        title: "Read several files",
        description: "Read several files at once. A file that cannot be read is reported in its place and does not fail the others. One file or a part of it: fs_read.",
        toolset: Toolset::Workstation,
        effect: Effect::Reads,
        repeat: Repeat::ChangesNothing,
        aliases: &["read_multiple_files"],
    };
    const LANE: Lane = Lane::StatPath;
    type Params = files::ReadMany;
    type View = files::ReadManyOutcome;

    fn run(project: &Project, context: &Context, request: files::ReadMany) -> Result<files::ReadManyOutcome> {
        project.perform(context, |station, call| files::read_many(station, call, &request))
    }

    fn media(read: &mut files::ReadManyOutcome) -> Vec<ContentBlock> {
        let data = std::mem::take(&mut read.data);
        let block = |(index, data): (usize, String)| match read.view.files.get(index)? {
            files::ReadOneView::Read(view) => media_block(view, Some(data)),
            files::ReadOneView::Failed { .. } => None,
        };
        data.into_iter().filter_map(block).collect()
    }
}
