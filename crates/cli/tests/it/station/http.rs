//! The workstation over HTTP: who may use it, and that each workspace is a world of its own.

use hewto_testkit::TestWorkspace;
use serde_json::{Value, json};

use super::yard::SECRET;
use crate::http_client::{Answer, HttpServer, token_file};

const TOKENS: &str = "\
reader read r-token-5f1c9a7be3d24806
writer read,write w-token-5f1c9a7be3d24806
agent workstation s-token-5f1c9a7be3d24806
";

fn serve(workspace: &TestWorkspace, flags: &[&str]) -> HttpServer {
    token_file(workspace, TOKENS);
    let flags = [&["--token-file", "tokens", "--toolsets", "all"], flags].concat();
    HttpServer::start(workspace.root(), &flags)
}

/// What a tool answered with.
fn view(answer: &Answer) -> Value {
    assert_eq!(answer.status, 200, "{answer:?}");
    let result = &answer.json()["result"];
    assert_ne!(result["isError"], true, "{result}");
    result["structuredContent"].clone()
}

/// The key of the error that a tool answered with.
fn refused(answer: &Answer) -> String {
    let result = answer.json()["result"].clone();
    assert_eq!(result["isError"], true, "{result}");
    let error: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
    error["error"].as_str().unwrap().to_owned()
}

#[test]
fn files_and_git_work_over_http_for_who_has_the_scope() {
    let workspace = TestWorkspace::native();
    let made = std::process::Command::new("git").args(["init", "-q"]).current_dir(workspace.root()).status();
    assert!(made.unwrap().success());
    let server = serve(&workspace, &[]).with_token("s-token-5f1c9a7be3d24806");
    let call = |tool: &str, arguments: Value| server.call("/mcp", tool, arguments);
    view(&call("fs_write", json!({ "path": "notes/a.txt", "content": "one\ntwo\n" })));
    assert_eq!(
        view(&call("read_text_file", json!({ "path": "notes/a.txt", "tail": 1 })))["content"],
        "two\n"
    );
    let edits = json!([{ "oldText": "one", "newText": "1" }]);
    assert_eq!(view(&call("edit_file", json!({ "path": "notes/a.txt", "edits": edits })))["changed"], true);
    view(&call("git_add", json!({ "paths": ["notes"] })));
    let status = view(&call("get_status", json!({ "repositoryPath": "." })));
    let staged = status["entries"].as_array().unwrap().iter().find(|entry| entry["staged"] == "added");
    assert_eq!(staged.unwrap()["path"], "notes/a.txt", "{status}");
    // The same session of the old era works too.
    let session = server.initialize();
    let message = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call",
                          "params": { "name": "fs_read", "arguments": { "path": "notes/a.txt" } } });
    assert_eq!(view(&server.legacy(Some(&session), &message))["content"], "1\ntwo\n");
}

/// Whoever could read the logs would see the inputs of others, which takes the scope `admin`.
#[test]
fn what_others_asked_for_is_not_read_from_the_logs() {
    let workspace = TestWorkspace::native();
    let server = serve(&workspace, &[]).with_token("w-token-5f1c9a7be3d24806");
    let new = json!({ "title": "Of somebody else", "description": "x" });
    view(&server.call("/mcp", "spec_create", new));
    let server = server.with_token("s-token-5f1c9a7be3d24806");
    let listed = view(&server.call("/mcp", "fs_list", json!({ "path": ".hewto/logs" })));
    let names: Vec<&str> =
        listed["entries"].as_array().unwrap().iter().map(|entry| entry["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"operations.jsonl"), "{names:?}");
    for name in names {
        let path = format!(".hewto/logs/{name}");
        assert_eq!(
            refused(&server.call("/mcp", "fs_read", json!({ "path": path }))),
            "protected_path",
            "{name}"
        );
    }
    let copy = json!({ "source": ".hewto", "destination": "mine", "recursive": true });
    assert_eq!(refused(&server.call("/mcp", "fs_copy", copy)), "protected_path");
    let found =
        server.call("/mcp", "fs_search", json!({ "query": "Of somebody else", "path": ".hewto/logs" }));
    assert!(!found.json()["result"].to_string().contains("operations.jsonl"), "{found:?}");
}

#[test]
fn who_lacks_the_scope_sees_and_reaches_none_of_the_tools() {
    let workspace = TestWorkspace::native();
    let server = serve(&workspace, &[]);
    let names = |server: &HttpServer| -> Vec<String> {
        let list = server.modern("/mcp", "tools/list", json!({})).json();
        let tools = list["result"]["tools"].as_array().unwrap().clone();
        tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    };
    let is_ours = |name: &String| ["fs_", "git_", "ci_"].iter().any(|start| name.starts_with(start));
    let mut server = server;
    for token in ["r-token-5f1c9a7be3d24806", "w-token-5f1c9a7be3d24806"] {
        server = server.with_token(token);
        for (tool, arguments) in [
            ("fs_read", json!({ "path": ".hewto/config.toml" })),
            ("read_file", json!({ "path": ".hewto/config.toml" })),
            ("filesystem/read", json!({ "path": ".hewto/config.toml" })),
            ("fs_write", json!({ "path": "x", "content": "y" })),
            ("ci_run", json!({ "command": "ls" })),
            ("git_status", json!({})),
        ] {
            let answer = server.call("/mcp", tool, arguments);
            assert_eq!((answer.status, answer.error()), (403, json!("insufficient_scope")), "{token} {tool}");
            let scope = if tool == "ci_run" { "run" } else { "workstation" };
            let challenge = answer.header("www-authenticate").unwrap();
            assert!(challenge.contains(&format!("scope=\"{scope}\"")), "{tool}: {challenge}");
        }
    }
    assert!(!workspace.root().join("x").exists());
    let server = server.with_token("s-token-5f1c9a7be3d24806");
    assert_eq!(names(&server).iter().filter(|name| is_ours(name)).count(), 35);
    // Where the toolset is not asked for, nobody has it.
    token_file(&workspace, TOKENS);
    let plain = HttpServer::start(workspace.root(), &["--token-file", "tokens"])
        .with_token("s-token-5f1c9a7be3d24806");
    assert!(!names(&plain).iter().any(is_ours));
    let unknown = plain.call("/mcp", "fs_read", json!({ "path": "x" }));
    assert_eq!(unknown.json()["error"]["code"], -32602, "{unknown:?}");
}

#[test]
fn the_roots_of_one_workspace_hold_and_another_is_outside() {
    let (one, two) = (TestWorkspace::native(), TestWorkspace::native());
    fs_err::write(two.root().join("secret.txt"), SECRET).unwrap();
    fs_err::write(one.root().join("here.txt"), "here").unwrap();
    std::os::unix::fs::symlink(two.root(), one.root().join("link")).unwrap();
    let flag = |name: &str, workspace: &TestWorkspace| format!("{name}={}", workspace.root().display());
    let (first, second) = (flag("one", &one), flag("two", &two));
    let server =
        serve(&one, &["--workspace", &first, "--workspace", &second]).with_token("s-token-5f1c9a7be3d24806");
    let roots = |path: &str| view(&server.call(path, "fs_roots", json!({})))["roots"][0]["path"].clone();
    assert_eq!(roots("/mcp/w/one"), json!(fs_err::canonicalize(one.root()).unwrap()));
    assert_eq!(roots("/mcp/w/two"), json!(fs_err::canonicalize(two.root()).unwrap()));
    let secret = two.root().join("secret.txt").display().to_string();
    for path in [secret.as_str(), "link/secret.txt", "../secret.txt"] {
        for tool in ["fs_read", "fs_info", "fs_list", "fs_delete"] {
            let answer = server.call("/mcp/w/one", tool, json!({ "path": path }));
            assert_eq!(refused(&answer), "path_outside_roots", "{tool} {path}");
            assert!(!answer.text.contains(SECRET));
        }
    }
    let answer = server.call("/mcp/w/one", "git_status", json!({ "repo": two.root() }));
    assert_eq!(refused(&answer), "path_outside_roots");
    assert_eq!(view(&server.call("/mcp/w/two", "fs_read", json!({ "path": secret })))["content"], SECRET);
    assert_eq!(refused(&server.call("/mcp/w/two", "fs_read", json!({ "path": "here.txt" }))), "not_found");
}
