//! `decision_create`: a record without an interview.

use std::collections::BTreeMap;

use hewto_engine::decision::{self, NewDecision, Superseded};
use hewto_engine::view::DecisionCreated;
use hewto_engine::{Context, Project, Result};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::options::Toolset;
use crate::table::{About, DecisionTool, Effect, Repeat};

pub(crate) struct DecisionCreate;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    /// Frontend, Backend, Database, Authentication, Infra, Other
    category: String,
    /// Such as Strategy: OAuth; any field
    fields: BTreeMap<String, String>,
    /// Why it was needed
    context: String,
    /// UID; needs reason
    supersedes: Option<String>,
    reason: Option<String>,
    repo_path: Option<String>,
}

impl DecisionTool for DecisionCreate {
    const ABOUT: About = About {
        name: "decision_create",
        title: "Record a decision",
        description: "Record a decision without an interview; may supersede one by UID.",
        toolset: Toolset::Decisions,
        effect: Effect::Adds,
        repeat: Repeat::Matters,
        aliases: &[],
    };
    type Params = Params;
    type View = DecisionCreated;

    fn run(project: &Project, context: &Context, params: Params) -> Result<DecisionCreated> {
        // One without the other is told with everything else that is wrong.
        let supersedes = (params.supersedes.is_some() || params.reason.is_some()).then(|| Superseded {
            uid: params.supersedes.unwrap_or_default(),
            reason: params.reason.unwrap_or_default(),
        });
        let new = NewDecision {
            category: params.category,
            fields: params.fields.into_iter().collect(),
            context: params.context,
            supersedes,
        };
        decision::create_at(&project.decisions_at(params.repo_path), context, &new)
    }
}
