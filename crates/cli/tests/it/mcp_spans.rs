//! What a server says on standard error while it works on a call tells whose call it is (D-7, seed 002).

use hewto_testkit::{Era, TestWorkspace};
use serde_json::{Value, json};

use crate::http_client::{HttpServer, token_file};
use crate::mcp_client::serve_with;

const TOKENS: &str = "writer read,write w-token-5f1c9a7be3d24806\n";

/// A record that this machine never wrote: the next call ignores it and warns, deep in the store, on a thread of its own.
fn spoil_the_journal(workspace: &TestWorkspace) {
    fs_err::create_dir_all(workspace.path(".hewto/journal")).unwrap();
    fs_err::write(workspace.path(".hewto/journal/pending"), "no record").unwrap();
}

fn warning(stderr: &str) -> &str {
    let found = stderr.lines().find(|line| line.contains("is not this machine's and is ignored"));
    found.unwrap_or_else(|| panic!("no warning in: {stderr}"))
}

#[test]
fn a_line_from_within_a_call_names_workspace_tool_session_and_operation() {
    let workspace = TestWorkspace::native();
    let mut session = serve_with(&workspace, Era::Legacy, &[]);
    session.call("spec_list", json!({})).ok();
    spoil_the_journal(&workspace);
    let arguments = json!({ "title": "A", "description": "Why" });
    let call = json!({ "name": "spec_create", "arguments": arguments });
    let result = session.request("tools/call", call).unwrap();
    let operation = result["_meta"]["operation_id"].as_str().unwrap();
    let log = workspace.read(".hewto/logs/operations.jsonl");
    let envelope: Value = serde_json::from_str(log.lines().last().unwrap()).unwrap();
    assert_eq!(envelope["operation_id"], operation);
    let ended = session.close();
    let line = warning(&ended.stderr);
    let root = workspace.root().canonicalize().unwrap();
    let own = [root.to_str().unwrap(), "spec_create", operation, envelope["session_id"].as_str().unwrap()];
    for part in own {
        assert!(line.contains(part), "`{part}` is not in: {line}");
    }
    assert!(!line.contains("principal"), "nobody signed in: {line}");
}

#[test]
fn over_http_the_line_names_the_principal_too() {
    let workspace = TestWorkspace::native();
    token_file(&workspace, TOKENS);
    let server = HttpServer::start(workspace.root(), &["--token-file", "tokens"])
        .with_token("w-token-5f1c9a7be3d24806");
    // Whatever a server does once, it has done after its first answer.
    assert_eq!(server.call("/mcp", "spec_list", json!({})).status, 200);
    spoil_the_journal(&workspace);
    let arguments = json!({ "title": "A", "description": "Why" });
    assert_eq!(server.call("/mcp", "spec_create", arguments).status, 200);
    server.signal();
    let (_, stderr) = server.wait();
    let line = warning(&stderr);
    for part in ["principal=\"writer\"", "tool=\"spec_create\""] {
        assert!(line.contains(part), "`{part}` is not in: {line}");
    }
}
