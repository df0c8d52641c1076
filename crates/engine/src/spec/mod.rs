//! Use cases of specs: create, edit, move through the lifecycle, list, look at.

mod bundle;
mod create;
mod dependencies;
mod list;
pub(crate) mod living;
mod schema;
mod status;
mod transition;
mod update;
mod work;

pub use bundle::{bundle, markdown};
pub use create::{NewSpec, create};
pub use dependencies::{DependencyInput, check_dependencies};
pub use list::{ItemKind, SpecFilter, ids, index, list};
pub use status::status;
pub use transition::transition;
pub use update::{SpecChanges, update};

pub(crate) use dependencies::{open_hard_dependencies, standing, target_id};
pub(crate) use list::{diagnostics, lifecycle};
pub(crate) use status::{later, progress_view};
pub(crate) use work::work_state;
