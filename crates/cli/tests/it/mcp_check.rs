//! `hewto mcp-check`: what it finds in a server, and that it leaves nothing behind.

use serde_json::Value;

use crate::sandbox::Sandbox;

/// A server in a few lines of shell: answers each request by its method.
fn server(answers: &str) -> String {
    format!(
        "while read -r line; do\n  id=$(printf '%s' \"$line\" | sed -n 's/.*\"id\":\\([0-9]*\\).*/\\1/p')\n  case \"$line\" in\n{answers}\n    *notifications*) ;;\n    *) echo \"{{\\\"jsonrpc\\\":\\\"2.0\\\",\\\"id\\\":$id,\\\"error\\\":{{\\\"code\\\":-32601,\\\"message\\\":\\\"no\\\"}}}}\" ;;\n  esac\ndone\n"
    )
}

const HELLO: &str = r#"    *'"initialize"'*) echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"tools\":{}},\"serverInfo\":{\"name\":\"bad\",\"version\":\"1\"}}}" ;;"#;

#[test]
fn hewto_itself_is_taken_by_every_host() {
    let sandbox = Sandbox::workspace();
    let output = sandbox.output(&["mcp-check", "--json", "--", env!("CARGO_BIN_EXE_hewto"), "serve"]);
    let view: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(view["ok"], true, "{view:#}");
    assert_eq!(view["server"], "hewto");
    for era in ["2024-11-05", "2025-11-25", "2026-07-28"] {
        assert!(view["eras"].as_array().unwrap().contains(&Value::from(era)), "{view:#}");
    }
    let errors = view["findings"].as_array().unwrap().iter().filter(|one| one["level"] != "info").count();
    assert_eq!(errors, 0, "{view:#}");
}

#[test]
fn names_schemas_and_noise_are_told() {
    let sandbox = Sandbox::empty();
    let list = r#"    *tools/list*) echo "starting up"; echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"tools\":[{\"name\":\"a.b\",\"description\":\"x\",\"inputSchema\":{\"type\":\"string\"}}]}}" ;;
    *ping*) echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{}}" ;;"#;
    sandbox.write("server.sh", &server(&format!("{HELLO}\n{list}")));
    let output = sandbox
        .hewto(&["mcp-check", "--json", "--", "/bin/sh", "server.sh"])
        .env("PATH", "/usr/bin:/bin")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let view: Value = serde_json::from_slice(&output.stdout).unwrap();
    let rules: Vec<&str> = view["findings"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|one| one["level"] == "error")
        .map(|one| one["rule"].as_str().unwrap())
        .collect();
    assert_eq!(rules, ["name", "schema", "stdout"], "{view:#}");
}

#[test]
fn a_program_that_is_no_server_or_not_there_is_told_and_ends() {
    let sandbox = Sandbox::empty();
    let shown = sandbox.run(&["mcp-check", "--patience", "1", "--", "/bin/echo", "hello"]);
    assert!(shown.contains("no answer to `initialize`") && shown.ends_with("[exit 1]"), "{shown}");
    let shown = sandbox.run(&["mcp-check", "--", "/no/such/program"]);
    assert!(shown.contains("cannot start") && shown.ends_with("[exit 3]"), "{shown}");
    assert!(sandbox.run(&["mcp-check"]).ends_with("[exit 2]"));
}

#[test]
fn a_server_that_ends_at_once_is_told_with_its_code_and_last_words() {
    let sandbox = Sandbox::empty();
    sandbox.write("server.sh", "echo starting >&2\necho 'the module x is missing' >&2\nexit 7\n");
    let shown = sandbox.run(&["mcp-check", "--", "/bin/sh", "server.sh"]);
    assert!(
        shown.contains("it has ended (exit status: 7); its last words were `the module x is missing`"),
        "{shown}"
    );
    assert!(shown.starts_with("a server without a name: 0 tools"), "{shown}");
}
