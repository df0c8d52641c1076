//! `spec_update`: edits a spec and leaves what was not named.

use hewto_engine::spec::{self, SpecChanges};
use hewto_engine::view::SpecUpdated;
use hewto_engine::{Category, Context, Result, Workspace};
use schemars::JsonSchema;
use serde::Deserialize;

use super::args::{self, DependencyArg};
use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, Tool};

pub(crate) struct SpecUpdate;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    spec_id: String,
    title: Option<String>,
    description: Option<String>,
    content: Option<String>,
    #[serde(default)]
    #[schemars(schema_with = "args::category")]
    category: Option<Category>,
    /// Replaces all
    dependencies: Option<Vec<DependencyArg>>,
}

impl Tool for SpecUpdate {
    const ABOUT: About = About {
        name: "spec_update",
        title: "Update a spec",
        description: "Change the named parts of a spec; the rest stays.",
        toolset: Toolset::Workflow,
        effect: Effect::Overwrites,
        repeat: Repeat::ChangesNothing,
        aliases: &[],
    };
    type Params = Params;
    type View = SpecUpdated;

    fn run(workspace: &Workspace, context: &Context, params: Params) -> Result<SpecUpdated> {
        let changes = SpecChanges {
            title: params.title,
            description: params.description,
            content: params.content,
            category: params.category,
            dependencies: params.dependencies.map(args::convert),
        };
        spec::update(workspace, context, &params.spec_id, &changes)
    }
}
