//! `specman_templates_catalog`: list the templates.

use hewto_engine::view::TemplateList;
use hewto_engine::{Context, LockIntent, PageRequest, Result, Workspace, concept, template};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::options::Toolset;
use crate::table::{About, Capability, Effect, Repeat, Tool, World};

pub(crate) struct TemplatesCatalog;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    /// Only Specification, Implementation, ScratchPad or WorkType(feat); spec, impl, scratch and feat are understood
    scenario: Option<String>,
    /// A path or https address to look at in place of the pointer
    pointer_override: Option<String>,
    #[schemars(range(min = 1, max = 1000))]
    limit: Option<usize>,
    cursor: Option<String>,
    #[schemars(range(min = 1000, max = 1_000_000))]
    max_chars: Option<usize>,
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
    type Params = Params;
    type View = TemplateList;

    fn run(workspace: &Workspace, context: &Context, params: Params) -> Result<TemplateList> {
        let page = PageRequest { limit: params.limit, cursor: params.cursor, max_chars: params.max_chars };
        let (scenario, pointer) = (params.scenario.as_deref(), params.pointer_override.as_deref());
        template::catalog(workspace, context, scenario, pointer, &page)
    }
}
