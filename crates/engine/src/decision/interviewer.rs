//! Who asks: the catalogue alone, or a model with the catalogue behind it.
//!
//! A model that fails costs a warning and some seconds, never a clarification.

use std::time::{Duration, Instant};

use hewto_core::decision::catalogue::Catalogue;
use hewto_core::decision::interview::Interview;
use hewto_core::decision::model::{self, ToolRequest, Unusable};
use hewto_core::decision::question::Question;
use hewto_core::decision::trigger::Patch;
use hewto_net::model::{Choice, Client, ModelError, Patience};
use hewto_store::{Context, redact};
use serde_json::Value;

use crate::error::Result;

/// Time that is kept for everything but the model.
const KEPT_TIME: Duration = Duration::from_secs(2);
const PLENTY: Duration = Duration::from_hours(1);

/// Who asks the questions.
#[derive(Debug, Clone, Default)]
pub enum Interviewer {
    #[default]
    Catalogue,
    Model(Client),
    /// A model was asked for and cannot be used.
    Missing {
        reason: String,
    },
}

/// A model was to help and did not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fallback {
    pub(super) message: String,
}

impl From<Choice> for Interviewer {
    fn from(choice: Choice) -> Self {
        match choice {
            Choice::Deterministic => Self::Catalogue,
            Choice::Model(settings) => Self::Model(Client::new(*settings)),
            Choice::Broken { reason } => Self::Missing { reason },
        }
    }
}

impl Interviewer {
    /// Lets the model put its questions in the place of the catalogue's.
    pub(super) fn begin(
        &self,
        ctx: &Context,
        catalogue: &Catalogue,
        interview: &mut Interview,
    ) -> Result<Option<Fallback>> {
        let client = match self {
            Self::Catalogue => return Ok(None),
            Self::Missing { reason } => return Ok(Some(fallback(reason))),
            Self::Model(client) => client,
        };
        let questions =
            ask(client, ctx, model::ask(catalogue, interview), |answer| model::read_questions(answer, &[]));
        Ok(match questions? {
            Ok(questions) => {
                let questions: Vec<Question> = questions;
                interview.ask_by_model(questions);
                None
            }
            Err(error) => Some(fallback(&error.to_string())),
        })
    }

    /// Lets the model say what the answers decide. Afterwards the interview has a decision, or goes on without it.
    pub(super) fn conclude(
        &self,
        ctx: &Context,
        catalogue: &Catalogue,
        interview: &mut Interview,
    ) -> Result<Option<Fallback>> {
        let Self::Model(client) = self else {
            interview.dismiss_model();
            return Ok(None);
        };
        let decision: std::result::Result<Option<Patch>, ModelError> =
            ask(client, ctx, model::extract(catalogue, interview), |answer| {
                model::read_decision(catalogue, interview, answer)
            })?;
        Ok(match decision {
            Ok(Some(patch)) => {
                interview.decide_by_model(patch);
                None
            }
            Ok(None) => {
                interview.dismiss_model();
                None
            }
            Err(error) => {
                interview.dismiss_model();
                Some(fallback(&error.to_string()))
            }
        })
    }
}

/// One request, without secrets. The outer failure is the caller's own: it was cancelled or ran out of time.
fn ask<T>(
    client: &Client,
    ctx: &Context,
    mut request: ToolRequest,
    read: impl Fn(&Value) -> std::result::Result<T, Unusable>,
) -> Result<std::result::Result<T, ModelError>> {
    request.user = model::mask(&redact(&request.user));
    let left = ctx.deadline().map_or(PLENTY, |end| end.saturating_duration_since(Instant::now()));
    let patience = Patience { budget: left.saturating_sub(KEPT_TIME), still_wanted: &|| ctx.check().is_ok() };
    let answer = client.ask(&request, patience, read);
    ctx.check()?;
    Ok(answer)
}

fn fallback(reason: &str) -> Fallback {
    tracing::warn!(reason, "no model; the deterministic questions are asked");
    Fallback { message: format!("LLM unavailable, using deterministic mode ({reason})") }
}
