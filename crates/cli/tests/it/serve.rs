//! Starting and ending the server; what it says is tested with the protocol.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};

use rustix::fs::{CWD, FileType, Mode, mknodat};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::http_client::wait_for;
use crate::sandbox::{Sandbox, whole};

/// A server that has answered once, so it is up.
struct Running {
    child: Child,
    reply: Value,
}

fn start(mut command: Command) -> Running {
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let request = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } } });
    writeln!(child.stdin.as_mut().unwrap(), "{request}").unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    let reply = serde_json::from_str(&line).unwrap_or_else(|_| panic!("{line:?} is not a frame"));
    Running { child, reply }
}

#[test]
fn a_signal_ends_the_server_cleanly() {
    let sandbox = Sandbox::workspace();
    for signal in [Signal::TERM, Signal::INT] {
        let Running { mut child, .. } = start(sandbox.hewto(&["serve"]));
        // The input stays open: it is the signal that ends it.
        let input = child.stdin.take();
        kill_process(Pid::from_child(&child), signal).unwrap();
        let output = child.wait_with_output().unwrap();
        drop(input);
        assert_eq!(whole(&output), "[exit 0]", "{signal:?}");
    }
}

#[test]
fn a_signal_lets_calls_under_way_finish_though_a_line_was_left_in_the_middle() {
    let sandbox = Sandbox::workspace();
    sandbox.spec("First", &[]);
    let lock = File::options().write(true).open(sandbox.project().join(".hewto/lock")).unwrap();
    lock.lock().unwrap();
    let Running { mut child, .. } = start(sandbox.hewto(&["serve"]));
    let mut input = child.stdin.take().unwrap();
    for id in [2, 3] {
        let arguments = json!({ "title": format!("Late {id}"), "description": "Why" });
        let call = json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call",
            "params": { "name": "spec_create", "arguments": arguments } });
        writeln!(input, "{call}").unwrap();
    }
    write!(input, "{{ \"jsonrpc\":").unwrap();
    let logs = sandbox.project().join(".hewto/logs");
    let has_come = || {
        let log = fs_err::read_dir(&logs).ok()?.filter_map(|entry| Some(entry.ok()?.path()));
        let mut sessions = log.filter(|path| path.to_string_lossy().contains("session-"));
        fs_err::read_to_string(sessions.next()?).ok().filter(|text| text.contains("Late 3"))
    };
    wait_for(|| has_come().is_some());
    kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut reply = || serde_json::from_str::<Value>(&output.next().unwrap().unwrap()).unwrap();
    assert_eq!(reply()["error"]["data"]["error"], "parse_error", "the end of the input has been seen");
    drop(lock);
    let mut created = [reply(), reply()];
    created.sort_by_key(|reply| reply["id"].as_i64());
    for (reply, id) in created.iter().zip([2, 3]) {
        assert_eq!(
            (&reply["id"], &reply["result"]["structuredContent"]["created"]),
            (&json!(id), &json!(true))
        );
    }
    assert!(child.wait().unwrap().success());
    drop(input);
}

#[test]
fn a_pipe_with_a_name_ends_where_its_writer_does() {
    let sandbox = Sandbox::workspace();
    let pipe = sandbox.root().join("named");
    mknodat(CWD, &pipe, FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
    let mut writer = File::options().read(true).write(true).open(&pipe).unwrap();
    let input = File::open(&pipe).unwrap();
    writeln!(writer, r#"{{"jsonrpc":"2.0","id":1,"method":"ping"}}"#).unwrap();
    // Before the server comes to open anything.
    drop(writer);
    let output = sandbox.hewto(&["serve"]).stdin(input).output().unwrap();
    assert!(output.status.success());
    assert!(String::from_utf8(output.stdout).unwrap().starts_with(r#"{"jsonrpc":"2.0","id":1,"#));
}

#[test]
fn the_end_of_the_input_ends_the_server_cleanly() {
    let sandbox = Sandbox::workspace();
    for args in [&["serve"][..], &["serve", "--stdio"], &["mcp"], &["mcp", "--stdio"]] {
        assert_eq!(sandbox.run(args), "[exit 0]", "{args:?}");
    }
}

#[test]
fn the_server_starts_without_a_workspace() {
    let sandbox = Sandbox::empty();
    let Running { child, reply } = start(sandbox.hewto(&["serve"]));
    assert_eq!(reply["result"]["serverInfo"]["name"], "hewto");
    assert!(child.wait_with_output().unwrap().status.success());
    assert!(sandbox.files().is_empty(), "a server that was only started writes nothing into a folder");
}

#[test]
fn a_place_that_is_named_and_no_workspace_is_an_error_of_every_call() {
    let sandbox = Sandbox::workspace();
    let Running { mut child, .. } = start(sandbox.hewto(&["serve", "--workspace", "../home"]));
    let call = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call",
        "params": { "name": "spec_list", "arguments": {} } });
    writeln!(child.stdin.as_mut().unwrap(), "{call}").unwrap();
    let output = child.wait_with_output().unwrap();
    let reply: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(reply["result"]["isError"], true);
    let text = reply["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("workspace_not_found") && text.contains("--workspace"), "{text}");
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.contains("WARN") && stderr.contains("`--workspace` names no workspace"), "{stderr}");
}

#[test]
fn debug_speaks_on_standard_error_only() {
    let sandbox = Sandbox::workspace();
    let quiet = sandbox.output(&["serve"]);
    let loud = sandbox.output(&["serve", "--debug"]);
    let asked = sandbox.hewto(&["serve"]).env("HEWTO_LOG", "debug").output().unwrap();
    assert!(quiet.stderr.is_empty());
    assert!(!loud.stderr.is_empty() && !asked.stderr.is_empty());
    for output in [quiet, loud, asked] {
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn names_that_do_not_exist_are_wrong_usage() {
    let sandbox = Sandbox::workspace();
    for (flag, name, complaint) in [
        (
            "--toolsets",
            "workflow,nonsense",
            "error: no toolset is called `nonsense`\nhint: known: `workflow`",
        ),
        ("--tools", "spec_lst", "error: no tool is called `spec_lst`\nhint: did you mean `spec_list`?"),
        ("--profile", "nobody", "error: no profile is called `nobody`\nhint: known: `airsspec`"),
    ] {
        let output = sandbox.output(&["serve", flag, name]);
        assert_eq!(output.status.code(), Some(2), "{flag}");
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(stderr.starts_with(complaint), "{stderr}");
    }
}

#[test]
fn the_profile_can_come_from_the_environment() {
    let sandbox = Sandbox::workspace();
    let mut command = sandbox.hewto(&["serve"]);
    command.env("HEWTO_PROFILE", "airsspec");
    let Running { child, reply } = start(command);
    assert_eq!(reply["result"]["serverInfo"]["name"], "airsspec");
    assert!(child.wait_with_output().unwrap().status.success());
}
