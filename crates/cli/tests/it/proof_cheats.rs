//! Ways to look proven without being so that only the real binary shows: who trusts, what git keeps, which branch counts.

use std::os::unix::fs::PermissionsExt as _;
use std::process::Output;

use hewto_core::proof::settings::digest;
use hewto_testkit::{Era, McpSession};
use serde_json::{Value, json};

use crate::sandbox::Sandbox;

const SETTINGS: &str = "policy = \"enforce\"\ntests = [\"tests/**\"]\n[check.unit]\nrun = [\"./check.sh\"]\nreport = \"report.xml\"\nformat = \"junit\"\ntimeout_s = 60\n";

/// A runner whose one test passes.
const RUNNER: &str = "#!/bin/sh\necho '<testsuite name=\"pytest\"><testcase classname=\"tests.test_login\" name=\"test_known_customer\"/></testsuite>' > report.xml\n";

const TEST: &str =
    "# @spec accounts#sign-in/known-customer\ndef test_known_customer():\n    assert sign_in('ann')\n";

/// A change that is being built, with one step that proves one scenario.
struct Yard {
    sandbox: Sandbox,
}

impl Yard {
    fn new() -> Self {
        let sandbox = Sandbox::workspace();
        let yard = Self { sandbox };
        yard.write(".git/HEAD", "ref: refs/heads/main\n");
        yard.write(".git/objects/.keep", "");
        yard.write(".hewto/proof.toml", SETTINGS);
        yard.write("src/login.py", "def sign_in(name):\n    return True\n");
        yard.write("specs/accounts/spec.md", "# Accounts\n\n## Purpose\n\nLet customers come back.\n\n## Requirements\n\n### Requirement: Sign in\n\nThe shop SHALL let customers sign in.\n\n#### Scenario: Known customer\n\n- **WHEN** a known customer signs in\n- **THEN** the door opens\n");
        yard.write("check.sh", RUNNER);
        let script = yard.sandbox.project().join("check.sh");
        std::fs::set_permissions(script, std::fs::Permissions::from_mode(0o755)).unwrap();
        yard.write("specs/work/spec.md", "# Work\n\nShow that customers get in.\n");
        yard.write("specs/work/plan.md", "# Implementation Plan\n\n## Approach\n\nTests.\n\n## Steps\n\n### Step 1: Known customer\n\n- **Proves:** accounts#sign-in/known-customer\n\n- **Status:** pending\n");
        yard
    }

    fn write(&self, path: &str, text: &str) {
        self.sandbox.write(path, text);
    }

    /// What `hewto` answers, on a machine where a shell finds its programs.
    fn output(&self, args: &[&str]) -> Output {
        self.sandbox.hewto(args).env("PATH", "/usr/bin:/bin").output().unwrap()
    }

    /// Runs the checks as their owner does: how the one ended.
    fn status(&self) -> String {
        let trusted = digest(self.sandbox.read(".hewto/proof.toml").as_bytes());
        let output = self.output(&["proof", "run", "--again", "--trust", &trusted, "--json"]);
        let view: Value = serde_json::from_slice(&output.stdout).unwrap();
        view["checks"][0]["status"].as_str().unwrap().to_owned()
    }

    /// What comes of ticking the step: nothing, or the key of the refusal.
    fn tick(&self) -> Option<String> {
        let output = self.output(&["plan", "done", "work", "1", "--json"]);
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        answer.get("error").map(|key| key.as_str().unwrap().to_owned())
    }

    fn is_refused(&self) {
        assert_eq!(self.tick().as_deref(), Some("evidence_missing"));
    }
}

// @spec proof#only-a-run-of-its-own-proves/the-linked-test-passed
#[test]
fn a_test_that_passed_allows_the_tick_and_an_edit_takes_it_back() {
    let yard = Yard::new();
    yard.is_refused();
    yard.write("tests/test_login.py", TEST);
    yard.is_refused();
    assert_eq!(yard.status(), "passed");
    assert_eq!(yard.tick(), None);
    let again = yard.sandbox.json(&["plan", "done", "work", "1"]);
    assert_eq!(again["evidence"], "verified");
    yard.write("tests/test_login.py", &TEST.replace("ann", "bo"));
    yard.is_refused();
}

// @spec proof#nothing-runs-that-nobody-trusted/a-digest-that-nobody-trusted
#[test]
fn what_nobody_trusted_does_not_run_and_the_server_takes_no_digest() {
    let yard = Yard::new();
    yard.write("tests/test_login.py", TEST);
    let output = yard.output(&["proof", "run", "--json"]);
    let refused: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((refused["error"].as_str(), output.status.code()), (Some("check_not_trusted"), Some(3)));
    let wrong = yard.output(&["proof", "run", "--trust", &digest(b"other"), "--json"]);
    assert_eq!(wrong.status.code(), Some(3));
    let home = yard.sandbox.root().join("home");
    let env = [("HOME", home.as_os_str())];
    let mut session = McpSession::spawn(
        env!("CARGO_BIN_EXE_hewto"),
        &["serve"],
        &yard.sandbox.project(),
        &env,
        Era::Modern,
    );
    let refused = session.call("proof_run", json!({})).error();
    assert_eq!(refused["error"], "check_not_trusted");
    let refused = session.call("plan_step_complete", json!({ "spec_id": "work", "step_index": 0 })).error();
    assert_eq!(refused["error"], "evidence_missing");
    assert!(refused["hint"].as_str().unwrap().contains("proof_run"), "{refused}");
    let tag = refused["lacking"][0]["tag"].as_str().unwrap();
    assert!(tag.contains("@spec accounts#sign-in/known-customer"), "{refused}");
}

/// Makes a repository of what is there, by git itself.
fn commit(sandbox: &Sandbox) {
    let git = |args: &[&str]| {
        let mut command = std::process::Command::new("/usr/bin/git");
        command.args(["-c", "user.name=x", "-c", "user.email=x@example.org"]).args(args);
        command.current_dir(sandbox.project()).env("HOME", sandbox.root().join("home"));
        assert!(command.output().unwrap().status.success(), "{args:?}");
    };
    git(&["init", "-q", "-b", "main"]);
    git(&["add", "-A"]);
    git(&["commit", "-qm", "x"]);
}

#[test]
fn what_git_keeps_is_part_of_the_tree_though_somebody_has_it_ignored() {
    let yard = Yard::new();
    std::fs::remove_dir_all(yard.sandbox.project().join(".git")).unwrap();
    yard.write("tests/test_login.py", TEST);
    yard.write("src/helper.py", "one\n");
    commit(&yard.sandbox);
    yard.write(".git/info/exclude", "helper.py\n");
    assert_eq!(yard.status(), "passed");
    let exact = || {
        let output = yard.output(&["proof", "accounts", "--json"]);
        let view: Value = serde_json::from_slice(&output.stdout).unwrap();
        (view["rows"][0]["state"].clone(), view["rows"][0]["exact"].clone())
    };
    assert_eq!(exact(), (json!("verified"), json!(true)));
    yard.write("src/helper.py", "two\n");
    assert_eq!(exact(), (json!("verified"), json!(false)));
}

// @spec proof#nothing-runs-that-nobody-trusted/a-branch-with-weaker-gates
#[test]
fn a_branch_does_not_lower_the_gate_that_the_default_branch_has() {
    let sandbox = Sandbox::workspace();
    let id = sandbox.planned_spec("One", &[]);
    sandbox.write(".hewto/proof.toml", "[gates]\nplan = \"terminal\"\n");
    commit(&sandbox);
    let start = || {
        let mut command = sandbox.hewto(&["build", "start", &id, "--approve", "--json"]);
        let output = command.env("PATH", "/usr/bin:/bin").output().unwrap();
        serde_json::from_slice::<Value>(&output.stdout).unwrap()
    };
    for text in ["[gates]\nplan = \"none\"\n", "policy = \"off\"\n"] {
        sandbox.write(".hewto/proof.toml", text);
        assert_eq!(start()["error"], "approval_pending", "{text}");
    }
    fs_err::remove_file(sandbox.project().join(".hewto/proof.toml")).unwrap();
    assert_eq!(start()["error"], "approval_pending");
}

#[test]
fn whoever_makes_an_older_commit_the_default_branch_finds_no_older_gate() {
    let sandbox = Sandbox::workspace();
    let id = sandbox.planned_spec("One", &[]);
    let git = |args: &[&str]| {
        let mut command = std::process::Command::new("/usr/bin/git");
        command.args(["-c", "user.name=x", "-c", "user.email=x@example.org"]).args(args);
        command.current_dir(sandbox.project()).env("HOME", sandbox.root().join("home"));
        assert!(command.output().unwrap().status.success(), "{args:?}");
    };
    git(&["init", "-q", "-b", "trunk"]);
    let _ = fs_err::remove_file(sandbox.project().join(".hewto/proof.toml"));
    git(&["add", "-A"]);
    git(&["commit", "-qm", "before there were gates"]);
    git(&["branch", "main"]);
    sandbox.write(".hewto/proof.toml", "[gates]\nplan = \"terminal\"\nreviewers = [\"ana\"]\n");
    git(&["add", "-A"]);
    git(&["commit", "-qm", "gates"]);
    git(&["switch", "-q", "main"]);
    assert!(!sandbox.project().join(".hewto/proof.toml").exists());
    let mut command = sandbox.hewto(&["build", "start", &id, "--approve", "--json"]);
    let output = command.env("PATH", "/usr/bin:/bin").output().unwrap();
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answer["error"], "approval_pending");
}
