//! The cases that the reference servers guard against in their own tests, as far as they apply here.

use hewto_testkit::Era;
use serde_json::json;

use super::yard::{Yard, call_as, ok, refused};

#[test]
fn names_that_only_look_like_a_way_out_are_names() {
    let yard = Yard::new();
    let mut session = yard.serve();
    for name in [
        "..test",
        "test..",
        "te..st",
        "...",
        "....",
        "report_50%.txt",
        "%2e%2e",
        "a%20b",
        "a~",
        "$HOME",
        "a\\..\\b",
    ] {
        ok(&mut session, "fs_write", json!({ "path": name, "content": "x" }));
        assert_eq!(yard.bytes(name), b"x", "{name}");
    }
    let root = yard.root().display().to_string();
    for path in [format!("{root}/"), format!("{root}//"), format!("{root}/."), format!("{root}/./..test/..")]
    {
        let key = session.call("fs_list", json!({ "path": path })).raw;
        // The last goes through a file, which the system does not allow.
        assert!(key["isError"] != true || path.ends_with("/.."), "{path}: {key}");
    }
    assert_eq!(ok(&mut session, "fs_read", json!({ "path": format!("{root}//.///a~") }))["content"], "x");
}

#[test]
fn ways_out_are_refused_in_every_spelling() {
    let yard = Yard::new();
    fs_err::create_dir_all(yard.root().join("src")).unwrap();
    let mut session = yard.serve();
    let (root, base) = (yard.root().display().to_string(), yard.base().display().to_string());
    for path in [
        format!("{root}/.."),
        format!("{root}/../../../etc/passwd"),
        format!("{root}/src/../../root_evil/x"),
        format!("{root}/./../outside/secret.txt"),
        format!("{root}/../root/../outside/secret.txt"),
        format!("{base}//root_evil/x"),
        format!("{base}/rootx"),
        format!("{base}/root-old"),
        format!("{base}/root.bak"),
        base.clone(),
        "/".to_owned(),
        format!("{}etc/passwd", "../".repeat(100)),
        format!("{}{}etc/passwd", "src/../".repeat(200), "../".repeat(50)),
    ] {
        for tool in ["fs_read", "fs_list", "fs_info", "fs_exists", "fs_tree"] {
            assert_eq!(
                refused(&mut session, tool, json!({ "path": path })),
                "path_outside_roots",
                "{tool} {path}"
            );
        }
        let write = json!({ "path": path, "content": "x" });
        assert_eq!(refused(&mut session, "fs_write", write), "path_outside_roots", "{path}");
    }
    for path in [json!(123), json!({}), json!([]), json!(null)] {
        assert_eq!(refused(&mut session, "fs_read", json!({ "path": path })), "invalid_params");
    }
    for path in ["test\0.txt", "\0", "a/\0/b"] {
        assert_eq!(refused(&mut session, "fs_exists", json!({ "path": path })), "invalid_params");
    }
    let long = format!("{}file.txt", "a/".repeat(3000));
    assert_eq!(refused(&mut session, "fs_read", json!({ "path": long })), "not_found");
    yard.assert_outside_untouched();
}

#[test]
fn a_root_may_have_any_name_and_roots_may_lie_in_each_other() {
    let yard = Yard::new();
    for name in ["my project (v2)", "café", "50% done"] {
        let folder = yard.base().join(name);
        fs_err::create_dir_all(folder.join("inner")).unwrap();
        fs_err::write(folder.join("inner/a.txt"), name).unwrap();
        fs_err::create_dir_all(yard.base().join(format!("{name}_backup"))).unwrap();
        let outer = format!("{}/", folder.display());
        let inner = format!("{}/inner/../inner", folder.display());
        let args = ["serve", "--toolsets", "workstation", "--root", &outer, "--root", &inner];
        let mut session = yard.start(&args, &[], Era::Legacy);
        for path in [folder.join("inner/a.txt"), folder.join("inner/../inner/a.txt")] {
            assert_eq!(ok(&mut session, "fs_read", json!({ "path": path }))["content"], name);
        }
        let sibling = yard.base().join(format!("{name}_backup"));
        assert_eq!(refused(&mut session, "fs_list", json!({ "path": sibling })), "path_outside_roots");
        let decomposed = yard.base().join("cafe\u{301}");
        assert_eq!(refused(&mut session, "fs_list", json!({ "path": decomposed })), "path_outside_roots");
    }
}

#[test]
fn a_race_of_writes_changes_nothing_outside() {
    let yard = Yard::in_memory();
    let mut session = yard.serve();
    let (mut written, mut kept_out) = (0, 0);
    yard.while_swapping(|| {
        let edits = json!([{ "old_text": "secret", "new_text": "public" }]);
        for _ in 0..400 {
            for (tool, arguments) in [
                ("fs_write", json!({ "path": "prize", "content": "written" })),
                ("fs_append", json!({ "path": "prize", "content": "more" })),
                ("fs_edit", json!({ "path": "prize", "edits": edits })),
            ] {
                let reply = session.call(tool, arguments);
                assert!(!reply.text.contains("secret outside"), "{}", reply.text);
                *if reply.is_error { &mut kept_out } else { &mut written } += 1;
            }
        }
    });
    assert!(written > 0 && kept_out > 0, "the race was run: {written} written, {kept_out} kept out");
    yard.assert_outside_untouched();
}

#[test]
fn the_git_server_s_own_cases_hold() {
    let yard = Yard::repository();
    yard.git(".", &["branch", "topic"]);
    let first = yard.git(".", &["rev-parse", "HEAD"]);
    yard.put("second.txt", "2");
    yard.git(".", &["add", "."]);
    yard.git(".", &["commit", "--quiet", "--message=Second"]);
    let second = yard.git(".", &["rev-parse", "HEAD"]);
    let mut session = yard.serve();
    let mut names = |arguments| -> Vec<String> {
        let view = call_as(&mut session, "git_branch", arguments);
        let branches = view["branches"].as_array().unwrap().iter();
        branches.map(|branch| branch["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(json!({ "branch_type": "local", "contains": second })), ["main"]);
    assert_eq!(names(json!({ "branch_type": "local", "not_contains": second })), ["topic"]);
    assert_eq!(names(json!({ "branch_type": "all", "contains": first })), ["main", "topic"]);
    assert!(names(json!({ "branch_type": "remote" })).is_empty());
    for (tool, arguments) in [
        ("git_branch", json!({ "branch_type": "nonsense" })),
        ("git_branch", json!({ "branch_type": "local", "contains": "-D" })),
        ("git_checkout", json!({ "branch_name": "--orphan" })),
        ("git_create_branch", json!({ "branch_name": "ok", "base_branch": "-f" })),
        ("git_diff", json!({ "target": "--no-index" })),
        ("git_diff_staged", json!({ "context_lines": -1 })),
        ("git_log", json!({ "max_count": 0 })),
        ("git_log", json!({ "start_timestamp": "--all" })),
        ("git_show", json!({ "revision": "-p" })),
        ("git_add", json!({ "files": [] })),
    ] {
        let params = json!({ "name": tool, "arguments": arguments });
        let result = session.request("tools/call", params).unwrap();
        assert!(result.to_string().contains("invalid_params"), "{tool} {arguments}: {result}");
    }
    // An index with nothing new in it is no commit.
    assert_eq!(refused(&mut session, "git_commit", json!({ "message": "x" })), "nothing_to_commit");
}
