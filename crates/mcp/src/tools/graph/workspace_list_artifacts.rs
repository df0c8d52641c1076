//! `specman_workspace_list_artifacts`: list the artifacts.

use hewto_engine::graph::{self, ArtifactFilter};
use hewto_engine::view::ArtifactList;
use hewto_engine::{Context, LockIntent, PageRequest, Result, Workspace, concept};
use schemars::JsonSchema;
use serde::Deserialize;

use super::HANDLES;
use crate::options::Toolset;
use crate::table::{About, Capability, Effect, Repeat, Tool, World};

pub(crate) struct WorkspaceListArtifacts;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    /// Only this kind of handle: spec, impl, scratch, change or adr
    scheme: Option<String>,
    /// Only paths that match, such as spec/*/spec.md
    glob: Option<String>,
    #[schemars(range(min = 1, max = 1000))]
    limit: Option<usize>,
    cursor: Option<String>,
    #[schemars(range(min = 1000, max = 1_000_000))]
    max_chars: Option<usize>,
}

impl Tool for WorkspaceListArtifacts {
    const ABOUT: About = About {
        name: "specman_workspace_list_artifacts",
        title: "List the artifacts",
        description: "List specs, implementations, scratch pads, changes and decisions with handle, path, version and metadata, sorted by handle. Broken documents are listed with what is wrong.",
        toolset: Toolset::Graph,
        effect: Effect::Reads,
        repeat: Repeat::ChangesNothing,
        aliases: &[],
    };
    const CAPABILITY: Option<Capability> = Some(Capability {
        id: "specman.core.workspace.list_artifacts",
        concept_ref: concept::WORKSPACE_GOVERNANCE,
        lock: |_| LockIntent::Read,
        world: World::Closed,
        extensions: HANDLES,
    });
    type Params = Params;
    type View = ArtifactList;

    fn run(workspace: &Workspace, context: &Context, params: Params) -> Result<ArtifactList> {
        let filter = ArtifactFilter { scheme: params.scheme, glob: params.glob };
        let page = PageRequest { limit: params.limit, cursor: params.cursor, max_chars: params.max_chars };
        graph::list_artifacts(workspace, context, &filter, &page)
    }
}
