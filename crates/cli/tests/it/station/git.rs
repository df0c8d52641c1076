//! The git tools on a real repository: what each does, and how it refuses.

use std::os::unix::ffi::OsStrExt as _;

use hewto_testkit::McpSession;
use serde_json::{Value, json};

use super::yard::{Yard, ok, refused};

fn paths(view: &Value, list: &str) -> Vec<String> {
    view[list].as_array().unwrap().iter().map(|entry| entry["path"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn changes_are_seen_staged_unstaged_and_committed() {
    let yard = Yard::repository();
    let mut session = yard.serve();
    let clean = ok(&mut session, "git_status", json!({}));
    assert_eq!((&clean["branch"], &clean["clean"]), (&json!("main"), &json!(true)));
    assert_eq!(clean["root"], ".", "as paths are shown: from the first root");
    yard.put("README.md", "one\nTWO\nthree\n");
    yard.put("new.txt", "new\n");
    let status = ok(&mut session, "git_status", json!({ "repo": "src" }));
    assert_eq!(paths(&status, "entries"), ["README.md", "new.txt"]);
    assert_eq!(
        (&status["entries"][0]["unstaged"], &status["entries"][1]["untracked"]),
        (&json!("modified"), &json!(true))
    );
    let diff = ok(&mut session, "git_diff", json!({}));
    assert!(diff["diff"].as_str().unwrap().contains("-two\n+TWO"), "{diff}");
    assert_eq!(ok(&mut session, "git_diff", json!({ "staged": true }))["total"], 0);
    assert_eq!(refused(&mut session, "git_commit", json!({ "message": "x" })), "nothing_to_commit");
    let added = ok(&mut session, "git_add", json!({ "paths": ["README.md", "new.txt"] }));
    assert_eq!(added["total"], 2);
    let staged = ok(&mut session, "git_diff", json!({ "staged": true, "paths": ["README.md"] }));
    assert_eq!(paths(&staged, "files"), ["README.md"]);
    let restored = ok(&mut session, "git_restore", json!({ "paths": ["new.txt"] }));
    assert_eq!(
        (paths(&restored, "unstaged"), &restored["still_staged"]),
        (vec!["new.txt".into()], &json!(1))
    );
    assert_eq!(yard.bytes("new.txt"), b"new\n");
    let made = ok(&mut session, "git_commit", json!({ "message": "Second\n\nWith a body" }));
    assert_eq!(
        (&made["subject"], &made["files"], &made["author"]),
        (&json!("Second"), &json!(1), &json!("Ann"))
    );
    for (tool, arguments, key) in [
        ("git_add", json!({ "paths": ["none"] }), "not_found"),
        ("git_add", json!({ "paths": [] }), "invalid_params"),
        ("git_commit", json!({ "message": " " }), "invalid_params"),
        ("git_status", json!({ "repo": "nowhere" }), "not_found"),
        ("git_diff", json!({ "from": "nothing" }), "revision_not_found"),
        ("git_diff", json!({ "staged": true, "from": "HEAD", "to": "HEAD" }), "invalid_params"),
    ] {
        assert_eq!(refused(&mut session, tool, arguments.clone()), key, "{tool} {arguments}");
    }
}

fn commit(session: &mut McpSession, yard: &Yard, text: &str, message: &str) -> String {
    yard.put("README.md", text);
    ok(session, "git_add", json!({ "paths": ["README.md"] }));
    ok(session, "git_commit", json!({ "message": message }))["commit"].as_str().unwrap().to_owned()
}

#[test]
fn history_is_listed_shown_compared_and_blamed() {
    let yard = Yard::repository();
    let mut session = yard.serve();
    let first = yard.git(".", &["rev-parse", "HEAD"]);
    let second = commit(&mut session, &yard, "one\nTWO\nthree\n", "Second: shout");
    let third = commit(&mut session, &yard, "one\nTWO\nthree\nfour\n", "Third");
    let log = ok(&mut session, "git_log", json!({ "limit": 2 }));
    assert_eq!(
        (&log["commits"][0]["commit"], &log["commits"][1]["commit"], &log["total"], &log["remaining"]),
        (&json!(third), &json!(second), &json!(3), &json!(1))
    );
    let rest = ok(&mut session, "git_log", json!({ "limit": 2, "cursor": log["next_cursor"] }));
    assert_eq!((&rest["commits"][0]["commit"], rest.get("next_cursor")), (&json!(first), None));
    for (filter, total) in [
        (json!({ "grep": "shout" }), 1),
        (json!({ "author": "Ann" }), 3),
        (json!({ "author": "Bob" }), 0),
        (json!({ "paths": ["src"] }), 1),
        (json!({ "since": "2 days ago" }), 3),
        (json!({ "until": "2001-01-01" }), 0),
    ] {
        assert_eq!(ok(&mut session, "git_log", filter.clone())["total"], total, "{filter}");
    }
    let shown = ok(&mut session, "git_show", json!({ "revision": second }));
    assert_eq!((&shown["kind"], &shown["commit"]["subject"]), (&json!("commit"), &json!("Second: shout")));
    assert!(shown["diff"].as_str().unwrap().contains("+TWO"));
    let file = ok(&mut session, "git_show", json!({ "revision": "HEAD~2:README.md" }));
    assert_eq!((&file["kind"], &file["content"]), (&json!("blob"), &json!("one\ntwo\nthree\n")));
    let between = ok(&mut session, "git_diff", json!({ "from": first, "to": third }));
    assert_eq!(
        (&between["files"][0]["additions"], &between["files"][0]["deletions"]),
        (&json!(2), &json!(1))
    );
    let blame = ok(&mut session, "git_blame", json!({ "path": "README.md" }));
    let commits: Vec<&Value> =
        blame["hunks"].as_array().unwrap().iter().map(|hunk| &hunk["commit"]).collect();
    assert_eq!(commits, [&json!(first), &json!(second), &json!(first), &json!(third)]);
    assert_eq!(refused(&mut session, "git_show", json!({ "revision": "none" })), "revision_not_found");
    assert_eq!(refused(&mut session, "git_blame", json!({ "path": "none" })), "not_found");
}

#[test]
fn branches_are_made_and_switched_but_nothing_is_lost_by_it() {
    let yard = Yard::repository();
    let mut session = yard.serve();
    ok(&mut session, "git_branch_create", json!({ "name": "topic" }));
    let list = ok(&mut session, "git_branches", json!({}));
    assert_eq!((&list["current"], &list["total"]), (&json!("main"), &json!(2)));
    assert_eq!(ok(&mut session, "git_branches", json!({ "kind": "remote" }))["total"], 0);
    let switched = ok(&mut session, "git_switch", json!({ "name": "topic" }));
    assert_eq!((&switched["branch"], &switched["previous"]), (&json!("topic"), &json!("main")));
    commit(&mut session, &yard, "different\n", "On the topic");
    yard.put("README.md", "not saved\n");
    assert_eq!(refused(&mut session, "git_switch", json!({ "name": "main" })), "would_overwrite");
    assert_eq!(yard.bytes("README.md"), b"not saved\n");
    let pushed = ok(&mut session, "git_stash", json!({ "action": "push", "message": "later" }));
    assert_eq!((&pushed["changed"], &pushed["total"]), (&json!(true), &json!(1)));
    ok(&mut session, "git_switch", json!({ "name": "main" }));
    ok(&mut session, "git_switch", json!({ "name": "topic" }));
    assert_eq!(ok(&mut session, "git_stash", json!({ "action": "list" }))["total"], 1);
    assert_eq!(ok(&mut session, "git_stash", json!({ "action": "pop" }))["total"], 0);
    assert_eq!(yard.bytes("README.md"), b"not saved\n");
    let trees = ok(&mut session, "git_worktrees", json!({}));
    assert_eq!((&trees["total"], &trees["worktrees"][0]["branch"]), (&json!(1), &json!("topic")));
    for (tool, arguments, key) in [
        ("git_branch_create", json!({ "name": "topic" }), "already_exists"),
        ("git_branch_create", json!({ "name": "a..b" }), "invalid_params"),
        ("git_branch_create", json!({ "name": "x", "from": "none" }), "revision_not_found"),
        ("git_switch", json!({ "name": "none" }), "branch_not_found"),
        ("git_stash", json!({ "action": "pop" }), "nothing_stashed"),
        ("git_stash", json!({ "action": "drop" }), "invalid_params"),
    ] {
        assert_eq!(refused(&mut session, tool, arguments.clone()), key, "{tool} {arguments}");
    }
}

#[test]
fn an_unborn_branch_and_a_detached_head_are_fine() {
    let yard = Yard::new();
    yard.git(".", &["init", "--quiet", "--initial-branch=trunk"]);
    let mut session = yard.serve();
    let status = ok(&mut session, "git_status", json!({}));
    assert_eq!((&status["branch"], status.get("head")), (&json!("trunk"), None));
    assert_eq!(ok(&mut session, "git_log", json!({}))["total"], 0);
    yard.put("a", "1");
    yard.git(".", &["add", "."]);
    yard.git(".", &["commit", "--quiet", "--message=First"]);
    yard.git(".", &["checkout", "--quiet", "--detach"]);
    let status = ok(&mut session, "git_status", json!({}));
    assert_eq!(status.get("branch"), None);
    assert!(status["head"].is_string());
}

#[test]
fn names_that_are_no_utf_8_can_be_named_as_they_are_shown() {
    let yard = Yard::repository();
    let odd = std::ffi::OsStr::from_bytes(b"n\xffb");
    fs_err::write(yard.root().join(odd), "odd\n").unwrap();
    let mut session = yard.serve();
    let status = ok(&mut session, "git_status", json!({}));
    let shown = status["entries"][0]["path"].clone();
    assert_eq!(shown, r"n\xFFb");
    let staged = ok(&mut session, "git_add", json!({ "paths": [shown] }));
    assert_eq!(staged["staged"], json!([{ "path": shown, "change": "added" }]));
    fs_err::remove_file(yard.root().join(odd)).unwrap();
    let unstaged = ok(&mut session, "git_restore", json!({ "paths": [shown] }));
    assert_eq!(unstaged["unstaged"], json!([{ "path": shown, "change": "added" }]));
}
