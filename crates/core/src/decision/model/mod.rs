//! A model as interviewer: what it is told, what it must answer, and how much of the answer is believed.
//!
//! The wire is `hewto-net`'s. Here are the two requests ([`ask`], [`extract`]) and the two repairs
//! ([`read_questions`], [`read_decision`]). A model may ask what it likes within the limits; it may decide only
//! what somebody said.

mod decision;
mod mask;
mod questions;
mod request;

pub use decision::read_decision;
pub use mask::mask;
pub use questions::read_questions;
pub use request::{ToolRequest, ask, extract};

/// An answer of a model that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the model's answer cannot be used: {0}")]
pub struct Unusable(pub String);
