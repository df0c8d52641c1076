//! The questions of a clarification in the client's own dialog, in both eras.

use hewto_testkit::{Era, McpSession, TestWorkspace};
use serde_json::{Value, json};

use crate::decision_mcp::{arguments, repository};

/// A client of the old era that has a dialog.
fn with_dialog(place: &TestWorkspace) -> McpSession {
    let args = ["serve", "--profile", "preflights"];
    let mut session =
        McpSession::spawn_raw(env!("CARGO_BIN_EXE_hewto"), &args, place.root(), &[("X", "")], Era::Legacy);
    let params = json!({
        "protocolVersion": "2025-11-25",
        "capabilities": {"elicitation": {}},
        "clientInfo": {"name": "dialog", "version": "1"},
    });
    session.request("initialize", params).unwrap();
    session.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    session
}

/// Calls the tool and answers each form in turn; the forms, and the result.
fn converse(session: &mut McpSession, intention: &str, replies: &[Value]) -> (Vec<Value>, Value) {
    let id = session.start_call("require_clarification", arguments(intention, json!({})));
    let mut forms = Vec::new();
    loop {
        let message = session.receive();
        if message["method"] == "elicitation/create" {
            let reply = replies.get(forms.len()).expect("no further form").clone();
            session.send(&json!({"jsonrpc": "2.0", "id": message["id"], "result": reply}));
            forms.push(message["params"].clone());
        } else if message["id"] == json!(id) {
            return (forms, message["result"]["structuredContent"].clone());
        }
    }
}

#[test]
fn the_questions_are_asked_in_the_same_call() {
    let place = repository();
    let mut session = with_dialog(&place);
    let reply = json!({"action": "accept", "content": {
        "auth_strategy": "OAuth", "auth_library": "next-auth", "auth_strategy__other": "",
    }});
    let (forms, done) = converse(&mut session, "Add authentication", &[reply]);
    assert_eq!(done["status"], "completed");
    let schema = &forms[0]["requestedSchema"];
    assert_eq!(schema["required"], json!(["auth_strategy", "auth_library"]));
    assert_eq!(schema["properties"]["auth_strategy"]["enum"][0], "OAuth");
    let known = session.call("read_architecture", json!({})).ok();
    assert_eq!(known["architecture"]["categories"]["Authentication"]["Library"], "next-auth");
}

#[test]
fn what_is_missing_or_wrong_is_asked_again() {
    let place = repository();
    let mut session = with_dialog(&place);
    let replies = [
        json!({"action": "accept", "content": {"auth_strategy": "Other (specify)", "auth_library": "Clerk"}}),
        json!({"action": "accept", "content": {"auth_strategy__other": "  "}}),
        json!({"action": "accept", "content": {"auth_strategy__other": "Passkeys"}}),
    ];
    let (forms, done) = converse(&mut session, "Add authentication", &replies);
    assert_eq!(done["status"], "completed");
    assert_eq!(forms[1]["requestedSchema"]["required"], json!(["auth_strategy__other"]));
    assert!(forms[2]["message"].as_str().unwrap().contains("not accepted"), "{}", forms[2]);
}

#[test]
fn who_declines_or_cancels_can_still_answer_by_arguments() {
    for action in ["decline", "cancel"] {
        let place = repository();
        let mut session = with_dialog(&place);
        let (_, open) = converse(&mut session, "Add authentication", &[json!({"action": action})]);
        assert_eq!(open["status"], "needs_clarification", "{action}");
        assert!(!place.exists("docs"));
        let answers = json!({"auth_strategy": "OAuth", "auth_library": "Clerk"});
        let call = arguments("x", json!({"session_id": open["session_id"], "answers": answers}));
        assert_eq!(session.call("require_clarification", call).ok()["status"], "completed");
    }
}

/// One call of the new era by a client that has a dialog.
fn modern(session: &mut McpSession, more: Value) -> Value {
    let mut params = json!({
        "name": "require_clarification",
        "arguments": {"user_intention": "Add authentication"},
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}},
            "io.modelcontextprotocol/clientInfo": {"name": "dialog", "version": "1"},
        },
    });
    for (name, value) in more.as_object().unwrap() {
        params[name] = value.clone();
    }
    session.send(&json!({"jsonrpc": "2.0", "id": 900, "method": "tools/call", "params": params}));
    let reply = session.receive();
    assert!(reply.get("error").is_none(), "{reply}");
    reply["result"].clone()
}

fn serve_modern(place: &TestWorkspace) -> McpSession {
    let args = ["serve", "--profile", "preflights"];
    McpSession::spawn_raw(env!("CARGO_BIN_EXE_hewto"), &args, place.root(), &[("X", "")], Era::Modern)
}

#[test]
fn in_the_new_era_the_answer_is_a_form_and_the_call_comes_again() {
    let place = repository();
    let mut session = serve_modern(&place);
    let asks = modern(&mut session, json!({}));
    assert_eq!(asks["resultType"], "input_required");
    assert!(asks["_meta"]["operation_id"].is_string());
    let form = &asks["inputRequests"]["answers"];
    assert_eq!(form["method"], "elicitation/create");
    assert_eq!(form["params"]["requestedSchema"]["required"], json!(["auth_strategy", "auth_library"]));
    let reply =
        json!({"action": "accept", "content": {"auth_strategy": "OAuth", "auth_library": "next-auth"}});
    let done = modern(
        &mut session,
        json!({"requestState": asks["requestState"], "inputResponses": {"answers": reply}}),
    );
    assert_eq!(
        (&done["resultType"], &done["structuredContent"]["status"]),
        (&json!("complete"), &json!("completed"))
    );
    assert!(place.exists("docs/CURRENT_TASK.md"));
}

#[test]
fn in_the_new_era_a_refusal_gives_the_questions() {
    let place = repository();
    let mut session = serve_modern(&place);
    for action in ["decline", "cancel"] {
        let asks = modern(&mut session, json!({}));
        let open = modern(
            &mut session,
            json!({"requestState": asks["requestState"], "inputResponses": {"answers": {"action": action}}}),
        );
        assert_eq!(open["structuredContent"]["status"], "needs_clarification", "{action}");
        assert!(open["structuredContent"]["session_id"].is_string());
        assert!(!place.exists("docs"));
    }
}

#[test]
fn in_the_new_era_wrong_answers_bring_the_form_again() {
    let place = repository();
    let mut session = serve_modern(&place);
    let asks = modern(&mut session, json!({}));
    let reply = json!({"action": "accept", "content": {"auth_strategy": "ZZZ", "auth_library": "Clerk"}});
    let again = modern(
        &mut session,
        json!({"requestState": asks["requestState"], "inputResponses": {"answers": reply}}),
    );
    assert_eq!(again["resultType"], "input_required", "{again}");
    let form = &again["inputRequests"]["answers"]["params"];
    assert_eq!(form["requestedSchema"]["required"], json!(["auth_strategy"]));
    assert!(form["message"].as_str().unwrap().contains("not accepted"), "{form}");
    let reply = json!({"action": "accept", "content": {"auth_strategy": "SAML"}});
    let done = modern(
        &mut session,
        json!({"requestState": again["requestState"], "inputResponses": {"answers": reply}}),
    );
    assert_eq!(done["structuredContent"]["status"], "completed", "{done}");
}

#[test]
fn in_the_new_era_a_state_is_good_once_for_its_own_call_and_cannot_be_made_up() {
    let place = repository();
    let mut session = serve_modern(&place);
    let refused = |session: &mut McpSession, more: Value| {
        let reply = modern(session, more);
        assert_eq!(reply["isError"], true, "{reply}");
        assert!(reply["content"][0]["text"].as_str().unwrap().contains("SESSION_NOT_FOUND"), "{reply}");
    };
    let answers = json!({"answers": {"action": "accept", "content": {"auth_strategy": "SAML", "auth_library": "Clerk"}}});
    let asks = modern(&mut session, json!({}));
    let state = &asks["requestState"];
    let plain = modern(
        &mut session,
        json!({"requestState": state, "inputResponses": {"answers": {"action": "decline"}}}),
    );
    let session_id = plain["structuredContent"]["session_id"].clone();
    // Used before, made up, the bare session, and one of another call.
    for forged in [state.clone(), json!("forged"), session_id] {
        refused(&mut session, json!({"requestState": forged, "inputResponses": answers}));
    }
    let asks = modern(&mut session, json!({}));
    let other = json!({"user_intention": "Add a database"});
    refused(
        &mut session,
        json!({"requestState": asks["requestState"], "inputResponses": answers, "arguments": other}),
    );
    assert!(!place.exists("docs"));
    let done = modern(&mut session, json!({"requestState": asks["requestState"], "inputResponses": answers}));
    assert_eq!(done["structuredContent"]["status"], "completed");
    refused(&mut session, json!({"requestState": asks["requestState"], "inputResponses": answers}));
    assert_eq!(place.names_in("docs/adr").len(), 1);
}
