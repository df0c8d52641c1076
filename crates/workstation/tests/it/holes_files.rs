//! Holes that other file servers had, each shown closed for every tool.

mod links;

use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use hewto_workstation::{PageRequest, Protected, Roots, Settings, Workstation, files};

use crate::yard::{
    SECRET, Yard, call, every_file_call, find_request, read_request, search_request, tree_request,
};

/// Every tool refuses the path with this key, and nothing outside is shown or touched.
fn assert_refused(yard: &Yard, path: &str, keys: &[&str]) {
    for (tool, result) in every_file_call(yard, path) {
        match result {
            Err(error) => {
                assert!(keys.contains(&error.key.as_str()), "{tool} {path}: {} {error}", error.key.as_str());
                assert!(!error.full_message().contains(SECRET), "{tool} {path}");
            }
            Ok(view) => panic!("{tool} {path} succeeded: {view}"),
        }
    }
    yard.assert_outside_untouched();
}

#[test]
fn a_sibling_with_the_same_prefix_is_outside() {
    let yard = Yard::new();
    let base = yard.base();
    let base = base.to_str().unwrap();
    for path in [
        format!("{base}/root_evil/x"),
        format!("{}/../root_evil/x", yard.root().display()),
        "../root_evil/x".to_owned(),
        "a/../../root_evil/x".to_owned(),
        "/etc/passwd".to_owned(),
    ] {
        fs_err::create_dir_all(yard.root().join("a")).unwrap();
        assert_refused(&yard, &path, &["path_outside_roots"]);
    }
}

#[test]
fn a_race_of_ten_thousand_reads_never_shows_a_byte_from_outside() {
    let yard = Yard::new();
    yard.put("real.txt", "inside");
    yard.put("dir/target.txt", "inside");
    let root = yard.root();
    let stop = AtomicBool::new(false);
    let swaps = std::thread::scope(|scope| {
        let swapper = scope.spawn(|| {
            let mut swaps = 0_u64;
            while !stop.load(Ordering::Relaxed) {
                // The last part, and a folder on the way, flip between inside and outside.
                let staged = root.join("staged");
                let _ = fs_err::remove_file(&staged);
                symlink("../outside/secret.txt", &staged).unwrap();
                fs_err::rename(&staged, root.join("flip.txt")).unwrap();
                fs_err::rename(root.join("dir"), root.join("aside")).unwrap();
                // A write may make the folder anew at any moment, and put a file into it while it is removed.
                while symlink("../outside", root.join("dir")).is_err() {
                    let _ = fs_err::remove_dir_all(root.join("dir"));
                }
                fs_err::remove_file(root.join("dir")).unwrap();
                while fs_err::rename(root.join("aside"), root.join("dir")).is_err() {
                    let _ = fs_err::remove_dir_all(root.join("dir"));
                }
                fs_err::write(&staged, "inside").unwrap();
                fs_err::rename(&staged, root.join("flip.txt")).unwrap();
                swaps += 1;
            }
            swaps
        });
        let mut shown = 0;
        for round in 0..10_000 {
            let path = ["flip.txt", "dir/secret.txt"][round % 2];
            if let Ok(outcome) = files::read(&yard.station, &call(), &read_request(path)) {
                let content = outcome.view.content.unwrap();
                assert_eq!(content, "inside", "round {round}");
                shown += 1;
            }
            if round % 50 == 0 {
                let view = files::search(&yard.station, &call(), &search_request(".", "secret outside"));
                assert_eq!(view.unwrap().page.total, 0, "round {round}");
                let write = files::Write { path: "dir/new.txt".to_owned(), content: "x".to_owned() };
                let _ = files::write(&yard.station, &call(), &write);
            }
        }
        stop.store(true, Ordering::Relaxed);
        assert!(shown > 0, "some reads see the file");
        swapper.join().unwrap()
    });
    assert!(swaps > 0);
    yard.assert_outside_untouched();
}

#[test]
fn pipes_devices_and_the_kernels_files_are_refused_at_once() {
    let yard = Yard::new();
    yard.pipe("pipe");
    fs_err::create_dir_all(yard.root().join("copies")).unwrap();
    let began = Instant::now();
    for (tool, result) in every_file_call(&yard, "pipe") {
        match tool {
            // They look without opening.
            "fs_info" | "fs_exists" => assert!(result.is_ok()),
            "fs_list" | "fs_tree" | "fs_find" => {
                assert_eq!(result.unwrap_err().key.as_str(), "not_a_directory");
            }
            "fs_mkdir" => assert_eq!(result.unwrap_err().key.as_str(), "already_exists"),
            _ => assert_eq!(result.expect_err(tool).key.as_str(), "special_file", "{tool}"),
        }
    }
    // A walk passes it by.
    let search = files::search(&yard.station, &call(), &search_request(".", "x")).unwrap();
    assert_eq!(search.page.total, 0);
    let roots = Roots::open(&["/dev".into()], Protected::default()).unwrap();
    let devices = Workstation::new(roots, Settings::default());
    for path in ["zero", "/dev/zero", "null"] {
        let error = files::read(&devices, &call(), &read_request(path)).unwrap_err();
        assert_eq!(error.key.as_str(), "special_file", "{path}");
    }
    assert_eq!(
        Roots::open(&["/proc".into()], Protected::default()).unwrap_err().key.as_str(),
        "special_file"
    );
    let roots = Roots::open(&["/".into()], Protected::default()).unwrap();
    let whole = Workstation::new(roots, Settings::default());
    for path in ["/proc/self/environ", "/proc/version", "/sys/kernel/uevent_seqnum"] {
        if std::path::Path::new(path).exists() {
            let error = files::read(&whole, &call(), &read_request(path)).unwrap_err();
            assert_eq!(error.key.as_str(), "special_file", "{path}");
        }
    }
    assert!(began.elapsed() < Duration::from_mins(1), "nothing hangs");
}

#[test]
fn windows_spellings_lead_nowhere() {
    let yard = Yard::new();
    for path in [r"C:\Windows\win.ini", "c:/Windows", r"\\?\C:\x", r"\\server\share\x"] {
        assert_refused(&yard, path, &["path_outside_roots"]);
    }
    // Here these are names like any other, and stay inside.
    for path in ["f.txt:stream", "CON", "NUL.txt", "PROGRA~1"] {
        let write = files::Write { path: path.to_owned(), content: "x".to_owned() };
        files::write(&yard.station, &call(), &write).unwrap();
        assert_eq!(yard.bytes(path), b"x");
    }
}

#[test]
fn nothing_below_git_or_our_own_settings_is_written_also_not_through_a_link() {
    let yard = Yard::new();
    yard.put(".git/config", "[core]\n");
    yard.put(".git/hooks/pre-commit.sample", "");
    yard.put("sub/.git/config", "[core]\n");
    yard.put(".hewto/config.toml", "");
    yard.put("linked.git", "gitdir: elsewhere\n");
    yard.link(".git", "innocent");
    yard.link(".git/hooks", "hooks");
    let before = yard.bytes(".git/config");
    let protected = [
        ".git/config",
        ".git/hooks/pre-commit",
        ".git/new/deep/file",
        "innocent/config",
        "innocent/hooks/pre-commit",
        "hooks/pre-commit",
        ".GIT/config",
        ".git",
        "fresh/.git/config",
        "fresh/.git",
        "sub/.git/config",
        ".hewto/config.toml",
    ];
    for path in protected {
        for (tool, result) in every_file_call(&yard, path) {
            if matches!(tool, "fs_write" | "fs_append" | "fs_edit" | "fs_move" | "fs_delete") {
                let error = result.expect_err(tool);
                let known = ["protected_path", "not_found", "is_a_directory"].contains(&error.key.as_str());
                assert!(known, "{tool} {path}: {} {error}", error.key.as_str());
            }
        }
        let _ = fs_err::remove_dir_all(yard.root().join("copies"));
    }
    for path in ["x/.git", ".git/new"] {
        let error = files::make_dir(&yard.station, &call(), &files::MakeDir { path: path.to_owned() });
        assert_eq!(error.unwrap_err().key.as_str(), "protected_path", "{path}");
    }
    // A folder with a repository in it goes nowhere, and nothing becomes one.
    let delete = files::Delete { path: "sub".to_owned(), recursive: true, kind: files::WantedKind::Any };
    assert_eq!(files::delete(&yard.station, &call(), &delete).unwrap_err().key.as_str(), "protected_path");
    let relocate = |source: &str, destination: &str| {
        let request = files::Move { source: source.to_owned(), destination: destination.to_owned() };
        files::relocate(&yard.station, &call(), &request).unwrap_err().key.as_str()
    };
    assert_eq!(relocate("sub", "other"), "protected_path");
    assert_eq!(relocate("linked.git", "other/.git"), "protected_path");
    let copy = |source: &str, destination: &str| {
        let request =
            files::Copy { source: source.to_owned(), destination: destination.to_owned(), recursive: true };
        files::copy(&yard.station, &call(), &request).unwrap_err().key.as_str()
    };
    assert_eq!(copy("sub", "other"), "protected_path");
    assert_eq!(copy("linked.git", ".git/config2"), "protected_path");
    assert_eq!(yard.bytes(".git/config"), before);
    assert_eq!(yard.bytes("sub/.git/config"), before);
    assert!(!yard.root().join(".git/hooks/pre-commit").exists());
    assert!(!yard.root().join(".git/new").exists());
    assert!(Roots::open(&[yard.root().join(".git")], Protected::default()).is_err(), "no root inside .git");
}

#[test]
fn a_protected_file_is_not_written_nor_moved_nor_made_by_any_way() {
    let yard = Yard::new();
    yard.put("own/settings/config.toml", "mine");
    let files = vec![yard.root().join("own/settings/config.toml"), yard.root().join("later/config.toml")];
    let roots = Roots::open(&[yard.root()], Protected { files, ..Protected::default() }).unwrap();
    let station = Workstation::new(roots, Settings::default());
    let write = |path: &str| {
        files::write(&station, &call(), &files::Write { path: path.into(), content: "x".into() })
    };
    assert_eq!(write("own/settings/config.toml").unwrap_err().key.as_str(), "protected_path");
    assert_eq!(write("later/config.toml").unwrap_err().key.as_str(), "protected_path");
    write("own/settings/other.toml").unwrap();
    for path in ["own", "own/settings", "own/settings/config.toml"] {
        let delete = files::Delete { path: path.into(), recursive: true, kind: files::WantedKind::Any };
        assert_eq!(files::delete(&station, &call(), &delete).unwrap_err().key.as_str(), "protected_path");
        let relocate = files::Move { source: path.into(), destination: "elsewhere".into() };
        assert_eq!(files::relocate(&station, &call(), &relocate).unwrap_err().key.as_str(), "protected_path");
    }
    let relocate =
        files::Move { source: "own/settings/other.toml".into(), destination: "later/config.toml".into() };
    assert_eq!(files::relocate(&station, &call(), &relocate).unwrap_err().key.as_str(), "protected_path");
    assert_eq!(yard.bytes("own/settings/config.toml"), b"mine");
}

#[test]
fn nul_and_empty_paths_are_refused() {
    let yard = Yard::new();
    for path in ["", "a\0b", "../outside/secret.txt\0.txt"] {
        assert_refused(&yard, path, &["invalid_params"]);
    }
}

#[test]
fn a_walk_lists_links_but_never_enters_them() {
    let yard = Yard::new();
    yard.link("../outside", "dir");
    let tree = files::tree(&yard.station, &call(), &tree_request(".")).unwrap();
    assert_eq!(tree.entries.iter().map(|entry| entry.path.as_str()).collect::<Vec<_>>(), ["dir"]);
    let find = files::find(&yard.station, &call(), &find_request(".", "secret*")).unwrap();
    assert_eq!(find.page.total, 0);
    let list = files::List {
        path: ".".to_owned(),
        order: files::ListOrder::Name,
        sizes: true,
        page: PageRequest::default(),
    };
    let list = files::list(&yard.station, &call(), &list).unwrap();
    assert_eq!(list.entries[0].size, None, "the size of a target is not told");
}
