//! The remembering part of hewto: where things are, what they say now, and how they change safely.
//!
//! [`Layout`] knows every path. [`Store`] reads fresh ([`Store::snapshot`], [`Store::entry`], [`Store::read`]) and
//! writes under one lock with all-or-nothing commits ([`Store::lock`], [`WriteGuard::commit`]). No other crate writes
//! artifacts, and this one neither prints, nor reads the environment, nor decides what a document may say.

mod audit;
mod beneath;
mod changes;
mod commit;
mod context;
mod disk;
mod dismantle;
mod doc;
mod error;
#[cfg(feature = "fault-injection")]
pub mod fault;
mod folder;
mod git;
mod hash;
mod index;
mod init;
mod journal;
mod layout;
mod locate;
mod lock;
mod manifest;
mod outbox;
mod overlay;
mod owner;
mod path;
mod personal;
mod place;
#[cfg(feature = "fault-injection")]
mod power;
mod refresh;
mod regular;
mod scan;
pub mod secret;
mod shared;
mod snapshot;
mod source;
mod stamp;
mod state_dir;
mod state_file;
mod store;
mod trace;
mod tree;
mod uptime;
mod watch;

pub use audit::{
    AuditIdentity, AuditWriter, Descending, LockIntent, LogFilter, OperationEnvelope, OperationLog,
    OperationStatus, TouchedArtifact, WireKind, redact, sanitise,
};
pub use changes::{ChangeEntry, ChangeList, OddFolder, Oddity};
pub use commit::{Action, Change, CommitError, Committed, Expect, Transaction};
pub use context::{
    Caller, Cancellation, Channel, Clock, CommitPoint, Context, IdGenerator, Progress, ProgressSink, Random,
    Sees, TimestampIds, rfc3339_seconds,
};
pub use doc::{Doc, ReadError};
pub use error::FileError;
pub use hash::{ContentHash, NotAHash};
pub use init::InitError;
pub use journal::{Distrust, RecoverError, StrandedWrite};
pub use layout::{
    ChangeRoot, DiscoverError, DocFolder, DocKey, InitPlan, Layout, LayoutKind, LocalFolder, LocalKey,
    OWN_FOLDER, Own, PLAN_FILE, Places, RefsStamp, SPEC_FILE, STATE_FILE, STATE_GITIGNORE, Shelf, SpecRoot,
    Start, Watched, change_files, current_branch, discover, discover_own, discover_remains,
    discover_repository, discover_repository_state, git_folders, head_commit, is_unmarked_specman,
    is_workspace_root, plan_init, readable_git_folder, repository_root, shared_vectors,
};
pub use lock::{Holder, LockError, LockState, StateGuard};
pub use manifest::Manifest;
pub use outbox::{OutboxError, write_out};
pub use owner::OwnerFile;
pub use path::{NotInside, RelPath};
pub use personal::{PersonalFile, remove_empty_folders};
pub use regular::read_git_text;
pub use secret::{MachineKey, MachineSecret};
pub use shared::{SharedFolder, SharedLock};
pub use snapshot::{Snapshot, SpecEntry, Stamps, StateRead};
pub use source::{Found, SourceTree};
pub use stamp::{Moment, Stamp, Ticks};
pub use store::{JournalRemains, Located, Machine, Store, WriteGuard};
pub use tree::Survey;
pub use uptime::{is_running, machine_name, uptime};
pub use watch::{FolderWatcher, TreeWatcher};
