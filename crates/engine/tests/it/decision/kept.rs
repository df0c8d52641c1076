//! The command line's interview, kept in a file.

use hewto_core::decision::record::AgentPrompt;
use hewto_engine::Error;
use hewto_engine::decision::{self, Interviewer, ModelWish};
use hewto_engine::view::{ClarifyAsks, ClarifyCompleted, ClarifyTurn};
use serde_json::{Value, json};

use super::support::Repo;

/// No model, whoever wishes for one.
fn nobody(_: &ModelWish) -> Interviewer {
    Interviewer::default()
}

fn start(repo: &Repo, intention: &str) -> Result<ClarifyTurn, Error> {
    decision::start(&repo.repository(), &repo.ctx, &nobody, &ModelWish::default(), &repo.request(intention))
}

fn answer(repo: &Repo, answers: &Value) -> Result<ClarifyTurn, Error> {
    decision::answer(&repo.repository(), &repo.ctx, &nobody, answers.as_object().unwrap())
}

fn asks(turn: ClarifyTurn) -> ClarifyAsks {
    match turn {
        ClarifyTurn::Asks(asks) => asks,
        ClarifyTurn::Completed(done) => panic!("{done:?}"),
    }
}

fn completed(turn: ClarifyTurn) -> ClarifyCompleted {
    match turn {
        ClarifyTurn::Completed(done) => done,
        ClarifyTurn::Asks(asks) => panic!("{asks:?}"),
    }
}

fn ids(asks: &ClarifyAsks) -> Vec<&str> {
    asks.questions.iter().map(|question| question.asked.id.as_str()).collect()
}

#[test]
fn what_the_intention_said_survives_the_process() {
    let repo = Repo::bare();
    let first = asks(start(&repo, "Add OAuth authentication").unwrap());
    assert_eq!(first.status, "started");
    assert_eq!(first.expires_at, "2025-01-08T15:05:12Z");
    assert_eq!(
        ids(&first),
        ["auth_library", "auth_library__other", "oauth_providers", "oauth_providers__other"]
    );
    assert_eq!(first.questions[1].depends_on_value.as_deref(), Some("Other (specify)"));
    assert_eq!(
        serde_json::to_value(&first.detected_from_intent).unwrap(),
        json!([{"label": "Authentication strategy", "value": "OAuth"}])
    );
    // Nothing is in memory: each call opens the repository anew.
    let done = completed(answer(&repo, &json!({"auth_library": "Clerk"})).unwrap());
    assert_eq!(repo.value("Authentication", "Strategy").as_deref(), Some("OAuth"));
    assert_eq!(done.artifacts.agent_prompt.as_deref(), Some("docs/AGENT_PROMPT.md"));
    let page = repo.read("docs/AGENT_PROMPT.md");
    assert_eq!(AgentPrompt::extract(&page).unwrap(), done.agent_prompt);
    assert!(done.agent_prompt.contains("docs/CURRENT_TASK.md"));
    assert!(done.agent_prompt.contains(done.artifacts.adr.as_deref().unwrap()));
    assert_eq!(repo.names(".git/hewto/clarify"), ["last_intention.txt", "lock"]);
}

#[test]
fn a_server_never_writes_the_prompt() {
    let repo = Repo::bare();
    repo.decide("Add OAuth authentication with Clerk", &json!({}));
    assert!(!repo.path("docs/AGENT_PROMPT.md").exists());
}

#[test]
fn a_fix_is_complete_at_once_and_its_prompt_names_no_state() {
    let repo = Repo::bare();
    let done = completed(start(&repo, "Fix typo in login button").unwrap());
    assert_eq!((done.artifacts.adr, done.artifacts.architecture_state), (None, None));
    assert!(!done.agent_prompt.contains("ARCHITECTURE_STATE"));
    assert_eq!(answer(&repo, &json!({})).unwrap_err().key.as_str(), "no_active_session");
}

#[test]
fn only_one_interview_is_open_at_a_time() {
    let repo = Repo::bare();
    start(&repo, "Add authentication").unwrap();
    let error = start(&repo, "Add a database").unwrap_err();
    assert_eq!(error.key.as_str(), "session_already_active");
    assert!(error.message.contains("Add authentication"));
    decision::reset(&repo.repository(), &repo.ctx).unwrap();
    assert_eq!(decision::reset(&repo.repository(), &repo.ctx).unwrap_err().key.as_str(), "no_active_session");
    start(&repo, "Add a database").unwrap();
}

#[test]
fn status_says_what_is_answered_and_what_is_open() {
    let repo = Repo::bare();
    assert_eq!(
        decision::status(&repo.repository(), &repo.ctx).unwrap_err().key.as_str(),
        "no_active_session"
    );
    start(&repo, "Add authentication").unwrap();
    let second = asks(answer(&repo, &json!({"auth_strategy": "OAuth"})).unwrap());
    assert_eq!(second.status, "needs_more_answers");
    let status = serde_json::to_value(decision::status(&repo.repository(), &repo.ctx).unwrap()).unwrap();
    assert_eq!((&status["status"], &status["intention"]), (&json!("active"), &json!("Add authentication")));
    assert_eq!(status["questions"][0], json!({"id": "auth_strategy", "answered": true, "value": "OAuth"}));
    assert_eq!(status["questions"][1]["answered"], false);
    assert_eq!(status["questions"][1]["question"], "Which authentication library?");
}

#[test]
fn an_expired_interview_can_be_resumed_from_its_intention() {
    let repo = Repo::bare();
    let resume = |repo: &Repo| {
        decision::resume(&repo.repository(), &repo.ctx, &nobody, &ModelWish::default(), &repo.request(""))
    };
    assert_eq!(resume(&repo).unwrap_err().key.as_str(), "no_previous_session");
    start(&repo, "Add authentication").unwrap();
    answer(&repo, &json!({"auth_strategy": "OAuth"})).unwrap();
    // Open: it goes on where it was, for another half an hour.
    repo.wait(20 * 60);
    assert_eq!(ids(&asks(resume(&repo).unwrap()))[0], "auth_library");
    repo.wait(20 * 60);
    assert_eq!(
        ids(&asks(answer(&repo, &json!({"token_storage": "Server session"})).unwrap()))[0],
        "auth_library"
    );
    repo.wait(30 * 60);
    assert_eq!(decision::status(&repo.repository(), &repo.ctx).unwrap_err().key.as_str(), "session_expired");
    assert_eq!(answer(&repo, &json!({"auth_library": "Clerk"})).unwrap_err().key.as_str(), "session_expired");
    assert_eq!(
        answer(&repo, &json!({"auth_library": "Clerk"})).unwrap_err().key.as_str(),
        "no_active_session"
    );
    // Gone: the same intention, from the beginning.
    assert_eq!(ids(&asks(resume(&repo).unwrap()))[0], "auth_strategy");
}

#[test]
fn wrong_answers_and_failures_keep_the_interview() {
    let repo = Repo::bare();
    start(&repo, "Add authentication").unwrap();
    assert_eq!(
        answer(&repo, &json!({"auth_strategy": "SAML", "auth_library": "x"})).unwrap_err().key.as_str(),
        "invalid_answer"
    );
    repo.write("docs", "in the way");
    assert_eq!(
        answer(&repo, &json!({"auth_library": "Clerk"})).unwrap_err().key.as_str(),
        "filesystem_error"
    );
    std::fs::remove_file(repo.path("docs")).unwrap();
    completed(answer(&repo, &json!({})).unwrap());
    assert_eq!(repo.value("Authentication", "Strategy").as_deref(), Some("SAML"));
}

#[test]
fn a_file_that_cannot_be_read_counts_as_none() {
    let repo = Repo::bare();
    repo.write(".git/hewto/clarify/current_session.json", "{\"session_id\": 5");
    assert_eq!(answer(&repo, &json!({})).unwrap_err().key.as_str(), "no_active_session");
    start(&repo, "Add authentication").unwrap();
}

#[test]
fn in_a_workspace_the_interview_is_not_for_git() {
    let repo = Repo::with(&[(".git/HEAD", ""), (".hewto/config.toml", "")]);
    start(&repo, "Add authentication").unwrap();
    assert_eq!(repo.names(".hewto/clarify"), ["current_session.json", "last_intention.txt", "lock"]);
    assert!(repo.read(".hewto/.gitignore").contains("/clarify/"));
}
