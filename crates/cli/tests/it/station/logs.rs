//! Where calls are recorded when there is no workspace, and that contents of files are not.

use std::path::Path;

use hewto_testkit::Era;
use serde_json::{Value, json};

use super::yard::{Yard, ok};

/// Everything that is written below a folder.
fn all_text(folder: &Path) -> String {
    let mut text = String::new();
    for entry in fs_err::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            text.push_str(&all_text(&path));
        } else {
            text.push_str(&String::from_utf8_lossy(&fs_err::read(&path).unwrap()));
        }
    }
    text
}

fn operations(folder: &Path) -> Vec<Value> {
    let text = fs_err::read_to_string(folder.join("operations.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn with_a_root_and_no_workspace_logs_go_to_the_user_s_state_folder() {
    let yard = Yard::repository();
    let mut session = yard.serve();
    ok(&mut session, "fs_list", json!({}));
    assert!(session.close().status.success());
    let folder = yard.base().join("state/hewto");
    let called: Vec<Value> = operations(&folder).iter().map(|line| line["capability_id"].clone()).collect();
    assert_eq!(called, ["fs_list"]);
    let daily = fs_err::read_dir(&folder).unwrap().filter_map(|entry| {
        let name = entry.unwrap().file_name().into_string().unwrap();
        name.ends_with(".jsonl").then_some(name)
    });
    assert_eq!(daily.count(), 3, "the day, the session, the operations");
    assert!(!yard.root().join(".git/hewto").exists() && !yard.root().join(".hewto").exists());
}

#[test]
fn a_folder_for_logs_that_is_named_wins() {
    let yard = Yard::new().configured("");
    let root = yard.root();
    let logs = yard.base().join("my/logs");
    let args = [
        "serve",
        "--toolsets",
        "workstation",
        "--workspace",
        root.to_str().unwrap(),
        "--log-dir",
        logs.to_str().unwrap(),
    ];
    let mut session = yard.start(&args, &[], Era::Legacy);
    ok(&mut session, "fs_list", json!({}));
    session.close();
    assert_eq!(operations(&logs).len(), 1);
    assert!(!root.join(".hewto/logs").exists());
}

#[test]
fn contents_of_files_are_never_in_the_logs() {
    let yard = Yard::repository().configured("[workstation.commands]\ncat = []\n");
    yard.put("a.txt", "marzipan one\n");
    yard.put("dot.png", b"\x89PNG\r\n\x1a\n\0marzipan");
    let mut session = yard.serve();
    ok(&mut session, "fs_read", json!({ "path": "a.txt" }));
    let picture = session.call("fs_read", json!({ "path": "dot.png" })).raw["content"][1]["data"].clone();
    ok(&mut session, "fs_read_many", json!({ "paths": ["a.txt"] }));
    ok(&mut session, "fs_search", json!({ "query": "one" }));
    ok(&mut session, "fs_write", json!({ "path": "b.txt", "content": "marzipan two\n" }));
    ok(&mut session, "fs_append", json!({ "path": "b.txt", "content": "marzipan three\n" }));
    let edits = json!([{ "old_text": "marzipan two", "new_text": "marzipan four" }]);
    ok(&mut session, "fs_edit", json!({ "path": "b.txt", "edits": edits }));
    session
        .call(
            "fs_edit",
            json!({ "path": "b.txt", "edits": [{ "old_text": "marzipan fore", "new_text": "x" }] }),
        )
        .error();
    session
        .call(
            "fs_edit",
            json!({ "path": "b.txt", "edits": [{ "oldText": "marzipan", "newText": "marzipan" }] }),
        )
        .error();
    ok(&mut session, "git_add", json!({ "paths": ["b.txt"] }));
    ok(&mut session, "git_diff", json!({ "staged": true }));
    ok(&mut session, "git_blame", json!({ "path": "README.md" }));
    ok(&mut session, "ci_run", json!({ "command": "cat a.txt" }));
    assert!(session.close().status.success());
    let text = all_text(&yard.base().join("state"));
    assert!(text.contains("fs_edit") && text.contains("sha256:"));
    assert!(!text.contains("marzipan"), "{}", text.lines().find(|line| line.contains("marzipan")).unwrap());
    assert!(!text.contains(picture.as_str().unwrap()));
}

#[test]
fn how_a_run_ended_is_on_record() {
    let yard = Yard::new().configured("[workstation.commands]\nsleep = []\nfalse = []\n");
    let mut session = yard.serve();
    session.call("ci_run", json!({ "command": "sleep 100", "timeout_s": 1 })).error();
    session.call("ci_run", json!({ "command": "false" })).error();
    ok(&mut session, "fs_roots", json!({}));
    session.close();
    let statuses: Vec<Value> =
        operations(&yard.base().join("state/hewto")).iter().map(|line| line["status"].clone()).collect();
    assert_eq!(statuses, ["timed_out", "failed", "succeeded"]);
}
