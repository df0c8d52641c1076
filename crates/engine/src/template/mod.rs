//! Templates and prompts (seed 002): an override in the workspace, else what a pointer names, else the embedded one.
//!
//! They are read anew on every call, those on the web too (`crate::remote`).

mod catalog;
mod pointer;
mod prompt;
mod resolve;

pub use hewto_core::template::Pointer;

pub use catalog::{catalog, show};
pub use pointer::{PointerAction, update_pointer};
pub use prompt::{PromptFilter, prompt_catalog};

pub(crate) use catalog::directive_views;
pub(crate) use resolve::{Resolved, resolve, resolve_locator};

/// What callers are reminded of wherever instructions are handed out.
pub(crate) const REMINDER: &str =
    "HTML comments are instructions: follow each one, and delete it only when it is satisfied";
