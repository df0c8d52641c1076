//! Gates of the default branch hold however git keeps a repository, and whatever its remotes are called.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use hewto_engine::gate::lowering;
use hewto_engine::review::Channel;
use hewto_engine::{Context, Start, Workspace, gate, trust};

const GATE: &str = "[gates]\nplan = \"signed\"\n";
const LOWERED: &str = "[gates]\nplan = \"none\"\n";

fn git(folder: &Path, arguments: &[&str]) {
    let settings =
        ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "protocol.file.allow=always"];
    let output = Command::new("git").current_dir(folder).args(settings).args(arguments).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

fn write(folder: &Path, file: &str, text: &str) {
    let path = folder.join(file);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

/// A folder with a repository `base` whose default branch has a gate.
fn base() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    let base = root.join("base");
    write(&base, ".hewto/config.toml", "");
    write(&base, ".hewto/proof.toml", GATE);
    git(&base, &["init", "-q", "-b", "main"]);
    git(&base, &["config", "uploadpack.allowFilter", "true"]);
    commit(&base);
    (dir, root)
}

fn commit(folder: &Path) {
    git(folder, &["add", "-A"]);
    git(folder, &["commit", "-q", "-m", "x"]);
}

/// The gate that holds once somebody has lowered it in the file.
fn plan_gate(folder: &Path) -> String {
    write(folder, ".hewto/proof.toml", LOWERED);
    gate::show(&workspace(folder), &Context::background()).unwrap().levels.plan
}

fn workspace(folder: &Path) -> Workspace {
    let path = std::env::var_os("PATH").unwrap();
    let programs = std::env::split_paths(&path).filter(|folder| folder.is_absolute()).collect();
    Workspace::discover(Start::Here(folder)).unwrap().with_search_path(programs)
}

#[test]
fn a_gate_holds_in_submodules_and_wherever_git_keeps_its_folder_or_its_objects() {
    let (_dir, root) = base();
    git(&root, &["init", "-q", "-b", "main", "super"]);
    git(&root.join("super"), &["submodule", "--quiet", "add", "../base", "sub"]);
    commit(&root.join("super"));
    git(&root.join("super/sub"), &["worktree", "add", "-q", "../../tree-of-sub", "-b", "side"]);
    git(&root, &["clone", "-q", "--separate-git-dir", "apart.git", "base", "apart"]);
    git(&root, &["clone", "-q", "--shared", "base", "borrowing"]);
    git(&root, &["clone", "-q", "base", "linked"]);
    std::fs::remove_dir_all(root.join("linked/.git/hooks")).unwrap();
    symlink(&root, root.join("linked/.git/hooks")).unwrap();
    for folder in ["super/sub", "tree-of-sub", "apart", "borrowing", "linked"] {
        assert_eq!(plan_gate(&root.join(folder)), "signed", "{folder}");
    }
    // A `.git` that leads to another work tree's repository says nothing.
    write(&root, "copy/.hewto/config.toml", "");
    write(&root, "copy/.git", "gitdir: ../base/.git\n");
    assert_eq!(plan_gate(&root.join("copy")), "none");
}

#[test]
fn a_gate_that_a_clone_lacks_or_that_nobody_understands_wants_a_person() {
    let (_dir, root) = base();
    let base = root.join("base");
    git(&base, &["checkout", "-q", "-b", "old"]);
    git(&base, &["rm", "-q", ".hewto/proof.toml"]);
    git(&base, &["commit", "-q", "-m", "no gate"]);
    git(&base, &["checkout", "-q", "main"]);
    for filter in ["blob:none", "tree:0"] {
        let name = filter.replace(':', "-");
        let filter = format!("--filter={filter}");
        git(&root, &["clone", "-q", "--no-local", &filter, "-b", "old", "base", &name]);
        assert_eq!(plan_gate(&root.join(&name)), "terminal", "{filter}");
    }
    write(&base, ".hewto/proof.toml", "[gates\n");
    commit(&base);
    git(&root, &["clone", "-q", "base", "broken"]);
    assert_eq!(plan_gate(&root.join("broken")), "terminal");
    // Where there is none, nobody is asked.
    git(&base, &["rm", "-q", ".hewto/proof.toml"]);
    git(&base, &["commit", "-q", "-m", "none"]);
    git(&root, &["clone", "-q", "base", "without"]);
    assert_eq!(plan_gate(&root.join("without")), "none");
}

#[test]
fn a_commit_to_a_branch_here_lowers_no_gate_whatever_the_remote_is_called() {
    let (_dir, root) = base();
    git(&root, &["clone", "-q", "-o", "upstream", "base", "named"]);
    // A remote that was added later does not say which branch is its default.
    git(&root, &["clone", "-q", "base", "added"]);
    git(&root.join("added"), &["remote", "rename", "origin", "upstream"]);
    let _ = std::fs::remove_file(root.join("added/.git/refs/remotes/upstream/HEAD"));
    git(&root, &["clone", "-q", "base", "trunk"]);
    git(&root.join("trunk"), &["branch", "-m", "trunk"]);
    git(&root, &["clone", "-q", "trunk", "of-trunk"]);
    git(&root.join("of-trunk"), &["remote", "set-head", "origin", "-d"]);
    for folder in ["named", "added", "of-trunk"] {
        let folder = root.join(folder);
        write(&folder, ".hewto/proof.toml", LOWERED);
        commit(&folder);
        assert_eq!(plan_gate(&folder), "signed", "{}", folder.display());
    }
}

#[test]
fn trusting_a_file_needs_what_any_branch_wants_where_nobody_says_which_is_the_default() {
    let (_dir, root) = base();
    let base = root.join("base");
    git(&base, &["branch", "kept"]);
    write(&base, ".hewto/proof.toml", LOWERED);
    commit(&base);
    let state = tempfile::tempdir().unwrap();
    let ws = workspace(&base).with_trust(trust::Trust::in_state_dir(state.path()));
    let found = lowering(&ws, &Context::background()).unwrap().unwrap();
    assert_eq!((found.needed, found.what.len()), (Channel::Signed, 1), "{found:?}");
}
