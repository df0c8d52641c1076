use serde_json::{Value, json};

use crate::team::{Replica, Team, delta, post, small_push};

pub(crate) fn ask(replica: &Replica, token: &str, path: &str, message: &Value) -> (u16, Value) {
    let (text, host) = (message.to_string(), replica.address);
    let page = replica.raw(&format!(
        "POST {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: {}\r\n\r\n{text}",
        text.len()
    ));
    (page.status, serde_json::from_str(&page.body).unwrap_or(Value::Null))
}

fn call(replica: &Replica, token: &str, path: &str, tool: &str, arguments: Value) -> Value {
    let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": tool, "arguments": arguments } });
    ask(replica, token, path, &message).1
}

#[test]
fn an_agent_without_a_checkout_asks_and_claims_by_mcp() {
    let Some(team) = Team::new() else { return };
    let replica = team.replica();
    let token = team.token("bot", "agent", &["acme/shop", "billing"]);
    let client = replica.client(&token);
    assert_eq!(
        post(&client, "push", &small_push("acme/shop", "w", 0, "c1", &delta("Sign in", "x"))).status,
        200
    );
    let request = |method: &str, params: Value| json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params });
    let begun = ask(&replica, &token, "/mcp", &request("initialize", json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "x", "version": "1" } }))).1;
    assert_eq!(
        (&begun["id"], &begun["result"]["protocolVersion"]),
        (&json!(7), &json!("2025-06-18")),
        "{begun}"
    );
    let told = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    assert_eq!(ask(&replica, &token, "/mcp", &told).0, 202);
    let names = |path: &str| -> Vec<String> {
        let listed = ask(&replica, &token, path, &request("tools/list", json!({}))).1;
        listed["result"]["tools"]
            .as_array()
            .unwrap()
            .iter()
            .map(|tool| tool["name"].as_str().unwrap().to_owned())
            .collect()
    };
    assert!(names("/mcp/r/acme/shop").contains(&"claim_next".to_owned()));
    let reading = names("/mcp/r/acme%2Fshop/readonly");
    assert!(
        reading.contains(&"search".to_owned())
            && !reading.iter().any(|name| name.starts_with("claim") || name == "comment")
    );
    let status = call(&replica, &token, "/mcp/r/acme/shop", "status", json!({}));
    assert_eq!(status["result"]["structuredContent"]["repos"].as_array().unwrap().len(), 1, "{status}");
    let claimed = call(&replica, &token, "/mcp/r/acme/shop", "claim_next", json!({ "items": ["change:c1"] }));
    let lease = &claimed["result"]["structuredContent"];
    assert_eq!((&lease["repo"], &lease["fence"]), (&json!("acme/shop"), &json!(1)), "{claimed}");
    let other = call(&replica, &token, "/mcp/r/acme/shop", "claim_next", json!({ "items": ["change:c1"] }));
    assert_eq!(other["result"]["structuredContent"]["error"], "claimed", "{other}");
    let kept = call(
        &replica,
        &token,
        "/mcp/r/acme/shop",
        "claim_keep",
        json!({ "item": "change:c1", "claim": 1, "release": true }),
    );
    assert_eq!(kept["result"]["structuredContent"]["released"], true, "{kept}");
    assert_eq!(
        call(&replica, &token, "/mcp/r/acme/shop/readonly", "claim_next", json!({ "items": ["change:c1"] }))
            ["error"]["code"],
        -32602
    );
    let meta = json!({ "_meta": { "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {} } });
    let found = ask(&replica, &token, "/mcp", &request("server/discover", meta)).1;
    assert_eq!(found["result"]["resultType"], "complete", "{found}");
    assert_eq!(replica.get("/mcp", &format!("Authorization: Bearer {token}\r\n")).status, 405);
    assert_eq!(replica.get("/mcp/r/acme/shop", "").status, 401);
}

#[test]
fn mcp_shows_no_more_than_the_token_and_decides_nothing() {
    let Some(team) = Team::new() else { return };
    let replica = team.replica();
    let eve = team.token("eve", "reviewer", &["shop"]);
    team.token("sue", "agent", &["secret"]);
    let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });
    let (theirs, nowhere) =
        (ask(&replica, &eve, "/mcp/r/secret", &list), ask(&replica, &eve, "/mcp/r/nowhere", &list));
    assert_eq!(theirs, nowhere);
    assert_eq!(theirs.0, 404);
    for (tool, arguments) in [
        ("status", json!({ "repo": "secret" })),
        ("overlaps", json!({ "repo": "secret" })),
        ("review", json!({ "repo": "secret", "spec_id": "change:c1" })),
        ("search", json!({ "repo": "secret", "query": "x" })),
        ("claim_next", json!({ "repo": "secret", "items": ["change:c1"] })),
    ] {
        let said = call(&replica, &eve, "/mcp", tool, arguments);
        assert_eq!(said["result"]["isError"], true, "{tool}: {said}");
        assert_eq!(said["result"]["structuredContent"]["error"], "repo_not_found", "{tool}: {said}");
    }
    for tool in ["verdict", "review/verdict", "push", "approve"] {
        assert_eq!(call(&replica, &eve, "/mcp", tool, json!({}))["error"]["code"], -32602, "{tool}");
    }
    for (message, status) in [
        (json!([]), 400),
        (json!({ "jsonrpc": "1.0", "id": 1, "method": "ping" }), 400),
        (json!({ "jsonrpc": "2.0", "id": 1, "method": "x".repeat(100) }), 200),
        (
            json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": "search", "arguments": [1] } }),
            200,
        ),
        (
            json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": "search", "arguments": { "query": "a\0b", "surprise": 1 } } }),
            200,
        ),
    ] {
        assert_eq!(ask(&replica, &eve, "/mcp", &message).0, status, "{message}");
    }
    assert_eq!(replica.get("/ready", "").status, 200);
}
