//! Log messages, where they were asked for and nowhere else, and the trace that a call belongs to.

use hewto_testkit::{Era, McpSession, TestWorkspace};
use serde_json::{Value, json};

use crate::mcp_client::serve;

fn messages(session: &McpSession) -> Vec<Value> {
    let notifications = session.notifications().iter();
    notifications
        .filter(|one| one["method"] == "notifications/message")
        .map(|one| one["params"].clone())
        .collect()
}

#[test]
fn a_session_hears_of_finished_operations_from_the_level_it_sets() {
    let workspace = TestWorkspace::native();
    let mut session = serve(&workspace, Era::Legacy);
    session.call("spec_list", json!({}));
    assert_eq!(messages(&session), Vec::<Value>::new());

    session.request("logging/setLevel", json!({ "level": "info" })).unwrap();
    let reply = session.call("spec_list", json!({}));
    let told = messages(&session);
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!((&told[0]["level"], &told[0]["logger"]), (&json!("info"), &json!("hewto")));
    assert_eq!(told[0]["data"]["operation"], "spec_list");
    assert_eq!(told[0]["data"]["status"], "succeeded");
    assert_eq!(told[0]["data"]["operation_id"], reply.operation_id);

    session.request("logging/setLevel", json!({ "level": "warning" })).unwrap();
    session.call("spec_list", json!({}));
    session.call("spec_status", json!({ "spec_id": "nothing" }));
    let told = messages(&session);
    assert_eq!(told.len(), 2, "{told:?}");
    assert_eq!(
        (&told[1]["level"], &told[1]["data"]["status"]),
        (&json!("warning"), &json!("spec_not_found"))
    );
}

#[test]
fn a_request_of_the_new_era_asks_for_itself() {
    let workspace = TestWorkspace::native();
    let mut session = serve(&workspace, Era::Modern);
    let asking = json!({ "name": "spec_list", "_meta": { "io.modelcontextprotocol/logLevel": "debug" } });
    session.request("tools/call", asking).unwrap();
    assert_eq!(messages(&session).len(), 1);
    session.call("spec_list", json!({}));
    assert_eq!(messages(&session).len(), 1);
}

#[test]
fn the_trace_of_a_call_is_in_the_operation_log_if_it_is_one() {
    let workspace = TestWorkspace::native();
    let mut session = serve(&workspace, Era::Legacy);
    let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    for given in [json!(trace), json!("00-not-a-trace"), json!(5)] {
        session
            .request("tools/call", json!({ "name": "spec_list", "_meta": { "traceparent": given } }))
            .unwrap();
    }
    assert!(session.close().status.success());
    let log = fs_err::read_to_string(workspace.path(".hewto/logs/operations.jsonl")).unwrap();
    let traces: Vec<Value> =
        log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["traceparent"].clone()).collect();
    assert_eq!(traces, [json!(trace), Value::Null, Value::Null]);
}
