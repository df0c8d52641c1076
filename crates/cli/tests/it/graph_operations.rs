//! `operations.inspect` over MCP, and where its log is kept.

use hewto_testkit::{Era, McpSession};
use serde_json::{Value, json};

use crate::graph_fixture::{serve_graph, specman};

#[test]
fn operations_are_found_by_session_capability_status_and_time() {
    let workspace = specman();
    let mut session = serve_graph(&workspace);
    for _ in 0..3 {
        session.call("specman_dependency_tree", json!({ "locator": "spec://specman-core" })).ok();
    }
    session.call("specman_dependency_tree", json!({ "locator": "spec://nothing" })).error();
    session.call("specman_dependency_tree", json!({})).error();
    let inspect = |session: &mut McpSession, arguments: Value| {
        session.call("specman_operations_inspect", arguments).ok()
    };
    let failed = inspect(&mut session, json!({ "status": "failed" }));
    assert_eq!(failed["total"], 2);
    assert_eq!(failed["operations"][1]["error"]["error"], "artifact_not_found");
    for spelling in ["specman.core.dependency.tree", "specman_dependency_tree"] {
        let trees = inspect(&mut session, json!({ "capability_id": spelling, "limit": 2 }));
        assert_eq!((&trees["total"], &trees["remaining"]), (&json!(5), &json!(3)));
        let next = json!({ "capability_id": spelling, "limit": 10, "cursor": trees["next_cursor"] });
        let rest = inspect(&mut session, next);
        assert_eq!((&rest["total"], rest["operations"].as_array().unwrap().len()), (&json!(5), 3));
        assert_eq!(rest.get("next_cursor"), None);
    }
    let own = failed["operations"][0]["session_id"].clone();
    assert!(inspect(&mut session, json!({ "session_id": own }))["total"].as_u64().unwrap() >= 5);
    assert_eq!(inspect(&mut session, json!({ "session_id": "nobody" }))["total"], 0);
    assert_eq!(inspect(&mut session, json!({ "since": "2099-01-01" }))["total"], 0);
    assert_eq!(inspect(&mut session, json!({ "until": "2000-01-01T00:00:00Z" }))["total"], 0);
    for bad in [json!({ "since": "yesterday" }), json!({ "status": "fine" }), json!({ "cursor": "x" })] {
        assert_eq!(session.call("specman_operations_inspect", bad).error()["error"], "invalid_params");
    }
}

#[test]
fn the_operation_log_can_be_kept_elsewhere() {
    let workspace = specman();
    let elsewhere = tempfile::tempdir().unwrap();
    let log = elsewhere.path().join("deep/ops.jsonl");
    let env = [("SPECMAN_MCP_LOG_PATH", log.as_os_str())];
    let args = ["serve", "--toolsets", "graph"];
    let mut session =
        McpSession::spawn(env!("CARGO_BIN_EXE_hewto"), &args, workspace.root(), &env, Era::Legacy);
    session.call("specman_workspace_describe", json!({})).ok();
    let seen = session.call("specman_operations_inspect", json!({})).ok();
    assert_eq!(seen["total"], 1);
    assert!(fs_err::read_to_string(&log).unwrap().contains("specman.core.workspace.describe"));
    assert!(!workspace.exists(".specman/logs/specman-mcp.jsonl"));
}
