//! `fs_find`: files by their names.

use hewto_call::Lane;
use hewto_engine::workstation::files;
use hewto_engine::{Context, Project, Result};
use schemars::JsonSchema;
use serde::Deserialize;

use super::args::{self, page};
use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, StationTool};

pub(crate) struct FsFind;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    /// Default the first root
    path: Option<String>,
    pattern: String,
    /// Patterns to leave out, as in a .gitignore
    exclude: Option<Vec<String>>,
    /// Also what .gitignore leaves out
    include_ignored: Option<bool>,
    #[schemars(range(min = 1, max = 1000))]
    limit: Option<usize>,
    cursor: Option<String>,
    #[schemars(range(min = 1000, max = 2_000_000))]
    max_chars: Option<usize>,
}

impl StationTool for FsFind {
    const ABOUT: About = About {
        name: "fs_find",
        title: "Find files by name",
        description: "Find files and folders by a glob on the name (`*.rs`) or, with a slash, on the path below the folder (`src/**/*.rs`). Inside files: fs_search.",
        toolset: Toolset::Workstation,
        effect: Effect::Reads,
        repeat: Repeat::ChangesNothing,
        aliases: &["search_files"],
    };
    const LANE: Lane = Lane::Walk;
    type Params = Params;
    type View = files::FindView;

    fn run(project: &Project, context: &Context, params: Params) -> Result<files::FindView> {
        let request = files::Find {
            path: args::folder(params.path),
            pattern: params.pattern,
            exclude: params.exclude.unwrap_or_default(),
            ignored: args::ignored(params.include_ignored),
            page: page(params.limit, params.cursor, params.max_chars),
        };
        project.perform(context, |station, call| files::find(station, call, &request))
    }
}
