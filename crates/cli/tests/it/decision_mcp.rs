//! `require_clarification` and `read_architecture` over the wire: every example of seed 003 §7 and every error of §5.

use hewto_testkit::{Era, McpSession, ModelReply, ModelServer, TestWorkspace};
use serde_json::{Value, json};

use crate::mcp_client::ERAS;

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
fn repo_not_found() {
    let place = TestWorkspace::empty();
    let mut session = legacy(&place);
    for tool in ["require_clarification", "read_architecture"] {
        let call = if tool == "read_architecture" { json!({}) } else { arguments(AUTH, json!({})) };
        let error = refused(&mut session, tool, call);
        assert_eq!(
            (&error["code"], &error["message"]),
            (&json!("REPO_NOT_FOUND"), &json!("No git repository found"))
        );
    }
    let error = refused(&mut session, "read_architecture", json!({"repo_path": "/nowhere/at/all"}));
    assert_eq!(error["code"], "REPO_NOT_FOUND");
}

#[test]
fn session_not_found() {
    let place = repository();
    let mut session = legacy(&place);
    let error =
        refused(&mut session, "require_clarification", arguments("x", json!({"session_id": "sess-0001"})));
    assert_eq!(error["code"], "SESSION_NOT_FOUND");
    // Another process does not know the sessions of this one.
    let first = clarify(&mut session, json!({}));
    drop(session);
    let mut other = legacy(&place);
    let error = refused(
        &mut other,
        "require_clarification",
        arguments("x", json!({"session_id": first["session_id"]})),
    );
    assert_eq!(error["code"], "SESSION_NOT_FOUND");
}

#[test]
fn a_session_of_another_repository_names_its_own() {
    let place = TestWorkspace::from_fixture("//- a/.git/HEAD\n\n//- b/.git/HEAD\n\n");
    let mut session = legacy(&place);
    let first = clarify(&mut session, json!({"repo_path": "a"}));
    let call = arguments("x", json!({"repo_path": "b", "session_id": first["session_id"]}));
    let error = refused(&mut session, "require_clarification", call);
    assert!(error["details"]["session_repo_path"].as_str().unwrap().ends_with("/a"), "{error}");
}

#[test]
fn validation_failed() {
    let place = repository();
    let mut session = legacy(&place);
    for intention in [AUTH, "Add a PostgreSQL database with Prisma"] {
        session.call("require_clarification", arguments(intention, json!({}))).ok();
    }
    let name = place.names_in("docs/adr").pop().unwrap();
    let text = place.read(&format!("docs/adr/{name}"));
    let (start, end) = (text.find("### Authentication").unwrap(), text.find("### Database").unwrap());
    place.add(&format!("//- docs/adr/{name}\n{}{}", &text[..start], &text[end..]));
    let error = refused(&mut session, "require_clarification", arguments("Add a Redis cache", json!({})));
    assert_eq!(
        (&error["code"], &error["message"]),
        (&json!("VALIDATION_FAILED"), &json!("ADR snapshot validation failed"))
    );
    assert_eq!(error["details"]["missing_keys"], json!(["Authentication"]));
    let error = refused(&mut session, "require_clarification", arguments(" ", json!({})));
    assert_eq!(
        (&error["code"], &error["details"]["reason"]),
        (&json!("VALIDATION_FAILED"), &json!("EMPTY_INTENTION"))
    );
}

#[test]
fn parse_error() {
    let place = repository();
    let mut session = legacy(&place);
    place.add("//- docs/CURRENT_TASK.md\n# mine\n");
    let error = refused(&mut session, "require_clarification", arguments(AUTH, json!({})));
    assert_eq!(
        (&error["code"], &error["details"]["path"]),
        (&json!("PARSE_ERROR"), &json!("docs/CURRENT_TASK.md"))
    );
    assert_eq!(place.read("docs/CURRENT_TASK.md"), "# mine\n");
    place.add("//- docs/ARCHITECTURE_STATE.md\nbroken\n");
    let error = refused(&mut session, "read_architecture", json!({}));
    assert_eq!((&error["code"], &error["details"]["line"]), (&json!("PARSE_ERROR"), &json!(1)));
}

#[test]
fn filesystem_error() {
    let place = repository();
    let mut session = legacy(&place);
    place.add("//- docs/adr\nin the way\n");
    let error = refused(&mut session, "require_clarification", arguments(AUTH, json!({})));
    assert_eq!(error["code"], "FILESYSTEM_ERROR");
    assert_eq!(place.names_in("docs"), ["adr"]);
}

#[test]
fn in_a_read_only_folder_nothing_is_half_written_and_the_session_goes_on() {
    let place = repository();
    place.add("//- docs/adr/README.md\nours\n");
    let mut session = legacy(&place);
    let first = clarify(&mut session, json!({}));
    let answers = json!({"auth_strategy": "SAML", "auth_library": "Clerk"});
    let more = arguments("x", json!({"session_id": first["session_id"], "answers": answers}));
    for shut in ["docs", "docs/adr"] {
        let allow = |mode: u32| {
            let permissions = std::os::unix::fs::PermissionsExt::from_mode(mode);
            fs_err::set_permissions(place.root().join(shut), permissions).unwrap();
        };
        allow(0o555);
        if fs_err::create_dir(place.root().join(shut).join("probe")).is_ok() {
            // Whoever may write anywhere cannot be kept out.
            fs_err::remove_dir(place.root().join(shut).join("probe")).unwrap();
            continue;
        }
        let error = refused(&mut session, "require_clarification", more.clone());
        assert_eq!(error["code"], "FILESYSTEM_ERROR", "{shut}: {error}");
        assert_eq!(place.names_in("docs"), ["adr"], "{shut}");
        assert_eq!(place.names_in("docs/adr"), ["README.md"], "{shut}");
        allow(0o755);
    }
    assert_eq!(session.call("require_clarification", more).ok()["status"], "completed");
}

#[test]
fn patch_extraction_failed() {
    let questions = json!([
        {"id": "a", "type": "single_choice", "question": "A?", "options": ["1", "2"]},
        {"id": "b", "type": "single_choice", "question": "B?", "options": ["1", "2"]},
    ]);
    let asks = ModelReply::anthropic(
        "submit_clarification",
        &json!({"questions": questions, "missing_info": ["a", "b"]}),
    );
    let declines = ModelReply::anthropic("submit_decision", &json!({"status": "insufficient"}));
    let model = ModelServer::with(vec![asks, declines]);
    let place = repository();
    let env = [("HEWTO_LLM_PROVIDER", "anthropic"), ("HEWTO_LLM_BASE_URL", model.url.as_str())];
    let mut session = serve(&place, Era::Legacy, &env);
    let first = session.call("require_clarification", arguments("Improve everything", json!({}))).ok();
    assert_eq!(ids(&first), ["a", "b"]);
    let go_on =
        |answers: Value| arguments("x", json!({"session_id": first["session_id"], "answers": answers}));
    let other = json!({"a": "Other (specify)", "b": "Other (specify)"});
    let second = session.call("require_clarification", go_on(other)).ok();
    assert_eq!(ids(&second), ["a__other", "b__other"]);
    let mut reply = session.call("require_clarification", go_on(json!({"a__other": "x", "b__other": "y"})));
    if !reply.is_error {
        reply = session.call("require_clarification", go_on(json!({"description": "z"})));
    }
    assert!(reply.text.contains("PATCH_EXTRACTION_FAILED"), "{}", reply.text);
    assert!(!place.exists("docs"));
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
