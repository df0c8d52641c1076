use super::*;
use proptest::prelude::*;

fn verdict(message: Value, handshake: Handshake) -> String {
    match decode(message, handshake) {
        Decoded::Message(message) => match *message {
            JsonRpcMessage::Request(request) => format!("{} #{}", request.request.method(), request.id),
            JsonRpcMessage::Notification(_) => "notification".into(),
            _ => "response".into(),
        },
        Decoded::Refused { id, error } => {
            format!("{} {}", error.code.0, id.map_or("null".into(), |id| format!("#{id}")))
        }
        Decoded::Ignored => "ignored".into(),
    }
}

#[expect(clippy::needless_pass_by_value, reason = "a table of cases reads better without ampersands")]
fn request(method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params })
}

fn modern(method: &str, mut params: Value) -> Value {
    params["_meta"] = json!({ PROTOCOL_VERSION_KEY: "2026-07-28" });
    request(method, params)
}

#[test]
fn each_kind_of_line_gets_its_verdict() {
    let cases = [
        (json!([request("ping", json!({}))]), "-32600 null"),
        (json!("ping"), "-32600 null"),
        (json!({}), "-32600 null"),
        (json!({ "jsonrpc": "2.0", "id": 3 }), "-32600 #3"),
        (json!({ "jsonrpc": "2.0", "id": 3, "method": 4 }), "-32600 #3"),
        (json!({ "jsonrpc": "2.0", "id": null, "method": "ping" }), "-32600 null"),
        (json!({ "jsonrpc": "2.0", "id": 1.5, "method": "ping" }), "-32600 null"),
        (json!({ "jsonrpc": "1.0", "id": 3, "method": "ping" }), "-32600 #3"),
        (json!({ "jsonrpc": "2.0", "id": 3, "method": "ping", "result": 1 }), "-32600 #3"),
        (json!({ "jsonrpc": "2.0", "id": "p", "method": "ping" }), "ping #p"),
        (request("ping", json!([])), "-32602 #7"),
        (request("ping", json!({ "_meta": 5 })), "-32602 #7"),
        (request("tools/call", json!({})), "-32602 #7"),
        (request("tools/call", json!({ "name": 5 })), "-32602 #7"),
        (request("tools/call", json!({ "name": "x", "arguments": [] })), "-32602 #7"),
        (request("tools/call", json!({ "name": "x", "arguments": null })), "tools/call #7"),
        (request("tools/list", json!({ "cursor": 5 })), "-32602 #7"),
        (request("tools/list", Value::Null), "tools/list #7"),
        (request("resources/read", json!({})), "-32602 #7"),
        (request("prompts/get", json!({ "arguments": {} })), "-32602 #7"),
        (request("completion/complete", json!({ "ref": { "type": "ref/else" } })), "-32602 #7"),
        (request("ping", json!({ "_meta": { PROTOCOL_VERSION_KEY: 3 } })), "-32602 #7"),
        (request("ping", json!({ "_meta": { "progressToken": 1.5 } })), "-32602 #7"),
        (request("ping", json!({ "_meta": { "progressToken": 15 } })), "ping #7"),
        (request("ping", json!({ "_meta": { LOG_LEVEL_KEY: "loud" } })), "-32602 #7"),
        (request("logging/setLevel", json!({ "level": "info" })), "logging/setLevel #7"),
        (request("logging/setLevel", json!({ "level": "loud" })), "-32602 #7"),
        (request("resources/subscribe", json!({ "uri": "x" })), "resources/subscribe #7"),
        (request("resources/subscribe", json!({})), "-32602 #7"),
        (request("subscriptions/listen", json!({ "notifications": {} })), "-32601 #7"),
        (modern("subscriptions/listen", json!({ "notifications": {} })), "subscriptions/listen #7"),
        (modern("subscriptions/listen", json!({})), "-32602 #7"),
        (modern("ping", json!({})), "-32601 #7"),
        (modern("logging/setLevel", json!({})), "-32601 #7"),
        (modern("resources/subscribe", json!({ "uri": "x" })), "-32601 #7"),
        (request("no/such", json!({})), "-32601 #7"),
        (json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }), "ignored"),
        (json!({ "jsonrpc": "2.0", "method": "notifications/else", "params": 5 }), "ignored"),
        (json!({ "jsonrpc": "2.0", "method": "notifications/cancelled" }), "ignored"),
        (
            json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 7 } }),
            "notification",
        ),
        (json!({ "jsonrpc": "2.0", "id": 9, "result": {} }), "response"),
        (json!({ "jsonrpc": "2.0", "id": 9, "error": { "code": 1, "message": "m" } }), "response"),
        (json!({ "id": {}, "result": {} }), "ignored"),
    ];
    for (message, expected) in cases {
        assert_eq!(verdict(message.clone(), Handshake::Done), expected, "{message}");
    }
}

#[test]
fn before_initialize_only_what_opens_by_itself_passes() {
    let modern = json!({ "_meta": { PROTOCOL_VERSION_KEY: "2026-07-28" } });
    let cases = [
        (request("tools/list", json!({})), "-32602 #7"),
        (request("tools/list", modern.clone()), "tools/list #7"),
        (request("initialize", modern), "-32601 #7"),
        (request("ping", json!({})), "ping #7"),
        (request("server/discover", json!({})), "server/discover #7"),
        (request("initialize", json!({})), "initialize #7"),
        (request("initialize", Value::Null), "initialize #7"),
        (request("initialize", json!({ "clientInfo": { "name": "c" } })), "initialize #7"),
        (request("initialize", json!({ "protocolVersion": 3 })), "-32602 #7"),
        (request("no/such", json!({})), "-32601 #7"),
    ];
    for (message, expected) in cases {
        assert_eq!(verdict(message.clone(), Handshake::Awaited), expected, "{message}");
    }
}

#[test]
fn the_meta_of_a_request_reaches_its_handler() {
    let message = request("tools/call", json!({ "name": "x", "_meta": { "progressToken": "t" } }));
    let Decoded::Message(message) = decode(message, Handshake::Done) else { panic!("refused") };
    let (request, _) = message.into_request().unwrap();
    assert!(request.extensions().get::<RequestMetaObject>().unwrap().get_progress_token().is_some());
}

fn any_json() -> impl Strategy<Value = Value> {
    let name = prop::sample::select(vec![
        "id",
        "method",
        "params",
        "jsonrpc",
        "result",
        "error",
        "_meta",
        "name",
        "2.0",
        "tools/call",
        "initialize",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        name.clone().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(name.clone().prop_map(str::to_owned), inner, 0..7)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn a_request_is_passed_on_or_refused_but_never_ignored(message in any_json()) {
        let asks = is_request(&message);
        let decoded = decode(message, Handshake::Done);
        prop_assert!(!asks || !matches!(decoded, Decoded::Ignored));
    }
}
