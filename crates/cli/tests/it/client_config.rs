//! `hewto client-config`: the configuration alone on standard output, for each client, and it starts a server.

use serde_json::Value;

use crate::sandbox::Sandbox;

#[test]
fn standard_output_is_the_configuration_and_where_it_belongs_is_said_beside_it() {
    let sandbox = Sandbox::workspace();
    insta::assert_snapshot!(sandbox.run(&["client-config", "claude-code"]), @r#"
    {
      "mcpServers": {
        "hewto": {
          "type": "stdio",
          "command": "[HEWTO]",
          "args": [
            "serve"
          ]
        }
      }
    }
    [stderr]
    Claude Code: merge this into .mcp.json
    [exit 0]
    "#);
    insta::assert_snapshot!(sandbox.run(&["client-config", "codex"]), @r#"
    [mcp_servers.hewto]
    command = "[HEWTO]"
    args = ["serve"]
    [stderr]
    Codex: merge this into .codex/config.toml
    Codex reads it in trusted projects; ~/.codex/config.toml serves all of them
    [exit 0]
    "#);
    insta::assert_snapshot!(sandbox.run(&["client-config", "claude-desktop"]), @r#"
    {
      "mcpServers": {
        "hewto": {
          "command": "[HEWTO]",
          "args": [
            "serve",
            "--workspace",
            "[DIR]/project"
          ]
        }
      }
    }
    [stderr]
    Claude Desktop: merge this into ~/.config/Claude/claude_desktop_config.json
    on macOS the file is ~/Library/Application Support/Claude/claude_desktop_config.json, on Windows %APPDATA%\Claude\claude_desktop_config.json
    [exit 0]
    "#);
}

#[test]
fn a_running_server_is_named_by_address_or_url() {
    let sandbox = Sandbox::empty();
    insta::assert_snapshot!(sandbox.run(&["client-config", "gemini", "--http"]), @r#"
    {
      "mcpServers": {
        "hewto": {
          "httpUrl": "http://127.0.0.1:7420/mcp"
        }
      }
    }
    [stderr]
    Gemini CLI: merge this into .gemini/settings.json
    [exit 0]
    "#);
    insta::assert_snapshot!(sandbox.run(&["client-config", "vscode", "--http", "127.0.0.1:9000"]), @r#"
    {
      "servers": {
        "hewto": {
          "type": "http",
          "url": "http://127.0.0.1:9000/mcp"
        }
      }
    }
    [stderr]
    VS Code: merge this into .vscode/mcp.json
    [exit 0]
    "#);
    insta::assert_snapshot!(
        sandbox.run(&["client-config", "cursor", "--http", "https://specs.example.com/mcp/w/web", "--json"]), @r#"
        {
          "client": "cursor",
          "transport": "http",
          "file": ".cursor/mcp.json",
          "format": "json",
          "config": "{\n  \"mcpServers\": {\n    \"hewto\": {\n      \"url\": \"https://specs.example.com/mcp/w/web\",\n      \"headers\": {\n        \"Authorization\": \"Bearer ${env:HEWTO_TOKEN}\"\n      }\n    }\n  }\n}\n",
          "note": "put the server's token into the variable HEWTO_TOKEN"
        }
        [exit 0]
        "#);
}

#[test]
fn the_client_may_follow_the_flag() {
    let sandbox = Sandbox::empty();
    let usual = sandbox.ok(&["client-config", "zed", "--http"]);
    assert_eq!(sandbox.ok(&["client-config", "--http", "zed"]), usual);
    assert!(sandbox.run(&["client-config", "--http", "127.0.0.1:1"]).ends_with("[exit 2]"));
    assert!(sandbox.run(&["client-config"]).ends_with("[exit 2]"));
}

#[test]
fn an_unknown_client_is_a_usage_error_that_lists_the_known() {
    let sandbox = Sandbox::empty();
    insta::assert_snapshot!(sandbox.run(&["client-config", "emacs"]), @r"
    [stderr]
    error: invalid value 'emacs' for '[CLIENT]'
      [possible values: claude-code, claude-desktop, cursor, vscode, copilot-cli, codex, gemini, windsurf, zed, kiro, cline, roo, opencode, amp, continue, jetbrains, goose, qwen, crush, warp, antigravity]

    For more information, try '--help'.
    [exit 2]
    ");
}

#[test]
fn what_is_printed_starts_a_server_that_answers() {
    let sandbox = Sandbox::workspace();
    let config: Value = serde_json::from_str(&sandbox.ok(&["client-config", "windsurf"])).unwrap();
    let entry = &config["mcpServers"]["hewto"];
    let mut args: Vec<&str> =
        entry["args"].as_array().unwrap().iter().map(|arg| arg.as_str().unwrap()).collect();
    assert_eq!(args.remove(0), "serve");
    assert_eq!(entry["command"], env!("CARGO_BIN_EXE_hewto"));
    // From anywhere: the workspace is in the arguments.
    let ping = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\"}\n\
                {\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"spec_list\"}}\n";
    let answers = sandbox.run_with_input(&[&["serve"], &args[..]].concat(), ping);
    assert!(answers.contains(r#""total":0"#), "{answers}");
}
