//! Who comes in over HTTP, and how far they get.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use hewto_testkit::TestWorkspace;
use serde_json::{Value, json};

use crate::http_client::{HttpServer, command, initialize, with_tokens};

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

#[test]
fn a_token_opens_what_its_scopes_say() {
    let workspace = TestWorkspace::native();
    let server = with_tokens(&workspace, &["--toolsets", "all"]);
    assert_eq!((server.get("/health").status, server.get("/ready").status), (200, 200));
    for headers in [
        &[][..],
        &[("Authorization", "Bearer nobody")],
        &[("Authorization", "Basic r-token-5f1c9a7be3d24806")],
        &[("Authorization", "r-token-5f1c9a7be3d24806")],
        &[("Authorization", "Bearer")],
        &[
            ("Authorization", "Bearer r-token-5f1c9a7be3d24806"),
            ("Authorization", "Bearer w-token-5f1c9a7be3d24806"),
        ],
    ] {
        for (method, path) in [("GET", "/metrics"), ("POST", "/mcp"), ("POST", "/mcp/w/other")] {
            let answer = server.send(method, path, headers, b"");
            assert_eq!(answer.status, 401, "{headers:?} {path}");
            assert!(answer.header("www-authenticate").unwrap().starts_with("Bearer realm="), "{answer:?}");
        }
    }
    assert_eq!(
        server.send("GET", "/metrics", &[("Authorization", "bearer r-token-5f1c9a7be3d24806")], b"").status,
        200
    );

    let create = || ("spec_create", json!({ "title": "A", "description": "Why" }));
    let server = server.with_token("r-token-5f1c9a7be3d24806");
    assert_eq!(server.call("/mcp", "spec_list", json!({})).status, 200);
    assert_eq!(server.modern("/mcp", "resources/list", json!({})).status, 200);
    let refused = server.call("/mcp", create().0, create().1);
    assert_eq!((refused.status, refused.error()), (403, json!("insufficient_scope")));
    assert_eq!(refused.json()["id"], 1);
    let challenge = refused.header("www-authenticate").unwrap();
    assert!(challenge.contains("error=\"insufficient_scope\", scope=\"write\""), "{challenge}");
    assert_eq!(server.call("/mcp", "git_status", json!({})).status, 403);

    let server = server.with_token("w-token-5f1c9a7be3d24806");
    assert_eq!(server.call("/mcp", create().0, create().1).status, 200);
    assert_eq!(server.call("/mcp", "git_status", json!({})).status, 403);

    let server = server.with_token("s-token-5f1c9a7be3d24806");
    assert_eq!(server.modern("/mcp", "tools/list", json!({})).status, 200);
    assert_eq!(server.call("/mcp", "git_status", json!({})).status, 200);
    assert_eq!(server.call("/mcp", "spec_list", json!({})).status, 403);
}

#[test]
fn the_principal_is_in_every_line_of_the_logs_and_the_token_in_none() {
    let workspace = TestWorkspace::native();
    let server = with_tokens(&workspace, &[]).with_token("w-token-5f1c9a7be3d24806");
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
            assert!(!line.contains("w-token-5f1c9a7be3d24806"));
            lines += 1;
        }
    }
    assert!(lines >= 8, "{lines}");
    assert!(logs.join("session-writer.jsonl").exists());
    assert!(logs.join(format!("session-{session}.jsonl")).exists());
}

#[test]
fn who_tries_what_a_scope_forbids_stands_in_the_logs() {
    let workspace = TestWorkspace::native();
    let server = with_tokens(&workspace, &["--debug"]).with_token("r-token-5f1c9a7be3d24806");
    let refused = server.call("/mcp", "spec_create", json!({ "title": "A", "description": "Why" }));
    assert_eq!(refused.status, 403);
    server.signal();
    let (_, said) = server.wait();
    let line = said.lines().find(|line| line.contains("answered")).unwrap_or_else(|| panic!("{said}"));
    assert!(line.contains("principal=\"reader\"") && line.contains("status=403"), "{line}");
    let log = fs_err::read_to_string(workspace.root().join(".hewto/logs/session-reader.jsonl")).unwrap();
    let lines: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines[0]["method"], "tools/call", "{log}");
    assert_eq!(lines[1]["error"]["data"]["error"], "insufficient_scope", "{log}");
}

#[test]
fn a_session_belongs_to_its_principal() {
    let workspace = TestWorkspace::native();
    let server = with_tokens(&workspace, &[]).with_token("w-token-5f1c9a7be3d24806");
    let session = server.initialize();
    let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });
    assert_eq!(server.legacy(Some(&session), &list).status, 200);
    let server = server.with_token("r-token-5f1c9a7be3d24806");
    assert_eq!(server.legacy(Some(&session), &list).status, 404);
    assert_eq!(server.send("DELETE", "/mcp", &[("Mcp-Session-Id", &session)], b"").status, 404);
    let server = server.with_token("w-token-5f1c9a7be3d24806");
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
fn a_cursor_belongs_to_the_principal_who_got_it() {
    let workspace = TestWorkspace::native();
    let server = with_tokens(&workspace, &[]).with_token("w-token-5f1c9a7be3d24806");
    for title in ["One", "Two", "Three"] {
        server.call("/mcp", "spec_create", json!({ "title": title, "description": "Why" }));
    }
    let page = |server: &HttpServer, cursor: &Value| {
        let answer = server.call("/mcp", "spec_list", json!({ "limit": 2, "cursor": cursor })).json();
        answer["result"].clone()
    };
    let first = page(&server, &Value::Null);
    let cursor = &first["structuredContent"]["next_cursor"];
    assert!(first["content"][0]["text"].as_str().unwrap().contains(cursor.as_str().unwrap()));
    assert_eq!(page(&server, cursor)["structuredContent"]["remaining"], 0);
    let server = server.with_token("r-token-5f1c9a7be3d24806");
    let refused = page(&server, cursor);
    assert!(refused["content"][0]["text"].as_str().unwrap().contains("invalid_params"), "{refused}");
}

#[test]
fn a_server_that_must_not_or_cannot_start_says_so_with_its_exit_code() {
    let workspace = TestWorkspace::native();
    let taken = HttpServer::start(workspace.root(), &[]);
    let address = taken.address.to_string();
    let private = |name: &str, text: &str| {
        let file = workspace.root().join(name);
        fs_err::write(&file, text).unwrap();
        fs_err::set_permissions(&file, Permissions::from_mode(0o600)).unwrap();
    };
    private("bad-tokens", "alice\n");
    private("short-tokens", "alice read x\n");
    private("bound-tokens", "alice read r-token-5f1c9a7be3d24806 workspace=shop\n");
    fs_err::write(workspace.root().join("open-tokens"), "alice read r-token-5f1c9a7be3d24806\n").unwrap();
    fs_err::set_permissions(workspace.root().join("open-tokens"), Permissions::from_mode(0o644)).unwrap();
    private("issuers-tokens", "ann@id.example read r-token-5f1c9a7be3d24806\n");
    let issuer = ["--oauth-issuer", "https://id.example", "--oauth-resource", "https://hewto.example/mcp"];
    let of_issuer = [&["--http", "127.0.0.1:0", "--token-file", "issuers-tokens"][..], &issuer[..]].concat();
    let cases: [(&[&str], i32, &str); 15] = [
        (&of_issuer, 2, "`ann@id.example` of the token file could be a user of the issuer"),
        (&["--http", "0.0.0.0:0"], 2, "there are no tokens"),
        (&["--http", "[::]:0"], 2, "there are no tokens"),
        (&["--http", "nonsense"], 2, "is not an address"),
        (&["--http", "--allow-host", "https://team.example"], 2, "`https://team.example` is not a host name"),
        (&["--http", "--allow-origin", "app.example"], 2, "`app.example` is not an origin"),
        (&["--http", &address], 3, "cannot listen on"),
        (&["--http", "127.0.0.1:0", "--token-file", "bad-tokens"], 2, "line 1 of the token file"),
        (&["--http", "127.0.0.1:0", "--token-file", "short-tokens"], 2, "the token can be guessed"),
        (&["--http", "127.0.0.1:0", "--token-file", "open-tokens"], 2, "others can read the token file"),
        (
            &["--http", "127.0.0.1:0", "--token-file", "bound-tokens"],
            2,
            "the workspace `shop`, which is not served",
        ),
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
