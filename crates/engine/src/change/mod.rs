//! Use cases of changes: propose, look at, compare, archive.
//!
//! A change is a folder with a proposal, tasks and deltas to specs. Its plan and its build are those of any work item
//! ([`crate::plan`], [`crate::build`] with `change:<id>`).

mod acceptance;
mod archive;
mod archive_refusal;
mod bases;
mod close;
mod compose;
mod create;
mod diff;
mod edits;
mod folder;
mod list;
mod meant;
mod next;
mod obstacles;
mod overlaps;
mod show;
mod texts;
mod update;
mod withdraw;

pub use hewto_core::delta::{AddedScenarios, NewDelta, NewRemoval, NewRename, NewRequirement, NewScenario};
pub use hewto_core::requirement::{Keyword, Step, steps_in};

pub use archive::{ArchiveOptions, archive};
pub use bases::{Recording, record_bases};
pub use create::{NewChange, create};
pub use diff::diff;
pub use list::{Archived, ids, is_meant, list};
pub use overlaps::overlaps;
pub use show::{Section, ShowOptions, show};
pub use texts::{ChangeTexts, texts};
pub use update::{ChangeEdit, untouched, update};
pub(crate) use withdraw::is_withdrawn;
pub use withdraw::withdraw;

pub(crate) use bases::GitBases;
pub(crate) use create::NO_DELTAS;
pub(crate) use folder::{ChangeFolder, DeltaFile, archived_id, delta_capability, dialect};
pub(crate) use list::oddity;
pub(crate) use next::is_quick;
pub(crate) use obstacles::{ObstacleKind, obstacles, standing};
pub(crate) use overlaps::among;

/// A change as work items are named, whether or not somebody wrote the prefix.
fn item_name(id: &str) -> String {
    format!("change:{}", hewto_core::id::bare_change(id))
}
