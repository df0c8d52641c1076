//! Both eras over HTTP: the same bodies as on stdio, sessions, headers against bodies, streams.

use hewto_testkit::{McpSession, TestWorkspace};
use serde_json::{Value, json};

use crate::http_client::{HttpServer, MODERN, hold_lock, initialize, modern_message, wait_for};
use crate::mcp_client::serve_silent;

/// What differs from call to call and from process to process.
fn masked(mut message: Value) -> Value {
    if let Some(meta) = message.pointer_mut("/result/_meta").and_then(Value::as_object_mut) {
        meta.remove("operation_id");
    }
    message
}

fn over_stdio(session: &mut McpSession, message: &Value) -> Value {
    session.send(message);
    masked(session.receive())
}

#[test]
fn one_transcript_has_equal_bodies_on_stdio_and_over_http() {
    let workspace = TestWorkspace::native();
    let server = HttpServer::start(workspace.root(), &[]);
    let transcript = [
        ("tools/list", json!({})),
        ("prompts/list", json!({})),
        ("resources/templates/list", json!({})),
        ("resources/list", json!({})),
        ("tools/call", json!({ "name": "spec_list", "arguments": {} })),
        ("tools/call", json!({ "name": "spec_list", "arguments": { "limit": "x", "more": 1 } })),
        ("tools/call", json!({ "name": "spec_status", "arguments": { "spec_id": "none" } })),
        ("tools/call", json!({ "name": "no_such_tool" })),
        ("tools/call", json!({ "arguments": {} })),
        ("resources/read", json!({ "uri": "airsspec:///specs" })),
        ("resources/read", json!({ "uri": "airsspec:///nowhere" })),
        ("prompts/get", json!({ "name": "no_such_prompt" })),
        (
            "completion/complete",
            json!({ "ref": { "type": "ref/prompt", "name": "none" }, "argument": { "name": "a", "value": "" } }),
        ),
        ("no/such", json!({})),
    ];
    let mut stdio = serve_silent(&workspace);
    for (method, params) in &transcript {
        let message = modern_message(1, method, params.clone());
        let answer = server.modern("/mcp", method, params.clone());
        assert_eq!(masked(answer.json()), over_stdio(&mut stdio, &message), "{method} {params}");
    }
    let session = server.initialize();
    over_stdio(&mut stdio, &initialize());
    for (method, params) in &transcript {
        let message = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let answer = server.legacy(Some(&session), &message);
        assert_eq!(answer.status, 200, "{answer:?}");
        assert_eq!(masked(answer.json()), over_stdio(&mut stdio, &message), "{method} {params}");
    }
}

#[test]
fn the_new_era_says_in_the_status_what_is_wrong_with_a_request() {
    let workspace = TestWorkspace::native();
    let server = HttpServer::start(workspace.root(), &[]);
    assert_eq!(server.modern("/mcp", "server/discover", json!({})).status, 200);
    assert_eq!(server.modern("/", "tools/list", json!({})).status, 200);
    assert_eq!(server.modern("/mcp/w/default", "tools/list", json!({})).status, 200);
    for gone in ["no/such", "initialize", "ping", "logging/setLevel", "resources/subscribe"] {
        let answer = server.modern("/mcp", gone, json!({}));
        assert_eq!((answer.status, &answer.json()["error"]["code"]), (404, &json!(-32601)), "{gone}");
    }
    assert_eq!(server.call("/mcp", "no_such_tool", json!({})).status, 200);

    let headers = |version: &'static str, method: &'static str| {
        [("Content-Type", "application/json"), ("MCP-Protocol-Version", version), ("Mcp-Method", method)]
    };
    let list = modern_message(7, "tools/list", json!({})).to_string();
    let no_meta = r#"{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{}}"#.to_owned();
    let other = list.replace(MODERN, "2099-01-01");
    let cases = [
        (&list, headers(MODERN, "tools/call"), -32020),
        (&list, headers(MODERN, "TOOLS/LIST"), -32020),
        (&list, headers("2025-11-25", "tools/list"), -32020),
        (&no_meta, headers(MODERN, "tools/list"), -32602),
        (&other, headers("2099-01-01", "tools/list"), -32022),
    ];
    for (body, headers, code) in cases {
        let answer = server.send("POST", "/mcp", &headers, body.as_bytes());
        let error = answer.json();
        assert_eq!((answer.status, &error["error"]["code"]), (400, &json!(code)), "{error}");
        assert_eq!(error["id"], 7);
    }
    let unnamed = [("Content-Type", "application/json")];
    assert_eq!(server.send("POST", "/mcp", &unnamed, list.as_bytes()).json()["error"]["code"], -32020);
    for method in ["GET", "DELETE"] {
        let answer = server.send(method, "/mcp", &[("MCP-Protocol-Version", MODERN)], b"");
        assert_eq!((answer.status, answer.header("allow")), (405, Some("POST")), "{method}");
    }
    assert_eq!(server.send("PUT", "/mcp", &[], b"").status, 405);

    let listen = modern_message(8, "subscriptions/listen", json!({ "notifications": {} })).to_string();
    let mut only_json = headers(MODERN, "subscriptions/listen").to_vec();
    only_json.push(("Accept", "application/json"));
    let answer = server.send("POST", "/mcp", &only_json, listen.as_bytes());
    assert_eq!((answer.status, &answer.json()["id"]), (406, &json!(8)));
}

#[test]
fn a_session_of_the_old_era_lives_from_initialize_to_delete() {
    let workspace = TestWorkspace::native();
    let server = HttpServer::start(workspace.root(), &[]);
    let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });
    assert_eq!(server.legacy(None, &list).status, 400);
    assert_eq!(server.legacy(Some("nobody"), &list).status, 404);
    let id = server.initialize();
    let other = server.initialize();
    assert_ne!(id, other);
    assert_eq!(server.legacy(Some(&id), &list).status, 200);
    let answered = json!({ "jsonrpc": "2.0", "id": 9, "result": {} });
    assert_eq!(server.legacy(Some(&id), &answered).status, 202);
    let unknown = [("Mcp-Session-Id", &*id), ("MCP-Protocol-Version", "2020-01-01")];
    assert_eq!(server.send("POST", "/mcp", &unknown, list.to_string().as_bytes()).status, 400);
    assert_eq!(server.send("GET", "/mcp", &[], b"").status, 400);
    assert_eq!(
        server.send("GET", "/mcp", &[("Mcp-Session-Id", &id), ("Accept", "text/html")], b"").status,
        406
    );
    assert_eq!(server.send("DELETE", "/mcp", &[("Mcp-Session-Id", &id)], b"").status, 204);
    assert_eq!(server.send("DELETE", "/mcp", &[("Mcp-Session-Id", &id)], b"").status, 404);
    assert_eq!(server.legacy(Some(&id), &list).status, 404);
    assert_eq!(server.legacy(Some(&other), &list).status, 200);
}

#[test]
fn a_session_hears_of_changes_on_its_own_stream() {
    let workspace = TestWorkspace::native();
    let server = HttpServer::start(workspace.root(), &[]);
    let id = server.initialize();
    let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "resources/list" });
    assert_eq!(server.legacy(Some(&id), &list).status, 200);
    let headers = [("Mcp-Session-Id", &*id), ("Accept", "text/event-stream")];
    let mut stream = server.begin("GET", "/mcp", &headers, b"");
    let head = stream.head();
    assert_eq!((head.status, head.header("content-type")), (200, Some("text/event-stream")));
    assert_eq!(head.header("x-accel-buffering"), Some("no"));
    server.call("/mcp", "spec_create", json!({ "title": "New", "description": "Why" }));
    let told = stream.event().unwrap();
    assert_eq!(told["method"], "notifications/resources/list_changed");
}

#[test]
fn who_reads_only_events_gets_the_same_answer_as_an_event() {
    let workspace = TestWorkspace::native();
    let server = HttpServer::start(workspace.root(), &[]);
    let mut wire = server.begin_modern("/mcp", "prompts/list", json!({}), "text/event-stream");
    assert_eq!(wire.head().header("content-type"), Some("text/event-stream"));
    let event = wire.event().unwrap();
    assert_eq!(event, server.modern("/mcp", "prompts/list", json!({})).json());
    assert_eq!(wire.event(), None);
    assert_eq!(server.begin_modern("/mcp", "prompts/list", json!({}), "text/html").answer().status, 406);
}

#[test]
fn a_slow_call_reports_and_delays_no_other_and_is_answered_in_the_end() {
    let workspace = TestWorkspace::native();
    let server = HttpServer::start(workspace.root(), &[]);
    server.call("/mcp", "spec_create", json!({ "title": "First", "description": "Why" }));
    let lock = hold_lock(&workspace);
    let slow = json!({
        "name": "spec_create", "arguments": { "title": "Slow", "description": "Why" },
        "_meta": { "progressToken": "p" },
    });
    let mut wire = server.begin_modern("/mcp", "tools/call", slow, "application/json, text/event-stream");
    assert_eq!(server.call("/mcp", "spec_list", json!({})).json()["result"]["structuredContent"]["total"], 1);
    assert_eq!(wire.head().header("content-type"), Some("text/event-stream"));
    let progress = wire.event().unwrap();
    assert_eq!(progress["method"], "notifications/progress");
    assert_eq!(progress["params"]["progressToken"], "p");
    drop(lock);
    let last = std::iter::from_fn(|| wire.event()).last().unwrap();
    assert_eq!(last["result"]["structuredContent"]["created"], true, "{last}");
}

#[test]
fn a_client_that_closes_its_stream_has_cancelled_its_call() {
    let workspace = TestWorkspace::native();
    let server = HttpServer::start(workspace.root(), &[]);
    server.call("/mcp", "spec_create", json!({ "title": "First", "description": "Why" }));
    let under_way = || {
        let calls = fs_err::read_dir(workspace.root().join(".hewto/live")).into_iter().flatten();
        calls.flatten().any(|call| call.path().extension().is_some_and(|kind| kind == "json"))
    };
    wait_for(|| !under_way());
    let lock = hold_lock(&workspace);
    let arguments = json!({ "title": "Never", "description": "Why" });
    let call = json!({ "name": "spec_create", "arguments": arguments });
    let wire = server.begin_modern("/mcp", "tools/call", call, "application/json, text/event-stream");
    // What is cancelled before it has begun is no operation.
    wait_for(under_way);
    drop(wire);
    let log = workspace.root().join(".hewto/logs/operations.jsonl");
    wait_for(|| fs_err::read_to_string(&log).unwrap().contains("\"status\":\"cancelled\""));
    drop(lock);
    let list = server.call("/mcp", "spec_list", json!({}));
    assert_eq!(list.json()["result"]["structuredContent"]["total"], 1);
}

#[test]
fn a_session_cancels_by_a_notification_and_its_request_ends_without_a_response() {
    let workspace = TestWorkspace::native();
    let server = HttpServer::start(workspace.root(), &[]);
    server.call("/mcp", "spec_create", json!({ "title": "First", "description": "Why" }));
    let session = server.initialize();
    let lock = hold_lock(&workspace);
    for (id, accept, status) in
        [(5, "application/json", 204), (6, "application/json, text/event-stream", 200)]
    {
        let title = format!("Never {id}");
        let call = json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {
            "name": "spec_create", "arguments": { "title": title, "description": "Why" },
        } });
        let headers =
            [("Content-Type", "application/json"), ("Accept", accept), ("Mcp-Session-Id", &*session)];
        let wire = server.begin("POST", "/mcp", &headers, call.to_string().as_bytes());
        let cancel =
            json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } });
        // It comes on a connection of its own, so the first may overtake the call and find nothing to cancel.
        let answer = std::thread::scope(|scope| {
            let waiting = scope.spawn(|| wire.answer());
            while !waiting.is_finished() {
                assert_eq!(server.legacy(Some(&session), &cancel).status, 202);
            }
            waiting.join().unwrap()
        });
        assert_eq!(answer.status, status, "{accept}");
        // The end of a chunked body is all there may be.
        assert_eq!(answer.text.trim_start_matches("0\r\n\r\n"), "", "{accept}");
    }
    drop(lock);
}
