//! How much a client of a server on a port may send, hold and leave undone.

use std::io::Write;
use std::net::TcpStream;

use hewto_testkit::TestWorkspace;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde_json::{Value, json};

use crate::http_client::{Answer, HttpServer, Wire, hold_lock, modern_message, wait_for, with_tokens};

#[test]
fn a_principal_that_asks_too_fast_is_told_when_to_come_back() {
    let workspace = TestWorkspace::native();
    let config = workspace.root().join(".hewto/config.toml");
    let text = fs_err::read_to_string(&config).unwrap();
    fs_err::write(&config, text + "\n[rate]\nper_second = 0.01\nburst = 2\n").unwrap();
    let server = with_tokens(&workspace, &[]).with_token("r-token-5f1c9a7be3d24806");
    assert_eq!(server.call("/mcp", "spec_list", json!({})).status, 200);
    assert_eq!(server.call("/mcp", "spec_list", json!({})).status, 200);
    let refused = server.call("/mcp", "spec_list", json!({}));
    assert_eq!((refused.status, refused.error()), (429, json!("rate_limited")));
    let wait: u64 = refused.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=100).contains(&wait), "{wait}");
    assert_eq!(server.modern("/mcp", "tools/list", json!({})).status, 200, "lists are free");
    let server = server.with_token("w-token-5f1c9a7be3d24806");
    assert_eq!(server.call("/mcp", "spec_list", json!({})).status, 200, "another principal is not held up");
}

/// How many calls have ended as cancelled, says the log.
fn cancelled(workspace: &TestWorkspace) -> usize {
    let log = workspace.root().join(".hewto/logs/operations.jsonl");
    let text = fs_err::read_to_string(log).unwrap();
    text.lines().filter(|line| line.contains("\"status\":\"cancelled\"")).count()
}

#[test]
fn a_principal_whose_places_are_all_taken_is_told_to_come_back_and_another_is_not() {
    let workspace = TestWorkspace::native();
    // Nobody who waits may run out of time before the last one has come.
    workspace.add("//- .hewto/config.toml\n[project]\nname = \"s\"\n\n[limits]\ncall_timeout_s = 600\n");
    let server = with_tokens(&workspace, &[]).with_token("w-token-5f1c9a7be3d24806");
    server.call("/mcp", "spec_create", json!({ "title": "First", "description": "Why" }));
    let lock = hold_lock(&workspace);
    let write = json!({ "name": "spec_create", "arguments": { "title": "More", "description": "Why" } });
    let waiting: Vec<Wire> = (0..512)
        .map(|_| server.begin_modern("/mcp", "tools/call", write.clone(), "application/json"))
        .collect();
    let under_way = || server.get("/metrics").text.contains("hewto_http_requests_in_flight 512\n");
    wait_for(under_way);
    let refused = server.call("/mcp", "spec_list", json!({}));
    assert_eq!((refused.status, refused.error()), (429, json!("rate_limited")));
    assert_eq!(refused.header("retry-after"), Some("1"));
    let server = server.with_token("r-token-5f1c9a7be3d24806");
    assert_eq!(server.call("/mcp", "spec_list", json!({})).status, 200);
    drop(waiting);
    wait_for(|| server.get("/metrics").text.contains("hewto_http_requests_in_flight 0\n"));
    // Their calls end behind the connections.
    wait_for(|| cancelled(&workspace) == 512);
    drop(lock);
    let server = server.with_token("w-token-5f1c9a7be3d24806");
    let list = server.call("/mcp", "spec_list", json!({}));
    assert_eq!(list.json()["result"]["structuredContent"]["total"], 1, "who goes has cancelled");
    server.signal();
    assert_eq!(server.wait().1, "", "that a client goes is no news");
}

#[test]
fn what_is_too_large_or_no_message_is_refused_and_the_server_goes_on() {
    let workspace = TestWorkspace::native();
    let server = HttpServer::start(workspace.root(), &[]);
    let post = |body: &[u8]| server.send("POST", "/mcp", &[("Content-Type", "application/json")], body);
    let code = |answer: &Answer| (answer.status, answer.json()["error"]["code"].as_i64().unwrap());
    for broken in ["{", "nonsense", "\u{0}", "[1,", "\"\\ud800\""] {
        let answer = post(broken.as_bytes());
        assert_eq!(code(&answer), (400, -32700), "{broken}");
        assert_eq!(answer.json()["id"], Value::Null);
    }
    assert_eq!(code(&post(&[0xff, 0xfe])), (400, -32700));
    assert_eq!(code(&post("[".repeat(100_000).as_bytes())), (400, -32700));
    for odd in [
        "[]",
        "5",
        "\"x\"",
        "{}",
        r#"{"jsonrpc":"2.0","id":1}"#,
        r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#,
    ] {
        assert_eq!(code(&post(odd.as_bytes())).0, 400, "{odd}");
    }
    let other_type = server.send("POST", "/mcp", &[("Content-Type", "text/plain")], b"{}");
    assert_eq!(other_type.status, 415);

    let large = vec![b' '; 4 * 1024 * 1024 + 1];
    assert_eq!(post(&large).error(), "body_too_large");
    let said = server.send("POST", "/mcp", &[("Content-Length", "99999999")], b"");
    assert_eq!(said.status, 413, "it is not waited for");
    let mut chunked = server.connect();
    chunked
        .0
        .get_mut()
        .write_all(b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n")
        .unwrap();
    let chunk = [b"100000\r\n", &vec![b' '; 0x10_0000][..], b"\r\n"].concat();
    for _ in 0..5 {
        // It may have heard enough.
        let _ = chunked.0.get_mut().write_all(&chunk);
    }
    assert_eq!(chunked.head().status, 413);

    let padded = "x".repeat(70 * 1024);
    assert_eq!(server.send("GET", "/health", &[("X-Padding", &padded)], b"").status, 431);
    let most = "x".repeat(60 * 1024);
    assert_eq!(server.send("GET", "/health", &[("X-Padding", &most)], b"").status, 200);
    let call = json!({ "name": "spec_list", "arguments": { "x": "y".repeat(4_000_000) } });
    let largest = modern_message(1, "tools/call", call);
    let headers = [
        ("Content-Type", "application/json"),
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", "tools/call"),
        ("Mcp-Name", "spec_list"),
    ];
    assert_eq!(server.send("POST", "/mcp", &headers, largest.to_string().as_bytes()).status, 200);
    for garbage in [
        "\r\n\r\n\r\n",
        "GET\r\n\r\n",
        "\u{16}\u{3}\u{1}",
        "GET / HTTP/9.9\r\n\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ] {
        let mut wire = server.connect();
        wire.0.get_mut().write_all(garbage.as_bytes()).unwrap();
    }
    assert_eq!(server.get("/health").status, 200);
}

#[test]
fn who_stops_in_the_middle_is_given_up_and_a_thousand_who_say_nothing_hold_up_nobody() {
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }).unwrap();
    let workspace = TestWorkspace::native();
    let server = HttpServer::start(workspace.root(), &[]);
    let mut half_head = server.connect();
    half_head.0.get_mut().write_all(b"POST /mcp HTTP/1.1\r\nHost: local").unwrap();
    let mut half_body = server.connect();
    half_body
        .0
        .get_mut()
        .write_all(b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50\r\n\r\n{")
        .unwrap();
    let idle: Vec<TcpStream> = (0..1_000).map(|_| TcpStream::connect(server.address).unwrap()).collect();
    assert_eq!(server.call("/mcp", "spec_list", json!({})).status, 200);
    assert_eq!(half_body.answer().status, 408);
    assert!(half_head.ends());
    assert_eq!(server.call("/mcp", "spec_list", json!({})).status, 200);
    drop(idle);
}

#[test]
fn a_server_whose_standard_error_nobody_reads_goes_on() {
    let workspace = TestWorkspace::native();
    let server = HttpServer::start(workspace.root(), &["--debug"]);
    // A pipe holds 64 KiB, and each request is a line.
    for _ in 0..1_000 {
        assert_eq!(server.get("/health").status, 200);
    }
}
