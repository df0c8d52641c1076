//! The interview that `hewto clarify` keeps between two commands: where it is, who finds it, and what is asked later.

use std::process::Stdio;

use serde_json::{Value, json};

use crate::clarify::{ids, repository};
use crate::sandbox::Sandbox;

#[test]
fn resume_asks_about_the_last_intention_again() {
    let sandbox = repository();
    sandbox.json(&["clarify", "start", "Add authentication"]);
    sandbox.json(&["clarify", "answer", "auth_strategy=SAML"]);
    // Open: it goes on, with what was answered.
    let open = sandbox.json(&["clarify", "resume"]);
    assert_eq!((&open["status"], ids(&open)[0]), (&json!("started"), "auth_library"));
    sandbox.json(&["clarify", "reset"]);
    let again = sandbox.json(&["clarify", "resume"]);
    assert_eq!((&again["status"], ids(&again)[0]), (&json!("started"), "auth_strategy"));
    // Expired: the clock stands half an hour later.
    let mut late = sandbox.hewto(&["clarify", "status", "--json"]);
    let output = late.env("HEWTO_TEST_CLOCK_SKEW_S", "1801").output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8(output.stdout).unwrap().contains("SESSION_EXPIRED"));
}

/// What commands say that run at the same time: code or status, and exit code.
fn at_once(sandbox: &Sandbox, commands: &[&[&str]]) -> Vec<String> {
    let running: Vec<_> = commands
        .iter()
        .map(|args| {
            let mut command = sandbox.hewto(&[args, &["--json"][..]].concat());
            command.stdout(Stdio::piped()).spawn().unwrap()
        })
        .collect();
    let mut said: Vec<String> = running
        .into_iter()
        .map(|command| {
            let output = command.wait_with_output().unwrap();
            let view: Value = serde_json::from_slice(&output.stdout).unwrap();
            let code = view["error"]["code"].as_str().or_else(|| view["status"].as_str()).unwrap();
            format!("{code} {}", output.status.code().unwrap())
        })
        .collect();
    said.sort();
    said
}

#[test]
fn an_interview_ends_once_whoever_answers_at_the_same_time() {
    let sandbox = repository();
    sandbox.json(&["clarify", "start", "Add authentication"]);
    let answer: &[&str] = &["clarify", "answer", "auth_strategy=SAML", "auth_library=Clerk"];
    let said = at_once(&sandbox, &[answer; 4]);
    let refused = "NO_ACTIVE_SESSION 1";
    assert_eq!(said, [refused, refused, refused, "completed 0"]);
    assert_eq!(fs_err::read_dir(sandbox.project().join("docs/adr")).unwrap().count(), 1);
    assert!(!sandbox.project().join("docs/archive").exists());
}

#[test]
fn answers_that_come_at_the_same_time_are_all_kept() {
    let sandbox = repository();
    sandbox.json(&["clarify", "start", "Add authentication"]);
    let answers: [&[&str]; 2] =
        [&["clarify", "answer", "auth_strategy=SAML"], &["clarify", "answer", "auth_library=Clerk"]];
    assert_eq!(at_once(&sandbox, &answers), ["completed 0", "needs_more_answers 0"]);
    let known = sandbox.json(&["architecture"]);
    assert_eq!(
        known["architecture"]["categories"]["Authentication"],
        json!({"Library": "Clerk", "Strategy": "SAML"})
    );
}

#[test]
fn what_other_stands_for_is_asked_once_somebody_has_chosen_it() {
    let sandbox = repository();
    let started = sandbox.json(&["clarify", "start", "Add authentication"]);
    let companion = &started["questions"][1];
    assert_eq!((&companion["id"], &companion["optional"]), (&json!("auth_strategy__other"), &json!(true)));
    insta::assert_snapshot!(sandbox.run(&["clarify", "answer", "auth_strategy=Other (specify)", "auth_library=Clerk"]), @r"
    Authentication strategy: please specify
      id  auth_strategy__other

    Where are tokens kept?
      id        token_storage
      options   HTTP-only cookie, Server session, Local storage, Other (specify)
      optional  yes

    answer with `hewto clarify answer auth_strategy__other=…`
    [exit 0]
    ");
    let open = sandbox.json(&["clarify", "resume"]);
    assert_eq!((&open["questions"][0]["id"], &open["questions"][0]["optional"]), (&companion["id"], &json!(false)));
    let done = sandbox.json(&["clarify", "answer", "auth_strategy__other=Passkeys"]);
    assert!(done["summary"].as_str().unwrap().contains("Strategy = Passkeys"), "{done}");
}

#[test]
fn in_a_workspace_the_interview_is_kept_where_git_does_not_look() {
    let sandbox = Sandbox::workspace();
    sandbox.write(".git/HEAD", "");
    sandbox.json(&["clarify", "start", "Add authentication"]);
    assert!(sandbox.read(".hewto/clarify/current_session.json").contains("Add authentication"));
    assert!(sandbox.read(".hewto/.gitignore").contains("/clarify/"));
}

#[test]
fn the_repository_can_be_named_or_stands_above() {
    let sandbox = repository();
    sandbox.write("src/deep/x", "");
    let below = sandbox.project().join("src/deep");
    let output =
        sandbox.hewto(&["clarify", "start", "Add a cache", "--json"]).current_dir(&below).output().unwrap();
    assert!(output.status.success());
    let root = sandbox.project().display().to_string();
    let mut status = sandbox.hewto(&["clarify", "status", "--repo-path", &root, "--json"]);
    assert!(status.current_dir(sandbox.root()).output().unwrap().status.success());
}
