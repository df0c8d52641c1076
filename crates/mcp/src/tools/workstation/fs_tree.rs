//! `fs_tree`: a folder with everything below it.

use hewto_call::Lane;
use hewto_engine::workstation::files;
use hewto_engine::{Context, Project, Result};
use schemars::JsonSchema;
use serde::Deserialize;

use super::args::{self, page};
use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, StationTool};

pub(crate) struct FsTree;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    /// Default the first root
    path: Option<String>,
    /// How many levels; default all
    #[schemars(range(min = 1))]
    depth: Option<usize>,
    /// Patterns to leave out, as in a .gitignore
    exclude: Option<Vec<String>>,
    /// Also what .gitignore leaves out
    include_ignored: Option<bool>,
    /// Default 1000
    #[schemars(range(min = 1, max = 100_000))]
    limit: Option<usize>,
    cursor: Option<String>,
    #[schemars(range(min = 1000, max = 2_000_000))]
    max_chars: Option<usize>,
}

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
    type Params = Params;
    type View = files::TreeView;

    fn run(project: &Project, context: &Context, params: Params) -> Result<files::TreeView> {
        let request = files::Tree {
            path: args::folder(params.path),
            depth: params.depth,
            exclude: params.exclude.unwrap_or_default(),
            ignored: args::ignored(params.include_ignored),
            page: page(params.limit, params.cursor, params.max_chars),
        };
        project.perform(context, |station, call| files::tree(station, call, &request))
    }
}
