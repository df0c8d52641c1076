//! `specman_operations_inspect`: inspect past operations.

use hewto_engine::operations::{self, OperationQuery};
use hewto_engine::view::OperationList;
use hewto_engine::{Context, LockIntent, OperationStatus, PageRequest, Result, Workspace, concept};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::options::Toolset;
use crate::schema::one_of;
use crate::table::{About, Capability, Effect, Repeat, Tool, World};

pub(crate) struct OperationsInspect;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    session_id: Option<String>,
    /// A tool, in either spelling
    capability_id: Option<String>,
    #[schemars(schema_with = "statuses")]
    #[serde(default)]
    status: Option<String>,
    /// RFC 3339, a day, or an age such as 2h
    since: Option<String>,
    until: Option<String>,
    #[schemars(range(min = 1, max = 1000))]
    limit: Option<usize>,
    cursor: Option<String>,
    #[schemars(range(min = 1000, max = 1_000_000))]
    max_chars: Option<usize>,
}

fn statuses(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    one_of(OperationStatus::ALL.map(OperationStatus::as_str))
}

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
    type Params = Params;
    type View = OperationList;

    fn run(workspace: &Workspace, context: &Context, params: Params) -> Result<OperationList> {
        let query = OperationQuery {
            session_id: params.session_id,
            capability_id: params.capability_id,
            status: params.status,
            since: params.since,
            until: params.until,
        };
        let page = PageRequest { limit: params.limit, cursor: params.cursor, max_chars: params.max_chars };
        operations::inspect(workspace, context, &query, &page)
    }
}
