//! A person's word on a terminal, and everything that only looks like one; claims over processes.

#![expect(clippy::disallowed_methods, reason = "the test asks where programs are, or how long it may take")]

use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::sandbox::{Sandbox, Terminal, whole};

const PROPOSAL: &str = "# Change: Mail\n\n## Why\n\nBecause people have been asking for this every single week of the year.\n\n## What Changes\n\n- a link\n";
const DELTA: &str = "## ADDED Requirements\n\n### Requirement: Sign in\n\nThe system SHALL send a link.\n\n#### Scenario: Fresh\n\n- **WHEN** asked\n- **THEN** sent\n";

fn workspace(gate: &str) -> Sandbox {
    let sandbox = Sandbox::workspace();
    sandbox.write(".hewto/proof.toml", &format!("[gates]\nplan = \"{gate}\"\n"));
    sandbox.write("changes/mail/proposal.md", PROPOSAL);
    sandbox.write("changes/mail/tasks.md", "## 1. All\n- [ ] 1.1 Table\n- [ ] 1.2 Mail\n");
    sandbox.write("changes/mail/specs/accounts/spec.md", DELTA);
    sandbox
}

fn error(output: &std::process::Output) -> Value {
    assert_eq!(output.status.code(), Some(1), "{}", whole(output));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Approves on a terminal, typing the code that is shown.
fn approve(sandbox: &Sandbox, more: &[&str]) -> (String, Option<i32>) {
    let args: Vec<&str> = ["approve", "change:mail", "--as", "ana"].iter().chain(more).copied().collect();
    // Git says whose keys count.
    let path = std::env::var("PATH").unwrap();
    let mut terminal = Terminal::run_with(sandbox, &args, &[("PATH", &path)]);
    let shown = terminal.until("type ");
    let code = terminal.until(":").trim_end_matches(':').to_owned();
    terminal.enter(&format!("{code}\n"));
    let (rest, status) = terminal.end();
    (format!("{shown}{code}{rest}"), status)
}

// @spec review#an-approval-is-bound-to-what-was-shown/one-changed-word
#[test]
fn a_person_approves_on_a_terminal_and_one_changed_word_needs_it_again() {
    let sandbox = workspace("terminal");
    let start = || sandbox.output(&["build", "start", "change:mail", "--approve", "--json"]);
    let refused = error(&start());
    assert_eq!(refused["error"], "approval_pending");
    assert_eq!(refused["gate"], "terminal");
    let (shown, status) = approve(&sandbox, &["--note", "fine"]);
    assert_eq!(status, Some(0), "{shown}");
    assert!(shown.contains("The system SHALL send a link."), "{shown}");
    assert!(start().status.success());
    sandbox.ok(&["plan", "done", "change:mail", "1"]);
    assert_eq!(sandbox.json(&["review", "show", "change:mail"])["standing"], "approved");
    sandbox.write("changes/mail/specs/accounts/spec.md", &DELTA.replace("sent", "kept"));
    let view = sandbox.json(&["review", "show", "change:mail"]);
    assert_eq!((view["standing"].as_str(), view["version"].as_u64()), (Some("stale"), Some(2)));
    let (shown, _) = approve(&sandbox, &["--request-changes"]);
    assert!(shown.contains("[-sent-]") && shown.contains("{+kept+}"), "{shown}");
    assert!(!shown.contains("a link"), "only what is different is shown: {shown}");
}

// @spec review#an-approval-is-bound-to-what-was-shown/an-agent-approves
#[test]
fn neither_a_pipe_nor_an_agent_nor_a_wrong_code_approves() {
    let sandbox = workspace("terminal");
    let piped = sandbox.run_with_input(&["approve", "change:mail"], "y\n");
    assert!(piped.contains("terminal"), "{piped}");
    let (shown, status) =
        Terminal::run_with(&sandbox, &["approve", "change:mail"], &[("CLAUDECODE", "1")]).end();
    assert_eq!(status, Some(1), "{shown}");
    assert!(shown.contains("CLAUDECODE"), "{shown}");
    let mut terminal = Terminal::run(&sandbox, &["approve", "change:mail"]);
    terminal.until("type ");
    terminal.enter("yes\n");
    assert_eq!(terminal.end().1, Some(1));
    assert!(!sandbox.project().join("changes/mail/review").exists());
}

#[test]
fn a_signature_of_a_listed_key_opens_what_a_terminal_does_not() {
    let sandbox = workspace("signed");
    let git = |args: &[&str]| {
        let status =
            Command::new("git").args(args).current_dir(sandbox.project()).stdout(Stdio::null()).status();
        assert!(status.unwrap().success(), "{args:?}");
    };
    let key = sandbox.root().join("key");
    let made = Command::new("ssh-keygen").args(["-q", "-t", "ed25519", "-N", "", "-f"]).arg(&key).status();
    if !made.is_ok_and(|status| status.success()) {
        return;
    }
    let public = std::fs::read_to_string(key.with_extension("pub")).unwrap();
    sandbox.write(".hewto/allowed_signers", &format!("ana {public}"));
    git(&["init", "-q", "-b", "main"]);
    git(&["add", "-A"]);
    git(&["-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "-qm", "x"]);
    let path = std::env::var("PATH").unwrap();
    let start =
        || sandbox.hewto(&["build", "start", "change:mail", "--json"]).env("PATH", &path).output().unwrap();
    assert_eq!(approve(&sandbox, &[]).1, Some(0));
    assert_eq!(error(&start())["error"], "approval_pending");
    let (shown, status) = approve(&sandbox, &["--sign", key.to_str().unwrap()]);
    assert_eq!(status, Some(0), "{shown}");
    assert!(start().status.success(), "{}", whole(&start()));
}

#[test]
fn a_gate_is_raised_by_anybody_and_lowered_by_a_person() {
    let sandbox = Sandbox::workspace();
    assert!(sandbox.ok(&["status"]).contains("hewto gate plan terminal"));
    assert!(sandbox.ok(&["doctor"]).contains("hewto gate plan terminal"));
    assert_eq!(sandbox.json(&["gate", "plan", "terminal"])["plan"], "terminal");
    let lower = sandbox.output(&["gate", "plan", "asserted", "--json"]);
    assert_eq!(error(&lower)["error"], "terminal_required");
    assert_eq!(sandbox.output(&["gate", "plan", "nonsense"]).status.code(), Some(2));
}

#[test]
fn records_lie_in_the_folder_of_the_change_in_a_foreign_layout_too() {
    let sandbox = Sandbox::empty();
    sandbox.ok(&["init", "--layout", "openspec", "--yes", "--agents", "none"]);
    sandbox.write("openspec/changes/mail/proposal.md", PROPOSAL);
    sandbox.write("openspec/changes/mail/tasks.md", "## 1. All\n- [ ] 1.1 Table\n");
    sandbox.write("openspec/changes/mail/specs/accounts/spec.md", DELTA);
    assert_eq!(approve(&sandbox, &[]).1, Some(0));
    sandbox.ok(&["review", "comment", "change:mail", "which mail?", "--requirement", "Sign in"]);
    assert_eq!(std::fs::read_dir(sandbox.project().join("openspec/changes/mail/review")).unwrap().count(), 2);
    let view = sandbox.json(&["change", "validate", "mail", "--strict"]);
    assert_eq!(view["valid"], true, "{view}");
}

#[test]
fn claims_are_numbered_over_processes_and_a_lower_number_writes_nothing() {
    let sandbox = Sandbox::workspace();
    let id = sandbox.planned_spec("One", &[]);
    sandbox.ok(&["build", "start", &id, "--approve"]);
    let first = sandbox.json(&["claim"])["claim"].clone();
    assert_eq!(error(&sandbox.output(&["claim", "--json"]))["error"], "nothing_ready");
    assert!(sandbox.ok(&["who"]).contains(&id));
    assert_eq!(sandbox.json(&["status"])["claims"][0]["claim"], first);
    sandbox.ok(&["plan", "done", &id, "1", "--claim", &first.to_string()]);
    sandbox.ok(&["release", &first.to_string(), "--note", "half"]);
    let second = sandbox.json(&["claim", &id])["claim"].clone();
    assert_ne!(first, second);
    let late = sandbox.output(&["plan", "done", &id, "1", "--claim", &first.to_string(), "--json"]);
    assert_eq!(error(&late)["error"], "claim_lost");
    assert_eq!(json!(second.as_u64().unwrap() > first.as_u64().unwrap()), json!(true));
    assert_eq!(sandbox.output(&["release", "nothing"]).status.code(), Some(2));
    assert!(sandbox.ok(&["release", &id]).contains(&id), "work has a name, too");
    assert!(!sandbox.ok(&["who"]).contains(&id));
}
