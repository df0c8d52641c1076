//! x
mod beneath;
mod context;
mod disk;
mod error;
#[cfg(feature = "fault-injection")]
pub mod fault;
mod hash;
mod layout;
mod path;
pub use context::*;
pub use layout::*;
pub use path::*;
