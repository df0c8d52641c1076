//! Holes that other git servers had, each shown closed.

use std::os::unix::fs::symlink;

use hewto_workstation::git::{self, StashAction};
use hewto_workstation::{Error, PageRequest, Protected, Roots, Settings, Workstation};

use crate::yard::{SECRET, Yard, call, shown};

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

#[test]
fn nothing_in_the_configuration_of_a_repository_is_run() {
    let yard = repository();
    yard.git(".", &["commit", "--quiet", "--allow-empty", "--message=Second"]);
    let trap = |name: &str| yard.trap(name).display().to_string();
    for key in [
        "core.fsmonitor",
        "core.pager",
        "core.editor",
        "core.sshCommand",
        "core.askPass",
        "core.gitProxy",
        "core.alternateRefsCommand",
        "credential.helper",
        "diff.external",
        "diff.evil.textconv",
        "diff.evil.command",
        "filter.evil.clean",
        "filter.evil.smudge",
        "filter.evil.process",
        "filter.a=b.clean",
        "filter.a=b.smudge",
        "merge.evil.driver",
        "gpg.program",
        "gpg.ssh.program",
        "gpg.ssh.defaultKeyCommand",
        "sequence.editor",
        "interactive.diffFilter",
        "pager.status",
        "pager.diff",
        "pager.log",
        "alias.status",
        "uploadpack.packObjectsHook",
        "remote.origin.uploadpack",
        "trailer.x.command",
    ] {
        let value = trap(&key.replace(['.', '='], "-"));
        let value = if key.starts_with("alias") { format!("!{value}") } else { value };
        yard.git(".", &["config", key, &value]);
    }
    for (key, value) in [
        ("commit.gpgSign", "true"),
        ("tag.gpgSign", "true"),
        ("log.showSignature", "true"),
        ("merge.default", "evil"),
        ("gc.auto", "1"),
        ("submodule.recurse", "true"),
        ("core.hooksPath", "traps"),
        ("protocol.ext.allow", "always"),
    ] {
        yard.git(".", &["config", key, value]);
    }
    yard.put(".gitattributes", "*.md diff=evil filter=evil merge=evil\n*.rs filter=a=b\n");
    yard.put(".git/info/attributes", "*.md diff=evil filter=evil merge=evil\n");
    for hook in [
        "pre-commit",
        "prepare-commit-msg",
        "commit-msg",
        "post-commit",
        "post-checkout",
        "post-index-change",
        "reference-transaction",
        "fsmonitor-watchman",
        "pre-auto-gc",
        "post-rewrite",
    ] {
        let path = trap(&format!("hook-{hook}"));
        for folder in ["traps", ".git/hooks"] {
            fs_err::create_dir_all(yard.root().join(folder)).unwrap();
            fs_err::copy(&path, yard.root().join(folder).join(hook)).unwrap();
        }
    }
    // Something that is different from what the index has, so that contents are looked at.
    yard.put("src/lib.rs", "fn other() {}\n");
    for (tool, result) in every_git_call(&yard, None) {
        let failed = result.err().map(|error| (error.key.as_str(), error.to_string()));
        // The merge driver is git's own, and finds a conflict.
        let expected = failed.as_ref().is_none_or(|(key, _)| *key == "stash_conflict");
        assert!(expected, "{tool}: {failed:?}");
    }
    assert_eq!(yard.marks(), [""; 0]);
    // The traps do work: plain git falls into one at once.
    let _ = std::process::Command::new("git").arg("status").current_dir(yard.root()).output();
    assert!(!yard.marks().is_empty());
}

#[test]
fn a_required_filter_that_is_not_run_refuses_to_stage_and_breaks_nothing_else() {
    let yard = repository();
    let trap = yard.trap("clean").display().to_string();
    yard.git(".", &["config", "filter.big.clean", &trap]);
    yard.git(".", &["config", "filter.big.required", "true"]);
    yard.put(".gitattributes", "*.md filter=big\n");
    yard.put("README.md", "changed\n");
    let status = git::status(&yard.station, &call(), &git::Status::default()).unwrap();
    assert_eq!(status.note.as_deref(), Some("filters are not run here: `big`"));
    git::diff(&yard.station, &call(), &git::Diff::default()).unwrap();
    let add = git::Add { repo: None, paths: vec!["README.md".into()] };
    assert_eq!(git::add(&yard.station, &call(), &add).unwrap_err().key.as_str(), "filter_required");
    assert_eq!(yard.git(".", &["-c", "filter.big.clean=cat", "diff", "--cached", "--name-only"]), "");
    assert_eq!(yard.marks(), [""; 0]);
}

#[test]
fn a_missing_object_is_not_fetched_by_a_program_of_the_remote() {
    let yard = repository();
    let trap = yard.trap("upload-pack").display().to_string();
    yard.git(".", &["remote", "add", "origin", "ext::sh -c touch% marks/ext"]);
    for (key, value) in [
        ("core.repositoryFormatVersion", "1"),
        ("extensions.partialClone", "origin"),
        ("remote.origin.promisor", "true"),
        ("remote.origin.uploadpack", trap.as_str()),
        ("protocol.ext.allow", "always"),
        ("protocol.allow", "always"),
    ] {
        yard.git(".", &["config", key, value]);
    }
    let blob = yard.git(".", &["rev-parse", "HEAD:README.md"]);
    fs_err::remove_file(yard.root().join(format!(".git/objects/{}/{}", &blob[..2], &blob[2..]))).unwrap();
    let show = git::Show { revision: "HEAD".into(), ..git::Show::default() };
    assert!(git::show(&yard.station, &call(), &show).is_err());
    assert_eq!(yard.marks(), [""; 0]);
}

#[test]
fn options_in_the_place_of_revisions_names_and_dates_are_refused() {
    let yard = repository();
    // A branch that is really called so does not help.
    let head = yard.git(".", &["rev-parse", "HEAD"]);
    fs_err::write(yard.root().join(".git/refs/heads/-x"), format!("{head}\n")).unwrap();
    let evil = yard.base().join("evil").display().to_string();
    let station = &yard.station;
    let call = &call();
    for text in [&format!("--output={evil}"), "-D", "--help", "-x", "--format=%H", "--upload-pack=x"] {
        let text = || text.to_owned();
        let results = [
            shown(git::diff(station, call, &git::Diff { from: Some(text()), ..git::Diff::default() })),
            shown(git::diff(
                station,
                call,
                &git::Diff { from: Some("HEAD".into()), to: Some(text()), ..git::Diff::default() },
            )),
            shown(git::show(station, call, &git::Show { revision: text(), ..git::Show::default() })),
            shown(git::log(station, call, &git::Log { author: Some(text()), ..git::Log::default() })),
            shown(git::log(station, call, &git::Log { grep: Some(text()), ..git::Log::default() })),
            shown(git::log(station, call, &git::Log { since: Some(text()), ..git::Log::default() })),
            shown(git::log(station, call, &git::Log { until: Some(text()), ..git::Log::default() })),
            shown(git::branches(
                station,
                call,
                &git::Branches { contains: Some(text()), ..git::Branches::default() },
            )),
            shown(git::branches(
                station,
                call,
                &git::Branches { not_contains: Some(text()), ..git::Branches::default() },
            )),
            shown(git::branch_create(
                station,
                call,
                &git::BranchCreate { name: text(), ..git::BranchCreate::default() },
            )),
            shown(git::branch_create(
                station,
                call,
                &git::BranchCreate { name: "ok".into(), from: Some(text()), ..git::BranchCreate::default() },
            )),
            shown(git::switch(station, call, &git::Switch { name: text(), ..git::Switch::default() })),
        ];
        for (index, result) in results.into_iter().enumerate() {
            assert_eq!(result.unwrap_err().key.as_str(), "invalid_params", "{index} {}", text());
        }
        // A path may be called so; it is a path all the same.
        let paths = vec![text()];
        let diff = git::Diff { paths: paths.clone(), ..git::Diff::default() };
        assert_eq!(git::diff(station, call, &diff).unwrap().page.total, 0);
        assert_eq!(
            git::add(station, call, &git::Add { repo: None, paths }).unwrap_err().key.as_str(),
            "not_found"
        );
        let blame = git::Blame { path: text(), ..git::Blame::default() };
        assert!(git::blame(station, call, &blame).is_err());
    }
    assert!(!yard.base().join("evil").exists());
}

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

#[test]
fn git_is_never_taken_from_inside_a_root() {
    let yard = repository();
    let trap = yard.trap("git");
    fs_err::create_dir(yard.root().join("bin")).unwrap();
    fs_err::copy(&trap, yard.root().join("bin/git")).unwrap();
    fs_err::copy(&trap, yard.root().join("git")).unwrap();
    let mut search_path = vec![yard.root().join("bin"), ".".into(), "".into(), "bin".into()];
    search_path.extend(yard.station.settings().search_path.iter().cloned());
    let settings = Settings { search_path, ..yard.station.settings().clone() };
    let station = Workstation::new(Roots::open(&[yard.root()], Protected::default()).unwrap(), settings);
    git::status(&station, &call(), &git::Status::default()).unwrap();
    assert_eq!(yard.marks(), [""; 0]);
}
