//! `specman_workspace_describe`: where the workspace is and what it holds.

use std::collections::BTreeMap;

use hewto_engine::view::WorkspaceView;
use hewto_engine::{Context, LockIntent, Result, Workspace, concept, graph};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::options::Toolset;
use crate::table::{About, Capability, Effect, Repeat, Tool, World};

pub(crate) struct WorkspaceDescribe;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    /// A file or folder inside the workspace to look from (default: its root)
    path: Option<String>,
    /// Environment hints; SPECMAN_WORKSPACE stands in for `path`
    env: Option<BTreeMap<String, String>>,
}

impl Tool for WorkspaceDescribe {
    const ABOUT: About = About {
        name: "specman_workspace_describe",
        title: "Describe the workspace",
        description: "Tell the workspace root, the folders of specs, implementations and scratch pads, and how many \
                      artifacts of each kind there are.",
        toolset: Toolset::Graph,
        effect: Effect::Reads,
        repeat: Repeat::ChangesNothing,
        aliases: &[],
    };
    const CAPABILITY: Option<Capability> = Some(Capability {
        id: "specman.core.workspace.describe",
        concept_ref: concept::WORKSPACE_DISCOVERY,
        lock: |_| LockIntent::Read,
        world: World::Closed,
        extensions: &[],
    });
    type Params = Params;
    type View = WorkspaceView;

    fn run(workspace: &Workspace, context: &Context, params: Params) -> Result<WorkspaceView> {
        let hinted = params.env.and_then(|mut env| env.remove("SPECMAN_WORKSPACE"));
        graph::describe(workspace, context, params.path.or(hinted).as_deref())
    }
}
