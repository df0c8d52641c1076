//! `list_changes`: all open change proposals.

use hewto_engine::change::{self, Archived};
use hewto_engine::view::ChangeCards;
use hewto_engine::{Context, Result, Workspace};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, Tool};
use crate::tools::args::Paged;

pub(crate) struct ListChanges;

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Params {
    #[schemars(extend("x-beyond" = true))]
    include_archived: Option<bool>,
}

impl Tool for ListChanges {
    const ABOUT: About = About {
        name: "list_changes",
        title: "List open changes",
        description: "Open changes: id, title, task progress, specs they touch.",
        toolset: Toolset::Specs,
        effect: Effect::Reads,
        repeat: Repeat::ChangesNothing,
        aliases: &[],
    };
    type Params = Paged<Params>;
    type View = ChangeCards;

    fn run(workspace: &Workspace, context: &Context, params: Paged<Params>) -> Result<ChangeCards> {
        let (params, page) = params.split();
        let archived = match params.include_archived {
            Some(true) => Archived::Included,
            _ => Archived::LeftOut,
        };
        change::list(workspace, context, archived, &page)
    }
}
