//! A language model behind an HTTP endpoint: Anthropic, OpenAI, or anything that speaks OpenAI's format.
//!
//! [`Client::ask`] tries at most three times, within one budget of time, and hands back what the caller's reader
//! accepts. It never fails a clarification: whoever gets an error goes on without a model.

mod settings;
mod wire;

use std::time::{Duration, Instant};

use hewto_core::decision::model::{ToolRequest, Unusable};
use serde_json::Value;
use thiserror::Error;

pub use settings::{Choice, Limits, Provider, Secret, Settings};

/// Longest answer that is read.
const MAX_ANSWER_BYTES: u64 = 1024 * 1024;
/// How often a pause looks whether it is still wanted.
const GLANCE: Duration = Duration::from_millis(20);

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ModelError {
    #[error("the model did not answer in time")]
    TimedOut,
    #[error("the model is busy (429)")]
    Busy { retry_after: Option<Duration> },
    #[error("the model's server failed ({0})")]
    Server(u16),
    /// A key that is wrong, a model that does not exist: trying again does not help.
    #[error("the model's server refused the request ({0})")]
    Refused(u16),
    #[error("the model cannot be reached")]
    Unreachable,
    #[error(transparent)]
    Unusable(#[from] Unusable),
    #[error("the call was given up")]
    Stopped,
}

impl ModelError {
    fn is_worth_another_try(&self) -> bool {
        !matches!(self, Self::Refused(_) | Self::Stopped)
    }
}

/// How long the caller can wait, and whether it still wants to.
#[derive(Clone, Copy)]
pub struct Patience<'a> {
    /// The most time for all attempts together; the settings may say less.
    pub budget: Duration,
    pub still_wanted: &'a dyn Fn() -> bool,
}

/// A model, ready to be asked. Cheap to keep; connections are reused.
#[derive(Debug, Clone)]
pub struct Client {
    settings: Settings,
    agent: ureq::Agent,
}

impl Client {
    pub fn new(settings: Settings) -> Self {
        let proxy = settings
            .proxy
            .as_deref()
            .filter(|_| !settings.is_local())
            .and_then(|url| ureq::Proxy::new(url).ok());
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            // A redirect could carry the key and the text to somebody else.
            .max_redirects(0)
            .proxy(proxy)
            .user_agent(concat!("hewto/", env!("CARGO_PKG_VERSION")))
            .build();
        Self { agent: ureq::Agent::new_with_config(config), settings }
    }

    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Asks until an answer can be read, three times at most.
    pub fn ask<T>(
        &self,
        request: &ToolRequest,
        patience: Patience<'_>,
        read: impl Fn(&Value) -> Result<T, Unusable>,
    ) -> Result<T, ModelError> {
        let limits = self.settings.limits;
        let end = Instant::now() + limits.total.min(patience.budget);
        let mut pause = limits.first_pause;
        let mut attempts_left = limits.attempts;
        loop {
            attempts_left -= 1;
            let error = match self.attempt(request, end).and_then(|answer| Ok(read(&answer)?)) {
                Ok(answer) => return Ok(answer),
                Err(error) => error,
            };
            tracing::debug!(%error, attempts_left, "a model did not help");
            let wait = match error {
                ModelError::Busy { retry_after: Some(asked) } => asked.max(pause),
                _ => pause,
            };
            let too_late = Instant::now() + wait >= end;
            if attempts_left == 0 || too_late || !error.is_worth_another_try() {
                return Err(error);
            }
            rest(wait, patience)?;
            pause *= 3;
        }
    }

    fn attempt(&self, request: &ToolRequest, end: Instant) -> Result<Value, ModelError> {
        let time = self.settings.limits.attempt.min(end.saturating_duration_since(Instant::now()));
        if time.is_zero() {
            return Err(ModelError::TimedOut);
        }
        let mut post = self.agent.post(wire::url(&self.settings)).config().timeout_global(Some(time)).build();
        for (name, value) in wire::headers(&self.settings) {
            post = post.header(name, value);
        }
        let body = wire::body(&self.settings, request).to_string();
        let mut response = post.send(body.as_bytes()).map_err(|error| unanswered(&error))?;
        match response.status().as_u16() {
            200..=299 => {}
            429 => return Err(ModelError::Busy { retry_after: retry_after(&response) }),
            status @ 500.. => return Err(ModelError::Server(status)),
            status => return Err(ModelError::Refused(status)),
        }
        let bytes = response
            .body_mut()
            .with_config()
            .limit(MAX_ANSWER_BYTES)
            .read_to_vec()
            .map_err(|error| unanswered(&error))?;
        let value: Value =
            serde_json::from_slice(&bytes).map_err(|_| Unusable("it is not valid JSON".to_owned()))?;
        Ok(wire::tool_input(self.settings.provider, &value, request.tool)?)
    }
}

fn unanswered(error: &ureq::Error) -> ModelError {
    match error {
        ureq::Error::Timeout(_) => ModelError::TimedOut,
        ureq::Error::Io(error) if error.kind() == std::io::ErrorKind::TimedOut => ModelError::TimedOut,
        ureq::Error::BodyExceedsLimit(_) => Unusable("it is too long".to_owned()).into(),
        _ => ModelError::Unreachable,
    }
}

/// Seconds; the date form is rare and not worth a calendar.
fn retry_after(response: &ureq::http::Response<ureq::Body>) -> Option<Duration> {
    let seconds = response.headers().get("retry-after")?.to_str().ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds))
}

fn rest(wait: Duration, patience: Patience<'_>) -> Result<(), ModelError> {
    let until = Instant::now() + wait;
    loop {
        if !(patience.still_wanted)() {
            return Err(ModelError::Stopped);
        }
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(());
        }
        std::thread::sleep(left.min(GLANCE));
    }
}

impl std::fmt::Debug for Patience<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Patience").field("budget", &self.budget).finish_non_exhaustive()
    }
}
