//! `require_clarification`: asks what has to be known before a change, and writes down what was decided.

use std::borrow::Cow;

use hewto_engine::decision::{self, AdrPreference, ClarifyRequest};
use hewto_engine::view::ClarificationView;
use hewto_engine::{Context, Project, Result};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::options::Toolset;
use crate::table::{About, DecisionTool, Effect, Repeat};

pub(crate) struct RequireClarification;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    user_intention: String,
    optional_context: Option<String>,
    session_id: Option<String>,
    /// By question id
    answers: Option<Map<String, Value>>,
    /// Your own: {id, text, options, why}
    #[schemars(extend("x-beyond" = true), with = "Option<Vec<Question>>")]
    questions: Option<Vec<Value>>,
    preferences: Option<Preferences>,
    repo_path: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Preferences {
    force_adr: Option<bool>,
}

/// Any object: the engine tells all faults of all questions at once.
struct Question;

impl JsonSchema for Question {
    fn schema_name() -> Cow<'static, str> {
        "Question".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "object" })
    }
}

impl DecisionTool for RequireClarification {
    const ABOUT: About = About {
        name: "require_clarification",
        title: "Clarify before coding",
        description: "Clarify a request before coding: questions for the user; call again with session_id and answers until completed. Writes an ADR and a task.",
        toolset: Toolset::Decisions,
        effect: Effect::Adds,
        repeat: Repeat::Matters,
        aliases: &[],
    };
    type Params = Params;
    type View = ClarificationView;

    fn run(project: &Project, context: &Context, params: Params) -> Result<ClarificationView> {
        let forced = params.preferences.and_then(|preferences| preferences.force_adr) == Some(true);
        let request = ClarifyRequest {
            intention: params.user_intention,
            context: params.optional_context,
            session_id: params.session_id,
            answers: params.answers.unwrap_or_default(),
            questions: params.questions.unwrap_or_default(),
            flow: project.questions(),
            preference: if forced { AdrPreference::Force } else { AdrPreference::ByRule },
            place: project.decisions_at(params.repo_path),
        };
        decision::clarify(project.interviews(), context, &request)
    }
}
