//! Builds, tests and commands: real programs, their results, their limits.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::yard::{Yard, ok, refused};

const COMMANDS: &str =
    "[workstation.commands]\nsh = []\necho = []\nfalse = []\ncat = []\ngit = [[\"--version\"]]\nyes = []\n";

fn is_alive(pid: &str) -> bool {
    // A zombie has ended; whoever started it has not looked yet.
    fs_err::read_to_string(format!("/proc/{pid}/stat"))
        .is_ok_and(|stat| !stat.rsplit(')').next().unwrap_or_default().trim_start().starts_with('Z'))
}

/// Waits for a process to end.
#[track_caller]
pub(super) fn assert_gone(pid: &str) {
    let began = Instant::now();
    while is_alive(pid) {
        assert!(began.elapsed() < Duration::from_mins(1), "{pid} lives");
        std::thread::yield_now();
    }
}

#[test]
fn a_makefile_is_detected_built_and_tested() {
    let yard = Yard::new();
    yard.put("Makefile", "all:\n\t@echo building\n\ntest:\n\t@echo oh no >&2; exit 3\n");
    let mut session = yard.serve();
    let found = ok(&mut session, "ci_detect", json!({}));
    assert_eq!(
        (&found["toolchains"][0]["tool"], &found["toolchains"][0]["test"]),
        (&json!("make"), &json!("make test"))
    );
    let built = ok(&mut session, "ci_build", json!({ "path": "Makefile" }));
    assert_eq!((&built["exit_code"], &built["stdout"]), (&json!(0), &json!("building\n")));
    assert_eq!((&built["timed_out"], &built["truncated"]), (&json!(false), &json!(false)));
    assert!(built["duration_ms"].is_u64());
    let failed = session.call("ci_test", json!({})).error();
    assert_eq!((&failed["error"], &failed["exit_code"]), (&json!("command_failed"), &json!(2)));
    assert!(failed["stderr"].as_str().unwrap().starts_with("oh no\n"), "{failed}");
    assert_eq!(refused(&mut session, "ci_restore", json!({})), "toolchain_not_found");
    assert_eq!(refused(&mut session, "ci_build", json!({ "tool": "cargo" })), "toolchain_not_found");
    assert_eq!(refused(&mut session, "ci_build", json!({ "tool": "bazel" })), "invalid_params");
    assert_eq!(refused(&mut session, "ci_build", json!({ "path": "none" })), "not_found");
}

#[test]
fn failing_tests_of_a_known_runner_are_counted_and_named() {
    let yard = Yard::new().configured(COMMANDS);
    // What cargo prints, without the time it takes to have it printed.
    yard.put("cargo-says", "running 2 tests\ntest works ... ok\ntest tests::breaks ... FAILED\n\nfailures:\n    tests::breaks\n\ntest result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n");
    yard.put("Makefile", "test:\n\t@cat cargo-says; exit 101\n");
    let mut session = yard.serve();
    let failed = session.call("ci_test", json!({})).error();
    assert_eq!(failed["tests"]["passed"], 1);
    assert_eq!(failed["tests"]["failed"], 1);
    assert_eq!(failed["tests"]["failed_names"], json!(["tests::breaks"]));
}

#[test]
fn only_allowed_commands_run_and_a_failure_is_a_result() {
    let yard = Yard::new().configured(COMMANDS);
    let mut session = yard.serve();
    let said = ok(&mut session, "ci_run", json!({ "command": r#"echo "" 'a b' | $HOME *"# }));
    assert_eq!(said["stdout"], " a b | $HOME *\n");
    assert_eq!(said["command"], json!(["echo", "", "a b", "|", "$HOME", "*"]));
    let failed = session.call("ci_run", json!({ "command": "false" })).error();
    assert_eq!((&failed["error"], &failed["exit_code"]), (&json!("command_failed"), &json!(1)));
    for field in ["duration_ms", "stdout", "stderr", "truncated", "timed_out"] {
        assert!(failed.get(field).is_some(), "{field}: {failed}");
    }
    assert!(
        ok(&mut session, "ci_run", json!({ "command": "git --version" }))["stdout"]
            .as_str()
            .unwrap()
            .starts_with("git version")
    );
    for (command, key) in [
        ("git status", "command_not_allowed"),
        ("ls", "command_not_allowed"),
        ("/bin/sh -c true", "command_not_allowed"),
        ("echo \"open", "invalid_params"),
        ("  ", "invalid_params"),
    ] {
        assert_eq!(refused(&mut session, "ci_run", json!({ "command": command })), key, "{command}");
    }
    for timeout in [0, 3601] {
        let arguments = json!({ "command": "echo", "timeout_s": timeout });
        assert_eq!(refused(&mut session, "ci_run", arguments), "invalid_params", "{timeout}");
    }
    let diagnostics = ok(&mut session, "ci_diagnostics", json!({}));
    assert!(diagnostics["os"].as_str().unwrap().starts_with("Linux"));
    assert!(diagnostics["processor_count"].as_u64().unwrap() >= 1);
    assert!(diagnostics["allowed_commands"].as_array().unwrap().contains(&json!("echo")));
    let other = Yard::new();
    let none = other.serve().call("ci_run", json!({ "command": "echo hi" })).error();
    assert_eq!((&none["error"], &none["allowed"]), (&json!("command_not_allowed"), &json!([])));
}

// @spec workstation#children-end-with-their-call/a-build-that-never-ends
#[test]
fn a_command_that_takes_too_long_is_killed_with_all_it_started_and_its_output_kept() {
    let yard = Yard::new().configured(COMMANDS);
    let mut session = yard.serve();
    let began = Instant::now();
    let command = "sh -c 'echo begun; sleep 1000 & echo $!; sleep 1000'";
    let error = session.call("ci_run", json!({ "command": command, "timeout_s": 5 })).error();
    assert!(began.elapsed() < Duration::from_mins(2));
    assert_eq!(
        (&error["error"], &error["code"], &error["timed_out"]),
        (&json!("timeout"), &json!(-32000), &json!(true))
    );
    let mut lines = error["stdout"].as_str().unwrap().lines();
    assert_eq!(lines.next(), Some("begun"));
    assert_gone(lines.next().unwrap());
}

#[test]
fn a_long_run_streams_its_lines() {
    let yard = Yard::new().configured(COMMANDS);
    let mut session = yard.serve();
    let script = yard.script("slow.sh", "for i in 1 2 3; do echo line $i; sleep 0.4; done; echo end");
    let params = json!({
        "name": "ci_run",
        "arguments": { "command": format!("sh {}", script.display()) },
        "_meta": { "progressToken": "p" },
    });
    let result = session.request("tools/call", params).unwrap();
    assert_eq!(result["structuredContent"]["stdout"], "line 1\nline 2\nline 3\nend\n");
    let notes: Vec<&Value> =
        session.notifications().iter().filter(|note| note["method"] == "notifications/progress").collect();
    let said: Vec<&str> = notes
        .iter()
        .filter_map(|note| note["params"]["message"].as_str())
        .filter(|text| text.starts_with("line"))
        .collect();
    // Lines that come close together are told as one, on a slow machine these too.
    assert!(!said.is_empty() && said.is_sorted(), "{said:?}");
    let numbers: Vec<f64> = notes.iter().map(|note| note["params"]["progress"].as_f64().unwrap()).collect();
    assert!(numbers.is_sorted_by(|a, b| a < b), "{numbers:?}");
}

#[test]
fn a_cancelled_run_is_killed_whole() {
    let yard = Yard::new().configured(COMMANDS);
    let mut session = yard.serve();
    let pids = yard.base().join("pids");
    let script = yard.script(
        "long.sh",
        &format!("sleep 1000 & echo $! $$ > {0}.new; mv {0}.new {0}; sleep 1000", pids.display()),
    );
    let id = session.start_call("ci_run", json!({ "command": format!("sh {}", script.display()) }));
    let began = Instant::now();
    while !pids.exists() {
        assert!(began.elapsed() < Duration::from_mins(1), "it never began");
        std::thread::yield_now();
    }
    session.send(
        &json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } }),
    );
    for pid in fs_err::read_to_string(&pids).unwrap().split_whitespace() {
        assert_gone(pid);
    }
    // The server goes on.
    ok(&mut session, "ci_run", json!({ "command": "echo hi" }));
}
