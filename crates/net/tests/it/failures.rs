use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use hewto_core::decision::model::{ToolRequest, Unusable};
use hewto_net::model::{Client, ModelError, Patience};
use hewto_testkit::{ModelReply, ModelServer};
use serde_json::json;

use crate::wire::{SILENCE, ask, client};

/// What the client answers, and how often it has asked: so often at least.
fn asked_after(script: Vec<ModelReply>, at_least: usize) -> (Result<serde_json::Value, ModelError>, usize) {
    let is_silent = script.iter().any(|reply| matches!(reply, ModelReply::Silence));
    let server = ModelServer::with(script);
    let mut settings = client("anthropic", &server.url, Some("key")).settings().clone();
    if is_silent {
        settings.limits.attempt = SILENCE;
    }
    (ask(&Client::new(settings)), server.times_asked(at_least))
}

#[test]
fn a_failure_that_passes_is_tried_again() {
    for failure in [
        ModelReply::status(500),
        ModelReply::status(503),
        ModelReply::status(429),
        ModelReply::Silence,
        ModelReply::Torn,
    ] {
        let is_silent = matches!(failure, ModelReply::Silence);
        let script = vec![failure.clone(), ModelReply::anthropic("submit", &json!({"ok": true}))];
        let (answer, asked) = asked_after(script, 2);
        assert_eq!(answer, Ok(json!({"ok": true})), "{failure:?}");
        // An answer that comes late on a busy machine is a silence too.
        assert!(asked == 2 || is_silent && asked == 3, "{failure:?}: {asked}");
    }
}

#[test]
fn three_attempts_are_all_there_are() {
    for (failure, expected) in [
        (ModelReply::status(500), ModelError::Server(500)),
        (ModelReply::status(429), ModelError::Busy { retry_after: None }),
        (ModelReply::Silence, ModelError::TimedOut),
        (ModelReply::Torn, ModelError::Unreachable),
        (
            ModelReply::Http(200, "", "<html>".into()),
            ModelError::Unusable(Unusable("it is not valid JSON".into())),
        ),
        (
            ModelReply::Http(200, "", "{}".into()),
            ModelError::Unusable(Unusable("it does not call `submit`".into())),
        ),
        (
            ModelReply::Http(200, "", " ".repeat(2 << 20)),
            ModelError::Unusable(Unusable("it is too long".into())),
        ),
    ] {
        let (answer, asked) = asked_after(vec![failure], 3);
        assert_eq!((answer, asked), (Err(expected), 3));
    }
}

#[test]
fn what_will_not_pass_is_tried_once_and_redirects_are_not_followed() {
    let elsewhere = ModelServer::with(vec![ModelReply::anthropic("submit", &json!({}))]);
    let redirect: &'static str = format!("location: {}/v1/messages\r\n", elsewhere.url).leak();
    for (failure, code) in [
        (ModelReply::status(401), 401),
        (ModelReply::status(404), 404),
        (ModelReply::Http(307, redirect, String::new()), 307),
    ] {
        let (answer, asked) = asked_after(vec![failure], 1);
        assert_eq!((answer, asked), (Err(ModelError::Refused(code)), 1));
    }
    assert!(elsewhere.asked().is_empty());
}

#[test]
fn a_wait_that_does_not_fit_is_not_waited() {
    let (answer, asked) = asked_after(vec![ModelReply::Http(429, "retry-after: 600\r\n", String::new())], 1);
    assert_eq!(answer, Err(ModelError::Busy { retry_after: Some(Duration::from_mins(10)) }));
    assert_eq!(asked, 1);
}

#[test]
fn nobody_there_is_not_reached() {
    let answer = ask(&client("anthropic", "http://127.0.0.1:1", Some("key")));
    assert_eq!(answer, Err(ModelError::Unreachable));
}

fn request() -> ToolRequest {
    ToolRequest {
        system: String::new(),
        user: String::new(),
        tool: "submit",
        description: "",
        schema: json!({}),
    }
}

#[test]
fn an_answer_that_the_reader_refuses_counts_as_a_failure() {
    let server = ModelServer::with(vec![
        ModelReply::anthropic("submit", &json!({"n": 1})),
        ModelReply::anthropic("submit", &json!({"n": 2})),
    ]);
    let patience = Patience { budget: Duration::from_mins(1), still_wanted: &|| true };
    let answer = client("anthropic", &server.url, None).ask(&request(), patience, |answer| match answer["n"]
        .as_i64()
    {
        Some(2) => Ok("two"),
        _ => Err(Unusable("not two".into())),
    });
    assert_eq!(answer, Ok("two"));
}

#[test]
fn a_caller_that_no_longer_wants_it_is_not_kept_waiting() {
    let server = ModelServer::with(vec![ModelReply::status(500)]);
    let glances = AtomicUsize::new(0);
    let wanted = || glances.fetch_add(1, Ordering::Relaxed) == 0;
    let mut impatient = client("anthropic", &server.url, None).settings().clone();
    impatient.limits.first_pause = Duration::from_secs(4);
    let patience = Patience { budget: Duration::from_mins(1), still_wanted: &wanted };
    let answer = Client::new(impatient).ask(&request(), patience, |_| Ok(()));
    assert_eq!(answer, Err(ModelError::Stopped));
    assert_eq!(server.asked().len(), 1);
}

#[test]
fn the_budget_ends_everything() {
    let server = ModelServer::with(vec![ModelReply::Silence]);
    let patience = Patience { budget: Duration::from_millis(50), still_wanted: &|| true };
    let answer = client("anthropic", &server.url, None).ask(&request(), patience, |_| Ok(()));
    assert_eq!(answer, Err(ModelError::TimedOut));
}
