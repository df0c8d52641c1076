//! How artifacts come and go (seed 002): a plan first, then what it says.
//!
//! A plan is bound to what it saw and to its workspace and principal. It waits in the machine's own folder, expires,
//! and is made again when it is carried out: whatever is different by then refuses it. Only success uses it up.

mod creation;
mod deletion;
mod envelope;
mod fragment;
mod front;
mod plan_store;
mod request;
mod scratch;

pub use creation::{create, plan_creation};
pub use deletion::{Force, delete, plan_deletion};
pub use hewto_core::artifact::Profile;
pub use request::CreationRequest;
pub use scratch::{ScratchRequest, plan_scratchpad};

pub(crate) use envelope::envelope_view;

/// Whether anything is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Run {
    Dry,
    Real,
}
