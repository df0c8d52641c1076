//! Holes of git servers that stay closed here.

use std::os::unix::fs::symlink;

use hewto_testkit::McpSession;
use serde_json::{Value, json};

use super::yard::{SECRET, Yard, ok, refused};

/// Every git tool once, in an order in which each has something to do.
fn every_git_call(session: &mut McpSession) -> Vec<(&'static str, Value)> {
    [
        ("git_status", json!({})),
        ("git_diff", json!({})),
        ("git_diff", json!({ "from": "HEAD~1", "to": "HEAD" })),
        ("git_log", json!({ "paths": ["README.md"] })),
        ("git_show", json!({ "revision": "HEAD" })),
        ("git_show", json!({ "revision": "HEAD:README.md" })),
        ("git_blame", json!({ "path": "README.md" })),
        ("git_branches", json!({})),
        ("git_worktrees", json!({})),
        ("git_add", json!({ "paths": ["src/lib.rs"] })),
        ("git_diff", json!({ "staged": true })),
        ("git_restore", json!({ "paths": ["src/lib.rs"] })),
        ("git_stash", json!({ "action": "push" })),
        ("git_stash", json!({ "action": "list" })),
        ("git_stash", json!({ "action": "pop" })),
        ("git_add", json!({ "paths": ["."] })),
        ("git_commit", json!({ "message": "All of it" })),
        ("git_branch_create", json!({ "name": "topic" })),
        ("git_switch", json!({ "name": "topic" })),
    ]
    .map(|(tool, arguments)| (tool, session.call(tool, arguments).raw))
    .into()
}

// @spec workstation#a-repository-configures-nothing/a-hook-in-a-hostile-repository
#[test]
fn nothing_in_the_configuration_of_a_repository_is_run() {
    let yard = Yard::repository();
    yard.git(".", &["commit", "--quiet", "--allow-empty", "--message=Second"]);
    let trap = |name: &str| yard.trap(name).display().to_string();
    for key in [
        "core.fsmonitor",
        "core.pager",
        "core.editor",
        "core.sshCommand",
        "credential.helper",
        "diff.external",
        "diff.evil.textconv",
        "filter.evil.clean",
        "filter.evil.smudge",
        "filter.evil.process",
        "merge.evil.driver",
        "gpg.program",
        "pager.status",
        "pager.diff",
        "pager.log",
    ] {
        yard.git(".", &["config", key, &trap(key)]);
    }
    for (key, value) in [
        ("commit.gpgSign", "true"),
        ("log.showSignature", "true"),
        ("core.hooksPath", "traps"),
        ("gc.auto", "1"),
    ] {
        yard.git(".", &["config", key, value]);
    }
    yard.put(".git/info/attributes", "* diff=evil filter=evil merge=evil\n");
    for hook in [
        "pre-commit",
        "commit-msg",
        "post-commit",
        "post-checkout",
        "post-index-change",
        "reference-transaction",
    ] {
        let script = trap(&format!("hook-{hook}"));
        for folder in ["traps", ".git/hooks"] {
            fs_err::create_dir_all(yard.root().join(folder)).unwrap();
            fs_err::copy(&script, yard.root().join(folder).join(hook)).unwrap();
        }
    }
    yard.put("src/lib.rs", "fn other() {}\n");
    let mut session = yard.serve();
    for (tool, result) in every_git_call(&mut session) {
        let fine = result["isError"] != true || result.to_string().contains("stash_conflict");
        assert!(fine, "{tool}: {result}");
    }
    assert_eq!(yard.sprung(), [""; 0]);
    // The traps do work: plain git falls into one at once.
    let _ = std::process::Command::new("git").arg("status").current_dir(yard.root()).output();
    assert_ne!(yard.sprung(), [""; 0]);
}

#[test]
fn a_filter_with_a_name_that_is_no_text_is_not_run_either() {
    let yard = Yard::repository();
    let mut config = yard.bytes(".git/config");
    for part in ["clean", "smudge"] {
        config.extend_from_slice(b"[filter \"x\xff\"]\n");
        config.extend_from_slice(format!("\t{part} = {}\n", yard.trap(part).display()).as_bytes());
    }
    yard.put(".git/config", config);
    yard.put(".git/info/attributes", b"* filter=x\xff\n");
    yard.put("src/lib.rs", "fn other() {}\n");
    let mut session = yard.serve();
    let status = ok(&mut session, "git_status", json!({}));
    assert!(status["note"].as_str().unwrap().contains(r"x\xFF"), "{status}");
    every_git_call(&mut session);
    assert_eq!(yard.sprung(), [""; 0]);
}

#[test]
fn nothing_of_a_submodule_is_run_and_where_it_stands_can_be_staged() {
    let yard = Yard::repository();
    yard.git(".", &["clone", "--quiet", ".", "part"]);
    yard.git(".", &["add", "part"]);
    yard.put(".gitmodules", "[submodule \"part\"]\n\tpath = part\n\turl = ./part\n\tignore = none\n");
    yard.git(".", &["add", ".gitmodules"]);
    yard.git(".", &["commit", "--quiet", "--message=Part"]);
    yard.git("part", &["config", "filter.evil.clean", yard.trap("clean").to_str().unwrap()]);
    yard.put("part/.git/info/attributes", "* filter=evil\n");
    yard.put("part/README.md", "other contents\n");
    yard.put("src/lib.rs", "fn other() {}\n");
    let mut session = yard.serve();
    every_git_call(&mut session);
    assert_eq!(yard.sprung(), [""; 0]);
    yard.git("part", &["-c", "filter.evil.clean=", "commit", "--quiet", "--all", "--message=Next"]);
    let staged = ok(&mut session, "git_add", json!({ "paths": ["part"] }));
    assert_eq!(staged["staged"], json!([{ "path": "part", "change": "modified" }]));
    fs_err::remove_dir_all(yard.root().join("part")).unwrap();
    let staged = ok(&mut session, "git_add", json!({ "paths": ["."] }));
    assert_eq!(staged["staged"], json!([{ "path": "part", "change": "deleted" }]));
    assert_eq!(yard.sprung(), [""; 0]);
}

#[test]
fn hooks_run_where_the_user_has_configured_it() {
    let yard = Yard::repository().configured("[workstation.git]\nhooks = true\n");
    let mark = yard.base().join("mark");
    let hook = yard.script("pre-commit", &format!("touch '{}'", mark.display()));
    fs_err::create_dir_all(yard.root().join(".git/hooks")).unwrap();
    fs_err::copy(hook, yard.root().join(".git/hooks/pre-commit")).unwrap();
    yard.put("README.md", "changed\n");
    let mut session = yard.serve();
    ok(&mut session, "git_add", json!({ "paths": ["README.md"] }));
    assert!(!mark.exists());
    ok(&mut session, "git_commit", json!({ "message": "Second" }));
    assert!(mark.exists());
}

#[test]
fn options_in_the_place_of_revisions_names_dates_and_paths_are_refused() {
    let yard = Yard::repository();
    fs_err::write(yard.root().join(".git/refs/heads/-x"), yard.git(".", &["rev-parse", "HEAD"])).unwrap();
    let mut session = yard.serve();
    let out = yard.base().join("p");
    let option = format!("--output={}", out.display());
    for bad in [option.as_str(), "--help", "-D", "--format=%H", "-x", " -x"] {
        for (tool, arguments) in [
            ("git_diff", json!({ "from": bad })),
            ("git_diff", json!({ "from": "HEAD", "to": bad })),
            ("git_diff", json!({ "target": bad })),
            ("git_show", json!({ "revision": bad })),
            ("git_log", json!({ "since": bad })),
            ("git_log", json!({ "until": bad })),
            ("git_log", json!({ "author": bad })),
            ("git_branch_create", json!({ "name": bad })),
            ("git_branch_create", json!({ "name": "x", "from": bad })),
            ("git_switch", json!({ "name": bad })),
            ("git_branches", json!({ "contains": bad })),
            ("git_branches", json!({ "not_contains": bad })),
        ] {
            assert_eq!(refused(&mut session, tool, arguments), "invalid_params", "{tool} {bad}");
        }
        let key = refused(&mut session, "git_add", json!({ "paths": [bad] }));
        assert!(["git_failed", "not_found"].contains(&key.as_str()), "{key}: a path may begin with a dash");
    }
    assert!(!out.exists());
    assert_eq!(yard.git(".", &["branch", "--show-current"]), "main");
}

#[test]
fn repositories_outside_cannot_be_reached() {
    let yard = Yard::new();
    let outside = yard.base().join("outside");
    yard.git("../outside", &["init", "--quiet"]);
    symlink(&outside, yard.root().join("link")).unwrap();
    yard.put("file/.git", format!("gitdir: {}\n", outside.join(".git").display()));
    fs_err::create_dir_all(yard.root().join("through")).unwrap();
    symlink(outside.join(".git"), yard.root().join("through/.git")).unwrap();
    fs_err::create_dir_all(yard.root().join("tree")).unwrap();
    yard.git("tree", &["init", "--quiet"]);
    yard.git("tree", &["config", "core.worktree", outside.to_str().unwrap()]);
    yard.put("tree/a", "a");
    fs_err::create_dir_all(yard.root().join("common")).unwrap();
    yard.git("common", &["init", "--quiet"]);
    yard.put("common/.git/commondir", outside.join(".git").display().to_string());
    let mut session = yard.serve();
    let named = outside.display().to_string();
    for repo in [
        "link",
        "file",
        "through",
        "tree",
        "common",
        named.as_str(),
        "..",
        "../outside",
        "link/../../outside",
    ] {
        for (tool, arguments) in [
            ("git_status", json!({ "repo": repo })),
            ("git_log", json!({ "repo_path": repo })),
            ("git_add", json!({ "repo": repo, "paths": ["."] })),
            ("git_commit", json!({ "repo": repo, "message": "x" })),
        ] {
            let reply = session.call(tool, arguments);
            assert!(!reply.text.contains(SECRET));
            let error = reply.error();
            let key = error["error"].as_str().unwrap();
            assert!(
                ["path_outside_roots", "repository_outside_roots"].contains(&key),
                "{tool} {repo}: {error}"
            );
        }
    }
    fs_err::remove_dir_all(outside.join(".git")).unwrap();
    yard.assert_outside_untouched();
}

#[test]
fn the_search_for_a_repository_never_climbs_above_a_root_and_none_is_made() {
    let yard = Yard::new();
    yard.git("..", &["init", "--quiet"]);
    yard.put("sub/a", "a");
    let mut session = yard.serve();
    for repo in [".", "sub"] {
        assert_eq!(refused(&mut session, "git_status", json!({ "repo": repo })), "repository_not_found");
    }
    let error = session.request("tools/call", json!({ "name": "git_init", "arguments": {} })).unwrap_err();
    assert_eq!(error.code, -32602);
}

#[test]
fn staging_reaches_nothing_beyond_what_was_named() {
    let yard = Yard::repository();
    yard.put("a.txt", "a");
    yard.put("b.txt", "b");
    yard.put("sub/c.txt", "c");
    symlink(yard.base().join("outside"), yard.root().join("door")).unwrap();
    let mut session = yard.serve();
    let secret = yard.base().join("outside/secret.txt").display().to_string();
    for path in [
        "../outside/secret.txt",
        secret.as_str(),
        "door/secret.txt",
        ":/",
        ":(top)",
        ":(glob)*",
        "*",
        "*.txt",
        "[ab].txt",
        ".git/config",
    ] {
        session.call("git_add", json!({ "paths": [path] })).error();
        session.call("git_add", json!({ "paths": ["a.txt", path] })).error();
        assert_eq!(ok(&mut session, "git_diff", json!({ "staged": true }))["total"], 0, "{path}");
    }
    yard.put("[ab].txt", "literal");
    let added = ok(&mut session, "git_add", json!({ "paths": ["[ab].txt"] }));
    assert_eq!((&added["total"], &added["staged"][0]["path"]), (&json!(1), &json!("[ab].txt")));
    let within = ok(&mut session, "git_add", json!({ "repo": "sub", "paths": ["."] }));
    assert_eq!(within["staged"][0]["path"], "sub/c.txt");
}
