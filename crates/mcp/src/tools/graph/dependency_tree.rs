//! `specman_dependency_tree`: show the dependency tree.

use hewto_engine::graph::{self, TreeRequest};
use hewto_engine::view::DependencyTree;
use hewto_engine::{Context, LockIntent, Result, Workspace, concept};

use super::HANDLES;
use super::args::WithDocument;
use crate::options::Toolset;
use crate::table::{About, Capability, Effect, Repeat, Tool, World};

pub(crate) struct DependencyTreeTool;

impl Tool for DependencyTreeTool {
    const ABOUT: About = About {
        name: "specman_dependency_tree",
        title: "Show the dependency tree",
        description: "Show everything an artifact needs and everything that needs it, transitively, with unresolved and optional references. A circle is an error with its chain and the partial tree.",
        toolset: Toolset::Graph,
        effect: Effect::Reads,
        repeat: Repeat::ChangesNothing,
        aliases: &[],
    };
    const CAPABILITY: Option<Capability> = Some(Capability {
        id: "specman.core.dependency.tree",
        concept_ref: concept::DEPENDENCY_MAPPING,
        lock: |_| LockIntent::Read,
        world: World::Open,
        extensions: HANDLES,
    });
    type Params = WithDocument<TreeRequest>;
    type View = DependencyTree;

    fn run(workspace: &Workspace, context: &Context, params: Self::Params) -> Result<DependencyTree> {
        let (request, shown) = params.split(DependencyTree::compact);
        graph::tree(workspace, context, &request).map(shown)
    }
}
