//! Seed 001 (ancplua): files, git and builds under guard, for agents that have no tools of their own.
//!
//! Each tool decodes its arguments and makes one call of the workstation. What is allowed is decided there.

mod ancplua;
mod ci_build;
mod ci_detect;
mod ci_diagnostics;
mod ci_restore;
mod ci_run;
mod ci_test;
pub(crate) mod dialect;
mod fs_append;
mod fs_copy;
mod fs_delete;
mod fs_edit;
mod fs_exists;
mod fs_find;
mod fs_info;
mod fs_list;
mod fs_mkdir;
mod fs_move;
mod fs_read;
mod fs_read_many;
mod fs_roots;
mod fs_search;
mod fs_tree;
mod fs_write;
mod git_add;
mod git_blame;
mod git_branch_create;
mod git_branches;
mod git_commit;
mod git_diff;
mod git_log;
mod git_restore;
mod git_show;
mod git_stash;
mod git_status;
mod git_switch;
mod git_worktrees;
mod media;

pub(crate) use ancplua::ANCPLUA;

use crate::table::ToolDef;

pub(crate) const TOOLS: &[ToolDef] = &[
    ToolDef::working::<ci_build::CiBuild>(),
    ToolDef::working::<ci_detect::CiDetect>(),
    ToolDef::working::<ci_diagnostics::CiDiagnostics>(),
    ToolDef::working::<ci_restore::CiRestore>(),
    ToolDef::working::<ci_run::CiRun>(),
    ToolDef::working::<ci_test::CiTest>(),
    ToolDef::working::<fs_append::FsAppend>(),
    ToolDef::working::<fs_copy::FsCopy>(),
    ToolDef::working::<fs_delete::FsDelete>(),
    ToolDef::working::<fs_edit::FsEdit>(),
    ToolDef::working::<fs_exists::FsExists>(),
    ToolDef::working::<fs_find::FsFind>(),
    ToolDef::working::<fs_info::FsInfo>(),
    ToolDef::working::<fs_list::FsList>(),
    ToolDef::working::<fs_mkdir::FsMkdir>(),
    ToolDef::working::<fs_move::FsMove>(),
    ToolDef::working::<fs_read::FsRead>(),
    ToolDef::working::<fs_read_many::FsReadMany>(),
    ToolDef::working::<fs_roots::FsRoots>(),
    ToolDef::working::<fs_search::FsSearch>(),
    ToolDef::working::<fs_tree::FsTree>(),
    ToolDef::working::<fs_write::FsWrite>(),
    ToolDef::working::<git_add::GitAdd>(),
    ToolDef::working::<git_blame::GitBlame>(),
    ToolDef::working::<git_branch_create::GitBranchCreate>(),
    ToolDef::working::<git_branches::GitBranches>(),
    ToolDef::working::<git_commit::GitCommit>(),
    ToolDef::working::<git_diff::GitDiff>(),
    ToolDef::working::<git_log::GitLog>(),
    ToolDef::working::<git_restore::GitRestore>(),
    ToolDef::working::<git_show::GitShow>(),
    ToolDef::working::<git_stash::GitStash>(),
    ToolDef::working::<git_status::GitStatus>(),
    ToolDef::working::<git_switch::GitSwitch>(),
    ToolDef::working::<git_worktrees::GitWorktrees>(),
];
