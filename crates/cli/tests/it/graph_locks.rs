//! Several processes on one workspace: whoever holds the lock is named to those who wait, and a dead one holds nothing.

use std::fs::{File, TryLockError};
use std::time::{Duration, Instant};

use hewto_testkit::{Era, McpSession, TestWorkspace};
use serde_json::{Value, json};

use crate::graph_fixture::{serve_graph, specman};
use crate::mcp_client::serve_with;

const LOCATOR: &str = "spec://specman-data-model";

fn set(key: &str) -> Value {
    json!({ "locator": LOCATOR, "set": { key: true }, "persist": true })
}

/// A workspace in which a call waits for the lock for ten seconds: soon over, and enough for a call that need not wait.
fn hurried() -> TestWorkspace {
    let workspace = specman();
    workspace.add("//- .hewto/config.toml\n[limits]\ncall_timeout_s = 10\n");
    workspace
}

fn is_locked(workspace: &TestWorkspace) -> bool {
    let Ok(file) = File::open(workspace.path(".hewto/lock")) else { return false };
    matches!(file.try_lock(), Err(TryLockError::WouldBlock))
}

/// A server that stands still in the middle of a write.
fn stopped_holder(workspace: &TestWorkspace) -> McpSession {
    let mut holder = serve_graph(workspace);
    for round in 0..2_000_u64 {
        let arguments = json!({ "locator": LOCATOR, "set": { "round": round }, "persist": true });
        let call = holder.start_call("specman_metadata_patch", arguments);
        // Stopped a little later in each round, until that is in the middle.
        let until = Instant::now() + Duration::from_micros(100 * (round % 100));
        while Instant::now() < until {
            std::hint::spin_loop();
        }
        holder.pause();
        if is_locked(workspace) {
            return holder;
        }
        holder.resume();
        holder.finish_call("specman_metadata_patch", call);
    }
    panic!("it never held the lock");
}

#[test]
fn a_writer_waits_to_its_deadline_and_is_told_who_holds_the_lock_while_reads_go_on() {
    let workspace = hurried();
    serve_graph(&workspace).call("specman_metadata_patch", set("first")).ok();
    let lock = File::open(workspace.path(".hewto/lock")).unwrap();
    lock.lock().unwrap();
    let holder = json!({ "pid": 4711, "host": "elsewhere", "operation": "spec_create", "since": "2026-01-24T10:00:00Z" });
    fs_err::write(workspace.path(".hewto/lock"), holder.to_string()).unwrap();
    let mut session = serve_graph(&workspace);
    let began = Instant::now();
    let waiting = session.start_call("specman_metadata_patch", set("second"));
    session.call("specman_metadata_describe", json!({ "locator": LOCATOR })).ok();
    session.call("specman_dependency_tree", json!({ "locator": LOCATOR })).ok();
    let preview = json!({ "locator": LOCATOR, "set": { "second": true } });
    session.call("specman_metadata_patch", preview).ok();
    let error = session.finish_call("specman_metadata_patch", waiting).error();
    assert!(began.elapsed() >= Duration::from_secs(1), "it did not wait");
    assert_eq!((&error["error"], &error["holder"]), (&json!("workspace_busy"), &holder));
    for part in ["4711", "elsewhere", "spec_create"] {
        assert!(error["message"].as_str().unwrap().contains(part), "{error}");
    }
    assert!(error["concept_ref"].is_string() && error["hint"].is_string(), "{error}");
    assert!(!workspace.read("spec/specman-data-model/spec.md").contains("second"));
    let log = session.call("specman_operations_inspect", json!({ "status": "failed" })).ok();
    assert_eq!(log["operations"][0]["error"]["error"], "workspace_busy");
    lock.unlock().unwrap();
    session.call("specman_metadata_patch", set("second")).ok();
}

#[test]
fn a_holder_that_is_killed_in_the_middle_of_a_write_blocks_nobody() {
    let workspace = hurried();
    serve_graph(&workspace).call("specman_metadata_patch", set("first")).ok();
    let holder = stopped_holder(&workspace);
    let pid = holder.process_id();
    let mut session = serve_graph(&workspace);
    let error = session.call("specman_metadata_patch", set("second")).error();
    assert_eq!(error["error"], "workspace_busy");
    // Between taking the lock and writing its name a holder is nobody yet.
    if let Some(holder) = error.get("holder") {
        assert_eq!(
            (&holder["pid"], &holder["operation"]),
            (&json!(pid), &json!("specman.core.metadata.patch"))
        );
    }
    holder.kill();
    session.call("specman_metadata_patch", set("second")).ok();
    let text = workspace.read("spec/specman-data-model/spec.md");
    assert!(text.contains("second: true\n") && text.contains("version: \"1.0.0\"\n"), "{text}");
}

#[test]
fn two_processes_that_hammer_one_artifact_take_turns() {
    const ROUNDS: usize = 20;
    let workspace = specman();
    for index in 0..2 * ROUNDS {
        workspace.add(&format!("//- spec/n{index}/spec.md\n# {index}\n"));
    }
    let hammer = |workspace: &TestWorkspace, first: usize| {
        let mut session = serve_graph(workspace);
        for index in (first..2 * ROUNDS).step_by(2) {
            let arguments = json!({ "locator": "spec://specman-data-model", "add_dependencies": [format!("spec://n{index}")], "persist": true });
            session.call("specman_metadata_patch", arguments).ok();
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(|| hammer(&workspace, 0));
        hammer(&workspace, 1);
    });
    let mut session = serve_graph(&workspace);
    let view =
        session.call("specman_metadata_describe", json!({ "locator": "spec://specman-data-model" })).ok();
    assert_eq!(view["front_matter"]["dependencies"].as_array().unwrap().len(), 2 * ROUNDS);
}

#[test]
fn a_server_that_was_killed_keeps_nobody_from_writing() {
    let workspace = specman();
    let mut killed = serve_with(&workspace, Era::Legacy, &["--toolsets", "graph"]);
    let orphan = json!({ "target": { "kind": "Specification", "name": "orphan" } });
    killed.call("specman_lifecycle_plan_creation", orphan).ok();
    for index in 0..20 {
        let arguments =
            json!({ "locator": "spec://specman-core", "set": { "round": index }, "persist": true });
        killed.start_call("specman_metadata_patch", arguments);
    }
    killed.kill();
    let mut session = serve_graph(&workspace);
    let arguments = json!({ "locator": "spec://specman-core", "set": { "after": true }, "persist": true });
    session.call("specman_metadata_patch", arguments).ok();
    assert!(workspace.read("spec/specman-core/spec.md").contains("after: true\n"));
}
