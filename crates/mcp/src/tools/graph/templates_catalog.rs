//! `specman_templates_catalog`: list the templates.

use hewto_engine::view::TemplateList;
use hewto_engine::{Context, LockIntent, Result, Workspace, concept, template};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::options::Toolset;
use crate::table::{About, Capability, Effect, Repeat, Tool, World};
use crate::tools::args::Paged;

pub(crate) struct TemplatesCatalog;

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// Only Specification, Implementation, ScratchPad or WorkType(feat); spec, impl, scratch and feat are understood
    scenario: Option<String>,
    /// A path or https address to look at in place of the pointer
    pointer_override: Option<String>,
}

impl Tool for TemplatesCatalog {
    const ABOUT: About = About {
        name: "specman_templates_catalog",
        title: "List the templates",
        description: "List the template of each scenario with its locator, its tier (override, pointer, embedded), the tokens it asks for and the instructions it carries.",
        toolset: Toolset::Graph,
        effect: Effect::Reads,
        repeat: Repeat::ChangesNothing,
        aliases: &[],
    };
    const CAPABILITY: Option<Capability> = Some(Capability {
        id: "specman.core.templates.catalog",
        concept_ref: concept::TEMPLATE_ORCHESTRATION,
        lock: |_| LockIntent::Read,
        world: World::Open,
        extensions: &[],
    });
    type Params = Paged<Params>;
    type View = TemplateList;

    fn run(workspace: &Workspace, context: &Context, params: Paged<Params>) -> Result<TemplateList> {
        let (params, page) = params.split();
        let (scenario, pointer) = (params.scenario.as_deref(), params.pointer_override.as_deref());
        template::catalog(workspace, context, scenario, pointer, &page)
    }
}
