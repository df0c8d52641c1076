//! One call to the hub, and the row of the audit that it leaves, however it ends.

use hewto_http::{ANONYMOUS, Refusal};

use crate::audit::{OK, Row};
use crate::error::Error;
use crate::hub::Hub;

/// What is told of a call whose client left before it was answered.
const BROKEN_OFF: &str = "broken_off";
/// The longest part of an address or a message that is told.
const MOST_CHARS: usize = 200;

/// A call under way. What is known of it is filled in as it becomes known, and told when this is dropped.
#[derive(Debug)]
pub(crate) struct Call<'h> {
    hub: &'h Hub,
    row: Row,
    path: String,
    is_told: bool,
}

impl<'h> Call<'h> {
    /// A call at this path by whoever the door let in.
    pub(crate) fn new(hub: &'h Hub, principal: &str, op: &str, path: &str) -> Self {
        let row = Row { outcome: BROKEN_OFF.to_owned(), ..Row::new(principal, "", op, "") };
        Self { hub, row, path: path.chars().take(MOST_CHARS).collect(), is_told: false }
    }

    /// Who it is, as the hub knows them.
    pub(crate) fn by(&mut self, name: &str) {
        name.clone_into(&mut self.row.principal);
    }

    /// The repository that it is about, whether or not it is theirs.
    pub(crate) fn about(&mut self, repo: &str) {
        self.row.repo = repo.chars().take(MOST_CHARS).collect();
    }

    pub(crate) fn is(&mut self, op: &str) {
        op.clone_into(&mut self.row.op);
    }

    /// What more there is to say; never what was sent.
    pub(crate) fn says(&mut self, detail: &str) {
        self.row.detail = detail.chars().take(MOST_CHARS).collect();
    }

    /// It did what was asked; `has_told` where the transaction in which it did so has its row.
    pub(crate) fn done(&mut self, has_told: bool) {
        self.came_to(OK);
        self.is_told = has_told;
    }

    /// What it came to, by name.
    pub(crate) fn came_to(&mut self, outcome: &str) {
        outcome.clone_into(&mut self.row.outcome);
    }

    /// It was refused, for this.
    pub(crate) fn failed(&mut self, error: &Error) {
        self.came_to(error.reason.as_str());
        if let Some(words) = error.for_audit() {
            self.says(words);
        }
    }

    /// The same, as it is answered.
    pub(crate) fn refuse(&mut self, error: Error) -> Refusal {
        self.failed(&error);
        error.into_refusal()
    }
}

impl Drop for Call<'_> {
    fn drop(&mut self) {
        if self.is_told {
            return;
        }
        if self.row.principal == ANONYMOUS {
            self.hub.audit.count(&self.row.outcome, &self.path);
        } else {
            self.hub.audit.note(&self.row);
        }
    }
}
