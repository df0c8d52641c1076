//! `read_architecture`: what holds now.

use hewto_engine::decision;
use hewto_engine::view::ArchitectureView;
use hewto_engine::{Context, Project, Result};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::options::Toolset;
use crate::table::{About, DecisionTool, Effect, Repeat};

pub(crate) struct ReadArchitecture;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    repo_path: Option<String>,
}

impl DecisionTool for ReadArchitecture {
    const ABOUT: About = About {
        name: "read_architecture",
        title: "Read the architecture",
        description: "What was decided in this repository, by category.",
        toolset: Toolset::Decisions,
        effect: Effect::Reads,
        repeat: Repeat::ChangesNothing,
        aliases: &[],
    };
    type Params = Params;
    type View = ArchitectureView;

    fn run(project: &Project, context: &Context, params: Params) -> Result<ArchitectureView> {
        decision::read_architecture(&project.repository(params.repo_path)?, context)
    }
}
