//! What is kept of a session: every request and reply on the wire, and what each call did.

use hewto_testkit::{Era, TestWorkspace};
use serde_json::{Value, json};

use crate::mcp_client::{ERAS, create_spec, serve};

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The names of the logs in a folder: the days' (two, where midnight comes between) and the sessions'.
fn log_names(workspace: &TestWorkspace, folder: &str) -> (Vec<String>, Vec<String>) {
    let names = workspace
        .names_in(folder)
        .into_iter()
        .filter(|name| name.ends_with(".jsonl") && name != "operations.jsonl");
    names.partition(|name| !name.starts_with("session-"))
}

/// All that the days' logs hold, each of them only what was said on its day.
fn days(workspace: &TestWorkspace, folder: &str, names: &[String]) -> String {
    let read = |name: &String| {
        let log = workspace.read(&format!("{folder}/{name}"));
        let day = name.strip_suffix(".jsonl").unwrap();
        for entry in lines(&log) {
            assert!(entry["timestamp"].as_str().unwrap().starts_with(day), "{name}: {entry}");
        }
        log
    };
    names.iter().map(read).collect()
}

#[test]
fn every_request_and_reply_is_in_both_wire_logs() {
    for (workspace, folder) in
        [(TestWorkspace::airsspec(), ".airsspec/logs"), (TestWorkspace::native(), ".hewto/logs")]
    {
        let mut session = serve(&workspace, Era::Legacy);
        create_spec(&mut session, "User Auth", json!({}));
        session.send_line(b"no JSON");
        assert_eq!(session.receive()["error"]["code"], -32700);
        session.request("no/such", json!({})).unwrap_err();
        assert!(session.close().status.success());

        let (daily, sessions) = log_names(&workspace, folder);
        assert_eq!(sessions.len(), 1, "{sessions:?}");
        let log = workspace.read(&format!("{folder}/{}", sessions[0]));
        assert_eq!(days(&workspace, folder, &daily), log);

        let entries = lines(&log);
        let asked: Vec<&str> = entries.iter().filter_map(|entry| entry["method"].as_str()).collect();
        assert_eq!(
            asked,
            ["initialize", "tools/call", "tools/list", "no/such"],
            "notifications are not logged"
        );
        for entry in &entries {
            let keys: Vec<&str> = entry.as_object().unwrap().keys().map(String::as_str).collect();
            assert_eq!(keys[..2], ["timestamp", "type"]);
            assert!(!keys.contains(&"jsonrpc"));
            let time = entry["timestamp"].as_str().unwrap();
            assert!(time.len() == 24 && time.ends_with('Z'), "UTC with milliseconds: {time}");
        }
        for request in entries.iter().filter(|entry| entry["type"] == "request") {
            let replies =
                entries.iter().filter(|entry| entry["type"] == "response" && entry["id"] == request["id"]);
            assert_eq!(replies.count(), 1, "{request}");
        }
        assert_eq!(entries.iter().filter(|entry| entry["type"] == "response").count(), asked.len() + 1);
    }
}

#[test]
fn each_call_is_an_operation_with_what_it_touched_and_how_it_ended() {
    for era in ERAS {
        let workspace = TestWorkspace::native();
        let mut session = serve(&workspace, era);
        let created = session.call("spec_create", json!({ "title": "Login", "description": "d" }));
        let operation_id = created.operation_id.clone();
        let id = created.ok()["spec_id"].as_str().unwrap().to_owned();
        // What was acknowledged is in the log already.
        let log = lines(&workspace.read(".hewto/logs/operations.jsonl"));
        assert_eq!(log.len(), 1);
        let envelope = &log[0];
        assert_eq!(envelope["operation_id"], json!(operation_id));
        assert_eq!(
            (&envelope["capability_id"], &envelope["status"]),
            (&json!("spec_create"), &json!("succeeded"))
        );
        assert_eq!(envelope["inputs"]["title"], "Login");
        let version = if era == Era::Legacy { "2025-11-25" } else { "2026-07-28" };
        assert_eq!(envelope["protocol_version"], version);
        assert_eq!(
            envelope["artifacts"],
            json!([
                { "artifact": format!("spec://{id}"), "path": format!("specs/{id}/spec.md"), "action": "created" },
                { "artifact": format!("spec://{id}"), "path": format!("specs/{id}/state.toon"), "action": "created" },
            ])
        );
        session.call("spec_status", json!({ "spec_id": "nothing" })).error();
        session.call("spec_status", json!({})).error();
        session.close();
        let log = lines(&workspace.read(".hewto/logs/operations.jsonl"));
        let ends: Vec<(&str, &str)> = log
            .iter()
            .map(|envelope| {
                (envelope["status"].as_str().unwrap(), envelope["error"]["error"].as_str().unwrap_or(""))
            })
            .collect();
        assert_eq!(ends, [("succeeded", ""), ("failed", "spec_not_found"), ("failed", "invalid_params")]);
        let sessions: Vec<&Value> = log.iter().map(|envelope| &envelope["session_id"]).collect();
        assert!(sessions.iter().all(|session| *session == sessions[0]));
        let (_, names) = log_names(&workspace, ".hewto/logs");
        assert_eq!(names, [format!("session-{}.jsonl", sessions[0].as_str().unwrap())]);
    }
}

#[test]
fn secrets_and_long_texts_stay_out_of_the_logs() {
    let workspace = TestWorkspace::native();
    let mut session = serve(&workspace, Era::Modern);
    let long = "whole file ".repeat(1000);
    let secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    let content = format!("{long}\nAuthorization: Bearer {secret}\n");
    create_spec(&mut session, "Login", json!({ "content": content }));
    session
        .call("spec_create", json!({ "title": "T", "description": "d", "api_key": "hunter2hunter2" }))
        .error();
    session.close();
    for name in workspace.names_in(".hewto/logs").iter().filter(|name| name.ends_with(".jsonl")) {
        let text = workspace.read(&format!(".hewto/logs/{name}"));
        for hidden in [secret, "hunter2hunter2", "whole file whole file whole file"] {
            assert!(!text.contains(hidden), "{name} has `{hidden}`");
        }
    }
}

#[test]
fn two_sessions_share_the_day_and_have_a_log_each() {
    let workspace = TestWorkspace::airsspec();
    let mut one = serve(&workspace, Era::Legacy);
    let mut two = serve(&workspace, Era::Modern);
    for number in 0..20 {
        create_spec(&mut one, &format!("One {number}"), json!({}));
        create_spec(&mut two, &format!("Two {number}"), json!({}));
    }
    one.close();
    two.close();
    let (daily, sessions) = log_names(&workspace, ".airsspec/logs");
    assert_eq!(sessions.len(), 2);
    let count = |name: &String| lines(&workspace.read(&format!(".airsspec/logs/{name}"))).len();
    let of_days = lines(&days(&workspace, ".airsspec/logs", &daily)).len();
    assert_eq!(of_days, count(&sessions[0]) + count(&sessions[1]));
    assert_eq!(lines(&workspace.read(".hewto/logs/operations.jsonl")).len(), 40);
}

// @spec store#everything-is-on-record/a-log-that-cannot-be-written
#[test]
fn a_log_that_cannot_be_written_fails_no_call() {
    let workspace = TestWorkspace::airsspec();
    fs_err::remove_dir(workspace.path(".airsspec/logs")).unwrap();
    workspace.add("//- .airsspec/logs\na file where a folder should be\n");
    let mut session = serve(&workspace, Era::Legacy);
    create_spec(&mut session, "Login", json!({}));
    let ended = session.close();
    assert!(ended.status.success());
    assert!(ended.stderr.contains("log"), "it is said on stderr: {}", ended.stderr);
}

#[test]
fn a_folder_that_is_no_workspace_gets_no_logs() {
    let folder = TestWorkspace::empty();
    let mut session = serve(&folder, Era::Legacy);
    session.call("spec_list", json!({})).error();
    session.close();
    assert!(folder.names_in("").is_empty());
}
