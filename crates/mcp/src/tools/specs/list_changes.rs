//! `list_changes`: all open change proposals.

use hewto_engine::change::{self, Archived};
use hewto_engine::view::ChangeCards;
use hewto_engine::{Context, PageRequest, Result, Workspace};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, Tool};

pub(crate) struct ListChanges;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    #[schemars(extend("x-beyond" = true))]
    include_archived: Option<bool>,
    #[schemars(range(min = 1, max = 1000))]
    limit: Option<usize>,
    cursor: Option<String>,
    #[schemars(range(min = 1000, max = 1_000_000))]
    max_chars: Option<usize>,
}

impl Tool for ListChanges {
    const ABOUT: About = About {
        name: "list_changes",
        title: "List open changes",
        description: "List open changes: id, title, task progress, specs they touch.",
        toolset: Toolset::Specs,
        effect: Effect::Reads,
        repeat: Repeat::ChangesNothing,
        aliases: &[],
    };
    type Params = Params;
    type View = ChangeCards;

    fn run(workspace: &Workspace, context: &Context, params: Params) -> Result<ChangeCards> {
        let page = PageRequest { limit: params.limit, cursor: params.cursor, max_chars: params.max_chars };
        let archived = match params.include_archived {
            Some(true) => Archived::Included,
            _ => Archived::LeftOut,
        };
        change::list(workspace, context, archived, &page)
    }
}
