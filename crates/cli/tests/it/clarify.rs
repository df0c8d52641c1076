//! `hewto clarify` for scripts: shapes, codes and exit codes of the original command, and answers through a pipe.

use hewto_testkit::{ModelReply, ModelServer};
use serde_json::{Value, json};

use crate::sandbox::Sandbox;

pub(crate) fn repository() -> Sandbox {
    let sandbox = Sandbox::empty();
    sandbox.write(".git/HEAD", "ref: refs/heads/main\n");
    sandbox
}

/// The error of a run that has to fail with this exit code; it stands on standard output.
fn refused(sandbox: &Sandbox, args: &[&str], exit: i32) -> Value {
    let output = sandbox.output(&[args, &["--json"]].concat());
    assert_eq!(output.status.code(), Some(exit), "{args:?}");
    let mut envelope: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(envelope["status"], "error");
    assert!(envelope["error"]["message"].is_string() && envelope["error"]["recovery_hint"].is_string());
    envelope["error"].take()
}

pub(crate) fn ids(view: &Value) -> Vec<&str> {
    view["questions"].as_array().unwrap().iter().map(|question| question["id"].as_str().unwrap()).collect()
}

#[test]
fn a_script_starts_answers_and_gets_the_files_and_the_prompt() {
    let sandbox = repository();
    let started = sandbox.json(&["clarify", "start", "Add authentication"]);
    assert_eq!(started["status"], "started");
    assert!(started["session_id"].is_string() && started["expires_at"].is_string());
    assert_eq!(
        ids(&started),
        ["auth_strategy", "auth_strategy__other", "auth_library", "auth_library__other"]
    );
    for question in started["questions"].as_array().unwrap() {
        assert!(question["optional"].is_boolean(), "{question}");
    }
    assert_eq!(started["questions"][1]["depends_on_question_id"], "auth_strategy");
    assert_eq!(started["questions"][1]["depends_on_value"], "Other (specify)");

    let more = sandbox.json(&["clarify", "answer", "auth_strategy=oauth"]);
    assert_eq!((&more["status"], ids(&more)[0]), (&json!("needs_more_answers"), "auth_library"));
    let active = sandbox.json(&["clarify", "status"]);
    assert_eq!((&active["status"], &active["intention"]), (&json!("active"), &json!("Add authentication")));
    assert_eq!(active["questions"][0], json!({"id": "auth_strategy", "answered": true, "value": "OAuth"}));
    assert_eq!(active["questions"][1]["answered"], false);
    assert!(active["questions"][1]["question"].is_string() && active["questions"][1]["options"].is_array());

    let done = sandbox.json(&["clarify", "answer", "--answers-json", r#"{"auth_library": "next-auth"}"#]);
    assert_eq!(done["status"], "completed");
    let artifacts = done["artifacts"].as_object().unwrap();
    let names: Vec<&str> = artifacts.keys().map(String::as_str).collect();
    assert_eq!(names, ["task", "adr", "architecture_state", "agent_prompt"]);
    for path in artifacts.values() {
        sandbox.read(path.as_str().unwrap());
    }
    let prompt = done["agent_prompt"].as_str().unwrap();
    let page = sandbox.read("docs/AGENT_PROMPT.md");
    for part in [
        "You are a coding agent",
        "Do NOT make architectural decisions",
        "Implement strictly",
        "stop and ask",
        "docs/CURRENT_TASK.md",
    ] {
        assert!(prompt.contains(part) && page.contains(part), "{part}");
    }
    for part in ["How to use", "Claude Code", "Cursor", "Windsurf"] {
        assert!(page.contains(part), "{part}");
    }
    // Nothing but artifacts in the work tree of a repository that is no workspace.
    let mut names: Vec<String> = fs_err::read_dir(sandbox.project())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, [".git", "docs"]);
}

#[test]
fn what_the_intention_said_is_detected_and_survives_the_process() {
    let sandbox = repository();
    let started = sandbox.json(&["clarify", "start", "Add authentication with Clerk"]);
    assert_eq!(
        started["detected_from_intent"],
        json!([{"label": "Authentication library", "value": "Clerk"}])
    );
    assert_eq!(ids(&started)[0], "auth_strategy");
    sandbox.json(&["clarify", "answer", "auth_strategy=SAML"]);
    let known = sandbox.json(&["architecture"]);
    assert_eq!(
        known["architecture"]["categories"],
        json!({"Authentication": {"Library": "Clerk", "Strategy": "SAML"}})
    );
}

#[test]
fn every_refusal_has_its_code_and_its_exit_code() {
    let sandbox = Sandbox::empty();
    assert_eq!(refused(&sandbox, &["clarify", "start", "x"], 1)["code"], "NOT_A_REPOSITORY");
    sandbox.write(".git/HEAD", "");
    sandbox.write("src/main.rs", "");
    assert_eq!(
        refused(&sandbox, &["clarify", "status", "--repo-path", "src"], 1)["code"],
        "NOT_A_REPOSITORY"
    );
    for command in
        [&["clarify", "status"][..], &["clarify", "answer", "a=b"], &["clarify", "reset", "--force"]]
    {
        assert_eq!(refused(&sandbox, command, 1)["code"], "NO_ACTIVE_SESSION", "{command:?}");
    }
    assert_eq!(refused(&sandbox, &["clarify", "resume"], 1)["code"], "NO_PREVIOUS_SESSION");
    assert_eq!(refused(&sandbox, &["clarify", "start", " "], 1)["code"], "VALIDATION_FAILED");
    sandbox.json(&["clarify", "start", "Add authentication"]);
    assert_eq!(refused(&sandbox, &["clarify", "start", "y"], 1)["code"], "SESSION_ALREADY_ACTIVE");
    sandbox.write("list.json", "[1]");
    for bad in [
        &["clarify", "answer"][..],
        &["clarify", "answer", "stray"],
        &["clarify", "answer", "--answers-json", "{"],
        &["clarify", "answer", "--answers-file", "list.json"],
        &["clarify", "answer", "--answers-file", "gone.json"],
        &["clarify", "answer", "auth_strategy=ZZZ"],
        &["clarify", "answer", "auth_strategy="],
    ] {
        assert_eq!(refused(&sandbox, bad, 1)["code"], "INVALID_ANSWER", "{bad:?}");
    }
    // What is wrong with the repository is no fault of the caller.
    sandbox.write("docs", "in the way");
    let answers = ["clarify", "answer", "auth_strategy=SAML", "auth_library=Clerk"];
    assert_eq!(refused(&sandbox, &answers, 2)["code"], "FILESYSTEM_ERROR");
    fs_err::remove_file(sandbox.project().join("docs")).unwrap();
    sandbox.write("docs/CURRENT_TASK.md", "# mine\n");
    let error = refused(&sandbox, &["clarify", "answer", "auth_library=Clerk"], 2);
    assert_eq!(
        (&error["code"], &error["details"]["path"]),
        (&json!("PARSE_ERROR"), &json!("docs/CURRENT_TASK.md"))
    );
    assert_eq!(sandbox.json(&["clarify", "reset", "--force"]), json!({"status": "reset"}));
    for typed in
        [&["clarify"][..], &["clarify", "start"], &["clarify", "--nonsense"], &["clarify", "x", "status"]]
    {
        assert_eq!(refused(&sandbox, typed, 2)["code"], "USAGE", "{typed:?}");
        assert_eq!(sandbox.output(typed).status.code(), Some(2), "{typed:?}");
    }
}

#[test]
fn people_read_errors_on_standard_error() {
    let sandbox = repository();
    insta::assert_snapshot!(sandbox.run(&["clarify", "status"]), @r#"
    [stderr]
    error[NO_ACTIVE_SESSION]: no clarification is under way
    hint: begin one with `hewto clarify "INTENTION"`
    [exit 1]
    "#);
    sandbox.json(&["clarify", "start", "Add authentication"]);
    insta::assert_snapshot!(sandbox.run(&["clarify", "answer", "auth_strategy=a", "auth_library=b"]), @r"
    [stderr]
    error[INVALID_ANSWER]: 2 answers are not accepted
      auth_strategy: `a` is not one of the options (OAuth, Email/Password, Magic Links, SAML); choose `Other (specify)` to write your own
      auth_library: `b` is not one of the options (next-auth, passport, Auth0, Clerk, custom); choose `Other (specify)` to write your own
    hint: correct these answers with `hewto clarify answer`; the others are kept
    [exit 1]
    ");
}

#[test]
fn a_file_wins_over_json_and_json_over_arguments() {
    let sandbox = repository();
    sandbox.json(&["clarify", "start", "Add authentication"]);
    sandbox.write("answers.json", r#"{"auth_strategy": "SAML", "unknown": 5}"#);
    sandbox.json(&[
        "clarify",
        "answer",
        "auth_strategy=OAuth",
        "auth_library=Auth0",
        "--answers-json",
        r#"{"auth_strategy": "Magic Links", "auth_library": "Clerk"}"#,
        "--answers-file",
        "answers.json",
    ]);
    let known = sandbox.json(&["architecture"]);
    assert_eq!(
        known["architecture"]["categories"]["Authentication"],
        json!({"Library": "Clerk", "Strategy": "SAML"})
    );
}

#[test]
fn a_pipe_answers_line_by_line() {
    let sandbox = repository();
    let shown = sandbox.run_with_input(&["clarify", "Add authentication"], "2\nother\nOry Kratos\n");
    assert!(shown.ends_with("[exit 0]") && shown.contains("You are a coding agent"), "{shown}");
    let known = sandbox.json(&["architecture"]);
    assert_eq!(
        known["architecture"]["categories"]["Authentication"],
        json!({"Library": "Ory Kratos", "Strategy": "Email/Password"})
    );
    // Too few lines: what was said is kept, and the rest is named.
    let shown = sandbox.run_with_input(&["clarify", "Add a database"], "PostgreSQL\n");
    assert!(shown.contains("hewto clarify answer db_orm=…") && shown.ends_with("[exit 0]"), "{shown}");
    assert_eq!(sandbox.json(&["clarify", "status"])["questions"][0]["value"], "PostgreSQL");
    // A line that is no answer ends the command; the next line would answer something else.
    let shown = sandbox.run_with_input(&["clarify", "answer", "-i"], "Hibernat\nPrisma\n");
    assert!(shown.contains("INVALID_ANSWER") && shown.ends_with("[exit 1]"), "{shown}");
    let shown = sandbox.run_with_input(&["clarify", "answer", "--interactive"], "prisma");
    assert!(shown.contains("ORM = Prisma"), "{shown}");
}

#[test]
fn questions_are_printed_for_those_who_answer_later() {
    let sandbox = repository();
    insta::assert_snapshot!(sandbox.run(&["clarify", "start", "Add OAuth login", "--non-interactive"]), @r"
    Authentication strategy: OAuth

    Which authentication library?
      id       auth_library
      options  next-auth, passport, Auth0, Clerk, custom, Other (specify)

    Which OAuth providers?
      id        oauth_providers
      options   Google, GitHub, Microsoft, Facebook, Other (specify)
      optional  yes

    answer with `hewto clarify answer auth_library=…`
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.run(&["clarify", "status"]), @r"
    intention  Add OAuth login
    until      [TIME]

      auth_library     open  Which authentication library?
      oauth_providers  open  Which OAuth providers?
    [exit 0]
    ");
}

fn with_model(sandbox: &Sandbox, model: &ModelServer, args: &[&str]) -> std::process::Output {
    let mut command = sandbox.hewto(args);
    command.env("HEWTO_LLM_BASE_URL", &model.url).output().unwrap()
}

#[test]
fn a_named_provider_asks_and_its_prompt_can_be_read() {
    let sandbox = repository();
    let question = json!({"id": "idp", "type": "single_choice", "question": "Which IdP?", "options": ["Okta", "Keycloak"]});
    let decided = json!({"status": "extracted", "category": "Authentication", "fields": [{"key": "Library", "value": "Okta"}]});
    let model = ModelServer::with(vec![
        ModelReply::anthropic(
            "submit_clarification",
            &json!({"questions": [question], "missing_info": ["idp"]}),
        ),
        ModelReply::anthropic("submit_decision", &decided),
    ]);
    let start =
        ["clarify", "start", "Add authentication", "--json", "--llm-provider", "anthropic", "--debug-llm"];
    let started: Value = serde_json::from_slice(&with_model(&sandbox, &model, &start).stdout).unwrap();
    assert_eq!((ids(&started)[0], started.get("warning")), ("idp", None));
    // The next process asks the same provider.
    let answered = with_model(&sandbox, &model, &["clarify", "answer", "idp=Okta", "--json"]);
    let done: Value = serde_json::from_slice(&answered.stdout).unwrap();
    assert_eq!((&done["status"], done.get("warning")), (&json!("completed"), None));
    let prompts = sandbox.read(".git/hewto/clarify/debug/last_llm_prompt.md");
    assert!(prompts.contains("submit_clarification") && prompts.contains("submit_decision"), "{prompts}");
}

#[test]
fn a_model_that_fails_is_a_warning_unless_it_has_to_help() {
    let sandbox = repository();
    let model = ModelServer::with(vec![ModelReply::status(500)]);
    let strict =
        ["clarify", "start", "Add authentication", "--json", "--llm-provider", "openai", "--llm-strict"];
    let output = with_model(&sandbox, &model, &strict);
    assert_eq!(output.status.code(), Some(2));
    let envelope: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(envelope["error"]["code"], "SYSTEM_ERROR");
    assert_eq!(model.asked().len(), 3);
    let output = with_model(&sandbox, &model, &strict[..6]);
    let started: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&started["warning"], ids(&started)[0]), (&json!("llm_fallback"), "auth_strategy"));
    // `--llm` without anybody to ask.
    sandbox.json(&["clarify", "reset"]);
    let alone = sandbox.json(&["clarify", "start", "Add authentication", "--llm"]);
    assert_eq!(alone["warning"], "llm_fallback");
}
