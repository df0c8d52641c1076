//! `build_start`: begins the implementation.

use hewto_engine::build::{self, Approval};
use hewto_engine::view::BuildStarted;
use hewto_engine::{Context, Result, Workspace};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, Tool};

pub(crate) struct BuildStart;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    spec_id: String,
    #[serde(default)]
    plan_approved: bool,
}

impl Tool for BuildStart {
    const ABOUT: About = About {
        name: "build_start",
        title: "Start a build",
        description: "Begin the implementation. Needs a plan, plan_approved: true after a person's review, and no open hard dependency.",
        toolset: Toolset::Workflow,
        effect: Effect::Adds,
        repeat: Repeat::Matters,
        aliases: &[],
    };
    type Params = Params;
    type View = BuildStarted;

    fn run(workspace: &Workspace, context: &Context, params: Params) -> Result<BuildStarted> {
        let approval = if params.plan_approved { Approval::Given } else { Approval::Missing };
        build::start(workspace, context, &params.spec_id, approval)
    }
}
