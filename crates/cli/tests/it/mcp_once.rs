//! A call that comes again: by its key it is one call, without one it is two.

use std::time::{Duration, Instant};

use hewto_testkit::{Era, McpSession, TestWorkspace};
use serde_json::{Value, json};

fn serve(workspace: &TestWorkspace) -> McpSession {
    let env = [("HOME", workspace.root().to_str().unwrap())];
    McpSession::spawn(env!("CARGO_BIN_EXE_hewto"), &["serve"], workspace.root(), &env, Era::Legacy)
}

fn create(session: &mut McpSession, title: &str, meta: Value) -> Value {
    let arguments = json!({ "title": title, "description": "d" });
    let params = json!({ "name": "spec_create", "arguments": arguments, "_meta": meta });
    session.request("tools/call", params).unwrap()
}

fn specs(workspace: &TestWorkspace) -> usize {
    fs_err::read_dir(workspace.root().join("specs")).map_or(0, Iterator::count)
}

#[test]
fn a_key_answers_with_the_first_result_and_does_nothing_again() {
    let workspace = TestWorkspace::native();
    let mut session = serve(&workspace);
    for (number, name) in
        ["idempotencyKey", "idempotency_key", "io.hewto/idempotency-key"].into_iter().enumerate()
    {
        let meta = json!({ name: format!("key-{number}") });
        let first = create(&mut session, "Once only", meta.clone());
        let again = create(&mut session, "Once only", meta.clone());
        assert_eq!(first["structuredContent"], again["structuredContent"], "{name}");
        assert_eq!(specs(&workspace), number + 1, "{name}");
        let other = create(&mut session, "Something else", meta);
        assert_eq!(other["isError"], true, "{other}");
        assert!(other["content"][0]["text"].as_str().unwrap().contains("idempotency_conflict"), "{other}");
    }
    // Without a key whoever got an answer and calls again means it.
    create(&mut session, "Twice", json!({}));
    create(&mut session, "Twice", json!({}));
    assert_eq!(specs(&workspace), 5);
    for key in [json!(""), json!(7), json!("k".repeat(300))] {
        let refused = create(&mut session, "Never", json!({ "idempotencyKey": key }));
        assert!(refused["content"][0]["text"].as_str().unwrap().contains("invalid_params"), "{refused}");
    }
    assert_eq!(specs(&workspace), 5);
}

#[test]
fn what_was_refused_can_be_tried_again_with_the_same_key() {
    let workspace = TestWorkspace::native();
    let mut session = serve(&workspace);
    let meta = json!({ "idempotencyKey": "k" });
    let call = |session: &mut McpSession| {
        let arguments = json!({ "spec_id": "later", "title": "New title" });
        let params = json!({ "name": "spec_update", "arguments": arguments, "_meta": meta });
        session.request("tools/call", params).unwrap()
    };
    assert_eq!(call(&mut session)["isError"], true);
    workspace.add("//- specs/later/spec.md\n# Later\n\nText.\n");
    let done = call(&mut session);
    assert_ne!(done["isError"], true, "{done}");
}

/// Stops the server between the commit point and the end of a commit for longer than a call may take; whether that was met.
fn stop_in_a_commit(workspace: &TestWorkspace, session: &McpSession, time: Duration) -> bool {
    let pending = workspace.path(".hewto/journal/pending");
    let before = specs(workspace);
    // A call that is late, or refused, never gets there.
    let until = Instant::now() + Duration::from_secs(10);
    while Instant::now() < until {
        // Often, because the moment is short.
        let is_there = (0..64).any(|_| pending.exists());
        if !is_there && specs(workspace) > before {
            return false;
        }
        if is_there {
            session.pause();
            let caught = pending.exists();
            if caught {
                std::thread::sleep(time);
            }
            session.resume();
            return caught;
        }
    }
    false
}

/// A slow machine may take longer than a call is given here, even before the commit point; nothing is written then.
fn is_late(answer: &Value) -> bool {
    answer["isError"] == true && answer["content"][0]["text"].as_str().unwrap().contains("\"timeout\"")
}

#[test]
fn past_the_commit_point_the_answer_is_success_and_a_retry_with_the_key_is_the_same() {
    let workspace = TestWorkspace::native();
    workspace.add("//- .hewto/config.toml\n[limits]\ncall_timeout_s = 1\n");
    let mut session = serve(&workspace);
    for attempt in 0..200 {
        let before = specs(&workspace);
        let meta = json!({ "idempotencyKey": format!("key-{attempt}") });
        let arguments = json!({ "title": "Once only", "description": "d" });
        let params = json!({ "name": "spec_create", "arguments": arguments, "_meta": meta.clone() });
        let id = session.start("tools/call", params);
        let caught = stop_in_a_commit(&workspace, &session, Duration::from_millis(1_600));
        let answer = session.finish(id).unwrap();
        if !caught && is_late(&answer) {
            assert_eq!(specs(&workspace), before);
            continue;
        }
        assert_ne!(answer["isError"], true, "it is committed: {answer}");
        let again = (0..20)
            .map(|_| create(&mut session, "Once only", meta.clone()))
            .find(|again| !is_late(again))
            .expect("one of many is in time");
        assert_eq!(again["structuredContent"], answer["structuredContent"]);
        assert_eq!(specs(&workspace), before + 1);
        if caught {
            let id = answer["structuredContent"]["spec_id"].as_str().unwrap().to_owned();
            session.close();
            let log = workspace.read(".hewto/logs/operations.jsonl");
            let mut writes = log.lines().filter(|line| line.contains(&id));
            let write: Value = serde_json::from_str(writes.next().unwrap()).unwrap();
            assert_eq!(write["status"], "succeeded", "{write}");
            return;
        }
    }
    panic!("no commit was caught in the middle");
}
