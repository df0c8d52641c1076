use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::decision::architecture::{Architecture, Decided, Link};
use crate::decision::compose::{Documents, Ground, compose, summary};
use crate::decision::question::{MAX_PER_TURN, MAX_QUESTIONS};
use crate::decision::record::{Adr, ArchitectureState, Task};
use crate::decision::signal::signals;
use crate::decision::uid::Uid;

/// An interview in a repository.
struct Talk {
    interview: Interview,
    catalogue: &'static Catalogue,
    files: Vec<String>,
    architecture: Snapshot,
}

impl Talk {
    fn about(intention: &str) -> Self {
        Self::with(intention, AdrPreference::ByRule)
    }

    fn with(intention: &str, preference: AdrPreference) -> Self {
        let catalogue = Catalogue::builtin();
        let interview = Interview::new(catalogue, intention, None, preference).unwrap();
        Self { interview, catalogue, files: Vec::new(), architecture: Snapshot::default() }
    }

    fn step(&mut self) -> Step {
        let signals = signals(self.files.iter().map(String::as_str));
        let facts = Facts { files: &self.files, signals: &signals, architecture: &self.architecture };
        self.interview.step(self.catalogue, &facts)
    }

    /// The ids of the questions of this turn.
    fn asks(&mut self) -> Vec<String> {
        match self.step() {
            Step::Ask(questions) => questions.into_iter().map(|question| question.id).collect(),
            other => panic!("expected questions, got {other:?}"),
        }
    }

    fn answer(&mut self, values: &Value) -> Vec<String> {
        let faults = self.interview.answer(self.catalogue, values.as_object().unwrap());
        faults.into_iter().map(|fault| fault.question_id).collect()
    }

    fn outcome(&mut self) -> Outcome {
        match self.step() {
            Step::Ready(outcome) => *outcome,
            other => panic!("expected an outcome, got {other:?}"),
        }
    }

    fn progress(&self) -> (usize, usize) {
        let progress = self.interview.progress();
        (progress.asked_so_far, progress.answered)
    }
}

fn fields(outcome: &Outcome) -> Vec<(&str, &str)> {
    let patch = outcome.patch.as_ref().expect("a decision");
    patch.fields.iter().map(|(field, value)| (field.as_str(), value.as_str())).collect()
}

#[test]
fn a_typo_takes_one_turn_and_no_record() {
    let mut talk = Talk::about("Fix typo in login button");
    let outcome = talk.outcome();
    assert_eq!(outcome.patch, None);
    assert!(!outcome.verdict.record);
    assert_eq!(outcome.allowlist, ["src/auth/"]);
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
fn an_empty_intention_cannot_be_clarified() {
    for text in ["", "  \n", "\0\u{7}"] {
        assert!(Interview::new(Catalogue::builtin(), text, None, AdrPreference::ByRule).is_err());
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

#[test]
fn a_models_questions_take_the_place_of_the_catalogue() {
    let mut talk = Talk::about("Add authentication");
    let mut question =
        Question::new("idp", crate::decision::question::QuestionKind::SingleChoice, "Which IdP?");
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
    assert_eq!(fields(&talk.outcome()), [("Library", "Keycloak")]);
    // Without the model the catalogue takes over, within the same five questions.
    talk.interview = decided;
    talk.interview.dismiss_model();
    assert_eq!(talk.asks(), ["auth_strategy"]);
}

#[test]
fn an_interview_survives_being_written_down() {
    let mut talk = Talk::about("Add OAuth authentication");
    talk.asks();
    talk.answer(&json!({"oauth_providers": ["Google"]}));
    let text = serde_json::to_string(&talk.interview).unwrap();
    assert_eq!(serde_json::from_str::<Interview>(&text).unwrap(), talk.interview);
}

fn uid(number: u16) -> Uid {
    Uid::parse(&format!("20250108T143512.000Z-{number:04X}")).unwrap()
}

fn documents(outcome: &Outcome, architecture: &Architecture) -> Documents {
    let ground = Ground {
        architecture,
        previous_file: architecture.latest.as_ref().map(|uid| format!("{uid}_x.md")),
        adr_uid: uid(0x10),
        task_uid: uid(0x11),
        created: "2025-01-08T14:35:12Z".into(),
    };
    compose(outcome, &ground)
}

#[test]
fn a_record_after_a_merge_carries_every_category() {
    let set = |category: &str, by: u16| {
        let mut snapshot = Snapshot::default();
        snapshot.set(category, "Type", Decided { value: "x".into(), by: Some(uid(by)) });
        Link { uid: uid(by), parents: vec![], snapshot }
    };
    let architecture = Architecture::of(&[set("Database", 1), set("Infra", 2)]);
    let mut talk = Talk::about("Add OAuth authentication with Clerk");
    let adr = documents(&talk.outcome(), &architecture).adr.unwrap();
    let categories: Vec<&str> = adr.snapshot.categories().map(|(name, _)| name).collect();
    assert_eq!(categories, ["Authentication", "Database", "Infra"]);
    assert_eq!((adr.previous.clone(), adr.merged.clone()), (Some(uid(2)), vec![uid(1)]));
    assert!(
        adr.changes.iter().any(|line| line.starts_with("Merged: Database.Type = x")),
        "{:?}",
        adr.changes
    );
    let links = [set("Database", 1), set("Infra", 2), Adr::read(&adr.render()).unwrap().link()];
    let repaired = Architecture::of(&links);
    assert!(repaired.missing_keys.is_empty() && repaired.heads == [uid(0x10)]);
}

/// Words, names and noise, so that every branch of the catalogue comes up.
fn intention() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("Add "),
        Just("authentication "),
        Just("database "),
        Just("React "),
        Just("OAuth "),
        Just("fix "),
        Just("typo "),
        Just("api "),
        Just("deploy "),
        Just("cache "),
        Just("with Clerk "),
        Just("PostgreSQL "),
        Just("migration "),
        Just("architecture "),
        Just("settings "),
        Just("\n# Heading\n"),
        Just("```\n"),
        Just("<!-- UID: x -->"),
        Just("**bold** "),
        Just("> "),
        Just("- [ ] "),
        Just("é "),
        Just("12 files "),
        Just("prefix "),
        Just("ADR "),
        Just("\\"),
        Just("`"),
    ];
    proptest::collection::vec(piece, 1..8).prop_map(|pieces| pieces.concat())
}

/// How somebody answers a question: well, badly, or not at all.
#[derive(Debug, Clone)]
enum Manner {
    Option(usize),
    Other(String),
    OtherLater,
    Text(String),
    Null,
    Wrong(u8),
    Silence,
}

fn manner() -> impl Strategy<Value = Manner> {
    let text = prop_oneof!["[a-z ]{1,12}", "\\PC{1,12}", intention()];
    prop_oneof![
        4 => (0usize..5).prop_map(Manner::Option),
        2 => text.clone().prop_map(Manner::Other),
        1 => Just(Manner::OtherLater),
        3 => text.prop_map(Manner::Text),
        1 => Just(Manner::Null),
        1 => (0u8..5).prop_map(Manner::Wrong),
        1 => Just(Manner::Silence),
    ]
}

fn reply(question: &Question, manner: &Manner, values: &mut Map<String, Value>) {
    let id = question.id.clone();
    match manner {
        Manner::Option(index) if question.kind.is_choice() => {
            values.insert(id, json!(question.options[index % question.options.len()]));
        }
        Manner::Other(text) if question.kind.is_choice() => {
            values.insert(companion_id(&id), json!(text));
            values.insert(id, json!(OTHER));
        }
        Manner::OtherLater if question.kind.is_choice() => {
            values.insert(id, json!([OTHER]));
        }
        Manner::Option(_) | Manner::OtherLater => {
            values.insert(id, json!("some words, and more"));
        }
        Manner::Other(text) | Manner::Text(text) => {
            values.insert(id, json!(text));
        }
        Manner::Null => {
            values.insert(id, Value::Null);
        }
        Manner::Wrong(kind) => {
            let wrong = [json!(5), json!(true), json!({"a": 1}), json!(["x", 1]), json!("")];
            values.insert(id, wrong[usize::from(*kind)].clone());
        }
        Manner::Silence => {}
    }
}

/// What the user said on a question, by the rules and not by the code: the last accepted text.
fn expected_value(question: &Question, answers: &BTreeMap<String, Answer>) -> Option<String> {
    let answer = answers.get(&question.id)?;
    let texts: Vec<String> = answer
        .texts()
        .iter()
        .map(|text| {
            if text == OTHER { answers[&companion_id(&question.id)].texts()[0].clone() } else { text.clone() }
        })
        .collect();
    Some(texts.join(", "))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    /// Whatever is intended and answered: two questions a turn, five a session, an end, and documents that read
    /// back as what was said.
    #[test]
    fn random_interviews_end_in_documents_that_read_back(
        intention in intention(), context in proptest::option::of(intention()), force in any::<bool>(),
        manners in proptest::collection::vec(manner(), 40),
        known in proptest::collection::vec((0usize..3, 1u16..9), 0..3),
    ) {
        let catalogue = Catalogue::builtin();
        let preference = if force { AdrPreference::Force } else { AdrPreference::ByRule };
        let started = Interview::new(catalogue, &intention, context.as_deref(), preference);
        prop_assume!(started.is_ok());
        let mut talk = Talk { interview: started.unwrap(), catalogue, files: vec!["src/api/x.rs".into()], architecture: Snapshot::default() };
        let links: Vec<Link> = known.iter().map(|(category, by)| {
            let mut snapshot = Snapshot::default();
            let name = ["Authentication", "Database", "Other"][*category];
            snapshot.set(name, "Old", Decided { value: format!("v{by}"), by: Some(uid(*by)) });
            Link { uid: uid(*by), parents: vec![], snapshot }
        }).collect();
        let architecture = Architecture::of(&links);
        talk.architecture = architecture.snapshot.clone();

        let mut manners = manners.into_iter();
        let mut shown: Vec<Question> = Vec::new();
        let outcome = loop {
            match talk.step() {
                Step::Ask(questions) => {
                    prop_assert!((1..=MAX_PER_TURN).contains(&questions.len()));
                    let mut values = Map::new();
                    for question in questions {
                        // Nobody is silent for ever.
                        let manner = manners.next().unwrap_or_else(|| {
                            if question.kind.is_choice() { Manner::Option(0) } else { Manner::Text("words".into()) }
                        });
                        reply(&question, &manner, &mut values);
                        if !shown.contains(&question) {
                            shown.push(question);
                        }
                    }
                    prop_assert!(shown.len() <= MAX_QUESTIONS, "{:?}", shown);
                    talk.interview.answer(catalogue, &values);
                    let text = serde_json::to_string(&talk.interview).unwrap();
                    talk.interview = serde_json::from_str(&text).unwrap();
                }
                Step::Ready(outcome) => break outcome,
                other => prop_assert!(false, "{:?}", other),
            }
        };

        let documents = documents(&outcome, &architecture);
        let task = Task::read(&documents.task.render()).unwrap();
        prop_assert_eq!(&task, &documents.task);
        prop_assert_eq!(&task.intention, &clean(&intention));
        prop_assert_eq!(task.given_context.clone(), context.as_deref().map(clean).filter(|text| !text.is_empty()));
        prop_assert!(!task.allowlist.is_empty() && !task.criteria.is_empty());
        prop_assert_eq!(documents.adr.is_some(), outcome.verdict.record);
        if let (Some(adr), Some(state)) = (&documents.adr, &documents.state) {
            let read = Adr::read(&adr.render()).unwrap();
            prop_assert_eq!(&read, adr);
            prop_assert_eq!(&ArchitectureState::read(&state.render()).unwrap(), state);
            prop_assert_eq!(&read.snapshot, &state.snapshot);
            for (category, fields) in architecture.snapshot.categories() {
                for field in fields.keys() {
                    prop_assert!(read.snapshot.get(category, field).is_some());
                }
            }
        }
        // Every field of the decision is what was answered, or stands in the words that were said.
        if let Some(patch) = &outcome.patch {
            let said = format!("{intention} {}", outcome.description.clone().unwrap_or_default()).to_lowercase();
            for (field, value) in &patch.fields {
                let row = catalogue.category(&patch.category).unwrap().questions.iter().find(|row| row.field.as_deref() == Some(field));
                let answered = row.and_then(|row| expected_value(&row.to_question(&[]), &talk.interview.answers));
                match answered {
                    Some(answered) => prop_assert_eq!(value, &answered),
                    None if row.is_some() => prop_assert!(said.contains(&value.to_lowercase()[..4]), "{} = {}", field, value),
                    None => prop_assert_eq!(value, &crate::decision::text::one_line(outcome.description.as_deref().unwrap())),
                }
            }
        }
    }
}
