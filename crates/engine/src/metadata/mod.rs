//! The front matter of artifacts (seed 002): shown as data, and edited without disturbing a byte beside it.

mod describe;
mod edit;
mod patch;
mod reference;
mod yaml;

pub use describe::describe;
pub use patch::{PatchRequest, Persistence, patch};
pub use reference::ReferenceInput;

pub(crate) use reference::{Holder, Meant, relative_path, require_kind};
pub(crate) use yaml::{to_json, to_yaml};
