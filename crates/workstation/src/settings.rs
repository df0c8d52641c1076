//! What the user allows: commands, hooks, environment, and how much of everything.
//!
//! Plain data, read from the configuration by whoever starts the server. Nothing here looks at the machine.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Map, Value};

/// Everything beside the roots that decides what a call may do.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// Executables that `ci_run` may start, each with the argument prefixes allowed; no prefix means any arguments.
    pub commands: BTreeMap<String, Vec<Vec<String>>>,
    /// The entries of `PATH`. Relative ones and those inside a root are never used.
    pub search_path: Vec<PathBuf>,
    /// The server's environment; children see the few names they need.
    pub environment: Vec<(OsString, OsString)>,
    /// Further names that children may see.
    pub pass_environment: Vec<String>,
    pub commit_hooks: CommitHooks,
    /// Where the code of a project may be run, by what the owner of the machine trusts. The innermost folder decides.
    pub run_places: Vec<RunPlace>,
    pub limits: Limits,
}

/// A folder, by its real path, and whether programs may be started in it.
#[derive(Debug, Clone)]
pub struct RunPlace {
    pub folder: PathBuf,
    pub refusal: Option<RunRefusal>,
}

/// What is said where nothing may run.
#[derive(Debug, Clone)]
pub struct RunRefusal {
    pub message: String,
    pub hint: String,
    /// Further fields of the error.
    pub details: Map<String, Value>,
}

impl RunPlace {
    pub fn allowed(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), refusal: None }
    }
}

/// Whether `git_commit` runs the repository's hooks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum CommitHooks {
    #[default]
    Skip,
    Run,
}

/// How much of everything.
#[derive(Debug, Clone)]
pub struct Limits {
    /// A file larger than this is not read whole; parts of it can be.
    pub whole_file_bytes: u64,
    /// A file larger than this cannot be edited.
    pub edit_bytes: u64,
    /// An image, sound or other binary larger than this is not handed out.
    pub media_bytes: u64,
    /// A walk of a tree stops after so many entries.
    pub walk_entries: usize,
    /// How long a build, a test run or a command may take unless the call says otherwise.
    pub run_time: Duration,
    /// The most a call can ask for.
    pub longest_run_time: Duration,
    /// How many threads walk a tree.
    pub threads: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            whole_file_bytes: 64 << 20,
            edit_bytes: 16 << 20,
            media_bytes: 8 << 20,
            walk_entries: 1_000_000,
            run_time: Duration::from_mins(10),
            longest_run_time: Duration::from_hours(1),
            threads: std::thread::available_parallelism().map_or(2, usize::from).clamp(1, 8),
        }
    }
}
