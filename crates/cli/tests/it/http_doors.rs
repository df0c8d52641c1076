//! Who comes in over HTTP, how far they get, and how much they may send.

use std::io::Write;
use std::net::TcpStream;
use std::path::Path;

use hewto_testkit::TestWorkspace;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde_json::{Value, json};

use crate::http_client::{Answer, HttpServer, command, initialize, modern_message};

const TOKENS: &str = "# ours\nreader read r-token\nwriter read,write w-token\nstation workstation s-token\n";

/// Every kind of path.
const PATHS: [&str; 7] = ["/health", "/alive", "/ready", "/metrics", "/mcp", "/mcp/w/x", "/nowhere"];

#[test]
fn health_and_readiness_are_for_everybody_and_metrics_count() {
    let workspace = TestWorkspace::native();
    let server = HttpServer::start(workspace.root(), &[]);
    for (path, text) in [("/health", "Healthy\n"), ("/alive", "Healthy\n"), ("/ready", "Ready\n")] {
        let answer = server.get(path);
        assert_eq!((answer.status, &*answer.text), (200, text), "{path}");
        assert_eq!(server.send("HEAD", path, &[], b"").status, 200);
        assert_eq!(server.send("POST", path, &[], b"{}").header("allow"), Some("GET, HEAD"));
    }
    server.call("/mcp", "spec_list", json!({}));
    let metrics = server.get("/metrics");
    assert_eq!(metrics.header("content-type"), Some("text/plain; version=0.0.4; charset=utf-8"));
    assert!(
        metrics.text.contains("hewto_http_requests_total{route=\"mcp\",status=\"200\"} 1\n"),
        "{metrics:?}"
    );
    assert_eq!(server.get("/nowhere").status, 404);
}

#[test]
fn host_and_origin_are_checked_on_every_path() {
    let workspace = TestWorkspace::native();
    let allowed = ["--allow-host", "team.example", "--allow-origin", "https://app.example"];
    let server = HttpServer::start(workspace.root(), &allowed);
    for path in PATHS {
        let send = |headers: &[(&str, &str)]| server.send("GET", path, headers, b"");
        assert_eq!(send(&[("Host", "evil.example")]).error(), "host_not_allowed", "{path}");
        assert_eq!(send(&[("Host", "localhost"), ("Host", "localhost")]).status, 400, "{path}");
        assert_eq!(send(&[("Host", "a b")]).status, 400, "{path}");
        let evil = send(&[("Origin", "http://evil.example")]);
        assert_eq!((evil.status, evil.error()), (403, json!("origin_not_allowed")), "{path}");
        assert_eq!(send(&[("Origin", "null")]).status, 403, "{path}");
        for fine in [("Host", "localhost:1"), ("Host", "team.example"), ("Origin", "http://localhost:3000")] {
            assert_ne!(send(&[fine]).status, 403, "{path} {fine:?}");
        }
        let page = send(&[("Origin", "https://app.example")]);
        assert_eq!(page.header("access-control-allow-origin"), Some("https://app.example"), "{path}");
    }
    let absolute = server.send("GET", "http://evil.example/health", &[], b"");
    assert_eq!(absolute.status, 403);
    let asked = server.send("OPTIONS", "/mcp", &[("Origin", "http://localhost:3000")], b"");
    assert_eq!(asked.status, 204);
    assert!(asked.header("access-control-allow-headers").unwrap().contains("mcp-session-id"));
}

fn with_tokens(workspace: &TestWorkspace, flags: &[&str]) -> HttpServer {
    let file = workspace.root().join("tokens");
    fs_err::write(&file, TOKENS).unwrap();
    HttpServer::start(workspace.root(), &[&["--token-file", "tokens"], flags].concat())
}

#[test]
fn a_token_opens_what_its_scopes_say() {
    let workspace = TestWorkspace::native();
    let server = with_tokens(&workspace, &["--toolsets", "all"]);
    assert_eq!((server.get("/health").status, server.get("/ready").status), (200, 200));
    for headers in [
        &[][..],
        &[("Authorization", "Bearer nobody")],
        &[("Authorization", "Basic r-token")],
        &[("Authorization", "r-token")],
        &[("Authorization", "Bearer")],
        &[("Authorization", "Bearer r-token"), ("Authorization", "Bearer w-token")],
    ] {
        for (method, path) in [("GET", "/metrics"), ("POST", "/mcp"), ("POST", "/mcp/w/other")] {
            let answer = server.send(method, path, headers, b"");
            assert_eq!(answer.status, 401, "{headers:?} {path}");
            assert!(answer.header("www-authenticate").unwrap().starts_with("Bearer realm="), "{answer:?}");
        }
    }
    assert_eq!(server.send("GET", "/metrics", &[("Authorization", "bearer r-token")], b"").status, 200);

    let create = || ("spec_create", json!({ "title": "A", "description": "Why" }));
    let server = server.with_token("r-token");
    assert_eq!(server.call("/mcp", "spec_list", json!({})).status, 200);
    assert_eq!(server.modern("/mcp", "resources/list", json!({})).status, 200);
    let refused = server.call("/mcp", create().0, create().1);
    assert_eq!((refused.status, refused.error()), (403, json!("insufficient_scope")));
    assert_eq!(refused.json()["id"], 1);
    let challenge = refused.header("www-authenticate").unwrap();
    assert!(challenge.contains("error=\"insufficient_scope\", scope=\"write\""), "{challenge}");
    assert_eq!(server.call("/mcp", "git_status", json!({})).status, 403);

    let server = server.with_token("w-token");
    assert_eq!(server.call("/mcp", create().0, create().1).status, 200);
    assert_eq!(server.call("/mcp", "git_status", json!({})).status, 403);

    let server = server.with_token("s-token");
    assert_eq!(server.modern("/mcp", "tools/list", json!({})).status, 200);
    assert_eq!(server.call("/mcp", "git_status", json!({})).status, 200);
    assert_eq!(server.call("/mcp", "spec_list", json!({})).status, 403);
}

#[test]
fn the_principal_is_in_every_line_of_the_logs_and_the_token_in_none() {
    let workspace = TestWorkspace::native();
    let server = with_tokens(&workspace, &[]).with_token("w-token");
    server.call("/mcp", "spec_create", json!({ "title": "A", "description": "Why" }));
    let session = server.initialize();
    let call =
        json!({ "jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": { "name": "spec_list" } });
    server.legacy(Some(&session), &call);
    server.signal();
    assert_eq!(server.wait().0.code(), Some(0));
    let logs = workspace.root().join(".hewto/logs");
    let mut lines = 0;
    for entry in fs_err::read_dir(&logs).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "jsonl") {
            continue;
        }
        for line in fs_err::read_to_string(&path).unwrap().lines() {
            let value: Value = serde_json::from_str(line).unwrap();
            assert_eq!(value["principal"], "writer", "{}: {line}", path.display());
            assert!(!line.contains("w-token"));
            lines += 1;
        }
    }
    assert!(lines >= 8, "{lines}");
    assert!(logs.join("session-writer.jsonl").exists());
    assert!(logs.join(format!("session-{session}.jsonl")).exists());
}

#[test]
fn a_session_belongs_to_its_principal() {
    let workspace = TestWorkspace::native();
    let server = with_tokens(&workspace, &[]).with_token("w-token");
    let session = server.initialize();
    let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });
    assert_eq!(server.legacy(Some(&session), &list).status, 200);
    let server = server.with_token("r-token");
    assert_eq!(server.legacy(Some(&session), &list).status, 404);
    assert_eq!(server.send("DELETE", "/mcp", &[("Mcp-Session-Id", &session)], b"").status, 404);
    let server = server.with_token("w-token");
    assert_eq!(server.legacy(Some(&session), &list).status, 200);
}

fn two_workspaces() -> (TestWorkspace, TestWorkspace, String, String) {
    let (one, two) = (TestWorkspace::native(), TestWorkspace::native());
    let flag = |name: &str, workspace: &TestWorkspace| format!("{name}={}", workspace.root().display());
    let (first, second) = (flag("one", &one), flag("two", &two));
    (one, two, first, second)
}

#[test]
fn a_client_reaches_the_workspace_that_it_names_and_no_other() {
    let (one, two, first, second) = two_workspaces();
    let server = HttpServer::start(one.root(), &["--workspace", &first, "--workspace", &second]);
    for path in ["/mcp", "/", "/mcp/w/three", "/mcp/w/", "/mcp/w/one/x", "/mcp/w/..%2Fone", "/mcp/w"] {
        assert_eq!(server.modern(path, "tools/list", json!({})).status, 404, "{path}");
    }
    let total = |path: &str| {
        server.call(path, "spec_list", json!({})).json()["result"]["structuredContent"]["total"].clone()
    };
    server.call("/mcp/w/one", "spec_create", json!({ "title": "Only here", "description": "Why" }));
    assert_eq!((total("/mcp/w/one"), total("/mcp/w/two")), (json!(1), json!(0)));
    let headers = [("Content-Type", "application/json")];
    let begun = server.send("POST", "/mcp/w/one", &headers, initialize().to_string().as_bytes());
    let id = begun.header("mcp-session-id").unwrap();
    let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" }).to_string();
    let in_session = [("Content-Type", "application/json"), ("Mcp-Session-Id", id)];
    assert_eq!(server.send("POST", "/mcp/w/one", &in_session, list.as_bytes()).status, 200);
    assert_eq!(server.send("POST", "/mcp/w/two", &in_session, list.as_bytes()).status, 404);
    // The log of a read is written behind its reply; it may not be there yet.
    let log = fs_err::read_to_string(two.root().join(".hewto/logs/operations.jsonl")).unwrap_or_default();
    assert!(!log.contains("Only here"), "{log}");
    let cursor = {
        server.call("/mcp/w/one", "spec_create", json!({ "title": "Second", "description": "Why" }));
        let page = server.call("/mcp/w/one", "spec_list", json!({ "limit": 1 })).json();
        page["result"]["structuredContent"]["next_cursor"].clone()
    };
    assert!(cursor.is_string());
    let foreign = server.call("/mcp/w/two", "spec_list", json!({ "cursor": cursor })).json();
    assert_eq!(foreign["result"]["isError"], true, "{foreign}");
}

#[test]
fn the_default_workspace_is_at_mcp_by_its_name_or_without_one() {
    let (one, _two, first, second) = two_workspaces();
    let named = first.replace("one=", "default=");
    let server = HttpServer::start(one.root(), &["--workspace", &named, "--workspace", &second]);
    assert_eq!(server.modern("/mcp", "tools/list", json!({})).status, 200);
    assert_eq!(server.modern("/mcp/w/two", "tools/list", json!({})).status, 200);
    let plain = one.root().to_str().unwrap();
    let server = HttpServer::start(Path::new("/"), &["--workspace", plain, "--workspace", &second]);
    assert_eq!(server.modern("/mcp", "tools/list", json!({})).status, 200);
    assert_eq!(server.modern("/mcp/w/two", "tools/list", json!({})).status, 200);
}

#[test]
fn over_http_no_repository_outside_the_workspace_can_be_named() {
    let (one, two, first, second) = two_workspaces();
    for workspace in [&one, &two] {
        git_init(workspace.root());
    }
    let server = HttpServer::start(one.root(), &["--workspace", &first, "--workspace", &second]);
    std::os::unix::fs::symlink(two.root(), one.root().join("link")).unwrap();
    let call = |tool: &str, path: Option<&Path>| {
        let intention = (tool == "require_clarification").then_some("Add OAuth authentication with Clerk");
        let arguments = json!({ "user_intention": intention, "repo_path": path });
        let mut arguments = arguments.as_object().unwrap().clone();
        arguments.retain(|_, value| !value.is_null());
        let reply = server.call("/mcp/w/one", tool, Value::Object(arguments)).json();
        let text = reply["result"]["content"][0]["text"].as_str().unwrap();
        serde_json::from_str::<Value>(text).unwrap()
    };
    for tool in ["read_architecture", "require_clarification"] {
        let mut hints = Vec::new();
        for path in [two.root(), Path::new("../.."), Path::new("/nowhere/at/all"), Path::new("link")] {
            let error = call(tool, Some(path));
            assert_eq!(error["error"]["code"], "REPO_NOT_FOUND", "{tool} {path:?}: {error}");
            hints.push(error["error"]["recovery_hint"].clone());
        }
        hints.dedup();
        assert_eq!(hints.len(), 1, "whether there is something outside is not told: {hints:?}");
        for path in [None, Some(one.root()), Some(Path::new("specs"))] {
            assert_ne!(call(tool, path)["status"], "error", "{tool} {path:?}");
        }
    }
    assert!(one.exists("docs/CURRENT_TASK.md") && !two.exists("docs"));
}

fn git_init(folder: &Path) {
    let made = std::process::Command::new("git").args(["init", "-q"]).current_dir(folder).status().unwrap();
    assert!(made.success());
}

#[test]
fn a_principal_that_asks_too_fast_is_told_when_to_come_back() {
    let workspace = TestWorkspace::native();
    let config = workspace.root().join(".hewto/config.toml");
    let text = fs_err::read_to_string(&config).unwrap();
    fs_err::write(&config, text + "\n[rate]\nper_second = 0.01\nburst = 2\n").unwrap();
    let server = with_tokens(&workspace, &[]).with_token("r-token");
    assert_eq!(server.call("/mcp", "spec_list", json!({})).status, 200);
    assert_eq!(server.call("/mcp", "spec_list", json!({})).status, 200);
    let refused = server.call("/mcp", "spec_list", json!({}));
    assert_eq!((refused.status, refused.error()), (429, json!("rate_limited")));
    let wait: u64 = refused.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=100).contains(&wait), "{wait}");
    assert_eq!(server.modern("/mcp", "tools/list", json!({})).status, 200, "lists are free");
    let server = server.with_token("w-token");
    assert_eq!(server.call("/mcp", "spec_list", json!({})).status, 200, "another principal is not held up");
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
    let largest = modern_message(1, "prompts/list", json!({ "_meta": { "x": "y".repeat(4_000_000) } }));
    let headers = [
        ("Content-Type", "application/json"),
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", "prompts/list"),
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
fn a_server_that_must_not_or_cannot_start_says_so_with_its_exit_code() {
    let workspace = TestWorkspace::native();
    let taken = HttpServer::start(workspace.root(), &[]);
    let address = taken.address.to_string();
    fs_err::write(workspace.root().join("bad-tokens"), "alice\n").unwrap();
    let cases: [(&[&str], i32, &str); 9] = [
        (&["--http", "0.0.0.0:0"], 2, "there are no tokens"),
        (&["--http", "[::]:0"], 2, "there are no tokens"),
        (&["--http", "nonsense"], 2, "is no address"),
        (&["--http", &address], 3, "cannot listen on"),
        (&["--http", "127.0.0.1:0", "--token-file", "bad-tokens"], 2, "line 1 of the token file"),
        (&["--http", "127.0.0.1:0", "--token-file", "none"], 2, "cannot read the token file"),
        (
            &["--http", "127.0.0.1:0", "--workspace", "a=.", "--workspace", "a=."],
            2,
            "two workspaces are called",
        ),
        (&["--http", "127.0.0.1:0", "--workspace", "a b=."], 2, "cannot name a workspace"),
        (&["--token-file", "bad-tokens"], 2, "--http"),
    ];
    for (flags, code, message) in cases {
        let output = command(workspace.root(), flags).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{flags:?}: {said}");
        assert!(said.contains(message), "{flags:?}: {said}");
    }
}
