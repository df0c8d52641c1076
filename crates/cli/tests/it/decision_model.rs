//! A model behind the real binary, and everything that a model can do wrong.

use hewto_testkit::{Era, ModelReply, ModelServer, TestWorkspace};
use serde_json::{Value, json};

use crate::decision_mcp::{arguments, repository, serve};

fn start(place: &TestWorkspace, model: &ModelServer, names: &[(&str, &str)], intention: &str) -> Value {
    let mut session = serve(place, Era::Legacy, names);
    let view = session.call("require_clarification", arguments(intention, json!({}))).ok();
    assert!(!model.asked().is_empty());
    view
}

fn ids(view: &Value) -> Vec<&str> {
    view["questions"].as_array().unwrap().iter().map(|question| question["id"].as_str().unwrap()).collect()
}

fn questions(count: usize) -> Value {
    let question = |at: usize| json!({"id": format!("q{at}"), "type": "free_text", "question": "Why?"});
    json!({"questions": (0..count).map(question).collect::<Vec<_>>(), "missing_info": ["x"]})
}

#[test]
fn whatever_a_model_does_wrong_the_catalogue_asks_and_the_envelope_says_so() {
    for broken in [
        ModelReply::Silence,
        ModelReply::Torn,
        ModelReply::status(500),
        ModelReply::status(429),
        ModelReply::status(404),
        ModelReply::Http(200, "", "no JSON".into()),
        ModelReply::Http(200, "", "[]".into()),
        ModelReply::openai("submit_clarification", &json!({"questions": [{"id": 5}]})),
    ] {
        let (place, model) = (repository(), ModelServer::with(vec![broken.clone()]));
        let url = format!("{}/v1", model.url);
        // Only a silence is worth giving up soon; a slow machine is not.
        let attempt = if matches!(broken, ModelReply::Silence) { "300" } else { "8000" };
        let names = [
            ("HEWTO_LLM_PROVIDER", "openai"),
            ("HEWTO_LLM_BASE_URL", url.as_str()),
            ("HEWTO_TEST_LLM_ATTEMPT_MS", attempt),
        ];
        let view = start(&place, &model, &names, "Add authentication");
        assert_eq!(
            (&view["warning"], &view["status"]),
            (&json!("llm_fallback"), &json!("needs_clarification"))
        );
        assert!(view["message"].as_str().unwrap().starts_with("LLM unavailable, using deterministic mode"));
        assert_eq!(ids(&view), ["auth_strategy", "auth_library"], "{broken:?}");
        let tries = if matches!(broken, ModelReply::Http(404, ..)) { 1 } else { 3 };
        assert_eq!(model.asked().len(), tries, "{broken:?}");
    }
}

#[test]
fn a_second_attempt_may_succeed_and_too_many_questions_are_cut() {
    let place = repository();
    let model = ModelServer::with(vec![
        ModelReply::status(503),
        ModelReply::anthropic("submit_clarification", &questions(7)),
    ]);
    let names = [
        ("HEWTO_LLM_PROVIDER", "anthropic"),
        ("HEWTO_LLM_BASE_URL", &model.url),
        ("ANTHROPIC_API_KEY", "k-1"),
    ];
    let view = start(&place, &model, &names, "Add authentication");
    assert_eq!((ids(&view), view.get("warning")), (vec!["q0", "q1"], None));
    let asked = model.asked();
    assert_eq!(asked.len(), 2);
    assert!(
        asked[0].head.starts_with("POST /v1/messages ") && asked[0].head.contains("k-1"),
        "{}",
        asked[0].head
    );
}

#[test]
fn placeholders_are_no_decision() {
    let place = repository();
    let decided = json!({"status": "extracted", "category": "Authentication", "fields": [
        {"key": "Strategy", "value": "TBD"}, {"key": "Library", "value": "to be determined"},
    ]});
    let model = ModelServer::with(vec![
        ModelReply::openai("submit_clarification", &questions(1)),
        ModelReply::openai("submit_decision", &decided),
    ]);
    let url = format!("{}/v1", model.url);
    let names = [("PREFLIGHTS_LLM_PROVIDER", "openrouter"), ("PREFLIGHTS_LLM_BASE_URL", url.as_str())];
    let mut session = serve(&place, Era::Legacy, &names);
    let first = session.call("require_clarification", arguments("Add authentication", json!({}))).ok();
    assert_eq!(ids(&first), ["q0"]);
    let go_on =
        |answers: Value| arguments("x", json!({"session_id": first["session_id"], "answers": answers}));
    let second = session.call("require_clarification", go_on(json!({"q0": "Because"}))).ok();
    assert_eq!(ids(&second)[0], "auth_strategy");
    let answers = json!({"auth_strategy": "SAML", "auth_library": "Clerk"});
    assert_eq!(session.call("require_clarification", go_on(answers)).ok()["status"], "completed");
    let known = session.call("read_architecture", json!({})).ok();
    assert_eq!(
        known["architecture"]["categories"],
        json!({"Authentication": {"Library": "Clerk", "Strategy": "SAML"}})
    );
}

#[test]
fn no_secret_and_no_file_leaves_the_machine() {
    let place = repository();
    place.add("//- src/auth/hidden_name.rs\nlet password = \"hunter2\";\n");
    let model = ModelServer::with(vec![ModelReply::openai("submit_clarification", &questions(1))]);
    let url = format!("{}/v1", model.url);
    let names =
        [("HEWTO_LLM_PROVIDER", "openai"), ("HEWTO_LLM_BASE_URL", url.as_str()), ("OPENAI_API_KEY", "")];
    let token = ["gh", "p_", "abcdefghijklmnopqrstuvwxyz0123456789"].concat();
    start(&place, &model, &names, &format!("Add authentication with {token} and password=\"hunter3\""));
    let sent = model.asked()[0].body.to_string();
    for secret in [token.as_str(), "hunter2", "hunter3", "hidden_name"] {
        assert!(!sent.contains(secret), "{secret}: {sent}");
    }
    // An empty key is none, which is fine beside a base URL.
    assert!(!model.asked()[0].head.to_lowercase().contains("authorization"), "{}", model.asked()[0].head);
}
