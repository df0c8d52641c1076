//! `build_complete`: ends the implementation.

use std::collections::BTreeMap;

use hewto_engine::build::{self, Completion};
use hewto_engine::view::BuildCompleted;
use hewto_engine::{Context, Result, Workspace};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, Tool};

pub(crate) struct BuildComplete;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    spec_id: String,
    summary: String,
    /// From the plan
    deviations: Option<String>,
    /// Steps not to be done, by title: the reason
    dropped: Option<BTreeMap<String, String>>,
}

impl Tool for BuildComplete {
    const ABOUT: About = About {
        name: "build_complete",
        title: "Complete a build",
        description: "Finish the build: the spec is done. Where a gate holds, open steps refuse it unless dropped.",
        toolset: Toolset::Workflow,
        effect: Effect::Adds,
        repeat: Repeat::Matters,
        aliases: &[],
    };
    type Params = Params;
    type View = BuildCompleted;

    fn run(workspace: &Workspace, context: &Context, params: Params) -> Result<BuildCompleted> {
        let dropped = params.dropped.unwrap_or_default().into_iter().collect();
        let completion = Completion { summary: params.summary, deviations: params.deviations, dropped };
        build::complete(workspace, context, &params.spec_id, &completion)
    }
}
