//! What holds for all tools of the workstation: roots, read-only, rates, turns, the end of the server.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use hewto_testkit::Era;
use serde_json::{Value, json};

use super::ci::assert_gone;
use super::yard::{Yard, ok, refused};

#[test]
fn every_tool_is_listed_with_what_hosts_ask_for() {
    let yard = Yard::new();
    for era in [Era::Legacy, Era::Modern] {
        let mut session = yard.serve_in_era(&["--toolsets", "workstation"], era);
        let list = session.request("tools/list", json!({})).unwrap();
        let tools = list["tools"].as_array().unwrap();
        assert_eq!(tools.len(), 35);
        let runs = |name: &str| ["ci_build", "ci_test", "ci_restore", "ci_run"].contains(&name);
        for tool in tools {
            let name = tool["name"].as_str().unwrap();
            assert_eq!(tool["annotations"]["openWorldHint"], runs(name), "{name}");
        }
        assert_eq!(ok(&mut session, "fs_exists", json!({ "path": "none" }))["exists"], false);
    }
}

#[test]
fn read_only_leaves_only_what_reads() {
    let yard = Yard::repository();
    let mut session = yard.serve_with(&["--toolsets", "workstation", "--read-only"]);
    let list = session.request("tools/list", json!({})).unwrap();
    let names: Vec<&str> =
        list["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(
        names,
        [
            "ci_detect",
            "ci_diagnostics",
            "fs_exists",
            "fs_find",
            "fs_info",
            "fs_list",
            "fs_read",
            "fs_read_many",
            "fs_roots",
            "fs_search",
            "fs_tree",
            "git_blame",
            "git_branches",
            "git_diff",
            "git_log",
            "git_show",
            "git_status",
            "git_worktrees",
        ]
    );
    for name in ["fs_write", "write_file", "ci_run", "git_stash", "git_commit"] {
        let error = session.request("tools/call", json!({ "name": name, "arguments": {} })).unwrap_err();
        assert_eq!(error.code, -32602, "{name}");
    }
    // Not even the index is refreshed.
    let before = fs_err::metadata(yard.root().join(".git/index")).unwrap().modified().unwrap();
    yard.put("README.md", "one\ntwo\nthree\n");
    ok(&mut session, "git_status", json!({}));
    assert_eq!(fs_err::metadata(yard.root().join(".git/index")).unwrap().modified().unwrap(), before);
}

#[test]
fn several_roots_count_and_the_first_is_where_relative_paths_start() {
    let yard = Yard::new();
    let (root, other) = (yard.root(), yard.base().join("state"));
    yard.put("a.txt", "in the first");
    fs_err::write(other.join("b.txt"), "in the other").unwrap();
    let (first, second) = (root.to_str().unwrap(), other.to_str().unwrap());
    let args = ["serve", "--toolsets", "workstation", "--root", first, "--root", second];
    let mut session = yard.start(&args, &[], Era::Legacy);
    assert_eq!(ok(&mut session, "fs_read", json!({ "path": "a.txt" }))["content"], "in the first");
    assert_eq!(
        ok(&mut session, "fs_read", json!({ "path": other.join("b.txt") }))["content"],
        "in the other"
    );
    assert_eq!(ok(&mut session, "fs_roots", json!({}))["roots"].as_array().unwrap().len(), 2);
    let error = session.call("fs_read", json!({ "path": "/etc/passwd" })).error();
    assert_eq!((&error["error"], &error["roots"]), (&json!("path_outside_roots"), &json!([first, second])));
}

#[test]
fn the_default_root_is_the_workspace_and_without_either_the_tools_say_so() {
    let yard = Yard::new().configured("");
    let root = yard.root();
    let named = ["serve", "--toolsets", "workstation", "--workspace", root.to_str().unwrap()];
    let mut session = yard.start(&named, &[], Era::Legacy);
    assert_eq!(ok(&mut session, "fs_roots", json!({}))["roots"][0]["path"], json!(root));
    let mut session = yard.start(&["serve", "--toolsets", "workstation"], &[], Era::Legacy);
    let error = session.call("fs_list", json!({})).error();
    assert_eq!((&error["error"], &error["code"]), (&json!("workspace_not_found"), &json!(-32000)));
    assert!(error["hint"].as_str().unwrap().contains("--root"), "{error}");
    // A server that has the folder by name needs no workspace.
    let other = Yard::new();
    assert_eq!(ok(&mut other.serve(), "fs_list", json!({}))["total"], 0);
}

#[test]
fn a_root_that_is_not_there_is_told_at_the_start() {
    let yard = Yard::new();
    let output = Command::new(env!("CARGO_BIN_EXE_hewto"))
        .args(["serve", "--toolsets", "workstation", "--root", "/nowhere/at/all"])
        .current_dir(yard.base())
        .env("HOME", yard.base().join("home"))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(String::from_utf8_lossy(&output.stderr).contains("/nowhere/at/all"));
    assert!(output.stdout.is_empty());
}

#[test]
fn each_class_has_its_rate_and_tells_how_long_to_wait() {
    let settings = "[workstation.rate]\nread = { per_second = 0.01, burst = 2 }\nwrite = 0.001\nrun = 0\n";
    let yard = Yard::new().configured(settings);
    let mut session = yard.serve();
    ok(&mut session, "fs_list", json!({}));
    ok(&mut session, "fs_list", json!({}));
    let error = session.call("fs_list", json!({})).error();
    assert_eq!(error["error"], "rate_limited");
    let wait = error["retry_after_s"].as_f64().unwrap();
    assert!(wait > 50.0 && wait <= 100.0, "{wait}");
    ok(&mut session, "fs_mkdir", json!({ "path": "x" }));
    assert_eq!(refused(&mut session, "fs_mkdir", json!({ "path": "x" })), "rate_limited");
    for _ in 0..100 {
        assert_eq!(refused(&mut session, "ci_run", json!({ "command": "x" })), "command_not_allowed");
    }
}

#[test]
fn settings_that_make_no_sense_are_named_and_the_server_goes_on() {
    let yard = Yard::new().configured("[workstation]\ncomands = 1\n");
    let output = Command::new(env!("CARGO_BIN_EXE_hewto"))
        .args(["serve", "--toolsets", "workstation"])
        .current_dir(yard.root())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("comands") && output.status.success(), "{said}");
}

#[test]
fn a_slow_call_never_delays_a_fast_one() {
    let yard = Yard::new().configured("[workstation.commands]\nsleep = []\n");
    yard.put("a.txt", "hi");
    let mut session = yard.serve();
    // More than run at once, and for longer than a session waits for an answer.
    let runs: Vec<i64> = (0..6)
        .map(|_| session.start_call("ci_run", json!({ "command": "sleep 300", "timeout_s": 300 })))
        .collect();
    for _ in 0..50 {
        assert_eq!(ok(&mut session, "fs_read", json!({ "path": "a.txt" }))["content"], "hi");
        ok(&mut session, "fs_write", json!({ "path": "b.txt", "content": "x" }));
    }
    for id in runs {
        let params = json!({ "requestId": id });
        session.send(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params }));
    }
    assert!(session.close().status.success());
}

#[test]
fn a_thousand_reads_at_once_are_all_answered() {
    let yard = Yard::new();
    yard.put("a.txt", "hi");
    let mut session = yard.serve();
    let ids: Vec<i64> =
        (0..1000).map(|_| session.start_call("fs_read", json!({ "path": "a.txt" }))).collect();
    for id in ids {
        assert_eq!(session.finish_call("fs_read", id).ok()["content"], "hi");
    }
}

/// A command that takes long, and the file in which it tells its processes once it runs.
fn long_command(yard: &Yard) -> (String, PathBuf) {
    let pids = yard.base().join("pids");
    let text = format!("sleep 1000 & echo $! $$ > {0}.new; mv {0}.new {0}; sleep 1000", pids.display());
    (format!("sh {}", yard.script("long.sh", &text).display()), pids)
}

#[track_caller]
fn wait_for(file: &Path) {
    let began = Instant::now();
    while !file.exists() {
        assert!(began.elapsed() < Duration::from_mins(1), "it never began");
        std::thread::yield_now();
    }
}

#[test]
fn nothing_outlives_the_server() {
    let yard = Yard::new().configured("[workstation.commands]\nsh = []\n");
    let (command, pids) = long_command(&yard);
    let mut session = yard.serve();
    session.start_call("ci_run", json!({ "command": command }));
    wait_for(&pids);
    let server = rustix::process::Pid::from_raw(session.process_id().try_into().unwrap()).unwrap();
    rustix::process::kill_process(server, rustix::process::Signal::TERM).unwrap();
    for pid in fs_err::read_to_string(&pids).unwrap().split_whitespace() {
        assert_gone(pid);
    }
    let ended = session.close();
    assert!(ended.status.success(), "{}", ended.stderr);
}

#[test]
fn a_client_that_is_gone_leaves_nothing_behind() {
    let yard = Yard::new().configured("[workstation.commands]\nsh = []\n");
    let (command, pids) = long_command(&yard);
    let mut server = Command::new(env!("CARGO_BIN_EXE_hewto"))
        .args(["serve", "--toolsets", "workstation", "--root"])
        .arg(yard.root())
        .current_dir(yard.base())
        .env("XDG_STATE_HOME", yard.base().join("state"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    yard.trust();
    let mut stdin = server.stdin.take().unwrap();
    let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "x", "version": "1" } });
    let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params });
    let params = json!({ "name": "ci_run", "arguments": { "command": command } });
    let call = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params });
    writeln!(stdin, "{hello}\n{call}").unwrap();
    wait_for(&pids);
    drop((stdin, server.stdout.take()));
    server.wait().unwrap();
    for pid in fs_err::read_to_string(&pids).unwrap().split_whitespace() {
        assert_gone(pid);
    }
}

#[test]
fn a_cursor_of_another_list_is_refused() {
    let yard = Yard::repository();
    let mut session = yard.serve();
    let page = ok(&mut session, "fs_tree", json!({ "limit": 1 }));
    let next = page["next_cursor"].clone();
    assert!(next.is_string());
    assert_eq!(refused(&mut session, "fs_tree", json!({ "path": "src", "cursor": next })), "invalid_params");
    let second: Value = ok(&mut session, "fs_tree", json!({ "limit": 1, "cursor": next }));
    assert_ne!(second["entries"], page["entries"]);
}
