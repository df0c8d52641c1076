//! Turns, answers, expiry, other repositories.

use hewto_engine::decision::ClarifyRequest;
use hewto_store::Caller;
use serde_json::json;

use super::support::{Repo, ids, session};

#[test]
fn ids_cannot_be_guessed() {
    let repo = Repo::bare();
    let (first, second) =
        (session(&repo.start("Add authentication")), session(&repo.start("Add authentication")));
    assert_ne!(first, second);
    assert!(first.len() >= 32, "{first}");
    for unknown in ["", " ", "sess-0001", "session-0001", "\0\n"] {
        // An empty id is no id: that call starts.
        let result = repo.answer(unknown, &json!({}));
        assert_eq!(result.is_ok(), unknown.is_empty(), "{unknown:?}");
    }
}

#[test]
fn a_session_lives_for_half_an_hour_after_its_last_use() {
    let repo = Repo::bare();
    let id = session(&repo.start("Add authentication"));
    for _ in 0..3 {
        repo.wait(29 * 60);
        assert_eq!(ids(&repo.answer(&id, &json!({})).unwrap()), ["auth_strategy", "auth_library"]);
    }
    repo.wait(30 * 60);
    let error = repo.answer(&id, &json!({"auth_strategy": "OAuth"})).unwrap_err();
    assert_eq!((error.key.as_str(), &error.details["session_id"]), ("session_expired", &json!(id)));
    assert!(repo.tree().is_empty());
}

#[test]
fn progress_is_counted_over_all_turns() {
    let repo = Repo::bare();
    let first = repo.start("Add authentication");
    let id = session(&first);
    let count = |view: &hewto_engine::view::ClarificationView| {
        let progress = view.progress.unwrap();
        (progress.asked_so_far, progress.answered)
    };
    assert_eq!(count(&first), (2, 0));
    let second = repo.answer(&id, &json!({"auth_strategy": "Other (specify)"})).unwrap();
    assert_eq!(ids(&second), ["auth_strategy__other", "auth_library"]);
    assert_eq!(count(&second), (3, 1));
    let third = repo.answer(&id, &json!({"auth_strategy__other": "Passkeys"})).unwrap();
    assert_eq!(count(&third), (if ids(&third).len() == 2 { 4 } else { 3 }, 2));
    repo.answer(&id, &json!({"auth_library": "Clerk"})).unwrap();
    assert_eq!(repo.value("Authentication", "Strategy").as_deref(), Some("Passkeys"));
}

// @spec decisions#clarification-is-deterministic/an-answer-that-is-no-option
#[test]
fn wrong_answers_are_named_and_the_session_goes_on() {
    let repo = Repo::bare();
    let id = session(&repo.start("Add authentication"));
    for wrong in [
        json!("ZZZ"),
        json!(5),
        json!(1.5),
        json!(true),
        json!([]),
        json!({"a": 1}),
        json!(""),
        json!(["OAuth", "SAML"]),
    ] {
        let error = repo.answer(&id, &json!({"auth_strategy": wrong})).unwrap_err();
        assert_eq!(error.key.as_str(), "invalid_answer", "{wrong}");
        assert_eq!(error.details["answers"][0]["question_id"], "auth_strategy");
    }
    assert_eq!(
        ids(&repo.answer(&id, &json!({"auth_strategy": null})).unwrap()),
        ["auth_strategy", "auth_library"]
    );
    let both = repo.answer(&id, &json!({"auth_strategy": 1, "auth_library": 2})).unwrap_err();
    assert_eq!(both.details["answers"].as_array().unwrap().len(), 2);
    // The right one of two is kept.
    repo.answer(&id, &json!({"auth_strategy": "saml", "auth_library": "nope"})).unwrap_err();
    repo.answer(&id, &json!({"auth_library": "CLERK"})).unwrap();
    assert_eq!(repo.value("Authentication", "Strategy").as_deref(), Some("SAML"));
    assert_eq!(repo.value("Authentication", "Library").as_deref(), Some("Clerk"));
}

#[test]
fn wrong_answers_at_the_start_are_refused() {
    let repo = Repo::bare();
    let answers = json!({"auth_strategy": "ZZZ"}).as_object().unwrap().clone();
    let request = ClarifyRequest { answers, ..repo.request("Add authentication") };
    assert_eq!(repo.call(&request).unwrap_err().key.as_str(), "invalid_answer");
    for (intention, reason) in [(" \n", "EMPTY_INTENTION"), (&*"word ".repeat(100_000), "INTENTION_TOO_LONG")]
    {
        let error = repo.call(&repo.request(intention)).unwrap_err();
        assert_eq!((error.key.as_str(), &error.details["reason"]), ("validation_failed", &json!(reason)));
    }
}

#[test]
fn a_session_belongs_to_one_repository() {
    let repo = Repo::with(&[("a/.git/HEAD", ""), ("b/.git/HEAD", "")]);
    let at = |name: &str, id: Option<&str>| {
        let mut request = repo.request("Add authentication");
        request.place.named = Some(name.to_owned());
        request.session_id = id.map(str::to_owned);
        request
    };
    let id = session(&repo.call(&at("a", None)).unwrap());
    let error = repo.call(&at("b", Some(&id))).unwrap_err();
    assert_eq!(error.key.as_str(), "session_not_found");
    let own = repo.root().join("a");
    assert_eq!(error.details["session_repo_path"], json!(own.to_str().unwrap()));
    assert!(error.plain_hint().unwrap().contains(own.to_str().unwrap()));
    // Without `repo_path` the session knows where it belongs, wherever the server stands.
    let mut request = at("a", Some(&id));
    request.place.named = None;
    request.answers = json!({"auth_strategy": "OAuth", "auth_library": "Clerk"}).as_object().unwrap().clone();
    repo.call(&request).unwrap();
    assert_eq!(repo.names("a"), [".git", "docs"]);
}

#[test]
fn a_session_belongs_to_one_principal() {
    let repo = Repo::bare();
    let id = session(&repo.start("Add authentication"));
    let caller = Caller { principal: Some("somebody".into()), ..repo.ctx.caller().clone() };
    let other = repo.ctx.clone().with_caller(caller);
    let request = ClarifyRequest { session_id: Some(id), ..repo.request("") };
    let error = hewto_engine::decision::clarify(&repo.interviews, &other, &request).unwrap_err();
    assert_eq!(error.key.as_str(), "session_not_found");
    assert!(error.details.is_empty());
}

#[test]
fn two_calls_on_one_session_end_it_once() {
    let repo = Repo::bare();
    let id = session(&repo.start("Add authentication"));
    let answers = json!({"auth_strategy": "OAuth", "auth_library": "Clerk"});
    let results: Vec<bool> = std::thread::scope(|scope| {
        let calls: Vec<_> = (0..4).map(|_| scope.spawn(|| repo.answer(&id, &answers).is_ok())).collect();
        calls.into_iter().map(|call| call.join().unwrap()).collect()
    });
    assert_eq!(results.iter().filter(|ok| **ok).count(), 1);
    assert_eq!(repo.names("docs/adr").len(), 1);
}
