//! Whatever was said ends in documents that read back.

use proptest::prelude::*;

use super::*;
use crate::decision::question::{MAX_PER_TURN, MAX_QUESTIONS};
use crate::decision::record::{Adr, ArchitectureState, Task};

#[test]
fn an_interview_survives_being_written_down() {
    let mut talk = Talk::about("Add OAuth authentication");
    talk.asks();
    talk.answer(&json!({"oauth_providers": ["Google"]}));
    let text = serde_json::to_string(&talk.interview).unwrap();
    assert_eq!(serde_json::from_str::<Interview>(&text).unwrap(), talk.interview);
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
        prop_assert!(!task.criteria.is_empty());
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
