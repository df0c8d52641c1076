//! Lines on stdin and stdout: what is no message, what comes too early, too much at once, and the end.

use hewto_testkit::{Era, McpSession, TestWorkspace};
use serde_json::{Value, json};

use crate::mcp_client::{ERAS, create_spec, serve, serve_silent};

/// Sends a line and reads the one reply to it.
#[track_caller]
fn answer(session: &mut McpSession, line: &str) -> Value {
    session.send_line(line.as_bytes());
    session.receive()
}

#[track_caller]
fn assert_error(reply: &Value, id: &Value, code: i64) {
    assert_eq!((reply.get("id"), reply["error"]["code"].as_i64()), (Some(id), Some(code)), "{reply}");
    assert_eq!(reply["jsonrpc"], "2.0");
    assert!(reply["error"]["message"].is_string(), "{reply}");
}

// @spec protocol#bad-lines-are-answered/a-line-that-is-no-json
#[test]
fn what_is_no_request_is_refused_and_the_server_goes_on() {
    for era in ERAS {
        let workspace = TestWorkspace::native();
        let mut session = serve(&workspace, era);
        let cases = [
            ("this is not valid JSON", json!(null), -32700),
            ("{\"jsonrpc\":\"2.0\",\"id\":1,", json!(null), -32700),
            ("\u{1}", json!(null), -32700),
            ("[]", json!(null), -32600),
            (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, json!(null), -32600),
            ("5", json!(null), -32600),
            ("{}", json!(null), -32600),
            (r#"{"jsonrpc":"2.0","id":71}"#, json!(71), -32600),
            (r#"{"jsonrpc":"2.0","id":72,"method":["ping"]}"#, json!(72), -32600),
            (r#"{"id":73,"method":"ping"}"#, json!(73), -32600),
            (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, json!(null), -32600),
            (r#"{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}"#, json!(null), -32600),
            (r#"{"jsonrpc":"2.0","id":"s","method":"no/such/method"}"#, json!("s"), -32601),
            (r#"{"jsonrpc":"2.0","id":74,"method":"tools/call"}"#, json!(74), -32602),
            (
                r#"{"jsonrpc":"2.0","id":75,"method":"tools/call","params":{"arguments":{}}}"#,
                json!(75),
                -32602,
            ),
            (
                r#"{"jsonrpc":"2.0","id":76,"method":"tools/call","params":{"name":"spec_list","arguments":[]}}"#,
                json!(76),
                -32602,
            ),
            (r#"{"jsonrpc":"2.0","id":77,"method":"tools/call","params":[]}"#, json!(77), -32602),
            (r#"{"jsonrpc":"2.0","id":78,"method":"resources/read","params":{}}"#, json!(78), -32602),
            (r#"{"jsonrpc":"2.0","id":79,"method":"prompts/get","params":{"name":7}}"#, json!(79), -32602),
            (
                r#"{"jsonrpc":"2.0","id":80,"method":"completion/complete","params":{"ref":{"type":"ref/x"}}}"#,
                json!(80),
                -32602,
            ),
        ];
        for (line, id, code) in cases {
            let reply = answer(&mut session, line);
            assert_error(&reply, &id, code);
        }
        session.send_line(b"\xff\xfe");
        assert_error(&session.receive(), &json!(null), -32700);
        session.send_line(b"   ");
        session.call("spec_list", json!({})).ok();
        assert!(session.close().status.success());
    }
}

#[test]
fn a_line_of_twenty_megabytes_is_refused_and_the_next_is_read() {
    let workspace = TestWorkspace::native();
    let mut session = serve(&workspace, Era::Legacy);
    let text = "x".repeat(20 * 1024 * 1024);
    let call = json!({ "jsonrpc": "2.0", "id": 99, "method": "tools/call",
        "params": { "name": "spec_create", "arguments": { "title": "T", "description": text } } });
    session.send(&call);
    assert_error(&session.receive(), &json!(99), -32600);
    session.send_line(text.as_bytes());
    assert_error(&session.receive(), &json!(null), -32600);
    session.call("spec_list", json!({})).ok();
}

#[test]
fn what_comes_before_initialize_is_answered_or_refused_and_never_ends_the_server() {
    let workspace = TestWorkspace::native();
    let mut session = serve_silent(&workspace);
    session.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    session.send(&json!({ "jsonrpc": "2.0", "method": "notifications/anything", "params": [1] }));
    session.send(
        &json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 12 } }),
    );
    session.send(&json!({ "jsonrpc": "2.0", "id": 8, "result": {} }));
    session.send(&json!({ "jsonrpc": "2.0", "id": 8, "error": { "code": 1, "message": "stray" } }));
    let reply = answer(&mut session, r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#);
    assert_error(&reply, &json!(1), -32602);
    let message = reply["error"]["message"].as_str().unwrap();
    assert!(message.contains("initialize") && message.contains("_meta"), "{message}");
    let reply = answer(&mut session, r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#);
    assert_eq!(reply, json!({ "jsonrpc": "2.0", "id": 2, "result": {} }));
    let reply = answer(&mut session, r#"{"jsonrpc":"2.0","id":3,"method":"initialize","params":{}}"#);
    assert_eq!(reply["result"]["protocolVersion"], "2025-11-25");
    let reply = answer(&mut session, r#"{"jsonrpc":"2.0","id":4,"method":"tools/list"}"#);
    assert!(reply["result"]["tools"].is_array());
}

#[test]
fn initialize_without_params_is_answered() {
    let workspace = TestWorkspace::native();
    for params in ["", r#","params":null"#, r#","params":{}"#, r#","params":{"clientInfo":{"name":"c"}}"#] {
        let mut session = serve_silent(&workspace);
        let reply =
            answer(&mut session, &format!(r#"{{"jsonrpc":"2.0","id":1,"method":"initialize"{params}}}"#));
        assert_eq!(reply["result"]["protocolVersion"], "2025-11-25", "{params}");
    }
}

#[test]
fn requests_right_behind_initialize_are_answered_after_it() {
    let workspace = TestWorkspace::native();
    let mut session = serve_silent(&workspace);
    session.send(&json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {} }));
    session.send(
        &json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": { "name": "spec_list" } }),
    );
    assert_eq!(session.receive()["id"], 1);
    assert_eq!(session.receive()["result"]["structuredContent"]["total"], 0);
}

#[test]
fn both_eras_mix_in_one_process_in_any_order() {
    let workspace = TestWorkspace::native();
    let mut session = serve_silent(&workspace);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let mut ask = |id: i64, method: &str, meta: Option<&Value>| {
        let mut params = json!({});
        if let Some(meta) = meta {
            params["_meta"] = meta.clone();
        }
        session.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        session.receive()
    };
    assert_eq!(ask(1, "tools/list", Some(&meta))["result"]["resultType"], "complete");
    assert_eq!(ask(2, "initialize", None)["result"]["protocolVersion"], "2025-11-25");
    let legacy = ask(3, "tools/list", None);
    assert_eq!((legacy["result"].get("resultType"), legacy["result"].get("ttlMs")), (None, None));
    assert_eq!(ask(4, "server/discover", Some(&meta))["result"]["resultType"], "complete");
    assert_eq!(ask(5, "tools/list", None)["result"]["tools"], legacy["result"]["tools"]);
    assert_eq!(ask(6, "tools/list", Some(&meta))["result"]["tools"], legacy["result"]["tools"]);
    assert_error(&ask(7, "ping", Some(&meta)), &json!(7), -32601);
    assert_eq!(ask(8, "ping", None)["result"], json!({}));
}

#[test]
fn a_thousand_requests_in_flight_are_all_answered_and_so_is_the_last_before_the_end() {
    for era in ERAS {
        let workspace = TestWorkspace::native();
        let mut session = serve(&workspace, era);
        let id = create_spec(&mut session, "Login", json!({}));
        let calls: Vec<i64> = (0..1000)
            .map(|number| match number % 4 {
                0 => session
                    .start("tools/call", json!({ "name": "spec_status", "arguments": { "spec_id": id } })),
                1 => session.start("resources/read", json!({ "uri": format!("airsspec:///{id}/spec") })),
                2 => session.start("prompts/list", json!({})),
                _ => session.start("tools/call", json!({ "name": "spec_list", "arguments": {} })),
            })
            .collect();
        let ended = session.close();
        assert!(ended.status.success(), "{}", ended.stderr);
        let mut answered: Vec<i64> = ended
            .rest
            .iter()
            .map(|line| serde_json::from_str::<Value>(line).unwrap())
            .inspect(|reply| assert!(reply.get("result").is_some(), "{reply}"))
            .map(|reply| reply["id"].as_i64().unwrap())
            .collect();
        answered.sort_unstable();
        assert_eq!(answered, calls);
    }
}

#[test]
fn writes_that_are_under_way_at_the_end_of_input_are_done_and_answered() {
    let workspace = TestWorkspace::native();
    let mut session = serve(&workspace, Era::Modern);
    for number in 0..20 {
        session.start_call("spec_create", json!({ "title": format!("Spec {number}"), "description": "d" }));
    }
    let ended = session.close();
    assert!(ended.status.success(), "{}", ended.stderr);
    assert_eq!(ended.rest.len(), 20);
    assert!(ended.rest.iter().all(|line| line.contains("\"created\":true")), "{:?}", ended.rest);
    assert_eq!(workspace.names_in("specs").len(), 20);
}

#[test]
fn an_id_that_is_still_in_flight_is_not_taken_twice() {
    let workspace = TestWorkspace::native();
    let mut session = serve(&workspace, Era::Legacy);
    let call = json!({ "jsonrpc": "2.0", "id": "same", "method": "tools/call",
        "params": { "name": "spec_create", "arguments": { "title": "T", "description": "d" } } });
    session.send(&call);
    session.send(&call);
    let replies = [session.receive(), session.receive()];
    assert!(replies.iter().all(|reply| reply["id"] == "same"), "each is answered: {replies:?}");
    // The first may be done before the second comes, which is then a call of its own.
    let (done, refused): (Vec<_>, Vec<_>) = replies.iter().partition(|reply| reply.get("result").is_some());
    assert!(refused.iter().all(|reply| reply["error"]["data"]["error"] == "duplicate_id"), "{replies:?}");
    let specs = fs_err::read_dir(workspace.root().join("specs")).unwrap().count();
    assert_eq!((specs, refused.len()), (done.len(), 2 - done.len()), "{replies:?}");
}

#[test]
fn a_last_line_without_its_line_feed_counts() {
    let workspace = TestWorkspace::native();
    let mut session = serve(&workspace, Era::Legacy);
    session.send_bytes(br#"{"jsonrpc":"2.0","id":"last","method":"ping"}"#);
    let ended = session.close();
    assert_eq!(ended.rest, [r#"{"jsonrpc":"2.0","id":"last","result":{}}"#]);
}

#[test]
fn a_cancelled_call_leaves_the_server_well() {
    let workspace = TestWorkspace::native();
    let mut session = serve(&workspace, Era::Legacy);
    let id = session.start_call("spec_create", json!({ "title": "T", "description": "d" }));
    session.send(
        &json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } }),
    );
    session.call("spec_list", json!({})).ok();
    assert!(session.close().status.success());
}
