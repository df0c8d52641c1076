//! `specman_metadata_describe`: show the front matter.

use hewto_engine::view::MetadataView;
use hewto_engine::{Context, LockIntent, Result, Workspace, concept, metadata};
use schemars::JsonSchema;
use serde::Deserialize;

use super::HANDLES;
use crate::options::Toolset;
use crate::table::{About, Capability, Effect, Repeat, Tool, World};

pub(crate) struct MetadataDescribe;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    /// A handle such as spec://name, a path, or an https address
    locator: String,
}

impl Tool for MetadataDescribe {
    const ABOUT: About = About {
        name: "specman_metadata_describe",
        title: "Show the front matter",
        description: "Show the front matter of an artifact as data, with its kind, handle and path. A document without one answers with an empty one.",
        toolset: Toolset::Graph,
        effect: Effect::Reads,
        repeat: Repeat::ChangesNothing,
        aliases: &[],
    };
    const CAPABILITY: Option<Capability> = Some(Capability {
        id: "specman.core.metadata.describe",
        concept_ref: concept::DATA_MODEL,
        lock: |_| LockIntent::Read,
        world: World::Open,
        extensions: HANDLES,
    });
    type Params = Params;
    type View = MetadataView;

    fn run(workspace: &Workspace, context: &Context, params: Params) -> Result<MetadataView> {
        metadata::describe(workspace, context, &params.locator)
    }
}
