//! Who asks: the catalogue alone, or a model with the catalogue behind it.
//!
//! A model that fails costs a warning and some seconds, never a clarification.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use hewto_core::decision::catalogue::Catalogue;
use hewto_core::decision::interview::Interview;
use hewto_core::decision::model::{self, ToolRequest, Unusable};
use hewto_core::decision::question::Question;
use hewto_core::decision::trigger::Patch;
use hewto_net::model::{Choice, Client, ModelError, Patience};
use hewto_store::{Context, redact};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::failure;
use crate::error::Result;

/// Time that is kept for everything but the model.
const KEPT_TIME: Duration = Duration::from_secs(2);
const PLENTY: Duration = Duration::from_hours(1);

/// Who asks the questions, and what becomes of it when a model cannot.
#[derive(Debug, Clone, Default)]
pub struct Interviewer {
    who: Who,
    on_failure: OnFailure,
    /// What the model was sent, where somebody wants to read it.
    prompts: Option<Arc<Mutex<String>>>,
}

#[derive(Debug, Clone, Default)]
enum Who {
    #[default]
    Catalogue,
    Model(Client),
    /// A model was asked for and cannot be used.
    Missing {
        reason: String,
    },
}

/// What a person wants of a model.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ModelWish {
    /// Whether a model is wanted even where the environment names none.
    pub wanted: bool,
    /// Instead of the one that the environment names.
    pub provider: Option<String>,
    pub on_failure: OnFailure,
    /// Whether to keep what the model is sent.
    pub keeps_prompts: bool,
}

/// What happens when a model does not help.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnFailure {
    /// The catalogue asks, and a warning says so.
    #[default]
    FallBack,
    /// The command fails.
    Fail,
}

/// A model was to help and did not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fallback {
    message: String,
}

impl Fallback {
    /// The `warning` of a view and its `message`.
    pub(super) fn told(fallback: Option<Self>) -> (Option<String>, Option<String>) {
        fallback.map(|fallback| ("llm_fallback".to_owned(), fallback.message)).unzip()
    }
}

impl From<Choice> for Interviewer {
    fn from(choice: Choice) -> Self {
        let who = match choice {
            Choice::Deterministic => Who::Catalogue,
            Choice::Model(settings) => Who::Model(Client::new(*settings)),
            Choice::Broken { reason } => Who::Missing { reason },
        };
        Self { who, ..Self::default() }
    }
}

impl Interviewer {
    /// The interviewer of a person who wishes for one.
    pub fn hired(choice: Choice, wish: &ModelWish) -> Self {
        let choice = match choice {
            Choice::Deterministic if wish.wanted => {
                Choice::Broken { reason: "no provider is named".to_owned() }
            }
            other => other,
        };
        Self {
            on_failure: wish.on_failure,
            prompts: wish.keeps_prompts.then(Arc::default),
            ..Self::from(choice)
        }
    }

    /// What a model was sent since the last call.
    pub(super) fn take_prompts(&self) -> Option<String> {
        let mut prompts = self.prompts.as_ref()?.lock().unwrap_or_else(PoisonError::into_inner);
        Some(std::mem::take(&mut *prompts)).filter(|prompts| !prompts.is_empty())
    }

    /// Lets the model put its questions in the place of the catalogue's.
    pub(super) fn begin(
        &self,
        ctx: &Context,
        catalogue: &Catalogue,
        interview: &mut Interview,
    ) -> Result<Option<Fallback>> {
        let client = match &self.who {
            Who::Catalogue => return Ok(None),
            Who::Missing { reason } => return self.fall_back(reason).map(Some),
            Who::Model(client) => client,
        };
        let questions = self
            .ask(client, ctx, model::ask(catalogue, interview), |answer| model::read_questions(answer, &[]));
        Ok(match questions? {
            Ok(questions) => {
                let questions: Vec<Question> = questions;
                interview.ask_by_model(questions);
                None
            }
            Err(error) => Some(self.fall_back(&error.to_string())?),
        })
    }

    /// Lets the model say what the answers decide. Afterwards the interview has a decision, or goes on without it.
    pub(super) fn conclude(
        &self,
        ctx: &Context,
        catalogue: &Catalogue,
        interview: &mut Interview,
    ) -> Result<Option<Fallback>> {
        let Who::Model(client) = &self.who else {
            interview.dismiss_model();
            return Ok(None);
        };
        let decision: std::result::Result<Option<Patch>, ModelError> =
            self.ask(client, ctx, model::extract(catalogue, interview), |answer| {
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
                let fallback = self.fall_back(&error.to_string())?;
                interview.dismiss_model();
                Some(fallback)
            }
        })
    }

    /// One request, without secrets. The outer failure is the caller's own: it was cancelled or ran out of time.
    fn ask<T>(
        &self,
        client: &Client,
        ctx: &Context,
        mut request: ToolRequest,
        read: impl Fn(&Value) -> std::result::Result<T, Unusable>,
    ) -> Result<std::result::Result<T, ModelError>> {
        request.user = model::mask(&redact(&request.user));
        if let Some(prompts) = &self.prompts {
            let mut prompts = prompts.lock().unwrap_or_else(PoisonError::into_inner);
            let _ = write!(prompts, "# {}\n\n{}\n\n{}\n\n", request.tool, request.system, request.user);
        }
        let left = ctx.deadline().map_or(PLENTY, |end| end.saturating_duration_since(Instant::now()));
        let patience =
            Patience { budget: left.saturating_sub(KEPT_TIME), still_wanted: &|| ctx.check().is_ok() };
        let answer = client.ask(&request, patience, read);
        ctx.check()?;
        Ok(answer)
    }

    fn fall_back(&self, reason: &str) -> Result<Fallback> {
        match self.on_failure {
            OnFailure::FallBack => {
                // The answer carries the warning; whoever looks after the server may read it here.
                tracing::info!(reason, "no model; the deterministic questions are asked");
                Ok(Fallback { message: format!("LLM unavailable, using deterministic mode ({reason})") })
            }
            OnFailure::Fail => Err(failure::model_needed(reason)),
        }
    }
}
