//! Holes that other git servers had, each shown closed.

mod kept_elsewhere;
mod outside;
mod programs;

use hewto_workstation::git::{self, StashAction};
use hewto_workstation::{Error, PageRequest, Settings};

use crate::yard::{Yard, call, shown};

fn repository() -> Yard {
    Yard::repository(Settings::default())
}

/// Every git tool, applied to one repository.
fn every_git_call(yard: &Yard, repo: Option<&str>) -> Vec<(&'static str, Result<String, Error>)> {
    let station = &yard.station;
    let call = &call();
    let repo = repo.map(str::to_owned);
    let paths = vec!["README.md".to_owned()];
    let page = PageRequest::default();
    let stash =
        |action| git::Stash { repo: repo.clone(), action, message: None, page: PageRequest::default() };
    let readme = yard.root().join("README.md");
    let change = |text: &str| {
        if readme.exists() {
            fs_err::write(&readme, text).unwrap();
        }
    };
    change("changed\n");
    let mut results = vec![
        (
            "git_status",
            shown(git::status(station, call, &git::Status { repo: repo.clone(), page: page.clone() })),
        ),
        (
            "git_diff",
            shown(git::diff(station, call, &git::Diff { repo: repo.clone(), ..git::Diff::default() })),
        ),
        ("git_log", shown(git::log(station, call, &git::Log { repo: repo.clone(), ..git::Log::default() }))),
        ("git_show", {
            let request = git::Show { repo: repo.clone(), revision: "HEAD".into(), page: page.clone() };
            shown(git::show(station, call, &request))
        }),
        ("git_blame", {
            let request = git::Blame { repo: repo.clone(), path: "README.md".into(), page: page.clone() };
            shown(git::blame(station, call, &request))
        }),
        ("git_branches", {
            shown(git::branches(
                station,
                call,
                &git::Branches { repo: repo.clone(), ..git::Branches::default() },
            ))
        }),
        ("git_add", shown(git::add(station, call, &git::Add { repo: repo.clone(), paths: paths.clone() }))),
        ("git_diff", {
            let request = git::Diff { repo: repo.clone(), staged: true, ..git::Diff::default() };
            shown(git::diff(station, call, &request))
        }),
        ("git_restore", {
            shown(git::restore(station, call, &git::Restore { repo: repo.clone(), paths: paths.clone() }))
        }),
        ("git_stash", shown(git::stash(station, call, &stash(StashAction::Push)))),
        ("git_stash", shown(git::stash(station, call, &stash(StashAction::List)))),
        ("git_stash", shown(git::stash(station, call, &stash(StashAction::Pop)))),
        ("git_add", shown(git::add(station, call, &git::Add { repo: repo.clone(), paths }))),
        ("git_commit", {
            shown(git::commit(station, call, &git::Commit { repo: repo.clone(), message: "Commit".into() }))
        }),
        ("git_branch_create", {
            let request =
                git::BranchCreate { repo: repo.clone(), name: "made".into(), from: Some("HEAD~1".into()) };
            shown(git::branch_create(station, call, &request))
        }),
        (
            "git_switch",
            shown(git::switch(station, call, &git::Switch { repo: repo.clone(), name: "made".into() })),
        ),
        ("git_worktrees", {
            shown(git::worktrees(station, call, &git::Worktrees { repo: repo.clone(), page: page.clone() }))
        }),
    ];
    change("more\n");
    results.push(("git_stash", shown(git::stash(station, call, &stash(StashAction::Push)))));
    results.push((
        "git_switch",
        shown(git::switch(station, call, &git::Switch { repo: repo.clone(), name: "main".into() })),
    ));
    // A merge of both sides, which a merge driver would be asked for.
    results.push(("git_stash", shown(git::stash(station, call, &stash(StashAction::Pop)))));
    results
}
