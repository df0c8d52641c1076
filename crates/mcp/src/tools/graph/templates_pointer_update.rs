//! `specman_templates_pointer_update`: set, clear or show a template pointer.

use hewto_engine::template::{self, Pointer, PointerAction};
use hewto_engine::view::PointerView;
use hewto_engine::{Context, Error, LockIntent, Result, Workspace, concept};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::options::Toolset;
use crate::table::{About, Capability, Effect, Repeat, Tool, World};

pub(crate) struct TemplatesPointerUpdate;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    pointer: Pointer,
    action: Action,
    /// What to point at, for `set`
    locator: Option<String>,
}

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Action {
    Set,
    Clear,
    Inspect,
}

impl Tool for TemplatesPointerUpdate {
    const ABOUT: About = About {
        name: "specman_templates_pointer_update",
        title: "Set, clear or show a template pointer",
        description: "Set, clear or inspect the pointer SPEC, IMPL or SCRATCH, which names the template to use: a file inside the workspace or an https address.",
        toolset: Toolset::Graph,
        effect: Effect::Overwrites,
        repeat: Repeat::ChangesNothing,
        aliases: &[],
    };
    const CAPABILITY: Option<Capability> = Some(Capability {
        id: "specman.core.templates.pointer_update",
        concept_ref: concept::TEMPLATE_ORCHESTRATION,
        lock: |arguments| match arguments.get("action").and_then(Value::as_str) {
            Some("inspect") => LockIntent::Read,
            _ => LockIntent::WorkspaceWide,
        },
        world: World::Open,
        extensions: &[],
    });
    type Params = Params;
    type View = PointerView;

    fn run(workspace: &Workspace, context: &Context, params: Params) -> Result<PointerView> {
        let action = match (params.action, params.locator) {
            (Action::Set, Some(locator)) => PointerAction::Set { locator },
            (Action::Set, None) => {
                let message = "`set` needs a `locator`";
                return Err(Error::invalid_argument("locator", "a path or an https address", message));
            }
            (Action::Clear, _) => PointerAction::Clear,
            (Action::Inspect, _) => PointerAction::Inspect,
        };
        template::update_pointer(workspace, context, params.pointer, &action)
    }
}
