//! `get_change`: a change proposal in full.

use hewto_engine::change::{self, ShowOptions};
use hewto_engine::view::ChangeView;
use hewto_engine::{Context, Result, Workspace};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;

use crate::options::Toolset;
use crate::schema::one_of;
use crate::table::{About, Effect, Repeat, Tool};

pub(crate) struct GetChange;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    change_id: String,
    #[serde(default)]
    #[schemars(schema_with = "section_names")]
    section: Option<String>,
    /// Only its delta
    capability: Option<String>,
    #[schemars(range(min = 1000, max = 1_000_000))]
    max_chars: Option<usize>,
}

impl Tool for GetChange {
    const ABOUT: About = About {
        name: "get_change",
        title: "Read a change",
        description: "Read a change, whole or one section.",
        toolset: Toolset::Specs,
        effect: Effect::Reads,
        repeat: Repeat::ChangesNothing,
        aliases: &[],
    };
    type Params = Params;
    type View = ChangeView;

    fn run(workspace: &Workspace, context: &Context, params: Params) -> Result<ChangeView> {
        let options = ShowOptions {
            section: params.section.as_deref().map(str::parse).transpose()?,
            capability: params.capability,
            max_chars: params.max_chars,
        };
        change::show(workspace, context, &params.change_id, &options)
    }
}

fn section_names(_: &mut SchemaGenerator) -> Schema {
    one_of(["proposal", "tasks", "design", "deltas"])
}
