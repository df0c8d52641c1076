//! Clarify and decide (seed 003, Preflights): the use cases of the decisions toolset.
//!
//! [`clarify`] leads an interview and, at its end, commits what was decided; [`read_architecture`] says what holds
//! now. Both work in any git repository ([`Repository`]) without set-up. What to ask and what to write is
//! `hewto_core::decision`'s to say; this module keeps sessions, reads and commits files, and asks models.

mod architecture;
mod clarify;
mod complete;
mod envelope;
mod failure;
mod foreign;
mod interview_store;
mod interviewer;
mod known;
mod pending;
mod recording;
mod records;
mod repository;
mod sessions;

pub(crate) use architecture::require;
pub(crate) use architecture::{Timeline, timeline};
pub use architecture::{list, read_architecture, show};
pub use clarify::{ClarifyRequest, EMPTY_INTENTION, Interviews, clarify};
pub use complete::Writes;
pub use envelope::error_envelope;
pub(crate) use foreign::{foreign, foreign_named};
pub use hewto_core::decision::interview::Flow;
pub use hewto_core::decision::trigger::AdrPreference;
pub use hewto_net::model::{Choice as ModelChoice, Settings as ModelSettings};
pub use interview_store::{FindInterviewer, answer, reset, resume, start, status};
pub use interviewer::{Interviewer, ModelWish, OnFailure};
pub use recording::{NewDecision, Superseded, create, create_at, record};
pub use repository::{Climb, Repository, RepositoryScope, Where};
