//! Repositories that git keeps elsewhere than in their work tree, and what it would wait for in one.

use hewto_workstation::{Call, Protected, Roots, Workstation, git};

use super::repository;
use crate::yard::call;

#[test]
fn a_submodule_can_be_a_root_when_its_repository_points_back_and_so_can_a_work_tree_of_it() {
    let yard = repository();
    let base = yard.base();
    yard.git("..", &["init", "--quiet", "--initial-branch=main", "whole"]);
    let from = yard.root().display().to_string();
    let allowed = ["-c", "protocol.file.allow=always"];
    yard.git("../whole", &[&allowed[..], &["submodule", "--quiet", "add", &from, "part"]].concat());
    yard.git("../whole/part", &["worktree", "add", "--quiet", "../../tree", "-b", "side"]);
    let at = |folder: &str| {
        let roots = Roots::open(&[base.join(folder)], Protected::default()).unwrap();
        let station = Workstation::new(roots, yard.station.settings().clone());
        git::status(&station, &call(), &git::Status::default())
    };
    for (folder, branch) in [("whole/part", "main"), ("tree", "side")] {
        let view = at(folder).unwrap();
        assert_eq!((view.branch.as_deref(), view.clean), (Some(branch), true), "{folder}");
    }
    fs_err::create_dir(base.join("copy")).unwrap();
    let git_file = format!("gitdir: {}\n", base.join("whole/.git/modules/part").display());
    fs_err::write(base.join("copy/.git"), git_file).unwrap();
    assert_eq!(at("copy").unwrap_err().key.as_str(), "repository_outside_roots");
}

#[test]
fn a_pipe_that_git_would_open_is_not_waited_for() {
    for name in ["HEAD", "config", "packed-refs", "index"] {
        let yard = repository();
        let path = yard.root().join(".git").join(name);
        let _ = fs_err::remove_file(&path);
        rustix::fs::mkfifoat(rustix::fs::CWD, &path, rustix::fs::Mode::RWXU).unwrap();
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(20);
        let call = Call::unbounded().with_deadline(Some(deadline));
        let error = git::status(&yard.station, &call, &git::Status::default()).unwrap_err();
        assert_eq!(error.key.as_str(), "repository_not_found", "{name}");
    }
}
