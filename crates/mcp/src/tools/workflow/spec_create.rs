//! `spec_create`: writes down something new that is wanted.

use hewto_engine::spec::{self, NewSpec};
use hewto_engine::view::SpecCreated;
use hewto_engine::{Category, Context, Result, Workspace};
use schemars::JsonSchema;
use serde::Deserialize;

use super::args::{self, DependencyArg};
use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, Tool};

pub(crate) struct SpecCreate;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    title: String,
    description: String,
    #[serde(default)]
    #[schemars(schema_with = "args::category")]
    category: Option<Category>,
    /// Markdown body
    content: Option<String>,
    dependencies: Option<Vec<DependencyArg>>,
    /// UID of its ADR
    decision: Option<String>,
}

impl Tool for SpecCreate {
    const ABOUT: About = About {
        name: "spec_create",
        title: "Create a spec",
        description: "Create a draft spec and get its id. To change requirements of living specs use change_create.",
        toolset: Toolset::Workflow,
        effect: Effect::Adds,
        repeat: Repeat::Matters,
        aliases: &[],
    };
    type Params = Params;
    type View = SpecCreated;

    fn run(workspace: &Workspace, context: &Context, params: Params) -> Result<SpecCreated> {
        let new = NewSpec {
            title: params.title,
            description: params.description,
            category: params.category,
            content: params.content,
            dependencies: args::convert(params.dependencies.unwrap_or_default()),
            decision: params.decision,
        };
        spec::create(workspace, context, &new)
    }
}
