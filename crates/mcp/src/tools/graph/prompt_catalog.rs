//! `specman_prompt_catalog`: list the prompts.

use hewto_engine::template::{self, PromptFilter};
use hewto_engine::view::PromptList;
use hewto_engine::{Context, LockIntent, Result, Workspace, concept};

use crate::options::Toolset;
use crate::table::{About, Capability, Effect, Repeat, Tool, World};
use crate::tools::args::Paged;

pub(crate) struct PromptCatalog;

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
    type Params = Paged<PromptFilter>;
    type View = PromptList;

    fn run(workspace: &Workspace, context: &Context, params: Paged<PromptFilter>) -> Result<PromptList> {
        let (filter, page) = params.split();
        template::prompt_catalog(workspace, context, &filter, &page)
    }
}
