//! One client of a shared server against all others: what it can take up, whom it can lock out, what it leaves behind.

use hewto_testkit::TestWorkspace;
use serde_json::{Value, json};

use crate::http_client::{HttpServer, initialize, modern_message, token_file, with_tokens};

fn logs(workspace: &TestWorkspace) -> String {
    let files = fs_err::read_dir(workspace.root().join(".hewto/logs")).unwrap();
    files.map(|file| fs_err::read_to_string(file.unwrap().path()).unwrap()).collect()
}

#[test]
fn a_handshake_and_metadata_have_a_few_kilobytes_and_only_calls_may_be_large() {
    let workspace = TestWorkspace::native();
    let server = with_tokens(&workspace, &[]).with_token("w-token-5f1c9a7be3d24806");
    let mut large = initialize();
    large["params"]["capabilities"]["experimental"] = json!({ "x": "y".repeat(10_000) });
    let refused = server.legacy(None, &large);
    assert_eq!((refused.status, refused.error()), (413, json!("handshake_too_large")));
    assert_eq!(refused.json()["id"], 0, "it says which request it answers");
    let meta = json!({ "name": "spec_list", "arguments": {}, "_meta": { "x": "y".repeat(10_000) } });
    let refused = server.modern("/mcp", "tools/call", meta);
    assert_eq!((refused.status, refused.error()), (413, json!("meta_too_large")));
    let uris = vec!["airsspec:///specs/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"; 2_000];
    let listen = json!({ "notifications": { "resourceSubscriptions": uris } });
    let refused = server.modern("/mcp", "subscriptions/listen", listen);
    assert_eq!((refused.status, refused.error()), (413, json!("message_too_large")));
    let small = vec![json!({ "": 0 }); 60_000];
    let refused = server.call("/mcp", "spec_list", json!({ "x": small }));
    assert_eq!((refused.status, refused.error()), (413, json!("message_too_large")));
    assert_eq!(server.call("/mcp", "spec_list", json!({})).status, 200);
    assert!(server.get("/metrics").text.contains("hewto_http_body_bytes_in_flight 0\n"));
}

#[test]
fn what_a_scope_forbids_counts_against_the_rate_before_it_fills_a_log() {
    let workspace = TestWorkspace::native();
    workspace
        .add("//- .hewto/config.toml\n[project]\nname = \"s\"\n\n[rate]\nper_second = 0.01\nburst = 2\n");
    let server = with_tokens(&workspace, &[]).with_token("r-token-5f1c9a7be3d24806");
    let call = json!({ "name": "spec_create", "arguments": { "x": vec!["x".repeat(4_000); 200] } });
    let statuses: Vec<u16> =
        (0..4).map(|_| server.modern("/mcp", "tools/call", call.clone()).status).collect();
    assert_eq!(statuses, [403, 403, 429, 429]);
    server.signal();
    server.wait();
    let logs = logs(&workspace);
    assert!(logs.contains("insufficient_scope") && logs.contains("spec_create"), "{logs}");
    assert!(logs.len() < 20_000, "{} bytes", logs.len());
}

#[test]
fn no_session_ends_because_of_another_principal() {
    let workspace = TestWorkspace::native();
    let server = with_tokens(&workspace, &[]).with_token("r-token-5f1c9a7be3d24806");
    let theirs = server.initialize();
    let server = server.with_token("w-token-5f1c9a7be3d24806");
    for _ in 0..1_100 {
        assert_eq!(server.legacy(None, &initialize()).status, 200);
    }
    let sessions = server.get("/metrics").text;
    assert!(sessions.contains("hewto_http_sessions 1025\n"), "{sessions}");
    let server = server.with_token("r-token-5f1c9a7be3d24806");
    let ping = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" });
    assert_eq!(server.legacy(Some(&theirs), &ping).status, 200);
}

#[test]
fn a_wrong_token_is_counted_slowed_down_and_logged_without_itself() {
    let workspace = TestWorkspace::native();
    let server = with_tokens(&workspace, &[]).with_token("guessed-by-mallory");
    let statuses: Vec<u16> = (0..30).map(|_| server.get("/metrics").status).collect();
    assert!(statuses.iter().all(|status| *status == 401), "{statuses:?}");
    let server = server.with_token("r-token-5f1c9a7be3d24806");
    assert!(server.get("/metrics").text.contains("hewto_http_wrong_tokens_total 30\n"));
    server.signal();
    let (_, said) = server.wait();
    let logs = logs(&workspace);
    let lines: Vec<Value> = logs.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let refused: Vec<&Value> = lines.iter().filter(|line| line["type"] == "refused").collect();
    assert!(refused.iter().any(|line| line["address"] == "127.0.0.1" && line["count"] == 16), "{logs}");
    for text in [said, logs] {
        assert!(text.contains("count") && !text.contains("mallory"), "{text}");
    }
}

#[test]
fn a_token_that_is_bound_to_a_workspace_opens_no_other() {
    let (one, two) = (TestWorkspace::native(), TestWorkspace::native());
    token_file(&one, "ann read w-token-5f1c9a7be3d24806 workspace=shop\nbob read r-token-5f1c9a7be3d24806\n");
    let flags = [format!("shop={}", one.root().display()), format!("lab={}", two.root().display())];
    let flags = ["--token-file", "tokens", "--workspace", &flags[0], "--workspace", &flags[1]];
    let server = HttpServer::start(one.root(), &flags).with_token("w-token-5f1c9a7be3d24806");
    assert_eq!(server.call("/mcp/w/shop", "spec_list", json!({})).status, 200);
    let other = server.call("/mcp/w/lab", "spec_list", json!({}));
    let unknown = server.call("/mcp/w/nowhere", "spec_list", json!({}));
    assert_eq!(
        (other.status, other.error()),
        (unknown.status, unknown.error()),
        "it tells nothing of the other"
    );
    assert_eq!(other.status, 404);
    let server = server.with_token("r-token-5f1c9a7be3d24806");
    assert_eq!(server.call("/mcp/w/lab", "spec_list", json!({})).status, 200);
}

#[test]
fn a_client_whose_rate_is_used_up_sends_no_large_body_in_vain() {
    let workspace = TestWorkspace::native();
    workspace
        .add("//- .hewto/config.toml\n[project]\nname = \"s\"\n\n[rate]\nper_second = 0.01\nburst = 1\n");
    let server = HttpServer::start(workspace.root(), &[]);
    assert_eq!(server.call("/mcp", "spec_list", json!({})).status, 200);
    let large = modern_message(
        1,
        "tools/call",
        json!({ "name": "spec_list", "arguments": { "x": "y".repeat(100_000) } }),
    );
    let headers = [("Content-Type", "application/json")];
    let refused = server.send("POST", "/mcp", &headers, large.to_string().as_bytes());
    assert_eq!((refused.status, refused.error()), (429, json!("rate_limited")));
}

#[test]
fn a_principal_sees_its_own_operations_and_an_administrator_all() {
    let workspace = TestWorkspace::native();
    let tokens = "ann read,write a-token-5f1c9a7be3d24806\nbob read b-token-5f1c9a7be3d24806\nroot read,admin c-token-5f1c9a7be3d24806\n";
    token_file(&workspace, tokens);
    let flags = ["--token-file", "tokens", "--toolsets", "all"];
    let server = HttpServer::start(workspace.root(), &flags).with_token("a-token-5f1c9a7be3d24806");
    server.call(
        "/mcp",
        "spec_create",
        json!({ "title": "Ann's", "description": "the db pass is Sup3rGeheim" }),
    );
    let seen_by = |server: &HttpServer| {
        let answer = server.call("/mcp", "specman_operations_inspect", json!({})).json();
        let operations = answer["result"]["structuredContent"]["operations"].as_array().unwrap().clone();
        let total = answer["result"]["structuredContent"]["total"].clone();
        (operations.iter().filter(|one| one["principal"] == "ann").count(), total)
    };
    assert_eq!(seen_by(&server), (1, json!(1)));
    let server = server.with_token("b-token-5f1c9a7be3d24806");
    assert_eq!(seen_by(&server), (0, json!(0)), "not even how many there are");
    let server = server.with_token("c-token-5f1c9a7be3d24806");
    assert_eq!(seen_by(&server).0, 2);
    assert!(!logs(&workspace).contains("Sup3rGeheim"));
}
