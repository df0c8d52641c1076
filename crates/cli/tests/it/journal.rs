//! `hewto log`: what the server did, for people.

use serde_json::{Value, json};

use crate::sandbox::Sandbox;

/// Lets a server answer these calls, one after the other.
fn serve(sandbox: &Sandbox, calls: &[(&str, Value)]) {
    let mut frames = vec![json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } } })];
    frames.push(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    let path = sandbox.root().join("calls");
    for (number, (name, arguments)) in calls.iter().enumerate() {
        let params = json!({ "name": name, "arguments": arguments });
        let call = json!({ "jsonrpc": "2.0", "id": number + 1, "method": "tools/call", "params": params });
        let lines: Vec<String> = frames.iter().chain([&call]).map(Value::to_string).collect();
        fs_err::write(&path, lines.join("\n") + "\n").unwrap();
        let input = fs_err::File::open(&path).unwrap().into_parts().0;
        let output = sandbox.hewto(&["serve"]).stdin(input).output().unwrap();
        assert!(output.status.success(), "{}", crate::sandbox::whole(&output));
    }
}

/// The text with single blanks: how wide a column is depends on how long calls take.
fn squeezed(text: &str) -> String {
    text.lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn a_new_workspace_has_the_operation_that_made_it() {
    let sandbox = Sandbox::workspace();
    insta::assert_snapshot!(squeezed(&sandbox.run(&["log"])), @r"
    STARTED WHO OPERATION STATUS TOOK WHAT
    [TIME] ann hewto init succeeded [MS] created .hewto/config.toml, created .hewto/proof.toml, created .hewto/manifest.json
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.run(&["log", "--json"]), @r#"
    {
      "operations": [
        {
          "operation_id": "[UUID]",
          "session_id": "[UUID]",
          "principal": "ann",
          "channel": "cli",
          "tool": "hewto init",
          "status": "succeeded",
          "started_at": "[TIME]",
          "duration_ms": [MS],
          "artifacts": [
            {
              "path": ".hewto/config.toml",
              "action": "created"
            },
            {
              "path": ".hewto/proof.toml",
              "action": "created"
            },
            {
              "path": ".hewto/manifest.json",
              "action": "created"
            }
          ],
          "error": null
        }
      ]
    }
    [exit 0]
    "#);
}

#[test]
fn operations_are_shown_newest_last_with_what_they_did() {
    let sandbox = Sandbox::workspace();
    let create = json!({ "title": "Login", "description": "d" });
    let unknown = json!({ "spec_id": "1-none" });
    serve(&sandbox, &[("spec_create", create), ("spec_list", json!({})), ("spec_status", unknown)]);
    insta::assert_snapshot!(squeezed(&sandbox.run(&["log"])), @r"
    STARTED WHO OPERATION STATUS TOOK WHAT
    [TIME] ann hewto init succeeded [MS] created .hewto/config.toml, created .hewto/proof.toml, created .hewto/manifest.json
    [TIME] mcp spec_create succeeded [MS] created specs/1700000000-login/spec.md, created specs/1700000000-login/state.toon
    [TIME] mcp spec_list succeeded [MS]
    [TIME] mcp spec_status failed [MS] no spec named `1-none`
    [exit 0]
    ");
    insta::assert_snapshot!(squeezed(&sandbox.run(&["log", "--limit", "1"])), @r"
    STARTED WHO OPERATION STATUS TOOK WHAT
    [TIME] mcp spec_status failed [MS] no spec named `1-none`
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.run(&["log", "--tool", "spec_list", "--json"]), @r#"
    {
      "operations": [
        {
          "operation_id": "[UUID]",
          "session_id": "[UUID]",
          "principal": null,
          "channel": "mcp",
          "tool": "spec_list",
          "status": "succeeded",
          "started_at": "[TIME]",
          "duration_ms": [MS],
          "artifacts": [],
          "error": null
        }
      ]
    }
    [exit 0]
    "#);
    let all = sandbox.json(&["log"]);
    let session = all["operations"][1]["session_id"].as_str().unwrap();
    let of_session = sandbox.json(&["log", "--session", session]);
    let tools: Vec<&str> = of_session["operations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry["tool"].as_str().unwrap())
        .collect();
    assert_eq!(tools, ["spec_create"]);
}
