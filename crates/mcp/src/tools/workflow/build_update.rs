//! `build_update`: reports progress.

use hewto_engine::build::{self, BuildReport};
use hewto_engine::view::BuildUpdated;
use hewto_engine::{Context, Result, Workspace};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, Tool};

pub(crate) struct BuildUpdate;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    spec_id: String,
    #[schemars(range(min = 0, max = 100))]
    progress_percentage: Option<u8>,
    current_step: Option<String>,
    notes: Option<String>,
}

impl Tool for BuildUpdate {
    const ABOUT: About = About {
        name: "build_update",
        title: "Report build progress",
        description: "Record build progress: percentage, current step or notes. Tick steps with plan_step_complete.",
        toolset: Toolset::Workflow,
        effect: Effect::Adds,
        repeat: Repeat::ChangesNothing,
        aliases: &[],
    };
    type Params = Params;
    type View = BuildUpdated;

    fn run(workspace: &Workspace, context: &Context, params: Params) -> Result<BuildUpdated> {
        let report = BuildReport {
            percentage: params.progress_percentage,
            current_step: params.current_step,
            notes: params.notes,
        };
        build::update(workspace, context, &params.spec_id, &report)
    }
}
