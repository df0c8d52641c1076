//! Use cases of changes: propose, look at, compare, archive.
//!
//! A change is a folder with a proposal, tasks and deltas to specs. Its plan and its build are those of any work item
//! ([`crate::plan`], [`crate::build`] with `change:<id>`).

mod archive;
mod bases;
mod create;
mod diff;
mod folder;
mod list;
mod obstacles;
mod overlaps;
mod show;

pub use hewto_core::delta::{NewDelta, NewRemoval, NewRename, NewRequirement, NewScenario};

pub use archive::{ArchiveOptions, archive};
pub use bases::{Recording, record_bases};
pub use create::{NewChange, create};
pub use diff::diff;
pub use list::{ids, list};
pub use overlaps::overlaps;
pub use show::{Section, ShowOptions, show};

pub(crate) use bases::GitBases;
pub(crate) use folder::{ChangeFolder, DeltaFile, delta_capability, dialect};
pub(crate) use list::oddity;
pub(crate) use obstacles::{ObstacleKind, obstacles, standing};
pub(crate) use overlaps::among;
