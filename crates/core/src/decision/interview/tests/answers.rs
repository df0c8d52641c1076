//! What was said, by the intention or in answer, and "Other (specify)".

use super::*;

#[test]
fn progress_counts_over_all_turns() {
    let mut talk = Talk::about("Add authentication");
    talk.asks();
    talk.answer(&json!({"auth_strategy": "OAuth", "unasked": "x"}));
    assert_eq!(talk.asks(), ["auth_library", "oauth_providers"]);
    assert_eq!(talk.progress(), (3, 1));
    talk.answer(&json!({"auth_library": "custom"}));
    talk.outcome();
    assert_eq!(talk.progress(), (3, 2));
}

#[test]
fn what_the_intention_answers_is_not_asked() {
    let mut talk = Talk::about("Add OAuth authentication");
    assert_eq!(talk.asks(), ["auth_library", "oauth_providers"]);
    talk.answer(&json!({"auth_library": "passport", "oauth_providers": ["github", "Google"]}));
    let outcome = talk.outcome();
    assert_eq!(fields(&outcome), [("Strategy", "OAuth"), ("Library", "passport")]);
    assert_eq!(outcome.details, [("OAuth providers".to_owned(), "GitHub, Google".to_owned())]);
    assert_eq!(
        talk.interview.detected(talk.catalogue),
        [("Authentication strategy".to_owned(), "OAuth".to_owned())]
    );
}

#[test]
fn an_intention_that_says_everything_is_complete_at_once() {
    let mut talk = Talk::about("Add OAuth authentication with Clerk");
    assert_eq!(fields(&talk.outcome()), [("Strategy", "OAuth"), ("Library", "Clerk")]);
    let mut talk = Talk::about("Add a redis cache");
    assert_eq!(fields(&talk.outcome()), [("Caching", "Redis")]);
}

#[test]
fn an_answer_is_worth_more_than_the_intention() {
    let mut talk = Talk::about("Add OAuth authentication with Clerk");
    talk.answer(&json!({"auth_library": "custom"}));
    assert_eq!(fields(&talk.outcome()), [("Strategy", "OAuth"), ("Library", "custom")]);
}

#[test]
fn other_reveals_its_companion_and_then_counts_as_answered() {
    let mut talk = Talk::about("Add authentication");
    talk.asks();
    talk.answer(&json!({"auth_strategy": "Other (specify)", "auth_library": "Clerk"}));
    assert_eq!(talk.asks()[0], "auth_strategy__other");
    assert_eq!(talk.answer(&json!({"auth_strategy__other": "  "})), ["auth_strategy__other"]);
    assert_eq!(talk.asks()[0], "auth_strategy__other");
    assert!(talk.answer(&json!({"auth_strategy__other": "Pass\nkeys"})).is_empty());
    assert_eq!(fields(&talk.outcome()), [("Strategy", "Pass keys"), ("Library", "Clerk")]);
}

#[test]
fn who_changes_their_mind_to_other_is_asked_what() {
    let mut talk = Talk::about("Add authentication");
    talk.asks();
    talk.answer(&json!({"auth_strategy": "OAuth"}));
    assert_eq!(talk.asks(), ["auth_library", "oauth_providers"]);
    // The providers are pointless now, and take up no room for an "Other" of their own.
    talk.answer(&json!({"auth_strategy": "Other (specify)"}));
    assert_eq!(talk.asks(), ["auth_strategy__other", "auth_library"]);
    talk.answer(&json!({"auth_strategy__other": "Passkeys", "auth_library": "Other (specify)"}));
    assert_eq!(talk.asks(), ["auth_library__other"]);
    talk.answer(&json!({"auth_library__other": "Ory"}));
    assert_eq!(fields(&talk.outcome()), [("Strategy", "Passkeys"), ("Library", "Ory")]);
    assert_eq!(talk.progress().0, 5);
}

#[test]
fn other_and_its_companion_may_come_together() {
    let mut talk = Talk::about("Add authentication");
    let answers = json!({"auth_strategy__other": "Passkeys", "auth_strategy": "other (specify)", "auth_library": "Clerk"});
    assert!(talk.answer(&answers).is_empty());
    assert_eq!(fields(&talk.outcome())[0], ("Strategy", "Passkeys"));
}

#[test]
fn a_companion_without_its_other_is_ignored() {
    let mut talk = Talk::about("Add authentication");
    let answers = json!({"auth_strategy": "SAML", "auth_strategy__other": "", "auth_library": "Clerk", "auth_library__other": 5});
    assert!(talk.answer(&answers).is_empty());
    assert_eq!(fields(&talk.outcome())[0], ("Strategy", "SAML"));
}

#[test]
fn wrong_answers_are_all_named_and_the_right_ones_kept() {
    let mut talk = Talk::about("Add authentication");
    talk.asks();
    assert_eq!(talk.answer(&json!({"auth_strategy": "ZZZ", "auth_library": 5})).len(), 2);
    assert_eq!(talk.answer(&json!({"auth_strategy": "SAML", "auth_library": true})), ["auth_library"]);
    assert!(talk.answer(&json!({"auth_strategy": null, "auth_library": null})).is_empty());
    assert_eq!(talk.asks()[0], "auth_library");
    talk.answer(&json!({"auth_library": "Clerk"}));
    assert_eq!(fields(&talk.outcome()), [("Strategy", "SAML"), ("Library", "Clerk")]);
}
