//! What changes a repository.

use hewto_workstation::PageRequest;
use hewto_workstation::git::{self, BranchKind, StashAction};

use super::{add, commit, repository};
use crate::yard::call;

#[test]
fn branches_are_listed_made_and_switched_to() {
    let yard = repository();
    let create = |name: &str, from: Option<&str>| {
        let request = git::BranchCreate { repo: None, name: name.into(), from: from.map(str::to_owned) };
        git::branch_create(&yard.station, &call(), &request)
    };
    let first = yard.git(".", &["rev-parse", "HEAD"]);
    assert_eq!(create("feature/x", None).unwrap().commit, first);
    assert_eq!(create("feature/x", None).unwrap_err().key.as_str(), "already_exists");
    assert_eq!(create("bad..name", None).unwrap_err().key.as_str(), "invalid_params");
    assert_eq!(create("y", Some("nope")).unwrap_err().key.as_str(), "revision_not_found");
    let switch =
        |name: &str| git::switch(&yard.station, &call(), &git::Switch { repo: None, name: name.to_owned() });
    let view = switch("feature/x").unwrap();
    assert_eq!((view.branch.as_str(), view.previous.as_deref()), ("feature/x", Some("main")));
    assert_eq!(switch("nope").unwrap_err().key.as_str(), "branch_not_found");
    yard.put("README.md", "theirs\n");
    yard.git(".", &["commit", "--all", "--quiet", "--message=Change"]);
    let branches = |kind, contains: Option<&str>| -> Vec<(String, bool)> {
        let request =
            git::Branches { kind, contains: contains.map(str::to_owned), ..git::Branches::default() };
        let view = git::branches(&yard.station, &call(), &request).unwrap();
        assert_eq!(view.current.as_deref(), Some("feature/x"));
        view.branches.into_iter().map(|branch| (branch.name, branch.current)).collect()
    };
    assert_eq!(branches(BranchKind::All, None), [("feature/x".into(), true), ("main".into(), false)]);
    assert_eq!(branches(BranchKind::Local, Some("HEAD")), [("feature/x".to_owned(), true)]);
    assert_eq!(branches(BranchKind::Remote, None), []);
    yard.put("README.md", "mine, not committed\n");
    assert_eq!(switch("main").unwrap_err().key.as_str(), "would_overwrite");
    assert_eq!(yard.bytes("README.md"), b"mine, not committed\n");
}

#[test]
fn exactly_the_named_paths_are_staged_and_unstaged() {
    let yard = repository();
    yard.put("a.txt", "");
    yard.put("b.txt", "");
    yard.put("dir/c.txt", "");
    yard.put("*", "a file with a star for a name");
    fs_err::remove_file(yard.root().join("README.md")).unwrap();
    let staged =
        |view: git::AddView| -> Vec<String> { view.staged.into_iter().map(|file| file.path).collect() };
    assert_eq!(staged(add(&yard, &["*"]).unwrap()), ["*"]);
    assert_eq!(
        staged(add(&yard, &["a.txt", "dir", "README.md"]).unwrap()),
        ["README.md", "a.txt", "dir/c.txt"]
    );
    let restore = |paths: &[&str]| {
        let paths = paths.iter().map(|&path| path.to_owned()).collect();
        git::restore(&yard.station, &call(), &git::Restore { repo: None, paths })
    };
    let view = restore(&["dir", "*"]).unwrap();
    assert_eq!((view.unstaged.len(), view.still_staged), (2, 2));
    assert!(yard.root().join("dir/c.txt").exists());
    assert_eq!(restore(&["b.txt"]).unwrap().unstaged, []);
    assert_eq!(add(&yard, &["nope.txt"]).unwrap_err().key.as_str(), "not_found");
    assert_eq!(add(&yard, &[]).unwrap_err().key.as_str(), "invalid_params");
}

#[test]
fn an_ignored_path_is_refused_and_nothing_else_is_staged() {
    let yard = repository();
    yard.put(".gitignore", "*.log\n");
    yard.put("x.log", "");
    yard.put("y.txt", "");
    assert_eq!(add(&yard, &["y.txt", "x.log"]).unwrap_err().key.as_str(), "path_ignored");
    assert_eq!(yard.git(".", &["diff", "--cached", "--name-only"]), "");
}

#[test]
fn a_folder_of_a_repository_stands_for_it() {
    let yard = repository();
    yard.put("src/new.rs", "");
    let request = git::Add { repo: Some("src".into()), paths: vec!["new.rs".into()] };
    let view = git::add(&yard.station, &call(), &request).unwrap();
    assert_eq!((view.root.as_str(), view.staged[0].path.as_str()), (".", "src/new.rs"));
    let up = git::Add { repo: Some("src".into()), paths: vec!["../README.md".into()] };
    assert!(git::add(&yard.station, &call(), &up).is_ok());
}

#[test]
fn what_is_staged_is_committed() {
    let yard = repository();
    let empty = git::Commit { repo: None, message: "x".into() };
    assert_eq!(git::commit(&yard.station, &call(), &empty).unwrap_err().key.as_str(), "nothing_to_commit");
    yard.put("a.txt", "a");
    add(&yard, &["a.txt"]).unwrap();
    let blank = git::Commit { repo: None, message: " \n".into() };
    assert_eq!(git::commit(&yard.station, &call(), &blank).unwrap_err().key.as_str(), "invalid_params");
    let view = commit(&yard, "--amend is only a message\n\n# not a comment");
    assert_eq!((view.subject.as_str(), view.files), ("--amend is only a message", 1));
    assert_eq!(view.author, "Ann");
    let message = yard.git(".", &["log", "-1", "--format=%B"]);
    assert_eq!(message, "--amend is only a message\n\n# not a comment");
    assert_eq!(yard.git(".", &["rev-list", "--count", "HEAD"]), "2");
}

#[test]
fn without_a_name_a_commit_says_what_is_missing() {
    let yard = repository();
    fs_err::write(yard.base().join("home/.gitconfig"), "[user]\n\tuseConfigOnly = true\n").unwrap();
    yard.put("a.txt", "a");
    add(&yard, &["a.txt"]).unwrap();
    let request = git::Commit { repo: None, message: "x".into() };
    assert_eq!(git::commit(&yard.station, &call(), &request).unwrap_err().key.as_str(), "identity_missing");
}

#[test]
fn changes_are_put_aside_and_taken_back() {
    let yard = repository();
    let stash = |action| {
        let request =
            git::Stash { repo: None, action, message: Some("wip".into()), page: PageRequest::default() };
        git::stash(&yard.station, &call(), &request)
    };
    assert!(!stash(StashAction::Push).unwrap().changed, "nothing to put aside");
    assert_eq!(stash(StashAction::Pop).unwrap_err().key.as_str(), "nothing_stashed");
    yard.put("README.md", "changed\n");
    let view = stash(StashAction::Push).unwrap();
    assert!(view.changed && view.entries[0].message.contains("wip"));
    assert_eq!(yard.bytes("README.md"), b"one\ntwo\nthree\n");
    assert_eq!(stash(StashAction::List).unwrap().page.total, 1);
    assert_eq!(stash(StashAction::Pop).unwrap().page.total, 0);
    assert_eq!(yard.bytes("README.md"), b"changed\n");
    stash(StashAction::Push).unwrap();
    yard.put("README.md", "other\n");
    yard.git(".", &["commit", "--all", "--quiet", "--message=Other"]);
    assert_eq!(stash(StashAction::Pop).unwrap_err().key.as_str(), "stash_conflict");
    let status = git::status(&yard.station, &call(), &git::Status::default()).unwrap();
    assert!(status.entries[0].conflict);
}
