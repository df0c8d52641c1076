//! What hewto does: one module per noun, one function per use case, results as plain views.
//!
//! A use case is lock → refresh → decide → commit → unlock. Deciding is `hewto-core`'s work, remembering is
//! `hewto-store`'s; this crate joins them. It never prints, reads the environment or knows a protocol.

pub mod error;
pub mod view;

pub use error::{Error, Kind, Result};
