//! `spec_check_dependencies`: what one spec waits for.

use hewto_engine::view::DependenciesView;
use hewto_engine::{Context, Result, Workspace, spec};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, Tool};

pub(crate) struct SpecCheckDependencies;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    spec_id: String,
}

impl Tool for SpecCheckDependencies {
    const ABOUT: About = About {
        name: "spec_check_dependencies",
        title: "Check dependencies",
        description: "Whether a spec's dependencies are satisfied, and which hard ones block its build.",
        toolset: Toolset::Workflow,
        effect: Effect::Reads,
        repeat: Repeat::ChangesNothing,
        aliases: &[],
    };
    type Params = Params;
    type View = DependenciesView;

    fn run(workspace: &Workspace, context: &Context, params: Params) -> Result<DependenciesView> {
        spec::check_dependencies(workspace, context, &params.spec_id)
    }
}
