//! What an interview is about, and when it asks.

use super::*;
use crate::decision::compose::summary;

#[test]
fn a_typo_takes_one_turn_and_no_record() {
    let mut talk = Talk::about("Fix typo in login button");
    let outcome = talk.outcome();
    assert_eq!(outcome.patch, None);
    assert!(!outcome.verdict.record);
    // Nobody named a folder, and there is none.
    assert_eq!(outcome.allowlist, [] as [&str; 0]);
    assert_eq!(outcome.criteria, ["The objective is met: Fix typo in login button"]);
    assert_eq!(talk.progress(), (0, 0));
}

#[test]
fn a_fix_of_unknown_place_asks_where() {
    let mut talk = Talk::about("Fix typo");
    assert_eq!(talk.asks(), ["allowlist_paths", "acceptance_criteria"]);
    assert!(
        talk.answer(&json!({"allowlist_paths": "README.md", "acceptance_criteria": "no typo"})).is_empty()
    );
    let outcome = talk.outcome();
    assert_eq!(
        (outcome.allowlist, outcome.criteria),
        (vec!["README.md".to_owned()], vec!["no typo".to_owned()])
    );
}

#[test]
fn authentication_is_decided_in_two_turns() {
    let mut talk = Talk::about("Add authentication");
    assert_eq!(talk.asks(), ["auth_strategy", "auth_library"]);
    assert_eq!(talk.progress(), (2, 0));
    assert!(talk.answer(&json!({"auth_strategy": "OAuth", "auth_library": "next-auth"})).is_empty());
    let outcome = talk.outcome();
    assert_eq!(fields(&outcome), [("Strategy", "OAuth"), ("Library", "next-auth")]);
    assert!(outcome.verdict.record);
    assert_eq!(outcome.alternatives[0].1, ["Email/Password", "Magic Links", "SAML"]);
    assert_eq!(talk.progress(), (2, 2));
    assert_eq!(
        summary(&outcome),
        "Authentication decision documented (Strategy = OAuth, Library = next-auth) and task created."
    );
}

#[test]
fn an_unclear_intention_asks_for_the_category_and_then_one_thing_to_the_point() {
    let mut talk = Talk::about("Improve things");
    assert_eq!(talk.asks(), ["category", "description"]);
    talk.answer(&json!({"change_category": "Backend", "description": "Serve more"}));
    assert_eq!(talk.asks()[0], "api_style");
    talk.answer(&json!({"api_style": "gRPC"}));
    let outcome = talk.outcome();
    assert_eq!(fields(&outcome), [("API_Style", "gRPC")]);
    assert_eq!(outcome.description.as_deref(), Some("Serve more"));
    assert!(outcome.verdict.record);
}

#[test]
fn a_description_can_answer_the_question_to_the_point() {
    let mut talk = Talk::about("Improve things");
    talk.asks();
    talk.answer(&json!({"category": "db", "description": "Use Postgres\nwith Prisma"}));
    assert_eq!(fields(&talk.outcome()), [("Type", "PostgreSQL"), ("ORM", "Prisma")]);
}

#[test]
fn what_is_no_category_becomes_a_field_of_other() {
    let mut talk = Talk::about("Improve things");
    talk.asks();
    talk.answer(&json!({"category": "Other (specify)", "description": "RabbitMQ"}));
    assert_eq!(talk.asks(), ["category__other"]);
    talk.answer(&json!({"category__other": "message bus"}));
    assert_eq!(talk.asks(), ["allowlist_paths", "acceptance_criteria"]);
    assert_eq!(talk.answer(&json!({"allowlist_paths": "", "acceptance_criteria": ""})).len(), 2);
    assert_eq!(talk.asks(), ["allowlist_paths", "acceptance_criteria"]);
    talk.answer(&json!({"allowlist_paths": ["src/bus/"], "acceptance_criteria": ["It runs"]}));
    let outcome = talk.outcome();
    assert_eq!(outcome.patch.as_ref().unwrap().category, "Other");
    assert_eq!(fields(&outcome), [("message_bus", "RabbitMQ")]);
    assert_eq!(talk.progress(), (5, 5));

    let mut talk = Talk::about("Improve things");
    talk.answer(&json!({"category": "Other", "description": "x", "allowlist_paths": "a/"}));
    assert_eq!(fields(&talk.outcome()), [("Description", "x")]);
    let mut talk = Talk::about("Improve things");
    talk.answer(&json!({"category": "Other (specify)", "category__other": "auth", "description": "x"}));
    assert_eq!(talk.asks()[0], "auth_strategy");
}

#[test]
fn a_forced_record_makes_a_fix_a_decision() {
    let mut talk = Talk::with("Fix typo in login button", AdrPreference::Force);
    assert_eq!(talk.asks(), ["auth_strategy", "auth_library"]);
    talk.answer(&json!({"auth_strategy": "OAuth", "auth_library": "Clerk"}));
    assert!(talk.outcome().verdict.record);
}

#[test]
fn a_decision_without_a_reason_is_only_a_task() {
    let mut talk = Talk::about("Improve things");
    talk.answer(&json!({"category": "Other", "description": "x", "allowlist_paths": "a/"}));
    assert!(!talk.outcome().verdict.record);
    let mut talk = Talk::about("Improve things");
    talk.architecture.set("Other", "Description", Decided { value: "y".into(), by: None });
    talk.answer(&json!({"category": "Other", "description": "x", "allowlist_paths": "a/"}));
    assert!(talk.outcome().verdict.record);
}

#[test]
fn an_intention_of_nothing_or_of_a_whole_book_cannot_be_clarified() {
    let new = |text: &str, context: Option<&str>| {
        Interview::new(Catalogue::builtin(), text, context, AdrPreference::ByRule).map(|_| ())
    };
    let book = "word ".repeat(MAX_TEXT_BYTES / 5 + 1);
    assert_eq!(new(&book, None), Err(UnfitIntention::TooLong));
    assert_eq!(new("Add a cache", Some(&book)), Err(UnfitIntention::TooLong));
    assert_eq!(new(&book[..MAX_TEXT_BYTES], None), Ok(()));
    for text in ["", "  \n", "\0\u{7}"] {
        assert_eq!(new(text, None), Err(UnfitIntention::Empty));
    }
}

#[test]
fn a_category_that_a_repository_added_is_asked_about() {
    let text = "[[category]]\nname = \"Payments\"\nkeywords = [\"payment\"]\nfields = [\"Provider\"]\n";
    let catalogue: &'static Catalogue = Box::leak(Box::new(Catalogue::builtin().extended(text).unwrap()));
    let interview = Interview::new(catalogue, "Add a payment endpoint", None, AdrPreference::ByRule).unwrap();
    let mut talk = Talk { interview, catalogue, files: Vec::new(), architecture: Snapshot::default() };
    assert_eq!(talk.asks(), ["description", "allowlist_paths"]);
    talk.answer(&json!({"description": "Stripe", "allowlist_paths": "pay/", "acceptance_criteria": "paid"}));
    let outcome = talk.outcome();
    assert_eq!(outcome.patch.as_ref().unwrap().category, "Payments");
    assert_eq!(fields(&outcome), [("Provider", "Stripe")]);
}
