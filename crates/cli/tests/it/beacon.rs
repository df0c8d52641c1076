//! A repository names hosts, and nobody calls them: neither commands nor tools, unless the owner trusts the host.

use std::io::ErrorKind;
use std::net::TcpListener;

use hewto_testkit::{Era, McpSession, TestWorkspace};
use serde_json::json;

use crate::http_client::HttpServer;
use crate::station::trust_folder;

/// A workspace whose templates, dependencies and references name this machine, and whoever listens there.
struct Beacon {
    workspace: TestWorkspace,
    state: tempfile::TempDir,
    listener: TcpListener,
    url: String,
}

impl Beacon {
    fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let url = format!("https://{}/evil", listener.local_addr().unwrap());
        let workspace = TestWorkspace::native();
        workspace.add(&format!(
            "//- specs/a/spec.md\n---\nname: a\nversion: '1'\ndependencies:\n- {url}\nreferences:\n- ref: {url}\n---\n# A\n"
        ));
        for pointer in ["SPEC", "IMPL", "SCRATCH"] {
            workspace.add(&format!("//- .hewto/templates/{pointer}\n{url}\n"));
        }
        Self { workspace, state: tempfile::tempdir().unwrap(), listener, url }
    }

    #[track_caller]
    fn assert_silent(&self, after: &str) {
        let error = self.listener.accept().map(drop).expect_err(after);
        assert_eq!(error.kind(), ErrorKind::WouldBlock, "{after}");
    }

    fn run(&self, args: &[&str]) -> std::process::Output {
        std::process::Command::new(env!("CARGO_BIN_EXE_hewto"))
            .args(args)
            .current_dir(self.workspace.root())
            .env_clear()
            .env("HOME", self.state.path())
            .env("XDG_STATE_HOME", self.state.path())
            .stdin(std::process::Stdio::null())
            .output()
            .unwrap()
    }

    fn serve(&self) -> McpSession {
        let state = self.state.path().to_str().unwrap();
        let env = [("HOME", state), ("XDG_STATE_HOME", state)];
        let args = ["serve", "--toolsets", "all"];
        McpSession::spawn(env!("CARGO_BIN_EXE_hewto"), &args, self.workspace.root(), &env, Era::Legacy)
    }
}

#[test]
fn no_command_and_no_tool_contacts_a_host_that_only_the_repository_names() {
    let beacon = Beacon::new();
    for command in [
        "status",
        "validate",
        "doctor",
        "graph",
        "graph spec://a",
        "artifact list",
        "artifact show spec://a",
        "spec show a",
        "template list",
        "template show spec",
        "why specs/a/spec.md",
    ] {
        let words: Vec<&str> = command.split(' ').collect();
        beacon.run(&words);
        beacon.assert_silent(command);
    }
    let listed = String::from_utf8(beacon.run(&["template", "list", "--json"]).stdout).unwrap();
    assert!(listed.contains("is not contacted") && listed.contains("EmbeddedDefault"), "{listed}");
    let mut session = beacon.serve();
    for (tool, arguments) in [
        ("specman_templates_catalog", json!({})),
        ("specman_prompt_catalog", json!({})),
        ("specman_workspace_list_artifacts", json!({})),
        ("specman_dependency_tree", json!({ "locator": "spec://a" })),
        ("specman_metadata_describe", json!({ "locator": "spec://a" })),
        ("specman_dependency_tree", json!({ "locator": beacon.url })),
        ("specman_metadata_describe", json!({ "locator": beacon.url })),
    ] {
        session.call(tool, arguments);
        beacon.assert_silent(tool);
    }
    // The owner trusts the host: now it is asked.
    trust_folder(beacon.state.path(), beacon.workspace.root());
    beacon.run(&["template", "list"]);
    assert!(beacon.listener.accept().is_ok(), "a trusted host is contacted");
}

#[test]
fn a_client_of_a_shared_server_learns_nothing_about_the_ports_behind_it() {
    let beacon = Beacon::new();
    let server = HttpServer::start(beacon.workspace.root(), &["--toolsets", "all"]);
    let port = beacon.url.rsplit_once(':').unwrap().1.split('/').next().unwrap();
    for url in [
        beacon.url.clone(),
        "https://127.0.0.1:1/".to_owned(),
        format!("https://u:pw@127.0.0.1:{port}/"),
        "https://169.254.169.254/latest".to_owned(),
        "https://10.0.0.1/".to_owned(),
        "https://[::1]/".to_owned(),
    ] {
        let answer = server.call("/mcp", "specman_dependency_tree", json!({ "locator": url }));
        beacon.assert_silent(&url);
        assert!(answer.text.contains("private address"), "{url}: {answer:?}");
    }
}
