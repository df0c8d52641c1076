//! `change_create`: a new proposal with its tasks and deltas.

use std::collections::BTreeMap;

use hewto_engine::change::{self, NewChange};
use hewto_engine::view::ChangeCreated;
use hewto_engine::{Context, Result, Workspace};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::delta_arg;
use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, Tool};

pub(crate) struct ChangeCreate;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    /// As add-2fa
    change_id: String,
    why: String,
    /// Markdown
    what_changes: String,
    tasks: Option<Vec<String>>,
    #[schemars(schema_with = "delta_arg::schema_in_words")]
    #[serde(default)]
    deltas: Option<BTreeMap<String, Value>>,
    /// Of a new capability
    purpose: Option<String>,
    /// UID of its ADR
    decision: Option<String>,
}

impl Tool for ChangeCreate {
    const ABOUT: About = About {
        name: "change_create",
        title: "Propose a change",
        description: "Propose a change to living specs; answers with its validation and the next call. Build it as change:<id>. Quick lane: one task, at most one requirement, no plan. Without requirements use spec_create.",
        toolset: Toolset::Specs,
        effect: Effect::Adds,
        repeat: Repeat::Matters,
        aliases: &[],
    };
    type Params = Params;
    type View = ChangeCreated;

    fn run(workspace: &Workspace, context: &Context, params: Params) -> Result<ChangeCreated> {
        let mut read = delta_arg::read(params.deltas.unwrap_or_default());
        let new = NewChange {
            change_id: params.change_id,
            why: params.why,
            what_changes: params.what_changes,
            tasks: params.tasks.unwrap_or_default(),
            deltas: std::mem::take(&mut read.deltas),
            purpose: params.purpose,
            decision: params.decision,
        };
        let context = context.clone().with_misread(std::mem::take(&mut read.misread));
        change::create(workspace, &context, &new).map_err(|error| read.located(error))
    }
}
