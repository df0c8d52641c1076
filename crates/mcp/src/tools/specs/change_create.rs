//! `change_create`: a new proposal with its tasks and deltas.

use std::collections::BTreeMap;

use hewto_engine::change::{self, NewChange, NewDelta, NewRemoval, NewRename, NewRequirement, NewScenario};
use hewto_engine::view::ChangeCreated;
use hewto_engine::{Context, Result, Workspace};
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, Tool};

pub(crate) struct ChangeCreate;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    /// Such as add-two-factor
    change_id: String,
    why: String,
    /// Markdown
    what_changes: String,
    tasks: Option<Vec<String>>,
    // Said in one sentence instead of four nested schemas: every model reads this list in every session.
    #[schemars(
        extend("x-in-words" = true),
        description = "By capability: {added, modified: [{name, text, scenarios: [{name, given?, when?, then: []}]}], \
                       removed: [{name, reason?}], renamed: [{from, to}]}; modified is the whole requirement"
    )]
    deltas: Option<BTreeMap<String, DeltaArg>>,
    /// UID of its ADR
    decision: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct DeltaArg {
    added: Option<Vec<RequirementArg>>,
    modified: Option<Vec<RequirementArg>>,
    removed: Option<Vec<RemovalArg>>,
    renamed: Option<Vec<RenameArg>>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RequirementArg {
    name: String,
    text: String,
    #[serde(default)]
    scenarios: Vec<ScenarioArg>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ScenarioArg {
    name: String,
    given: Option<String>,
    when: Option<String>,
    #[serde(default)]
    then: Vec<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
enum RemovalArg {
    Name(String),
    Requirement(RemovedArg),
}

/// A requirement that goes, perhaps as `get_change` shows it: its scenarios go with it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RemovedArg {
    name: String,
    reason: Option<String>,
    text: Option<String>,
    #[serde(rename = "scenarios")]
    #[schemars(with = "Option<Vec<ScenarioArg>>")]
    _scenarios: Option<IgnoredAny>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RenameArg {
    from: String,
    to: String,
}

impl Tool for ChangeCreate {
    const ABOUT: About = About {
        name: "change_create",
        title: "Propose a change",
        description: "Propose a change to living specs: why, what, tasks, requirement deltas. Plan and build it as change:<id>, then change_archive. For new work without requirements use spec_create.",
        toolset: Toolset::Specs,
        effect: Effect::Adds,
        repeat: Repeat::Matters,
        aliases: &[],
    };
    type Params = Params;
    type View = ChangeCreated;

    fn run(workspace: &Workspace, context: &Context, params: Params) -> Result<ChangeCreated> {
        let deltas = params.deltas.unwrap_or_default();
        let new = NewChange {
            change_id: params.change_id,
            why: params.why,
            what_changes: params.what_changes,
            tasks: params.tasks.unwrap_or_default(),
            deltas: deltas.into_iter().map(|(capability, delta)| (capability, delta.into())).collect(),
            decision: params.decision,
        };
        change::create(workspace, context, &new)
    }
}

impl From<DeltaArg> for NewDelta {
    fn from(arg: DeltaArg) -> Self {
        Self {
            purpose: None,
            added: convert(arg.added),
            modified: convert(arg.modified),
            removed: convert(arg.removed),
            renamed: convert(arg.renamed),
        }
    }
}

impl From<RequirementArg> for NewRequirement {
    fn from(arg: RequirementArg) -> Self {
        Self { name: arg.name, text: arg.text, scenarios: convert(Some(arg.scenarios)) }
    }
}

impl From<ScenarioArg> for NewScenario {
    fn from(arg: ScenarioArg) -> Self {
        Self { name: arg.name, given: arg.given, when: arg.when, then: arg.then }
    }
}

impl From<RemovalArg> for NewRemoval {
    fn from(arg: RemovalArg) -> Self {
        match arg {
            RemovalArg::Name(name) => Self { name, reason: None },
            RemovalArg::Requirement(arg) => Self { name: arg.name, reason: arg.reason.or(arg.text) },
        }
    }
}

impl From<RenameArg> for NewRename {
    fn from(arg: RenameArg) -> Self {
        Self { from: arg.from, to: arg.to }
    }
}

fn convert<A, B: From<A>>(list: Option<Vec<A>>) -> Vec<B> {
    list.into_iter().flatten().map(B::from).collect()
}
