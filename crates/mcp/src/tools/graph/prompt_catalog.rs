//! `specman_prompt_catalog`: list the prompts.

use hewto_engine::template::{self, PromptFilter};
use hewto_engine::view::PromptList;
use hewto_engine::{Context, LockIntent, PageRequest, Result, Workspace, concept};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::options::Toolset;
use crate::table::{About, Capability, Effect, Repeat, Tool, World};

pub(crate) struct PromptCatalog;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    /// Only spec, impl or scratch
    artifact_type: Option<String>,
    /// Only feat, ref, fix or revision
    work_type: Option<String>,
    #[schemars(range(min = 1, max = 1000))]
    limit: Option<usize>,
    cursor: Option<String>,
    #[schemars(range(min = 1000, max = 1_000_000))]
    max_chars: Option<usize>,
}

impl Tool for PromptCatalog {
    const ABOUT: About = About {
        name: "specman_prompt_catalog",
        title: "List the prompts",
        description: "List prompts for writing specs, implementations and scratch pads, each with its tokens, its template and the HTML instructions to respect.",
        toolset: Toolset::Graph,
        effect: Effect::Reads,
        repeat: Repeat::ChangesNothing,
        aliases: &[],
    };
    const CAPABILITY: Option<Capability> = Some(Capability {
        id: "specman.core.prompt_catalog",
        concept_ref: concept::INSTRUCTION_CHANNEL,
        lock: |_| LockIntent::Read,
        world: World::Open,
        extensions: &[],
    });
    type Params = Params;
    type View = PromptList;

    fn run(workspace: &Workspace, context: &Context, params: Params) -> Result<PromptList> {
        let filter = PromptFilter { artifact_type: params.artifact_type, work_type: params.work_type };
        let page = PageRequest { limit: params.limit, cursor: params.cursor, max_chars: params.max_chars };
        template::prompt_catalog(workspace, context, &filter, &page)
    }
}
