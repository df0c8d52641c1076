//! What the pages of the dashboard ask for: each page is one call here, and answers with one view.
//!
//! These use cases only read, but for what a person has looked at, which is kept on this machine. What the pages decide
//! goes to the modules that record it ([`crate::review`], [`crate::claim`], [`crate::proof`], [`crate::decision`]).

mod change_cards;
mod commented;
mod decisions;
mod health;
mod live;
mod mark;
mod neighbourhood;
mod operations;
mod review;
mod spec;
mod watch;
mod whole;
mod work_watch;

pub use decisions::{decision, decisions};
pub use health::{health, health_with};
pub use live::{Presence, running};
pub use mark::{Region, mark, people_mark};
pub use neighbourhood::{LARGEST_GRAPH, neighbourhood};
pub use operations::{operation, operations};
pub use review::{fill_in_looks, review};
pub use spec::{requirement, spec};
pub use watch::{FolderWatcher, watch_new, watcher};
pub use work_watch::WorkWatch;
