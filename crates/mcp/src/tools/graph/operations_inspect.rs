//! `specman_operations_inspect`: inspect past operations.

use hewto_engine::operations::{self, OperationQuery};
use hewto_engine::view::OperationList;
use hewto_engine::{Context, LockIntent, Result, Workspace, concept};

use crate::options::Toolset;
use crate::table::{About, Capability, Effect, Repeat, Tool, World};
use crate::tools::args::Paged;

pub(crate) struct OperationsInspect;

impl Tool for OperationsInspect {
    const ABOUT: About = About {
        name: "specman_operations_inspect",
        title: "Inspect past operations",
        description: "List what was done in the workspace, newest first, by session, capability, status and time, across rotated logs. Failed calls are there too.",
        toolset: Toolset::Graph,
        effect: Effect::Reads,
        repeat: Repeat::ChangesNothing,
        aliases: &[],
    };
    const CAPABILITY: Option<Capability> = Some(Capability {
        id: "specman.core.operations.inspect",
        concept_ref: concept::SESSION_SAFETY,
        lock: |_| LockIntent::None,
        world: World::Closed,
        extensions: &[],
    });
    type Params = Paged<OperationQuery>;
    type View = OperationList;

    fn run(workspace: &Workspace, context: &Context, params: Paged<OperationQuery>) -> Result<OperationList> {
        let (query, page) = params.split();
        operations::inspect(workspace.layout(), context, &query, &page)
    }
}
