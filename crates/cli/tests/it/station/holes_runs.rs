//! Holes of servers that run programs, which stay closed here.

use std::os::unix::fs::PermissionsExt as _;

use hewto_testkit::Era;
use serde_json::json;

use super::yard::{Yard, ok, refused};

fn executable(path: &std::path::Path, text: &str) {
    fs_err::create_dir_all(path.parent().unwrap()).unwrap();
    fs_err::write(path, text).unwrap();
    fs_err::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn no_shell_sees_a_command() {
    let yard = Yard::new().configured("[workstation.commands]\necho = []\n");
    let mut session = yard.serve();
    let marker = yard.base().join("marker");
    let touch = format!("touch {}", marker.display());
    for tail in [
        format!("; {touch}"),
        format!("&& {touch}"),
        format!("| {touch}"),
        format!("$({touch})"),
        format!("`{touch}`"),
        format!("\n{touch}"),
        format!("> {}", marker.display()),
    ] {
        let said = ok(&mut session, "ci_run", json!({ "command": format!("echo hi {tail}") }));
        assert!(said["stdout"].as_str().unwrap().starts_with("hi"), "{said}");
        assert!(!marker.exists(), "{tail}");
    }
    for command in [format!("echo;{touch}"), touch.clone(), format!("./echo {touch}"), format!("`{touch}`")] {
        assert_eq!(refused(&mut session, "ci_run", json!({ "command": command })), "command_not_allowed");
    }
    assert!(!marker.exists());
}

#[test]
fn a_program_in_the_working_folder_or_in_a_root_is_never_started() {
    let yard = Yard::new().configured("[workstation.commands]\ntool = []\n\"./git\" = []\ngit = []\n");
    let marker = yard.base().join("marker");
    let trap = format!("#!/bin/sh\ntouch '{}'\n", marker.display());
    for name in ["git", "tool", "bin/tool", "bin/git", "make"] {
        executable(&yard.root().join(name), &trap);
    }
    yard.put("Makefile", "all:\n\t@echo made\n");
    let root = yard.root();
    #[expect(clippy::disallowed_methods, reason = "a test stands in for the user's shell")]
    let usual = std::env::var("PATH").unwrap();
    let hijacked = format!("{}:.:bin::{usual}", root.join("bin").display());
    let args = ["serve", "--toolsets", "workstation", "--root", root.to_str().unwrap()];
    let mut session = yard.start(&args, &[("PATH", &hijacked)], Era::Legacy);
    assert_eq!(refused(&mut session, "ci_run", json!({ "command": "tool" })), "program_not_found");
    session.call("ci_run", json!({ "command": "./git --version" })).error();
    let version = ok(&mut session, "ci_run", json!({ "command": "git --version" }));
    assert!(version["stdout"].as_str().unwrap().starts_with("git version"));
    assert_eq!(ok(&mut session, "ci_build", json!({}))["stdout"], "made\n");
    assert_eq!(refused(&mut session, "git_status", json!({})), "repository_not_found");
    assert!(!marker.exists());
}

#[test]
fn a_child_has_no_input_and_the_protocol_stays_whole() {
    let yard = Yard::new().configured("[workstation.commands]\ncat = []\n");
    let mut session = yard.serve();
    let id = session.start_call("ci_run", json!({ "command": "cat" }));
    let other = session.start_call("fs_roots", json!({}));
    assert_eq!(session.finish_call("ci_run", id).ok()["stdout"], "");
    session.finish_call("fs_roots", other).ok();
}

#[test]
fn a_child_and_the_diagnostics_see_no_secret_of_the_server() {
    let yard = Yard::new().configured(
        "[workstation]\npass_env = [\"GIT_CONFIG_NOSYSTEM\"]\n[workstation.commands]\nenv = []\n",
    );
    let mut session = yard.serve();
    let said = ok(&mut session, "ci_run", json!({ "command": "env" }));
    let seen = said["stdout"].as_str().unwrap();
    assert!(seen.contains("PATH=") && seen.contains("GIT_CONFIG_NOSYSTEM=1"), "{seen}");
    let diagnostics = ok(&mut session, "ci_diagnostics", json!({})).to_string();
    for secret in ["hunter2", "Bearer abc", "DATABASE_URL", "AUTHORIZATION"] {
        assert!(!seen.contains(secret) && !diagnostics.contains(secret), "{secret}");
    }
}

#[test]
fn the_working_folder_cannot_be_outside() {
    let yard = Yard::new().configured("[workstation.commands]\necho = []\npwd = []\n");
    yard.link(yard.base().join("outside"), "door");
    fs_err::create_dir(yard.root().join("sub")).unwrap();
    let mut session = yard.serve();
    for cwd in ["..", "door", "/", "../root_evil"] {
        let arguments = json!({ "command": "echo hi", "cwd": cwd });
        assert_eq!(refused(&mut session, "ci_run", arguments), "path_outside_roots", "{cwd}");
        assert_eq!(refused(&mut session, "ci_build", json!({ "path": cwd })), "path_outside_roots", "{cwd}");
    }
    let here = ok(&mut session, "ci_run", json!({ "command": "pwd", "cwd": "sub" }));
    assert_eq!(here["stdout"], format!("{}\n", yard.root().join("sub").display()));
}

#[test]
fn endless_output_is_capped_and_killed_at_the_limit() {
    let yard = Yard::new().configured("[workstation.commands]\nyes = []\n");
    let mut session = yard.serve();
    let reply = session.call("ci_run", json!({ "command": "yes", "timeout_s": 3 }));
    assert!(reply.text.chars().count() < 25_000);
    let error = reply.error();
    assert_eq!(
        (&error["error"], &error["truncated"], &error["timed_out"]),
        (&json!("timeout"), &json!(true), &json!(true))
    );
    assert!(error["stdout"].as_str().unwrap().ends_with("y\n"));
    let status = fs_err::read_to_string(format!("/proc/{}/status", session.process_id())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let kilobytes: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
    assert!(kilobytes < 200_000, "{kilobytes} kB");
}
