//! Ways out of the roots, and ways back in that are fine.

use std::os::unix::fs::symlink;

use hewto_workstation::git;
use hewto_workstation::{Protected, Roots, Settings, Workstation};

use super::{every_git_call, repository};
use crate::yard::{SECRET, Yard, call};

#[test]
fn repositories_outside_cannot_be_reached() {
    let yard = Yard::with_programs(Settings::default());
    let outside = yard.base().join("outside-repo");
    fs_err::create_dir(&outside).unwrap();
    let run = |arguments: &[&str]| {
        let home = yard.base().join("home");
        let done = std::process::Command::new("git")
            .args(arguments)
            .current_dir(&outside)
            .env("HOME", home)
            .output();
        assert!(done.unwrap().status.success(), "{arguments:?}");
    };
    run(&["init", "--quiet"]);
    fs_err::write(outside.join("secret.txt"), SECRET).unwrap();
    run(&["add", "."]);
    run(&["commit", "--quiet", "--message=Secret"]);
    yard.link(&outside, "linked");
    for name in ["a", "b", "c", "d", "e"] {
        fs_err::create_dir(yard.root().join(name)).unwrap();
    }
    // A `.git` that is a link, or a file that names a folder outside.
    symlink(outside.join(".git"), yard.root().join("a/.git")).unwrap();
    yard.put("b/.git", format!("gitdir: {}\n", outside.join(".git").display()));
    yard.put("c/.git", "gitdir: ../../outside-repo/.git\n");
    // A repository of our own that shares or borrows.
    yard.git("d", &["init", "--quiet"]);
    yard.put("d/.git/commondir", outside.join(".git").display().to_string());
    yard.git("e", &["init", "--quiet"]);
    yard.put("e/.git/objects/info/alternates", format!("{}\n", outside.join(".git/objects").display()));
    let absolute = outside.display().to_string();
    for repo in
        [absolute.as_str(), "../outside-repo", "linked", "a", "b", "c", "d", "e", "a/../../outside-repo"]
    {
        for (tool, result) in every_git_call(&yard, Some(repo)) {
            let error = result.expect_err(tool);
            let known = ["path_outside_roots", "repository_outside_roots"].contains(&error.key.as_str());
            assert!(known, "{tool} {repo}: {} {error}", error.key.as_str());
            assert!(!error.to_string().contains(SECRET));
        }
    }
    // Folders of git's own that are links.
    for name in ["objects", "refs", "config", "HEAD"] {
        let folder = format!("f-{name}");
        fs_err::create_dir(yard.root().join(&folder)).unwrap();
        yard.git(&folder, &["init", "--quiet"]);
        let inner = yard.root().join(&folder).join(".git").join(name);
        if inner.is_dir() {
            fs_err::remove_dir_all(&inner).unwrap();
        } else {
            fs_err::remove_file(&inner).unwrap();
        }
        symlink(outside.join(".git").join(name), &inner).unwrap();
        let request = git::Log { repo: Some(folder), ..git::Log::default() };
        let error = git::log(&yard.station, &call(), &request).unwrap_err();
        assert_eq!(error.key.as_str(), "repository_outside_roots", "{name}");
    }
}

/// A repository outside with one secret in it.
fn outside_repository(yard: &Yard) -> std::path::PathBuf {
    let outside = yard.base().join("outside-repo");
    fs_err::create_dir(&outside).unwrap();
    fs_err::write(outside.join("secret.txt"), SECRET).unwrap();
    for arguments in [
        &["init", "--quiet"][..],
        &["add", "."],
        &["commit", "--quiet", "--message=Secret"],
        &["gc", "--quiet"],
    ] {
        yard.git("../outside-repo", arguments);
    }
    outside
}

#[test]
fn no_link_deep_in_the_folder_of_git_leads_out() {
    let yard = Yard::with_programs(Settings::default());
    let outside = outside_repository(&yard);
    let (secret, git_dir) = (outside.join("secret.txt"), outside.join(".git"));
    for (number, (link, target)) in [
        ("objects/pack", git_dir.join("objects/pack")),
        ("objects/info", git_dir.join("objects/info")),
        ("objects/aa", git_dir.join("objects/pack")),
        ("refs/heads", git_dir.join("refs/heads")),
        ("refs/remotes/far/main", secret.clone()),
        ("info/exclude", secret.clone()),
        ("shallow", secret.clone()),
        ("MERGE_HEAD", secret.clone()),
        ("worktrees/x/gitdir", secret.clone()),
        ("logs/refs/stash", secret.clone()),
        ("modules/sub/HEAD", secret),
        ("refs/through", "../../../../outside-repo/.git/refs".into()),
    ]
    .into_iter()
    .enumerate()
    {
        let repo = format!("deep-{number}");
        fs_err::create_dir(yard.root().join(&repo)).unwrap();
        yard.git(&repo, &["init", "--quiet"]);
        fs_err::copy(git_dir.join("packed-refs"), yard.root().join(&repo).join(".git/packed-refs")).unwrap();
        let link = yard.root().join(&repo).join(".git").join(link);
        fs_err::create_dir_all(link.parent().unwrap()).unwrap();
        if link.is_dir() {
            fs_err::remove_dir_all(&link).unwrap();
        } else if link.exists() {
            fs_err::remove_file(&link).unwrap();
        }
        symlink(target, &link).unwrap();
        for (tool, result) in every_git_call(&yard, Some(&repo)) {
            let error = result.expect_err(tool);
            assert_eq!(error.key.as_str(), "repository_outside_roots", "{tool} {}: {error}", link.display());
            assert!(!error.to_string().contains(SECRET), "{tool}");
        }
    }
}

#[test]
fn links_in_the_folder_of_git_that_stay_inside_are_fine_and_a_circle_ends() {
    let yard = repository();
    fs_err::rename(yard.root().join(".git/refs"), yard.root().join("refs-elsewhere")).unwrap();
    symlink("../refs-elsewhere", yard.root().join(".git/refs")).unwrap();
    symlink("..", yard.root().join(".git/info/circle")).unwrap();
    symlink("nowhere", yard.root().join(".git/info/dangling")).unwrap();
    assert_eq!(git::log(&yard.station, &call(), &git::Log::default()).unwrap().commits.len(), 1);
    // What a link inside leads to is looked at as well.
    symlink(yard.base().join("outside"), yard.root().join("refs-elsewhere/out")).unwrap();
    let error = git::log(&yard.station, &call(), &git::Log::default()).unwrap_err();
    assert_eq!(error.key.as_str(), "repository_outside_roots");
}

#[test]
fn objects_borrowed_by_way_of_another_repository_or_in_quotes_are_refused() {
    let yard = repository();
    let outside = outside_repository(&yard).join(".git/objects").display().to_string();
    let alternates = ".git/objects/info/alternates";
    let log = || git::log(&yard.station, &call(), &git::Log::default());
    yard.put("store/info/alternates", "../other-store\n");
    yard.put("other-store/info/packs", "");
    yard.put(alternates, "# a comment\n../../store\n");
    assert_eq!(log().unwrap().commits.len(), 1);
    let long = format!("{}\n{outside}\n", "# a line that says nothing\n".repeat(1_000));
    for (path, text) in [
        ("store/info/alternates", format!("{outside}\n")),
        (alternates, format!("\"{outside}\"\n")),
        (alternates, "\"..\\057..\\057..\\057outside\"\n".to_owned()),
        (alternates, long),
    ] {
        yard.put(path, &text);
        let error = log().unwrap_err();
        let known = ["repository_outside_roots", "file_too_large"].contains(&error.key.as_str());
        assert!(known, "{path}: {} {error}", error.key.as_str());
        yard.put("store/info/alternates", "../other-store\n");
    }
    // One that borrows from itself has no end, and git would not follow it either.
    yard.put(alternates, "../../store\n");
    yard.put("store/info/alternates", "../store\n");
    assert_eq!(log().unwrap_err().key.as_str(), "repository_outside_roots");
}

#[test]
fn a_work_tree_outside_is_refused_and_one_inside_is_used() {
    let yard = repository();
    for target in [yard.base().join("outside").display().to_string(), "../../outside".into(), "/".into()] {
        yard.git(".", &["config", "core.worktree", &target]);
        let error = git::status(&yard.station, &call(), &git::Status::default()).unwrap_err();
        assert_eq!(error.key.as_str(), "repository_outside_roots", "{target}");
        fs_err::write(
            yard.root().join(".git/config"),
            "[core]\n\trepositoryformatversion = 0\n\tbare = false\n",
        )
        .unwrap();
    }
    yard.git(".", &["config", "core.worktree", ".."]);
    assert!(git::status(&yard.station, &call(), &git::Status::default()).unwrap().clean);
}

#[test]
fn the_search_for_a_repository_never_climbs_above_a_root() {
    let yard = Yard::with_programs(Settings::default());
    let base = yard.base();
    let done =
        std::process::Command::new("git").args(["init", "--quiet"]).current_dir(&base).output().unwrap();
    assert!(done.status.success());
    fs_err::create_dir(yard.root().join("sub")).unwrap();
    for repo in [".", "sub"] {
        let request = git::Status { repo: Some(repo.into()), ..git::Status::default() };
        assert_eq!(
            git::status(&yard.station, &call(), &request).unwrap_err().key.as_str(),
            "repository_not_found"
        );
    }
}

#[test]
fn a_linked_work_tree_is_used_when_its_repository_points_back() {
    let yard = repository();
    yard.git(".", &["worktree", "add", "--quiet", "../tree", "-b", "side"]);
    let tree = yard.base().join("tree");
    let roots = Roots::open(std::slice::from_ref(&tree), Protected::default()).unwrap();
    let station = Workstation::new(roots, yard.station.settings().clone());
    let view = git::status(&station, &call(), &git::Status::default()).unwrap();
    assert_eq!((view.branch.as_deref(), view.clean), (Some("side"), true));
    fs_err::write(tree.join("new.txt"), "x").unwrap();
    let add = git::Add { repo: None, paths: vec!["new.txt".into()] };
    git::add(&station, &call(), &add).unwrap();
    git::commit(&station, &call(), &git::Commit { repo: None, message: "In the tree".into() }).unwrap();
    // Another folder with a copy of the same `.git` file is not the one that the repository knows.
    let copy = yard.base().join("copy");
    fs_err::create_dir(&copy).unwrap();
    fs_err::copy(tree.join(".git"), copy.join(".git")).unwrap();
    let roots = Roots::open(&[copy], Protected::default()).unwrap();
    let station = Workstation::new(roots, yard.station.settings().clone());
    let error = git::status(&station, &call(), &git::Status::default()).unwrap_err();
    assert_eq!(error.key.as_str(), "repository_outside_roots");
}

#[test]
fn a_submodule_inside_the_root_is_a_repository_of_its_own() {
    let yard = repository();
    fs_err::create_dir(yard.root().join("lib")).unwrap();
    yard.git("lib", &["init", "--quiet", "--initial-branch=main"]);
    yard.put("lib/f.txt", "");
    yard.git("lib", &["add", "."]);
    yard.git("lib", &["commit", "--quiet", "--message=Lib"]);
    yard.git(".", &["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "./lib", "vendor"]);
    // Its configuration is as little run as that of the whole, also when the whole is asked.
    let trap = yard.trap("submodule").display().to_string();
    yard.git("vendor", &["config", "core.fsmonitor", &trap]);
    yard.git("vendor", &["config", "filter.evil.clean", &trap]);
    yard.put("vendor/.gitattributes", "* filter=evil\n");
    yard.put("vendor/f.txt", "changed");
    for repo in [".", "vendor"] {
        let request = git::Status { repo: Some(repo.into()), ..git::Status::default() };
        git::status(&yard.station, &call(), &request).unwrap();
        git::diff(&yard.station, &call(), &git::Diff { repo: Some(repo.into()), ..git::Diff::default() })
            .unwrap();
    }
    assert_eq!(yard.marks(), [""; 0]);
}

#[test]
fn staging_reaches_nothing_beyond_what_was_named() {
    let yard = repository();
    yard.put("new.txt", "");
    yard.put("dir/deep.txt", "");
    yard.link("../outside", "linked");
    let outside = yard.base().join("outside/secret.txt").display().to_string();
    let paths = [
        "../outside/secret.txt",
        outside.as_str(),
        "linked/secret.txt",
        ":/",
        ":(top)",
        ":(glob)**",
        ":!README.md",
        "*",
        "*.txt",
        "d*",
        ".git/config",
        ".git",
        "dir/../../outside/secret.txt",
        "",
    ];
    for path in paths {
        let request = git::Add { repo: None, paths: vec![path.to_owned()] };
        let error = git::add(&yard.station, &call(), &request).expect_err(path);
        let known =
            ["not_found", "git_failed", "path_outside_repository", "protected_path", "invalid_params"];
        assert!(known.contains(&error.key.as_str()), "{path}: {}", error.key.as_str());
        assert_eq!(yard.git(".", &["diff", "--cached", "--name-only"]), "", "{path}");
    }
}

#[test]
fn no_file_outside_shows_in_an_answer() {
    let yard = repository();
    let secret = yard.base().join("outside/secret.txt").display().to_string();
    for key in
        ["blame.ignoreRevsFile", "mailmap.file", "diff.orderFile", "commit.template", "core.attributesFile"]
    {
        yard.git(".", &["config", key, &secret]);
    }
    for (tool, result) in every_git_call(&yard, None) {
        let text = match result {
            Ok(text) => text,
            Err(error) => format!("{error:?}"),
        };
        assert!(!text.contains(SECRET), "{tool}");
    }
    // Two paths of which one lies outside would make plain git compare files instead of revisions.
    let request = git::Diff { paths: vec![secret.clone(), "README.md".into()], ..git::Diff::default() };
    assert_eq!(
        git::diff(&yard.station, &call(), &request).unwrap_err().key.as_str(),
        "path_outside_repository"
    );
}

/// A repository that takes in a home folder takes in the folder of its owner's keys.
#[test]
fn the_keys_of_the_owner_are_staged_under_no_name() {
    let yard = repository();
    yard.put("state/hewto/machine.key", "sealing-wax");
    yard.put("state/hewto/deep/note", "x");
    yard.put("state/other", "x");
    yard.put("plain.txt", "x");
    let folder = yard.root().join("state/hewto");
    let for_its_owner = std::os::unix::fs::PermissionsExt::from_mode(0o600);
    fs_err::set_permissions(folder.join("machine.key"), for_its_owner).unwrap();
    let protected = Protected { folders: vec![folder.clone()], ..Protected::default() };
    let roots = Roots::open(&[yard.root()], protected).unwrap();
    let station = Workstation::new(roots, yard.station.settings().clone());
    let add = |paths: &[&str]| {
        let paths = paths.iter().map(|path| (*path).to_owned()).collect();
        git::add(&station, &call(), &git::Add { repo: None, paths }).map_err(|error| error.key.as_str())
    };
    let absolute = folder.join("machine.key").display().to_string();
    for path in [
        "state/hewto/machine.key",
        "./state/hewto/machine.key",
        "state/hewto",
        "state/x/../hewto/deep",
        &absolute,
    ] {
        assert_eq!(add(&[path]).unwrap_err(), "protected_path", "{path}");
    }
    let names = || yard.git(".", &["diff", "--cached", "--name-only"]);
    assert_eq!(names(), "");
    add(&["."]).unwrap();
    add(&["state"]).unwrap();
    assert_eq!(names(), "plain.txt\nstate/other", "the rest is staged");
    fs_err::hard_link(folder.join("machine.key"), yard.root().join("second")).unwrap();
    for path in [".", "second"] {
        assert_eq!(add(&[path]).unwrap_err(), "protected_path", "{path}");
    }
    assert_eq!(names(), "plain.txt\nstate/other");
}
