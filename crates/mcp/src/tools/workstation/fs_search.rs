//! `fs_search`: text inside files.

use hewto_call::Lane;
use hewto_engine::workstation::files;
use hewto_engine::{Context, Project, Result};
use schemars::JsonSchema;
use serde::Deserialize;

use super::args::{self, page};
use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, StationTool};

pub(crate) struct FsSearch;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    /// A folder or a file; default the first root
    path: Option<String>,
    query: String,
    /// Default false: the text as it is
    regex: Option<bool>,
    /// Only files with such a name, as for fs_find
    pattern: Option<String>,
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

impl StationTool for FsSearch {
    const ABOUT: About = About {
        name: "fs_search",
        title: "Search in files",
        description: "Search inside files for a text, or a regular expression with regex: true. Gives path, line, column and the line. By name: fs_find.",
        toolset: Toolset::Workstation,
        effect: Effect::Reads,
        repeat: Repeat::ChangesNothing,
        aliases: &[],
    };
    const LANE: Lane = Lane::Walk;
    type Params = Params;
    type View = files::SearchView;

    fn run(project: &Project, context: &Context, params: Params) -> Result<files::SearchView> {
        let regex = params.regex == Some(true);
        let request = files::Search {
            path: args::folder(params.path),
            query: params.query,
            syntax: if regex { files::SearchSyntax::Regex } else { files::SearchSyntax::Literal },
            pattern: params.pattern,
            exclude: params.exclude.unwrap_or_default(),
            ignored: args::ignored(params.include_ignored),
            page: page(params.limit, params.cursor, params.max_chars),
        };
        project.perform(context, |station, call| files::search(station, call, &request))
    }
}
