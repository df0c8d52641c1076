//! `specman_dependency_tree`: show the dependency tree.

use hewto_engine::graph::{self, TreeRequest};
use hewto_engine::view::DependencyTree;
use hewto_engine::{Context, LockIntent, Result, Workspace, concept};
use schemars::JsonSchema;
use serde::Deserialize;

use super::HANDLES;
use crate::options::Toolset;
use crate::table::{About, Capability, Effect, Repeat, Tool, World};

pub(crate) struct DependencyTreeTool;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    /// A handle such as spec://name (with or without /dependencies), a path, or an https address
    locator: String,
    #[schemars(range(min = 1000, max = 1_000_000))]
    max_chars: Option<usize>,
    /// Whole documents too
    #[schemars(extend("x-beyond" = true))]
    include_document: Option<bool>,
}

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
    type Params = Params;
    type View = DependencyTree;

    fn run(workspace: &Workspace, context: &Context, params: Params) -> Result<DependencyTree> {
        let include_document = params.include_document == Some(true);
        let request = TreeRequest { locator: params.locator, max_chars: params.max_chars };
        let view = graph::tree(workspace, context, &request)?;
        Ok(if include_document { view } else { view.compact() })
    }
}
