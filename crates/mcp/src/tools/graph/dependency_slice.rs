//! `specman_dependency_slice`: show one side of the tree.

use hewto_engine::graph::{self, Direction};
use hewto_engine::view::EdgeList;
use hewto_engine::{Context, LockIntent, PageRequest, Result, Workspace, concept};
use schemars::JsonSchema;
use serde::Deserialize;

use super::HANDLES;
use crate::options::Toolset;
use crate::table::{About, Capability, Effect, Repeat, Tool, World};

pub(crate) struct DependencySlice;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    /// A handle such as spec://name, a path, or an https address
    locator: String,
    mode: Mode,
    #[schemars(range(min = 1, max = 1000))]
    limit: Option<usize>,
    cursor: Option<String>,
    #[schemars(range(min = 1000, max = 1_000_000))]
    max_chars: Option<usize>,
}

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Mode {
    Upstream,
    Downstream,
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
    type Params = Params;
    type View = EdgeList;

    fn run(workspace: &Workspace, context: &Context, params: Params) -> Result<EdgeList> {
        let direction = match params.mode {
            Mode::Upstream => Direction::Upstream,
            Mode::Downstream => Direction::Downstream,
        };
        let page = PageRequest { limit: params.limit, cursor: params.cursor, max_chars: params.max_chars };
        graph::slice(workspace, context, &params.locator, direction, &page)
    }
}
