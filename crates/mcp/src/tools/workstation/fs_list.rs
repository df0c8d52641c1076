//! `fs_list`: the names in a folder.

use hewto_call::Lane;
use hewto_engine::workstation::files;
use hewto_engine::{Context, Project, Result};
use schemars::JsonSchema;
use serde::Deserialize;

use super::args::{self, page};
use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, StationTool};

pub(crate) struct FsList;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    /// Default the first root
    path: Option<String>,
    /// Default name; size: the largest first
    #[serde(default)]
    #[schemars(schema_with = "args::list_order")]
    order: Option<files::ListOrder>,
    /// Default true; false: names and types only
    sizes: Option<bool>,
    #[schemars(range(min = 1, max = 1000))]
    limit: Option<usize>,
    cursor: Option<String>,
    #[schemars(range(min = 1000, max = 2_000_000))]
    max_chars: Option<usize>,
}

impl StationTool for FsList {
    const ABOUT: About = About {
        name: "fs_list",
        title: "List a folder",
        description: "List a folder: names, types, sizes. With everything below it: fs_tree.",
        toolset: Toolset::Workstation,
        effect: Effect::Reads,
        repeat: Repeat::ChangesNothing,
        aliases: &["list_directory", "list_directory_with_sizes"],
    };
    const LANE: Lane = Lane::StatPath;
    type Params = Params;
    type View = files::ListView;

    fn run(project: &Project, context: &Context, params: Params) -> Result<files::ListView> {
        let request = files::List {
            path: args::folder(params.path),
            order: params.order.unwrap_or_default(),
            sizes: params.sizes.unwrap_or(true),
            page: page(params.limit, params.cursor, params.max_chars),
        };
        project.perform(context, |station, call| files::list(station, call, &request))
    }
}
