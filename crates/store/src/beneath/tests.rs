use std::os::unix::fs::symlink;

use super::*;
use crate::error::leads_out;

fn setting() -> (tempfile::TempDir, Root) {
    let dir = tempfile::tempdir().unwrap();
    let base = fs_err::canonicalize(dir.path()).unwrap();
    fs_err::create_dir_all(base.join("root/a")).unwrap();
    fs_err::create_dir_all(base.join("secret")).unwrap();
    fs_err::write(base.join("root/a/in.md"), "in").unwrap();
    fs_err::write(base.join("secret/out.md"), "out").unwrap();
    symlink("../../secret", base.join("root/a/up")).unwrap();
    symlink(base.join("secret/out.md"), base.join("root/a/abs.md")).unwrap();
    symlink("../a/in.md", base.join("root/a/link.md")).unwrap();
    let root = Root::open(&base.join("root")).unwrap();
    (dir, root)
}

#[test]
fn links_are_followed_inside_and_refused_outside() {
    let (_dir, root) = setting();
    assert_eq!(root.read("a/link.md").unwrap().0, b"in");
    for path in ["a/up/out.md", "a/abs.md", "../secret/out.md"] {
        assert!(leads_out(&root.open_file(path).unwrap_err()), "{path}");
    }
}

#[test]
fn the_look_before_the_open_refuses_the_same_paths() {
    let (_dir, root) = setting();
    let flags = OFlags::RDONLY | OFlags::CLOEXEC;
    assert!(root.open_after_a_look("a/link.md", flags).is_ok());
    for path in ["a/up/out.md", "a/abs.md", "../secret/out.md"] {
        assert!(leads_out(&root.open_after_a_look(path, flags).unwrap_err()), "{path}");
    }
}

#[test]
fn a_link_stands_for_its_target_only_inside() {
    let (_dir, root) = setting();
    let resolve = |text: &str| root.resolve_link(&RelPath::parse(text).unwrap());
    assert_eq!(resolve("a/link.md").unwrap().as_str(), "a/in.md");
    assert_eq!(resolve("a/in.md").unwrap().as_str(), "a/in.md");
    assert_eq!(resolve("a/new.md").unwrap().as_str(), "a/new.md");
    assert!(leads_out(&resolve("a/abs.md").unwrap_err()));
}

#[test]
fn folders_are_made_below_the_root_only() {
    let (dir, root) = setting();
    root.make_dirs(&RelPath::parse("x/y/z").unwrap()).unwrap();
    assert!(dir.path().join("root/x/y/z").is_dir());
    assert!(leads_out(&root.make_dirs(&RelPath::parse("a/up/new").unwrap()).unwrap_err()));
    assert!(!dir.path().join("secret/new").exists());
}

#[test]
fn a_git_folder_is_not_written_to_whichever_link_leads_there() {
    let (dir, root) = setting();
    let base = dir.path().join("root");
    for name in ["meta/objects", "meta/refs", "meta/hooks"] {
        fs_err::create_dir_all(base.join(name)).unwrap();
    }
    fs_err::write(base.join("meta/HEAD"), "ref: refs/heads/main").unwrap();
    symlink("meta", base.join("x")).unwrap();
    symlink("../meta/hooks", base.join("a/h")).unwrap();
    for path in ["x/hooks", "a/h", "meta/hooks", "x", "x/new/deeper"] {
        let path = RelPath::parse(path).unwrap();
        assert!(root.make_dirs(&path).is_err(), "{path}");
        assert!(root.admits_writes(&path.join("file").unwrap()).is_err(), "{path}");
    }
    assert!(!base.join("meta/new").exists());
    assert!(root.open_dir(Some(&RelPath::known("x/hooks"))).is_ok(), "reading it is fine");
}

#[test]
fn hewtos_own_folders_are_no_links() {
    let (dir, root) = setting();
    symlink("a", dir.path().join("root/own")).unwrap();
    for path in ["own", "own/journal"] {
        let path = RelPath::parse(path).unwrap();
        assert!(crate::error::is_linked(&root.make_real_dirs(&path).unwrap_err()), "{path}");
        assert!(crate::error::is_linked(&root.open_real_dir(Some(&path)).unwrap_err()), "{path}");
    }
    root.make_real_dirs(&RelPath::known("real/journal")).unwrap();
    assert!(!dir.path().join("root/a/journal").exists());
}

#[test]
fn a_pipe_is_refused_without_waiting_for_it() {
    let (dir, root) = setting();
    let pipe = dir.path().join("root/pipe");
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
    assert!(root.open_file("pipe").is_err());
}
