//! `change_update`: edits any part of an open change.

use std::collections::BTreeMap;

use hewto_engine::change::{self, ChangeEdit};
use hewto_engine::view::ChangeUpdated;
use hewto_engine::{Context, Result, Workspace};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::delta_arg;
use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, Tool};

pub(crate) struct ChangeUpdate;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    change_id: String,
    why: Option<String>,
    what_changes: Option<String>,
    /// design.md; blank takes it out
    design: Option<String>,
    /// Replaces all; same titles keep their tick
    tasks: Option<Vec<String>>,
    add_tasks: Option<Vec<String>>,
    /// As in change_create: replaces by name, else adds
    #[schemars(schema_with = "delta_arg::schema")]
    #[serde(default)]
    deltas: Option<BTreeMap<String, Value>>,
    /// Requirements by capability; [] for the whole delta
    take_out: Option<BTreeMap<String, Vec<String>>>,
}

impl Tool for ChangeUpdate {
    const ABOUT: About = About {
        name: "change_update",
        title: "Edit a change",
        description: "Edit any part of an open change: add, replace or take out.",
        toolset: Toolset::Specs,
        effect: Effect::Overwrites,
        repeat: Repeat::ChangesNothing,
        aliases: &[],
    };
    type Params = Params;
    type View = ChangeUpdated;

    fn run(workspace: &Workspace, context: &Context, params: Params) -> Result<ChangeUpdated> {
        let mut read = delta_arg::read(params.deltas.unwrap_or_default());
        let edit = ChangeEdit {
            why: params.why,
            what_changes: params.what_changes,
            design: params.design,
            tasks: params.tasks,
            add_tasks: params.add_tasks.unwrap_or_default(),
            deltas: std::mem::take(&mut read.deltas),
            take_out: params.take_out.unwrap_or_default(),
        };
        let context = context.clone().with_misread(std::mem::take(&mut read.misread));
        change::update(workspace, &context, &params.change_id, &edit).map_err(|error| read.located(error))
    }
}
