//! `fs_read`: a file or a part of it, as text, image or sound.

use hewto_call::Lane;
use hewto_engine::workstation::files;
use hewto_engine::{Context, Error, Project, Result};
use rmcp::model::ContentBlock;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;

use super::media::media_block;
use crate::options::Toolset;
use crate::schema::one_of;
use crate::table::{About, Effect, Repeat, StationTool};

pub(crate) struct FsRead;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    /// Relative to the first root, or absolute beneath any
    path: String,
    /// The first lines only
    #[schemars(range(min = 1))]
    head: Option<u64>,
    /// The last lines only
    #[schemars(range(min = 1))]
    tail: Option<u64>,
    /// From 1
    #[schemars(range(min = 1))]
    start_line: Option<u64>,
    /// Included
    #[schemars(range(min = 1))]
    end_line: Option<u64>,
    /// Begin each line with its number
    line_numbers: Option<bool>,
    /// Default auto: text as text, images and sounds as such
    #[serde(default)]
    #[schemars(schema_with = "form")]
    form: Option<files::Form>,
    #[schemars(range(min = 1000, max = 2_000_000))]
    max_chars: Option<usize>,
}

fn form(_: &mut SchemaGenerator) -> Schema {
    one_of(["auto", "text", "media"])
}

impl TryFrom<Params> for files::Read {
    type Error = Error;

    fn try_from(params: Params) -> Result<Self> {
        Ok(Self {
            lines: files::Lines::named(params.head, params.tail, params.start_line, params.end_line)?,
            path: params.path,
            form: params.form.unwrap_or(files::Form::Auto),
            line_numbers: params.line_numbers == Some(true),
            max_chars: params.max_chars,
        })
    }
}

impl StationTool for FsRead {
    const ABOUT: About = About {
        name: "fs_read",
        title: "Read a file",
        description: "Read a text file, whole or in part (head | tail | start_line..end_line), or an image or sound. Long texts are cut and say how to go on. Several files at once: fs_read_many.",
        toolset: Toolset::Workstation,
        effect: Effect::Reads,
        repeat: Repeat::ChangesNothing,
        aliases: &["read_file", "read_text_file", "read_media_file", "filesystem/read"],
    };
    const LANE: Lane = Lane::StatPath;
    type Params = Params;
    type View = files::ReadOutcome;

    fn run(project: &Project, context: &Context, params: Params) -> Result<files::ReadOutcome> {
        let request = params.try_into()?;
        project.perform(context, |station, call| files::read(station, call, &request))
    }

    fn media(read: &mut files::ReadOutcome) -> Vec<ContentBlock> {
        let block = media_block(&read.view, read.data.take());
        block.into_iter().collect()
    }
}
