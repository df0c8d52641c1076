//! A call that comes again: by its key it is one call, without one it is two.

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
    fs_err::read_dir(workspace.root().join("specs")).unwrap().count()
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
