//! The names and parameters of the original, the reference servers and the seed.

use hewto_testkit::Era;
use serde_json::{Value, json};

use super::yard::{Yard, call_as, refused};

fn names(list: &Value) -> Vec<String> {
    list["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn the_reference_file_server_can_be_replaced() {
    let yard = Yard::new();
    yard.put("a.txt", "l1\nl2\nl3\n");
    let mut session = yard.serve();
    let mut call = |name: &str, arguments: Value| call_as(&mut session, name, arguments);
    for name in ["read_file", "read_text_file", "filesystem/read"] {
        assert_eq!(call(name, json!({ "path": "a.txt" }))["content"], "l1\nl2\nl3\n", "{name}");
    }
    assert_eq!(call("read_text_file", json!({ "path": "a.txt", "tail": 2 }))["content"], "l2\nl3\n");
    assert_eq!(call("read_media_file", json!({ "path": "a.txt" }))["media"]["kind"], "binary");
    assert_eq!(call("read_multiple_files", json!({ "paths": ["a.txt", "none"] }))["failed"], 1);
    call("write_file", json!({ "path": "b.txt", "content": "b" }));
    let edits = json!([{ "oldText": "b", "newText": "c" }]);
    assert_eq!(
        call("edit_file", json!({ "path": "b.txt", "edits": edits, "dryRun": true }))["dry_run"],
        true
    );
    call("edit_file", json!({ "path": "b.txt", "edits": edits }));
    assert_eq!(yard.bytes("b.txt"), b"c");
    call("create_directory", json!({ "path": "d/e" }));
    let listed = call("list_directory", json!({ "path": "." }));
    assert_eq!((&listed["total"], &listed["entries"][0]["size"]), (&json!(3), &json!(null)));
    let sizes = call("list_directory_with_sizes", json!({ "path": ".", "sortBy": "size" }));
    assert_eq!(sizes["entries"][0]["name"], "a.txt");
    assert!(sizes["entries"][0]["size"].is_u64(), "{sizes}");
    let tree = call("directory_tree", json!({ "path": ".", "excludePatterns": ["*.txt"] }));
    assert_eq!(tree["total"], 2);
    let found = call("search_files", json!({ "path": ".", "pattern": "*.txt", "excludePatterns": ["b*"] }));
    assert_eq!(found["total"], 1);
    call("move_file", json!({ "source": "b.txt", "destination": "d/b.txt" }));
    assert_eq!(call("get_file_info", json!({ "path": "d/b.txt" }))["size"], 1);
    assert_eq!(call("list_allowed_directories", json!({}))["roots"][0]["path"], json!(yard.root()));
    assert_eq!(call("file_exists", json!({ "path": "d" }))["exists"], false);
    assert_eq!(call("directory_exists", json!({ "path": "d" }))["exists"], true);
    call("delete_file", json!({ "path": "a.txt" }));
    let folder = json!({ "name": "delete_file", "arguments": { "path": "d/e" } });
    assert!(!yard.root().join("a.txt").exists());
    let kept = session.request("tools/call", folder).unwrap();
    assert!(kept.to_string().contains("is_a_directory") && yard.root().join("d/e").exists(), "{kept}");
    assert!(
        names(&session.request("tools/list", json!({})).unwrap())
            .iter()
            .all(|name| { ["fs_", "git_", "ci_"].iter().any(|prefix| name.starts_with(prefix)) })
    );
}

#[test]
fn the_reference_git_server_can_be_replaced() {
    let yard = Yard::repository();
    let repo = yard.root();
    yard.put("README.md", "changed\n");
    let mut session = yard.serve();
    let mut call = |name: &str, mut arguments: Value| {
        arguments["repo_path"] = json!(repo);
        call_as(&mut session, name, arguments)
    };
    assert_eq!(call("git_status", json!({}))["clean"], false);
    assert_eq!(call("git_diff_unstaged", json!({ "context_lines": 0 }))["total"], 1);
    assert_eq!(call("git_add", json!({ "files": ["README.md"] }))["total"], 1);
    assert_eq!(call("git_diff_staged", json!({}))["total"], 1);
    assert_eq!(call("git_diff", json!({ "target": "HEAD" }))["total"], 1);
    assert_eq!(call("git_reset", json!({}))["unstaged"].as_array().unwrap().len(), 1);
    assert_eq!(call("git_reset", json!({}))["unstaged"], json!([]));
    call("git_add", json!({ "files": ["README.md"] }));
    assert_eq!(call("git_commit", json!({ "message": "Second" }))["subject"], "Second");
    let log = call("git_log", json!({ "max_count": 1, "start_timestamp": "2 days ago" }));
    assert_eq!(log["commits"].as_array().unwrap().len(), 1);
    assert_eq!(call("git_show", json!({ "revision": "HEAD" }))["kind"], "commit");
    call("git_create_branch", json!({ "branch_name": "topic", "base_branch": "main" }));
    assert_eq!(call("git_checkout", json!({ "branch_name": "topic" }))["branch"], "topic");
    assert_eq!(call("git_branch", json!({ "branch_type": "local", "contains": "HEAD" }))["total"], 2);
}

#[test]
fn the_profile_stands_in_for_the_original() {
    let yard = Yard::repository().configured("[workstation.commands]\necho = []\n");
    let mut session = yard.serve_with(&["--profile", "ancplua"]);
    let list = session.request("tools/list", json!({})).unwrap();
    assert_eq!(
        names(&list),
        [
            "add",
            "build",
            "commit",
            "create_directory",
            "delete_file",
            "directory_exists",
            "file_exists",
            "get_current_branch",
            "get_diagnostics",
            "get_diff",
            "get_log",
            "get_status",
            "list_branches",
            "list_directory",
            "read_file",
            "restore",
            "run_command",
            "run_tests",
            "write_file",
        ]
    );
    let log = list["tools"].as_array().unwrap().iter().find(|tool| tool["name"] == "get_log").unwrap();
    assert!(log["inputSchema"]["properties"]["maxCount"].is_object(), "{log}");
    let mut call = |name: &str, arguments: Value| session.call(name, arguments).ok();
    assert_eq!(call("read_file", json!({ "path": "README.md" }))["content"], "one\ntwo\nthree\n");
    assert_eq!(call("get_current_branch", json!({}))["current"], "main");
    assert_eq!(call("get_log", json!({ "repositoryPath": ".", "maxCount": 5 }))["total"], 1);
    call("write_file", json!({ "path": "deep/new.txt", "content": "new" }));
    assert_eq!(call("get_status", json!({}))["clean"], false);
    call("add", json!({ "files": ["deep/new.txt"], "repositoryPath": "." }));
    assert_eq!(call("commit", json!({ "message": "Second" }))["files"], 1);
    assert_eq!(call("list_branches", json!({}))["total"], 1);
    assert_eq!(call("get_diff", json!({}))["total"], 0);
    let said = call("run_command", json!({ "command": "echo hi", "workingDirectory": "src" }));
    assert_eq!(said["stdout"], "hi\n");
    assert!(call("get_diagnostics", json!({}))["processor_count"].is_u64());
    assert_eq!(refused(&mut session, "get_log", json!({ "limit": 5 })), "invalid_params");
    assert_eq!(call_as(&mut session, "filesystem/read", json!({ "path": "README.md" }))["size"], 14);
    let unknown = session.request("tools/call", json!({ "name": "fs_tree", "arguments": {} })).unwrap_err();
    assert_eq!(unknown.code, -32602);
}

#[test]
fn the_profile_takes_its_folder_from_the_original_s_variable_and_tells_its_name() {
    let yard = Yard::new();
    yard.put("a.txt", "hi");
    let root = yard.root();
    let env = [("FILESYSTEM_TOOLS_BASE_PATH", root.to_str().unwrap())];
    let mut session = yard.start(&["serve", "--profile", "ancplua"], &env, Era::Modern);
    assert_eq!(session.call("read_file", json!({ "path": "a.txt" })).ok()["content"], "hi");
    let discovered = session.request("server/discover", json!({})).unwrap();
    assert_eq!(discovered["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "ancplua");
    let instructions = discovered["instructions"].as_str().unwrap();
    assert!(instructions.contains("read_file") && !instructions.contains("fs_"), "{instructions}");
}
