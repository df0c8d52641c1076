//! Submodules: repositories in the repository, each with a configuration of its own.
//!
//! `git add` and `git stash` ask each of them for its status, in a process of its own, where nothing overrules the filters
//! that the submodule names. So both are kept away from them; what a submodule stands at is staged without asking it.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;

use super::command::{Git, Task};
use crate::error::Result;

/// The mode of a submodule in the index.
const GITLINK: &[u8] = b"160000 ";

impl Git<'_> {
    /// The submodules among these paths and below them; all, when there are none.
    pub(super) fn submodules(&self, paths: &[OsString]) -> Result<Vec<OsString>> {
        let task = Task::new(["ls-files", "--stage", "-z"]).paths(paths).doing("list the submodules");
        let output = self.must(&task)?;
        let gitlinks = output.stdout.split(|byte| *byte == 0).filter(|entry| entry.starts_with(GITLINK));
        let path = |entry: &[u8]| {
            let tab = memchr::memchr(b'\t', entry)?;
            Some(OsStr::from_bytes(&entry[tab + 1..]).to_owned())
        };
        let mut submodules: Vec<OsString> = gitlinks.filter_map(path).collect();
        // One in conflict is there several times.
        submodules.dedup();
        Ok(submodules)
    }

    /// Stages what the submodules stand at now.
    pub(super) fn stage_submodules(&self, submodules: &[OsString]) -> Result<()> {
        if submodules.is_empty() {
            return Ok(());
        }
        let task = Task::new(["update-index", "--remove"]).writing().paths(submodules);
        self.must(&task.doing("stage the submodules")).map(|_| ())
    }
}

impl Task<'_> {
    /// Paths, after everything else, but nothing of what is left out.
    pub(super) fn paths_without(self, paths: &[OsString], left_out: &[OsString]) -> Self {
        if left_out.is_empty() {
            return self.paths(paths);
        }
        let literal = |magic: &str, path: &OsString| [OsStr::new(magic), path].join(OsStr::new(""));
        let paths = paths.iter().map(|path| literal(":(literal)", path));
        let left_out = left_out.iter().map(|path| literal(":(exclude,literal)", path));
        self.with_pathspec_magic().with(["--"]).with(paths.chain(left_out))
    }
}
