//! `require_clarification` and `read_architecture` over the wire: every example of seed 003 §7 and every error of §5.

mod refusals;

use hewto_testkit::{Era, McpSession, ModelReply, ModelServer, TestWorkspace};
use serde_json::{Value, json};

use crate::mcp_client::{ERAS, serve_with};

const AUTH: &str = "Add OAuth authentication with Clerk";

/// A git repository and nothing else.
pub(crate) fn repository() -> TestWorkspace {
    TestWorkspace::from_fixture("//- .git/HEAD\nref: refs/heads/main\n")
}

pub(crate) fn serve(place: &TestWorkspace, era: Era, env: &[(&str, &str)]) -> McpSession {
    let args = ["serve", "--profile", "preflights"];
    McpSession::spawn(env!("CARGO_BIN_EXE_hewto"), &args, place.root(), env, era)
}

fn legacy(place: &TestWorkspace) -> McpSession {
    serve(place, Era::Legacy, &[])
}

fn clarify(session: &mut McpSession, more: Value) -> Value {
    session.call("require_clarification", arguments("Add authentication", more)).ok()
}

pub(crate) fn arguments(intention: &str, more: Value) -> Value {
    let mut arguments = json!({ "user_intention": intention });
    for (name, value) in more.as_object().unwrap() {
        arguments[name] = value.clone();
    }
    arguments
}

/// The inner object of an error envelope.
fn refused(session: &mut McpSession, tool: &str, arguments: Value) -> Value {
    let envelope: Value = serde_json::from_str(&{
        let reply = session.call(tool, arguments);
        assert!(reply.is_error, "{}", reply.text);
        reply.text
    })
    .unwrap();
    assert_eq!(envelope["status"], "error");
    assert!(envelope["error"]["recovery_hint"].is_string(), "{envelope}");
    envelope["error"].clone()
}

fn ids(view: &Value) -> Vec<&str> {
    view["questions"].as_array().unwrap().iter().map(|question| question["id"].as_str().unwrap()).collect()
}

#[test]
fn the_profile_offers_the_two_tools_and_nothing_else() {
    for era in ERAS {
        let place = repository();
        let mut session = serve(&place, era, &[]);
        let tools = session.request("tools/list", json!({})).unwrap();
        let names: Vec<&str> =
            tools["tools"].as_array().unwrap().iter().map(|t| t["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["read_architecture", "require_clarification"]);
        let input = &tools["tools"][1]["inputSchema"];
        assert_eq!(input["required"], json!(["user_intention"]));
        let prompts =
            session.request("prompts/list", json!({})).map_or(json!([]), |list| list["prompts"].clone());
        assert_eq!(prompts, json!([]));
        assert!(session.request("resources/list", json!({})).is_err());
    }
    let place = repository();
    let args = ["serve", "--profile", "preflights"];
    let mut raw =
        McpSession::spawn_raw(env!("CARGO_BIN_EXE_hewto"), &args, place.root(), &[("X", "")], Era::Legacy);
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}});
    let hello = raw.request("initialize", params).unwrap();
    assert_eq!(hello["serverInfo"]["name"], "preflights");
    assert_eq!((hello["capabilities"].get("prompts"), hello["capabilities"].get("resources")), (None, None));
}

// @spec decisions#clarification-is-deterministic/the-intention-says-everything
#[test]
fn seed_7_1_a_simple_task_needs_one_step_and_no_record() {
    for era in ERAS {
        let place = repository();
        let mut session = serve(&place, era, &[]);
        let done =
            session.call("require_clarification", arguments("Fix typo in login button", json!({}))).ok();
        assert_eq!(done["status"], "completed");
        assert_eq!(done["artifacts_created"], json!([{"path": "docs/CURRENT_TASK.md", "type": "task"}]));
        assert_eq!(place.names_in("docs"), ["CURRENT_TASK.md"]);
    }
}

// @spec decisions#a-completed-clarification-is-one-commit/a-structural-wish-is-completed
#[test]
fn seed_7_2_a_decision_takes_two_turns() {
    for era in ERAS {
        let place = repository();
        let mut session = serve(&place, era, &[]);
        let first = clarify(&mut session, json!({}));
        assert_eq!(first["status"], "needs_clarification");
        assert_eq!(ids(&first), ["auth_strategy", "auth_library"]);
        assert_eq!(first["progress"], json!({"asked_so_far": 2, "answered": 0}));
        let answers = json!({"auth_strategy": "OAuth", "auth_library": "next-auth"});
        let done = clarify(&mut session, json!({"session_id": first["session_id"], "answers": answers}));
        assert_eq!(done["status"], "completed");
        let kinds: Vec<&str> = done["artifacts_created"]
            .as_array()
            .unwrap()
            .iter()
            .map(|a| a["type"].as_str().unwrap())
            .collect();
        assert_eq!(kinds, ["adr", "task", "projection"]);
        assert!(done["summary"].as_str().unwrap().contains("OAuth"));
        let text = place.read(done["artifacts_created"][0]["path"].as_str().unwrap());
        assert!(text.contains("PART 1: ARCHITECTURE SNAPSHOT") && text.contains("PART 2: DECISION DETAILS"));
        // The prompt is the command line's, and nothing but artifacts appears in the work tree.
        assert!(!place.exists("docs/AGENT_PROMPT.md"));
        assert_eq!(place.names_in(""), [".git", "docs"]);
        assert!(!place.names_in(".git/hewto/logs").is_empty());
    }
}

#[test]
fn seed_7_3_the_architecture_can_be_asked_for() {
    for era in ERAS {
        let place = repository();
        let mut session = serve(&place, era, &[]);
        let nothing = session.call("read_architecture", json!({})).ok();
        assert_eq!(
            nothing,
            json!({"status": "success", "architecture": {"uid": null, "categories": {}}, "source_file": "docs/ARCHITECTURE_STATE.md"})
        );
        let done = session.call("require_clarification", arguments(AUTH, json!({}))).ok();
        let known = session.call("read_architecture", json!({"repo_path": place.root()})).ok();
        assert_eq!(known["architecture"]["uid"], done["artifacts_created"][0]["uid"]);
        assert_eq!(
            known["architecture"]["categories"],
            json!({"Authentication": {"Library": "Clerk", "Strategy": "OAuth"}})
        );
    }
}

#[test]
fn a_model_that_fails_is_a_warning_in_the_envelope() {
    let model = ModelServer::with(vec![ModelReply::status(401)]);
    let place = repository();
    let url = format!("{}/v1", model.url);
    // The original's names work too.
    let env = [("PREFLIGHTS_LLM_PROVIDER", "openai"), ("PREFLIGHTS_LLM_BASE_URL", url.as_str())];
    let mut session = serve(&place, Era::Legacy, &env);
    let first = clarify(&mut session, json!({}));
    assert_eq!(
        (first["warning"].as_str(), first["status"].as_str()),
        (Some("llm_fallback"), Some("needs_clarification"))
    );
    assert!(first["message"].as_str().unwrap().starts_with("LLM unavailable, using deterministic mode"));
    assert_eq!(ids(&first), ["auth_strategy", "auth_library"]);
}

#[test]
fn answers_of_every_type_are_judged() {
    let place = repository();
    let mut session = legacy(&place);
    let first = clarify(&mut session, json!({}));
    let go_on =
        |answers: Value| arguments("x", json!({"session_id": first["session_id"], "answers": answers}));
    for wrong in [json!(5), json!(2.5), json!(true), json!({}), json!([]), json!("ZZZ"), json!("")] {
        let error = refused(&mut session, "require_clarification", go_on(json!({"auth_strategy": wrong})));
        assert_eq!(error["code"], "INVALID_ANSWER", "{wrong}");
        assert_eq!(error["details"]["answers"][0]["question_id"], "auth_strategy");
    }
    let silent = session.call("require_clarification", go_on(json!({"auth_strategy": null}))).ok();
    assert_eq!(silent["progress"]["answered"], 0);
    let other =
        session.call("require_clarification", go_on(json!({"auth_strategy": "Other (specify)"}))).ok();
    assert_eq!(ids(&other)[0], "auth_strategy__other");
    assert!(!place.exists("docs"));
}

#[test]
fn wrong_arguments_get_the_same_envelope() {
    let place = repository();
    let mut session = legacy(&place);
    let error = refused(&mut session, "require_clarification", json!({"session_id": "x"}));
    assert_eq!(
        (&error["code"], &error["details"]["faults"][0]["field"]),
        (&json!("INVALID_PARAMS"), &json!("user_intention"))
    );
}

#[test]
fn two_processes_never_share_a_uid() {
    let place = repository();
    let mut sessions: Vec<McpSession> = (0..3).map(|_| legacy(&place)).collect();
    for _ in 0..3 {
        let calls: Vec<i64> = sessions
            .iter_mut()
            .map(|session| session.start_call("require_clarification", arguments(AUTH, json!({}))))
            .collect();
        for (session, id) in sessions.iter_mut().zip(calls) {
            assert_eq!(session.finish_call("require_clarification", id).ok()["status"], "completed");
        }
    }
    assert_eq!(place.names_in("docs/adr").len(), 9);
    assert_eq!(place.names_in("docs/archive/task").len(), 8);
    let known = sessions[0].call("read_architecture", json!({})).ok();
    assert_eq!(known.get("warning"), None);
}

#[test]
fn a_decision_is_recorded_superseded_and_never_by_mistake() {
    let workspace = TestWorkspace::from_fixture("//- .git/HEAD\nref: refs/heads/main\n");
    let mut session = serve_with(&workspace, Era::Legacy, &["--toolsets", "decisions"]);
    let first = session
        .call("decision_create", json!({ "category": "Database", "fields": { "Vacuum_hour": "3 am" }, "context": "Backups slow the shop down." }))
        .ok();
    let second = session
        .call("decision_create", json!({ "category": "Other", "fields": { "Style": "plain" }, "context": "Names differ too much." }))
        .ok();
    assert_eq!((&second["previous"], &second["supersedes"]), (&first["uid"], &json!([])), "{second}");
    let third = session
        .call("decision_create", json!({ "category": "Database", "fields": { "Vacuum_hour": "5 am" }, "context": "Batch jobs run at three.", "supersedes": first["uid"], "reason": "the batch jobs moved" }))
        .ok();
    assert_eq!(third["supersedes"], json!([first["uid"]]), "{third}");
    let unknown = session
        .call("decision_create", json!({ "category": "Wether", "fields": { "a": "b" }, "context": "c" }));
    assert!(unknown.is_error && unknown.text.contains("Authentication"), "{}", unknown.text);
    // It is no tool of the seed, and has the shape that all others have.
    let error = unknown.error();
    assert_eq!(
        (error["error"].as_str(), error["faults"][0]["pointer"].as_str()),
        (Some("validation_failed"), Some("/category")),
        "{error}"
    );
}
