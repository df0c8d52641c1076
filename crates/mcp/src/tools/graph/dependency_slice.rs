//! `specman_dependency_slice`: show one side of the tree.

use hewto_engine::graph::{self, Direction};
use hewto_engine::view::EdgeList;
use hewto_engine::{Context, LockIntent, Result, Workspace, concept};
use schemars::JsonSchema;
use serde::Deserialize;

use super::HANDLES;
use crate::options::Toolset;
use crate::table::{About, Capability, Effect, Repeat, Tool, World};
use crate::tools::args::Paged;

pub(crate) struct DependencySlice;

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// A handle such as spec://name, a path, or an https address
    locator: String,
    mode: Direction,
}

impl Tool for DependencySlice {
    const ABOUT: About = About {
        name: "specman_dependency_slice",
        title: "Show one side of the tree",
        description: "Page through the edges above an artifact (what it needs) or below it (what needs it).",
        toolset: Toolset::Graph,
        effect: Effect::Reads,
        repeat: Repeat::ChangesNothing,
        aliases: &[],
    };
    const CAPABILITY: Option<Capability> = Some(Capability {
        id: "specman.core.dependency.slice",
        concept_ref: concept::DEPENDENCY_MAPPING,
        lock: |_| LockIntent::Read,
        world: World::Open,
        extensions: HANDLES,
    });
    type Params = Paged<Params>;
    type View = EdgeList;

    fn run(workspace: &Workspace, context: &Context, params: Paged<Params>) -> Result<EdgeList> {
        let (params, page) = params.split();
        graph::slice(workspace, context, &params.locator, params.mode, &page)
    }
}
