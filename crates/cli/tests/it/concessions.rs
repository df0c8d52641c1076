//! What a person lets pass without proof: only a person, on a terminal, with the code that is shown.

#![expect(clippy::disallowed_methods, reason = "the test asks where programs are")]

use std::process::Command;

use serde_json::Value;

use crate::sandbox::{Sandbox, Terminal};

const SPEC: &str = "# Accounts\n\n## Purpose\n\nLet customers come back.\n\n## Requirements\n\n### Requirement: Sign in\n\nThe shop SHALL let customers sign in.\n\n#### Scenario: Known\n\n- **WHEN** a known customer signs in\n- **THEN** the door opens\n";
const WAIVERS: &str = ".hewto/proof/waivers.toml";

fn workspace(gates: &str) -> Sandbox {
    let sandbox = Sandbox::workspace();
    sandbox.write("specs/accounts/spec.md", SPEC);
    sandbox.write(".hewto/proof.toml", &format!("policy = \"enforce\"\n{gates}"));
    sandbox
}

fn waiver<'a>(more: &[&'a str]) -> Vec<&'a str> {
    let mut args =
        vec!["proof", "waive", "accounts#sign-in/known", "--reason", "the fair", "--until", "2999-01-01"];
    args.extend(more);
    args
}

/// Types what `answer` makes of the code that is shown.
fn type_code(sandbox: &Sandbox, args: &[&str], answer: impl Fn(&str) -> String) -> (String, Option<i32>) {
    let path = std::env::var("PATH").unwrap();
    let mut terminal = Terminal::run_with(sandbox, args, &[("PATH", &path)]);
    let shown = terminal.until("type ");
    let code = terminal.until(":").trim_end_matches(':').to_owned();
    terminal.enter(&format!("{}\n", answer(&code)));
    let (rest, status) = terminal.end();
    (format!("{shown}{rest}"), status)
}

#[test]
fn a_waiver_wants_a_terminal_no_agent_and_the_code() {
    let sandbox = workspace("");
    let is_there = || sandbox.project().join(WAIVERS).exists();
    let piped = sandbox.run_with_input(&waiver(&[]), "y\n");
    assert!(piped.contains("needs a terminal"), "{piped}");
    let (shown, status) = Terminal::run_with(&sandbox, &waiver(&[]), &[("CLAUDECODE", "1")]).end();
    assert!(shown.contains("CLAUDECODE"), "{shown}");
    assert_eq!(status, Some(1));
    for wrong in ["y", "yes", ""] {
        assert_eq!(type_code(&sandbox, &waiver(&[]), |_| wrong.to_owned()).1, Some(1));
    }
    assert!(!is_there());
    let (shown, status) = type_code(&sandbox, &waiver(&[]), str::to_owned);
    assert_eq!(status, Some(0), "{shown}");
    assert!(shown.contains("accounts#sign-in/known  uncovered"), "what would pass is shown: {shown}");
    assert!(is_there());
}

#[test]
fn a_baseline_grows_by_the_code_that_is_shown_with_its_names() {
    let sandbox = workspace("");
    sandbox.write(".hewto/proof/baseline.toml", "uncovered = []\n");
    let args = ["proof", "baseline"];
    let refused = sandbox.run(&args);
    assert!(refused.contains("accounts#sign-in/known"), "{refused}");
    assert_eq!(type_code(&sandbox, &args, |_| "y".to_owned()).1, Some(1));
    assert!(!sandbox.read(".hewto/proof/baseline.toml").contains("sign-in"));
    let (shown, status) = type_code(&sandbox, &args, str::to_owned);
    assert_eq!(status, Some(0), "{shown}");
    assert!(sandbox.read(".hewto/proof/baseline.toml").contains("mac = "));
}

#[test]
fn where_a_gate_wants_a_signature_so_does_a_waiver() {
    let sandbox = workspace("[gates]\narchive = \"signed\"\n");
    let key = sandbox.root().join("key");
    let made = Command::new("ssh-keygen").args(["-q", "-t", "ed25519", "-N", "", "-f"]).arg(&key).status();
    if !made.is_ok_and(|status| status.success()) {
        return;
    }
    let public = std::fs::read_to_string(key.with_extension("pub")).unwrap();
    sandbox.write(".hewto/allowed_signers", &format!("ana {public}"));
    for args in [
        &["init", "-q", "-b", "main"][..],
        &["add", "-A"],
        &["-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "-qm", "x"],
    ] {
        assert!(Command::new("git").args(args).current_dir(sandbox.project()).status().unwrap().success());
    }
    let (shown, status) = type_code(&sandbox, &waiver(&["--as", "ana"]), str::to_owned);
    assert_eq!(status, Some(1));
    assert!(shown.contains("needs `signed`"), "{shown}");
    let (shown, status) = type_code(&sandbox, &waiver(&["--sign", key.to_str().unwrap()]), str::to_owned);
    assert_eq!(status, Some(0), "{shown}");
    assert!(sandbox.read(WAIVERS).contains("by = \"ana\""), "the signer is who let it pass");
    let path = std::env::var("PATH").unwrap();
    let view = sandbox.hewto(&["proof", "--json"]).env("PATH", path).output().unwrap();
    let view: Value = serde_json::from_slice(&view.stdout).unwrap();
    assert_eq!(view["rows"][0]["debt"], "waived until 2999-01-01", "{view}");
}
