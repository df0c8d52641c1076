//! `spec_list`: which specs there are.

use hewto_engine::spec::{self, ItemKind, SpecFilter};
use hewto_engine::view::SpecListView;
use hewto_engine::{Category, Context, Lifecycle, Result, Workspace};
use schemars::JsonSchema;
use serde::Deserialize;

use super::args;
use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, Tool};
use crate::tools::args::Paged;

pub(crate) struct SpecList;

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Params {
    #[serde(default)]
    #[schemars(schema_with = "args::lifecycle")]
    state: Option<Lifecycle>,
    #[serde(default)]
    #[schemars(schema_with = "args::category")]
    category: Option<Category>,
    #[serde(default)]
    #[schemars(schema_with = "args::item_kind", extend("x-beyond" = true))]
    kind: Option<ItemKind>,
    #[schemars(extend("x-beyond" = true))]
    include_archived: Option<bool>,
}

impl Tool for SpecList {
    const ABOUT: About = About {
        name: "spec_list",
        title: "List specs",
        description: "List specs: kind (living, work), state; changes with kind change. Purposes: list_specs.",
        toolset: Toolset::Workflow,
        effect: Effect::Reads,
        repeat: Repeat::ChangesNothing,
        aliases: &[],
    };
    type Params = Paged<Params>;
    type View = SpecListView;

    fn run(workspace: &Workspace, context: &Context, params: Paged<Params>) -> Result<SpecListView> {
        let (params, page) = params.split();
        let filter = SpecFilter {
            state: params.state,
            category: params.category,
            kind: params.kind,
            changes: false,
            archived: params.include_archived == Some(true),
        };
        spec::list(workspace, context, &filter, &page)
    }
}
