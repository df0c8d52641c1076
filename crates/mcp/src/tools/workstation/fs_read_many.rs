//! `fs_read_many`: several files in one answer.

use hewto_call::Lane;
use hewto_engine::workstation::files;
use hewto_engine::{Context, Project, Result};
use rmcp::model::ContentBlock;
use schemars::JsonSchema;
use serde::Deserialize;

use super::args;
use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, StationTool};

pub(crate) struct FsReadMany;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    #[schemars(length(min = 1))]
    paths: Vec<String>,
    /// Begin each line with its number
    line_numbers: Option<bool>,
    #[schemars(range(min = 1000, max = 2_000_000))]
    max_chars: Option<usize>,
}

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
    type Params = Params;
    type View = files::ReadManyOutcome;

    fn run(project: &Project, context: &Context, params: Params) -> Result<files::ReadManyOutcome> {
        let request = files::ReadMany {
            paths: params.paths,
            line_numbers: params.line_numbers == Some(true),
            max_chars: params.max_chars,
        };
        project.perform(context, |station, call| files::read_many(station, call, &request))
    }

    fn media(read: &mut files::ReadManyOutcome) -> Vec<ContentBlock> {
        let data = std::mem::take(&mut read.data);
        let block = |(index, data): (usize, String)| match read.view.files.get(index)? {
            files::ReadOneView::Read(view) => args::media_block(view, Some(data)),
            files::ReadOneView::Failed { .. } => None,
        };
        data.into_iter().filter_map(block).collect()
    }
}
