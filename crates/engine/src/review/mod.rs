//! What people said about specs and changes: reading it, recording it, showing it.
//!
//! A verdict is bound to the digest of what was shown. Whoever calls [`decide`] vouches for the channel: the terminal, the
//! dashboard and the client's form are callers, tools and plain commands are not. What opens a gate is asked in
//! `crate::gate`, and nowhere else.

mod authentic;
mod comment;
mod decide;
mod elsewhere;
mod look;
mod next_gate;
mod records;
mod refusals;
mod show;
mod snapshot;
mod spent;
pub mod ssh;
mod subject;
mod wait;
mod waiting;

pub use comment::{NewComment, comment, comments, reply, resolve};
pub use decide::{Ballot, Draft, Reviewer, decide, decide_while, prepare, submit};
pub use elsewhere::{bring_looks, bring_shown, looks, shown};
pub use hewto_core::review::{Anchor, Channel, Permission, Verdict};
pub use look::{compared, note_look, note_seen};
pub use show::{ReviewOptions, show};
pub use wait::{LONGEST_WAIT, Patience, wait};

use hewto_store::Context;

use crate::workspace::Workspace;

/// Whether people decide here or agents take turns: a gate wants a person, work is claimed, or has to be. A server asks this before
/// its first answer, and so does not wait for git.
pub fn is_in_use(ws: &Workspace, ctx: &Context) -> bool {
    crate::gate::Policy::load(ws, ctx).is_ok_and(|policy| policy.needs_a_person())
        || crate::claim::is_in_use(ws)
        || ws.configuration(ctx).config.leases.required
}

pub(crate) use comment::open_comments;
pub(crate) use look::{Looks, keep_shown, new_since_look, unit_mark, words};
pub(crate) use records::Records;
pub(crate) use refusals::{Refusal, known as known_refusal};
pub(crate) use show::{show_subject, standing_name};
pub(crate) use spent::note as note_spent;
pub(crate) use subject::{Subject, decision_recorded, decision_text, folder_of};
pub(crate) use waiting::waiting;
