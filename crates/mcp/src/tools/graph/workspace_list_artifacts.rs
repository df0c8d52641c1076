//! `specman_workspace_list_artifacts`: list the artifacts.

use hewto_engine::graph::{self, ArtifactFilter};
use hewto_engine::view::ArtifactList;
use hewto_engine::{Context, LockIntent, Result, Workspace, concept};

use super::HANDLES;
use crate::options::Toolset;
use crate::table::{About, Capability, Effect, Repeat, Tool, World};
use crate::tools::args::Paged;

pub(crate) struct WorkspaceListArtifacts;

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
    type Params = Paged<ArtifactFilter>;
    type View = ArtifactList;

    fn run(workspace: &Workspace, context: &Context, params: Paged<ArtifactFilter>) -> Result<ArtifactList> {
        let (filter, page) = params.split();
        graph::list_artifacts(workspace, context, &filter, &page)
    }
}
