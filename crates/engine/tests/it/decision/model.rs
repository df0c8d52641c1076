//! A model that asks, and one that fails.

use std::time::Duration;

use hewto_engine::decision::{Interviewer, ModelChoice, ModelSettings};
use hewto_engine::view::ClarificationStatus;
use hewto_testkit::{ModelReply, ModelServer};
use serde_json::{Value, json};

use super::support::{Repo, ids, session};

fn interviewer(url: &str, attempt: Duration) -> Interviewer {
    let chosen = ModelSettings::choose(|name| match name {
        "HEWTO_LLM_PROVIDER" => Some("anthropic".to_owned()),
        "HEWTO_LLM_BASE_URL" => Some(url.to_owned()),
        _ => None,
    });
    let ModelChoice::Model(mut settings) = chosen else { panic!("{chosen:?}") };
    settings.limits.attempt = attempt;
    settings.limits.first_pause = Duration::from_millis(1);
    ModelChoice::Model(settings).into()
}

fn repo(script: Vec<ModelReply>) -> (Repo, ModelServer) {
    // Only a silence is worth giving up soon; a slow machine is not.
    let is_silent = script.iter().any(|reply| matches!(reply, ModelReply::Silence));
    let attempt = if is_silent { Duration::from_millis(300) } else { Duration::from_secs(30) };
    let server = ModelServer::with(script);
    (Repo::asked_by(interviewer(&server.url, attempt), &[(".git/HEAD", "")]), server)
}

fn questions(questions: &Value) -> ModelReply {
    ModelReply::anthropic("submit_clarification", &json!({"questions": questions, "missing_info": ["x"]}))
}

fn one_question() -> ModelReply {
    questions(
        &json!([{"id": "idp", "type": "single_choice", "question": "Which IdP?", "options": ["Okta", "Keycloak"]}]),
    )
}

fn decision(value: &Value) -> ModelReply {
    ModelReply::anthropic("submit_decision", value)
}

#[test]
fn a_model_asks_and_says_what_was_decided() {
    let extracted = json!({"status": "extracted", "category": "Auth", "fields": [{"key": "library", "value": "Keycloak"}]});
    let (repo, server) = repo(vec![one_question(), decision(&extracted)]);
    let first = repo.start("Add authentication");
    assert_eq!((ids(&first), &first.warning), (vec!["idp"], &None));
    assert_eq!(first.questions.as_ref().unwrap()[0].asked.options, ["Okta", "Keycloak", "Other (specify)"]);
    let done = repo.answer(&session(&first), &json!({"idp": "keycloak"})).unwrap();
    assert_eq!((done.status, done.warning), (ClarificationStatus::Completed, None));
    assert_eq!(repo.value("Authentication", "Library").as_deref(), Some("Keycloak"));
    let asked = server.asked();
    assert_eq!(asked.len(), 2);
    assert!(asked[1].body["messages"][0]["content"].as_str().unwrap().contains("Which IdP? (idp): Keycloak"));
}

#[test]
fn whatever_a_model_does_wrong_the_catalogue_asks() {
    for broken in [
        ModelReply::Silence,
        ModelReply::status(500),
        ModelReply::status(429),
        ModelReply::status(401),
        ModelReply::Http(200, "", "<html>".into()),
        questions(&json!([{"id": 5}])),
    ] {
        let (repo, server) = repo(vec![broken.clone()]);
        let first = repo.start("Add authentication");
        assert_eq!(ids(&first), ["auth_strategy", "auth_library"], "{broken:?}");
        assert_eq!(first.warning.as_deref(), Some("llm_fallback"));
        assert!(first.message.as_ref().unwrap().starts_with("LLM unavailable, using deterministic mode"));
        let tries = if matches!(broken, ModelReply::Http(401, ..)) { 1 } else { 3 };
        assert_eq!(server.times_asked(tries), tries, "{broken:?}");
        let done = repo
            .answer(&session(&first), &json!({"auth_strategy": "SAML", "auth_library": "Clerk"}))
            .unwrap();
        assert_eq!((done.status, done.warning), (ClarificationStatus::Completed, None));
    }
}

#[test]
fn too_many_questions_are_cut_to_two() {
    let many: Vec<Value> =
        (0..6).map(|at| json!({"id": format!("q{at}"), "type": "free_text", "question": "Why?"})).collect();
    let (repo, _server) = repo(vec![questions(&json!(many))]);
    assert_eq!(ids(&repo.start("Add authentication")), ["q0", "q1"]);
}

#[test]
fn a_model_that_invents_or_declines_leaves_the_decision_to_the_user() {
    for (answer, warns) in [
        (decision(&json!({"status": "insufficient", "reason": "?"})), false),
        (
            decision(
                &json!({"status": "extracted", "category": "Authentication", "fields": [{"key": "Strategy", "value": "TBD"}]}),
            ),
            false,
        ),
        (
            decision(
                &json!({"status": "extracted", "category": "Authentication", "fields": [{"key": "Strategy", "value": "SAML"}]}),
            ),
            false,
        ),
        (ModelReply::status(503), true),
    ] {
        let (repo, _server) = repo(vec![one_question(), answer]);
        let first = repo.start("Add authentication");
        let second = repo.answer(&session(&first), &json!({"idp": "Okta"})).unwrap();
        assert_eq!(ids(&second)[0], "auth_strategy");
        assert_eq!(second.warning.is_some(), warns);
        let answers = json!({"auth_strategy": "OAuth", "auth_library": "Clerk"});
        let done = repo.answer(&session(&first), &answers).unwrap();
        assert_eq!(done.status, ClarificationStatus::Completed);
        assert_eq!(repo.value("Authentication", "Strategy").as_deref(), Some("OAuth"));
    }
}

#[test]
fn when_nothing_more_may_be_asked_there_is_no_decision() {
    let many = json!([
        {"id": "a", "type": "single_choice", "question": "A?", "options": ["1", "2"]},
        {"id": "b", "type": "single_choice", "question": "B?", "options": ["1", "2"]},
    ]);
    let (repo, _server) = repo(vec![questions(&many), decision(&json!({"status": "insufficient"}))]);
    let first = repo.start("Improve everything");
    let id = session(&first);
    let other = json!({"a": "Other (specify)", "b": "Other (specify)", "a__other": "x", "b__other": "y"});
    repo.answer(&id, &json!({"a": "Other (specify)", "b": "Other (specify)"})).unwrap();
    let error = match repo.answer(&id, &other) {
        Ok(view) => repo.answer(&id, &json!({ ids(&view)[0]: "z" })).unwrap_err(),
        Err(error) => error,
    };
    assert_eq!(error.key.as_str(), "patch_extraction_failed");
    assert!(repo.tree().is_empty());
}

#[test]
fn nothing_secret_leaves_and_no_file_is_sent() {
    let (repo, server) = repo(vec![one_question()]);
    repo.write("src/auth/secret_name.rs", "password = \"hunter2\"");
    let key = ["sk", "ant", "api03", "a1b2c3d4e5f6g7h8"].join("-");
    repo.start(&format!("Add authentication with key {key} for bob@example.org"));
    let sent = server.asked()[0].body.to_string();
    for secret in [key.as_str(), "bob@example.org", "secret_name", "hunter2"] {
        assert!(!sent.contains(secret), "{secret}");
    }
    assert!(sent.contains("Add authentication with key [redacted] for [redacted]"), "{sent}");
}

#[test]
fn a_model_is_not_asked_when_nothing_is_open() {
    let (repo, server) = repo(vec![ModelReply::status(500)]);
    for intention in ["Fix typo in login button", "Add OAuth authentication with Clerk"] {
        let view = repo.start(intention);
        assert_eq!((view.status, view.warning), (ClarificationStatus::Completed, None));
    }
    assert!(server.asked().is_empty());
}

#[test]
fn a_model_that_cannot_be_used_is_a_warning() {
    let broken = ModelSettings::choose(|name| (name == "HEWTO_LLM_PROVIDER").then(|| "openai".to_owned()));
    let repo = Repo::asked_by(broken.into(), &[(".git/HEAD", "")]);
    let first = repo.start("Add authentication");
    assert_eq!(first.warning.as_deref(), Some("llm_fallback"));
    assert!(first.message.unwrap().contains("OPENAI_API_KEY"));
}
