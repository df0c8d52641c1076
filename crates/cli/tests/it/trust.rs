//! `hewto trust`: only a person at a terminal, only what was shown.

use std::process::Command;

use serde_json::Value;

use crate::sandbox::{Sandbox, Terminal, whole};

const COMMANDS: &str = "\n[workstation.commands]\nmake = [[\"test\"]]\n";

fn workspace() -> Sandbox {
    let sandbox = Sandbox::workspace();
    let config = sandbox.read(".hewto/config.toml");
    sandbox.write(".hewto/config.toml", &(config + COMMANDS));
    sandbox
}

fn status(sandbox: &Sandbox) -> Value {
    let output = sandbox.output(&["trust", "--status", "--json"]);
    serde_json::from_slice(&output.stdout).unwrap()
}

fn record(sandbox: &Sandbox) -> std::path::PathBuf {
    sandbox.root().join("home/.local/state/hewto/trust.json")
}

#[test]
fn a_person_sees_what_is_asked_for_and_decides() {
    let sandbox = workspace();
    sandbox.write(".hewto/proof.toml", "policy = \"warn\"\n");
    sandbox.write(".hewto/templates/SPEC", "https://templates.example.org/spec.md\n");
    assert_eq!(sandbox.output(&["trust", "--status"]).status.code(), Some(1));
    let mut terminal = Terminal::run(&sandbox, &["trust"]);
    let shown = terminal.until("[y/N]");
    for part in [
        "make = [[\"test\"]]",
        "policy = \"warn\"",
        "https://templates.example.org",
        "with your rights",
        "digest ",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    terminal.enter("\n");
    assert_eq!(terminal.end().1, Some(1));
    assert!(!record(&sandbox).exists(), "silence is not consent");
    let mut terminal = Terminal::run(&sandbox, &["trust"]);
    terminal.until("[y/N]");
    terminal.enter("yes\n");
    let (shown, code) = terminal.end();
    assert_eq!(code, Some(0), "{shown}");
    assert_eq!(sandbox.output(&["trust", "--status"]).status.code(), Some(0));
    sandbox.write(".hewto/proof.toml", "policy = \"off\"\n");
    let view = status(&sandbox);
    assert_eq!(view["subjects"][0]["standing"], "trusted");
    assert_eq!(view["subjects"][1]["standing"], "changed");
    // Whoever trusts it again sees what changed.
    let mut terminal = Terminal::run(&sandbox, &["trust"]);
    let shown = terminal.until("[y/N]");
    assert!(shown.contains("-policy = \"warn\"") && shown.contains("+policy = \"off\""), "{shown}");
    assert!(!shown.contains("make ="), "what is trusted is not asked for again: {shown}");
    terminal.enter("n\n");
    terminal.end();
    sandbox.ok(&["trust", "--revoke"]);
    assert_eq!(status(&sandbox)["subjects"][0]["standing"], "not_trusted");
}

#[test]
fn nobody_but_a_person_at_a_terminal_trusts_anything() {
    let sandbox = workspace();
    // In a session of its own there is no terminal to fall back on.
    let mut alone = Command::new("setsid");
    let plain = sandbox.hewto(&["trust"]);
    alone.arg("--wait").arg(plain.get_program()).args(plain.get_args()).current_dir(sandbox.project());
    alone.env_clear().env("HOME", sandbox.root().join("home")).stdin(std::process::Stdio::null());
    let output = alone.output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", whole(&output));
    assert!(String::from_utf8_lossy(&output.stderr).contains("needs a terminal"), "{}", whole(&output));
    for variable in ["CLAUDECODE", "CODEX_THREAD_ID", "CURSOR_AGENT", "GEMINI_CLI"] {
        let terminal = Terminal::run_with(&sandbox, &["trust"], &[(variable, "1")]);
        let (shown, code) = terminal.end();
        assert_eq!(code, Some(1), "{shown}");
        assert!(shown.contains(variable) && shown.contains("for a person"), "{shown}");
    }
    assert!(!record(&sandbox).exists());
}

#[test]
fn what_would_hide_something_from_the_person_is_written_out() {
    let sandbox = workspace();
    sandbox.write(".hewto/proof.toml", "# \u{202e}drawkcab\u{1b}[2K \u{200b}\u{e0041}\npolicy = \"warn\"\n");
    let mut terminal = Terminal::run(&sandbox, &["trust"]);
    let shown = terminal.until("[y/N]");
    assert!(shown.contains("\\u{202e}drawkcab\\u{1b}[2K \\u{200b}\\u{e0041}"), "{shown}");
    assert!(!shown.contains('\u{1b}'), "{shown}");
    terminal.enter("n\n");
    terminal.end();
}

#[test]
fn a_folder_that_is_no_workspace_can_be_trusted_to_run_its_build() {
    let sandbox = Sandbox::empty();
    sandbox.write("Makefile", "test:\n\ttrue\n");
    let mut terminal = Terminal::run(&sandbox, &["trust"]);
    terminal.until("[y/N]");
    terminal.enter("y\n");
    assert_eq!(terminal.end().1, Some(0));
    assert_eq!(status(&sandbox)["subjects"][0]["standing"], "trusted");
}

#[test]
fn hosts_can_be_trusted_by_name_and_nonsense_is_refused() {
    let sandbox = Sandbox::workspace();
    let output = sandbox.output(&["trust", "--host", "http://example.org"]);
    assert_eq!(output.status.code(), Some(2), "{}", whole(&output));
    let mut terminal = Terminal::run(&sandbox, &["trust", "--host", "intranet.example:8443"]);
    assert!(terminal.until("[y/N]").contains("contact https://intranet.example:8443"));
    terminal.enter("y\n");
    terminal.end();
    assert_eq!(status(&sandbox)["hosts"][0]["host"], "https://intranet.example:8443");
}
