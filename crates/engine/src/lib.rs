//! What hewto does: one module per noun, one function per use case, results as plain views.
//!
//! A use case is lock → refresh → decide → commit → unlock. Deciding is `hewto-core`'s work, remembering is
//! `hewto-store`'s; this crate joins them. It never prints, reads the environment or knows a protocol.

pub mod adopt;
pub mod artifact;
pub mod build;
pub mod change;
pub mod check;
pub mod claim;
pub mod client;
pub mod concept;
pub mod config;
pub mod dashboard;
pub mod decision;
pub mod doctor;
pub mod error;
pub mod export;
mod faults;
pub mod gate;
pub mod graph;
mod history;
pub mod host_check;
pub mod hub;
pub mod import;
pub mod init;
pub mod install;
mod item;

pub mod log;
pub mod metadata;
pub mod neighbours;
pub mod operations;
pub mod overview;
mod page;
pub mod plan;
mod project;
pub mod proof;
pub mod record;
mod remote;
pub mod requirement;
pub mod review;
pub mod search;
pub mod spec;
pub mod template;
mod text;
pub mod trust;
pub mod uninstall;
pub mod view;
mod workspace;
pub mod workstation;

pub use client::Agent;
pub use error::{Action, Error, Hint, Key, Kind, Names, Result, Wording};
pub use hewto_core::lifecycle::Lifecycle;
pub use hewto_core::plan::Complexity;
pub use hewto_core::spec::{Category, DependencyKind};
pub use hewto_store::{
    Caller, Cancellation, Channel, Clock, CommitPoint, Context, IdGenerator, Layout, LayoutKind, LockIntent,
    MachineSecret, OperationStatus, Progress, ProgressSink, Sees, Start, Store,
};
pub use page::{DEFAULT_MAX_CHARS, PageRequest};
pub use project::{Project, ProjectOptions};
pub use workspace::Workspace;
