//! `spec_list`: which specs there are.

use hewto_engine::spec::{self, SpecFilter};
use hewto_engine::view::SpecListView;
use hewto_engine::{Category, Context, Lifecycle, PageRequest, Result, Workspace};
use schemars::JsonSchema;
use serde::Deserialize;

use super::args;
use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, Tool};

pub(crate) struct SpecList;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    #[serde(default)]
    #[schemars(schema_with = "args::lifecycle")]
    state: Option<Lifecycle>,
    #[serde(default)]
    #[schemars(schema_with = "args::category")]
    category: Option<Category>,
    #[serde(default)]
    #[schemars(schema_with = "args::item_kind", extend("x-beyond" = true))]
    kind: Option<String>,
    #[schemars(extend("x-beyond" = true))]
    include_archived: Option<bool>,
    #[schemars(range(min = 1, max = 1000))]
    limit: Option<usize>,
    cursor: Option<String>,
    #[schemars(range(min = 1000, max = 1_000_000))]
    max_chars: Option<usize>,
}

impl Tool for SpecList {
    const ABOUT: About = About {
        name: "spec_list",
        title: "List specs",
        description: "List specs with kind (living, work) and state; kind change lists changes. For purposes use list_specs.",
        toolset: Toolset::Workflow,
        effect: Effect::Reads,
        repeat: Repeat::ChangesNothing,
        aliases: &[],
    };
    type Params = Params;
    type View = SpecListView;

    fn run(workspace: &Workspace, context: &Context, params: Params) -> Result<SpecListView> {
        let filter = SpecFilter {
            state: params.state,
            category: params.category,
            kind: params.kind.as_deref().map(str::parse).transpose()?,
            changes: false,
            archived: params.include_archived == Some(true),
        };
        let page = PageRequest { limit: params.limit, cursor: params.cursor, max_chars: params.max_chars };
        spec::list(workspace, context, &filter, &page)
    }
}
