//! How a server on a port closes: what is under way is answered, what would go on for ever ends.

use std::io::Write;
use std::net::TcpStream;

use hewto_testkit::TestWorkspace;
use serde_json::{Value, json};

use crate::http_client::{HttpServer, hold_lock, wait_for};

const BOTH: &str = "application/json, text/event-stream";

#[test]
fn a_signal_lets_calls_under_way_finish_and_ends_with_zero() {
    let workspace = TestWorkspace::native();
    let server = HttpServer::start(workspace.root(), &[]);
    server.call("/mcp", "spec_create", json!({ "title": "First", "description": "Why" }));
    let lock = hold_lock(&workspace);
    let arguments = json!({ "title": "Last", "description": "Why" });
    let call = json!({ "name": "spec_create", "arguments": arguments });
    let wire = server.begin_modern("/mcp", "tools/call", call, "application/json");
    let mut idle = server.connect();
    idle.0.get_mut().write_all(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    assert_eq!(idle.head().status, 200);
    let log = workspace.root().join(".hewto/logs/session-anonymous.jsonl");
    wait_for(|| fs_err::read_to_string(&log).is_ok_and(|text| text.contains("\"Last\"")));
    server.signal();
    assert!(idle.ends(), "a connection without a request is closed at once");
    wait_for(|| TcpStream::connect(server.address).is_err());
    drop(lock);
    let answer = wire.answer();
    assert_eq!(answer.json()["result"]["structuredContent"]["created"], true, "{answer:?}");
    assert_eq!(server.wait().0.code(), Some(0));
}

#[test]
fn a_call_that_has_begun_to_report_is_answered_on_its_stream() {
    let workspace = TestWorkspace::native();
    let server = HttpServer::start(workspace.root(), &[]);
    server.call("/mcp", "spec_create", json!({ "title": "First", "description": "Why" }));
    let lock = hold_lock(&workspace);
    let arguments = json!({ "title": "Last", "description": "Why" });
    let call = json!({ "name": "spec_create", "arguments": arguments, "_meta": { "progressToken": 1 } });
    let mut wire = server.begin_modern("/mcp", "tools/call", call, BOTH);
    assert_eq!(wire.event().unwrap()["method"], "notifications/progress");
    server.signal();
    wait_for(|| TcpStream::connect(server.address).is_err());
    drop(lock);
    let last = std::iter::from_fn(|| wire.event()).last().expect("the response comes on the stream");
    assert_eq!(last["result"]["structuredContent"]["created"], true, "{last}");
    assert_eq!(server.wait().0.code(), Some(0));
}

#[test]
fn a_subscription_hears_of_changes_until_it_is_answered_at_the_end() {
    let workspace = TestWorkspace::native();
    let server = HttpServer::start(workspace.root(), &[]);
    let made = server.call("/mcp", "spec_create", json!({ "title": "First", "description": "Why" })).json();
    let id = made["result"]["structuredContent"]["spec_id"].as_str().unwrap().to_owned();
    let uri = format!("airsspec:///{id}/spec");
    let wanted = json!({ "notifications": { "resourceSubscriptions": [uri], "resourcesListChanged": true } });
    let mut wire = server.begin_modern("/mcp", "subscriptions/listen", wanted.clone(), BOTH);
    assert_eq!(wire.head().header("content-type"), Some("text/event-stream"));
    let mut next = || wire.event().expect("the stream goes on");
    let confirmed = next();
    assert_eq!(confirmed["method"], "notifications/subscriptions/acknowledged");
    assert_eq!(confirmed["params"]["notifications"], wanted["notifications"]);
    let file = format!("specs/{id}/spec.md");
    workspace.replace(&file, &(workspace.read(&file) + "\nBy hand.\n"));
    let updated = next();
    assert_eq!(updated["method"], "notifications/resources/updated");
    assert_eq!(updated["params"]["uri"], uri);
    server.call("/mcp", "spec_create", json!({ "title": "Second", "description": "Why" }));
    let changed = next();
    assert_eq!(changed["method"], "notifications/resources/list_changed");
    for told in [&confirmed, &updated, &changed] {
        assert_eq!(told["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], 1, "{told}");
    }
    server.signal();
    let answered = next();
    assert_eq!((&answered["id"], &answered["result"]["resultType"]), (&json!(1), &json!("complete")));
    assert_eq!(wire.event(), None);
    assert_eq!(server.wait().0.code(), Some(0));
}

#[test]
fn the_stream_of_a_session_ends() {
    let workspace = TestWorkspace::native();
    let server = HttpServer::start(workspace.root(), &[]);
    let id = server.initialize();
    let headers = [("Mcp-Session-Id", &*id), ("Accept", "text/event-stream")];
    let mut stream = server.begin("GET", "/mcp", &headers, b"");
    assert_eq!(stream.head().status, 200);
    server.signal();
    assert_eq!(stream.event(), None::<Value>);
    assert_eq!(server.wait().0.code(), Some(0));
}
