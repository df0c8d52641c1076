//! The files of a kept interview: they belong to the machine, and one command at a time works on them.

use hewto_core::decision::interview::Interview;
use hewto_store::{Context, LocalKey, StateGuard};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::super::failure;
use super::super::interviewer::{Interviewer, ModelWish};
use super::super::repository::Repository;
use crate::error::{Error, Key, Kind, Result};

/// An interview between two commands.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Kept {
    pub(super) session_id: String,
    pub(super) started_at: Timestamp,
    pub(super) expires_at: Timestamp,
    /// So that the next command asks the same model.
    #[serde(default)]
    pub(super) wish: ModelWish,
    pub(super) interview: Interview,
}

/// Where a repository's interview is kept.
#[derive(Debug, Clone, Copy)]
pub(super) struct InterviewFile<'r> {
    repository: &'r Repository,
}

impl<'r> InterviewFile<'r> {
    pub(super) fn of(repository: &'r Repository) -> Self {
        Self { repository }
    }

    /// Waits until no other command works on the interview, and keeps it from others until the guard is dropped. What
    /// was loaded before may be stale.
    pub(super) fn lock(self, ctx: &Context) -> Result<StateGuard> {
        self.repository.store().machine().lock_local(ctx, &LocalKey::InterviewLock).map_err(failure::unlocked)
    }

    /// The interview; one that cannot be read counts as none.
    pub(super) fn load(self) -> Result<Option<Kept>> {
        Ok(self.read(&LocalKey::Interview)?.and_then(|bytes| serde_json::from_slice(&bytes).ok()))
    }

    pub(super) fn save(self, kept: &Kept) -> Result<()> {
        let text = serde_json::to_vec_pretty(kept).map_err(|error| {
            Error::new(Kind::Machine, Key::InternalError, "the interview cannot be written").caused_by(error)
        })?;
        self.write(&LocalKey::Interview, &text)
    }

    /// Whether there is anything in the place of the interview, readable or not.
    pub(super) fn holds_something(self) -> Result<bool> {
        Ok(self.read(&LocalKey::Interview)?.is_some())
    }

    pub(super) fn clear(self) -> Result<()> {
        self.repository.store().machine().remove_local(&LocalKey::Interview).map_err(failure::filesystem)
    }

    pub(super) fn last_intention(self) -> Result<Option<String>> {
        Ok(self.read(&LocalKey::LastIntention)?.and_then(|bytes| String::from_utf8(bytes).ok()))
    }

    pub(super) fn note_intention(self, intention: &str) -> Result<()> {
        self.write(&LocalKey::LastIntention, intention.as_bytes())
    }

    /// Adds what a model was sent, where somebody asked for that.
    pub(super) fn note_prompts(self, interviewer: &Interviewer) -> Result<()> {
        let Some(prompts) = interviewer.take_prompts() else { return Ok(()) };
        let mut text = self.read(&LocalKey::LastPrompt)?.unwrap_or_default();
        text.extend_from_slice(prompts.as_bytes());
        self.write(&LocalKey::LastPrompt, &text)
    }

    fn read(self, key: &LocalKey) -> Result<Option<Vec<u8>>> {
        self.repository.store().machine().read_local(key).map_err(failure::filesystem)
    }

    fn write(self, key: &LocalKey, bytes: &[u8]) -> Result<()> {
        self.repository.store().machine().write_local(key, bytes).map_err(failure::filesystem)
    }
}
