//! Interviews that a model leads.

use super::*;
use crate::decision::question::QuestionKind;

#[test]
fn a_models_questions_take_the_place_of_the_catalogue() {
    let mut talk = Talk::about("Add authentication");
    let mut question = Question::new("idp", QuestionKind::SingleChoice, "Which IdP?");
    question.offer(vec!["Okta".into(), "Entra".into()]);
    talk.interview.ask_by_model(vec![question]);
    assert_eq!(talk.asks(), ["idp"]);
    assert_eq!(talk.answer(&json!({"idp": "nobody"})), ["idp"]);
    talk.answer(&json!({"idp": "Other (specify)"}));
    assert_eq!(talk.asks(), ["idp__other"]);
    talk.answer(&json!({"idp__other": "Keycloak"}));
    assert_eq!(talk.step(), Step::Extract);
    assert_eq!(talk.interview.transcript(talk.catalogue)[0].1, "Keycloak");
    let mut decided = talk.interview.clone();
    decided.decide_by_model(Patch {
        category: "Authentication".into(),
        fields: vec![("Library".into(), "Keycloak".into())],
    });
    std::mem::swap(&mut talk.interview, &mut decided);
    let outcome = talk.outcome();
    assert_eq!((fields(&outcome), &outcome.details[..]), (vec![("Library", "Keycloak")], &[][..]));
    // Without the model the catalogue takes over, within the same five questions.
    talk.interview = decided;
    talk.interview.dismiss_model();
    assert_eq!(talk.asks(), ["auth_strategy"]);
}

#[test]
fn what_a_model_heard_and_did_not_decide_is_written_down() {
    let mut talk = Talk::about("Add authentication");
    let question = |id: &str, text: &str| Question::new(id, QuestionKind::FreeText, text);
    talk.interview
        .ask_by_model(vec![question("idp", "Which IdP?"), question("reason", "What is the reason?")]);
    talk.asks();
    talk.answer(&json!({"idp": "keycloak", "reason": "customers bring their own"}));
    assert_eq!(talk.step(), Step::Extract);
    talk.interview.decide_by_model(Patch {
        category: "Authentication".into(),
        fields: vec![("Library".into(), "Keycloak".into())],
    });
    let outcome = talk.outcome();
    assert_eq!(outcome.details.len(), 1, "{:?}", outcome.details);
    let documents = documents(&outcome, &Architecture::default());
    let adr = documents.adr.unwrap();
    assert!(adr.decision.iter().any(|(_, value)| value == "customers bring their own"), "{:?}", adr.decision);
    let constraints = documents.task.constraints;
    assert_eq!(constraints[0], "Use Keycloak for Library");
    assert!(constraints[1].ends_with(": customers bring their own"), "{constraints:?}");
}
