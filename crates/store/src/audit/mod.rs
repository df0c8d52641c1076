//! The audit log (D-7): what was said on the wire, and what each operation did.
//!
//! Two logs, both lines of JSON: the wire log ([`wire`]) has every request and response, the operation log
//! ([`operation`]) one envelope per call. Secrets and long texts never get into either ([`sanitise`]). A log that
//! cannot be written is a warning and a number in [`AuditHealth`], never a failed call.

mod append;
mod glance;
mod lines;
mod numbered;
mod operation;
mod prune;
mod queue;
mod read;
mod rotate;
mod sanitise;
mod secrets;
mod structure;
mod wire;
mod writer;

pub use numbered::{Descending, OperationLog};
pub use operation::{LockIntent, OperationEnvelope, OperationStatus, TouchedArtifact};
pub use read::LogFilter;
pub use sanitise::{redact, sanitise};
pub use wire::{AuditIdentity, WireKind};
pub use writer::AuditWriter;
