//! Git in repositories beneath the roots: one module per use case.
//!
//! The repository is found by us, not by git, and everything in its configuration that could start a program is
//! overruled before git runs. There is no push, no hard reset and no force of any kind.

mod add;
mod argument;
mod blame;
mod branches;
mod command;
mod commit;
mod commits;
mod config_files;
mod diff;
mod discover;
mod guard;
mod history;
mod kept_back;
mod links;
mod log;
mod patch;
mod program;
mod show;
mod stash;
mod status;
mod submodules;
mod switch;
mod worktrees;

pub use add::{Add, AddView, Restore, RestoreView, StagedView, add, restore};
pub use blame::{Blame, BlameView, HunkView, blame};
pub use branches::{BranchKind, BranchView, Branches, BranchesView, branches};
pub use commit::{Commit, CommitMadeView, commit};
pub use commits::CommitView;
pub use diff::{Diff, DiffView, diff};
pub use history::{FileAt, History, Kept};
pub use log::{Log, LogView, log};
pub use patch::{ChangeKind, FileChangeView};
pub(crate) use program::GitProgram;
pub use show::{ObjectKind, Show, ShowView, TreeItemView, show};
pub use stash::{Stash, StashAction, StashEntryView, StashView, stash};
pub use status::{Status, StatusEntryView, StatusView, status};
pub use switch::{BranchCreate, BranchCreatedView, Switch, SwitchView, branch_create, switch};
pub use worktrees::{WorktreeView, Worktrees, WorktreesView, worktrees};
