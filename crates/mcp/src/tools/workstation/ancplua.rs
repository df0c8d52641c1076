//! The original's tools under their own names, for the profile that stands in for its server.

use super::ci_build::CiBuild;
use super::ci_diagnostics::CiDiagnostics;
use super::ci_restore::CiRestore;
use super::ci_run::CiRun;
use super::ci_test::CiTest;
use super::fs_delete::FsDelete;
use super::fs_exists::FsExists;
use super::fs_list::FsList;
use super::fs_mkdir::FsMkdir;
use super::fs_read::FsRead;
use super::fs_write::FsWrite;
use super::git_add::GitAdd;
use super::git_branches::GitBranches;
use super::git_commit::GitCommit;
use super::git_diff::GitDiff;
use super::git_log::GitLog;
use super::git_status::GitStatus;
use crate::table::{StationTool, ToolDef};

const REPOSITORY: &[&str] = &["repositoryPath"];
const PROJECT: &[&str] = &["projectPath"];
const PATH: &[&str] = &["path"];

pub(crate) const ANCPLUA: &[ToolDef] = &[
    tool::<GitAdd>("add", "Stage files.", &["files", "repositoryPath"]),
    tool::<CiBuild>("build", "Build a project; a failing build is an error with its output.", PROJECT),
    tool::<GitCommit>("commit", "Commit what is staged.", &["message", "repositoryPath"]),
    tool::<FsMkdir>("create_directory", "Make a folder, and those above it.", PATH),
    tool::<FsDelete>("delete_file", "Delete a file.", PATH),
    tool::<FsExists>("directory_exists", "Tell whether a folder is there.", PATH),
    tool::<FsExists>("file_exists", "Tell whether a file is there.", PATH),
    tool::<GitBranches>("get_current_branch", "Name the branch that is checked out.", REPOSITORY),
    tool::<CiDiagnostics>("get_diagnostics", "Tell the system, its processors and programs.", &[]),
    tool::<GitDiff>("get_diff", "Show what is changed and not staged.", REPOSITORY),
    tool::<GitLog>("get_log", "List the latest commits.", &["repositoryPath", "maxCount"]),
    tool::<GitStatus>("get_status", "Show what is staged, changed or untracked.", REPOSITORY),
    tool::<GitBranches>("list_branches", "List local and remote branches.", REPOSITORY),
    tool::<FsList>("list_directory", "List a folder.", PATH),
    ToolDef::working::<FsRead>().called("read_file", "Read a file.", PATH, &["filesystem/read"]),
    tool::<CiRestore>("restore", "Fetch what a project depends on.", PROJECT),
    tool::<CiRun>(
        "run_command",
        "Run a command that the user has allowed.",
        &["command", "workingDirectory"],
    ),
    tool::<CiTest>("run_tests", "Run the tests of a project; failing tests are named.", PROJECT),
    tool::<FsWrite>("write_file", "Write a whole file.", &["path", "content"]),
];

const fn tool<T: StationTool>(
    name: &'static str,
    description: &'static str,
    parameters: &'static [&'static str],
) -> ToolDef {
    ToolDef::working::<T>().called(name, description, parameters, &[])
}
