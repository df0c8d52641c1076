//! Interviews that know the repository.

use super::*;
use crate::decision::brought;

const TYPESCRIPT: [(&str, &str, &str); 5] = [
    ("backend_language", "TypeScript/Node", "package.json"),
    ("backend_framework", "Express.js", "package.json"),
    ("api_style", "REST", "package.json"),
    ("caching", "Redis", "compose.yaml"),
    ("test runner", "Vitest", "package.json"),
];

fn known(facts: &[(&str, &str, &str)]) -> Vec<Known> {
    let known = |(about, value, seen_in): &(&str, &str, &str)| Known {
        about: (*about).to_owned(),
        value: (*value).to_owned(),
        seen_in: (*seen_in).to_owned(),
    };
    facts.iter().map(known).collect()
}

fn told(intention: &str, flow: Flow, facts: &[(&str, &str, &str)]) -> Talk {
    let mut talk = Talk::about(intention);
    talk.interview = talk.interview.clone().talking_to(talk.catalogue, flow);
    talk.interview.learn(known(facts));
    talk
}

fn agent(intention: &str) -> Talk {
    told(intention, Flow::Agent, &TYPESCRIPT)
}

fn bring(talk: &mut Talk, questions: &Value) {
    let read = brought::read(talk.catalogue, questions.as_array().unwrap()).unwrap();
    talk.interview.bring(read);
}

#[test]
fn rate_limiting_is_asked_about_and_neither_language_nor_style() {
    let mut talk = agent("Add rate limiting to our API");
    assert_eq!(talk.asks(), ["rate_limit_scope", "rate_limit_amount"]);
    assert_eq!(
        talk.answer(&json!({"rate_limit_scope": "Each IP address", "rate_limit_amount": "100 a minute"})),
        [] as [&str; 0]
    );
    assert_eq!(talk.asks(), ["rate_limit_excess", "acceptance_criteria"]);
    talk.answer(&json!({
        "rate_limit_excess": "Delayed",
        "acceptance_criteria": "When a client sends 101 requests in a minute, the last one waits",
    }));
    let outcome = talk.outcome();
    assert_eq!(
        fields(&outcome),
        [
            ("Rate_Limit_Scope", "Each IP address"),
            ("Rate_Limit", "100 a minute"),
            ("Rate_Limit_Excess", "Delayed")
        ]
    );
    assert_eq!(outcome.patch.as_ref().unwrap().category, "Backend");
    assert!(outcome.verdict.record);
    // What is known is context, not decision, of the record and of the task.
    let documents = documents(&outcome, &Architecture::default());
    let text = documents.adr.as_ref().unwrap().render();
    assert!(
        text.contains("Known already:") && text.contains("Backend language: TypeScript/Node (package.json)"),
        "{text}"
    );
    let decision = &text[text.find("## Decision").unwrap()..];
    assert!(!decision.contains("TypeScript") && !text.contains("Backend.Language"), "{text}");
    assert!(documents.task.render().contains("Backend framework: Express.js (package.json)"));
}

#[test]
fn the_task_reads_back_with_what_was_known() {
    let mut talk = agent("Cache the product list for minutes");
    assert_eq!(talk.asks(), ["cache_content", "acceptance_criteria"]);
    talk.answer(&json!({"cache_content": "products by id", "acceptance_criteria": "p95 under 50 ms"}));
    let task = documents(&talk.outcome(), &Architecture::default()).task;
    assert_eq!(crate::decision::record::Task::read(&task.render()).unwrap(), task);
}

#[test]
fn a_category_asks_what_neither_wish_nor_repository_says_and_acceptance_to_whoever_likes() {
    let mut talk = told("Add authentication", Flow::Agent, &[]);
    assert_eq!(talk.asks(), ["auth_strategy", "auth_library", "acceptance_criteria"]);
    talk.answer(&json!({"auth_strategy": "OAuth", "auth_library": "next-auth"}));
    assert_eq!(fields(&talk.outcome()), [("Strategy", "OAuth"), ("Library", "next-auth")]);

    let facts = [("auth_library", "passport", "package.json"), ("auth_strategy", "OAuth", "docs/adr/x.md")];
    let mut talk = told("Add authentication", Flow::Agent, &facts);
    let outcome = talk.outcome();
    assert_eq!((outcome.patch, outcome.verdict.record), (None, false));
}

#[test]
fn what_is_known_is_asked_again_when_the_wish_decides_it_anew() {
    let facts = [("db_type", "MySQL", "package.json"), ("db_orm", "Prisma", "package.json")];
    assert_eq!(told("Move from MySQL to PostgreSQL", Flow::Agent, &facts).asks()[0], "db_type");
    let mut same = told(
        "Add a table to the PostgreSQL database",
        Flow::Agent,
        &[("db_type", "PostgreSQL", "compose.yaml"), ("db_orm", "Prisma", "x")],
    );
    // The wish names what is there already: nothing is decided.
    assert_eq!(same.outcome().patch, None);
}

#[test]
fn a_wish_that_says_everything_is_complete_at_once() {
    let mut talk = agent("We need a GraphQL API");
    assert_eq!(fields(&talk.outcome()), [("API_Style", "GraphQL")]);
}

#[test]
fn a_category_in_passing_of_which_all_is_known_is_no_topic() {
    let mut talk = agent("Add an endpoint for orders to our API");
    assert!(talk.interview.advice(talk.catalogue).unwrap().message.contains("nothing to ask"));
    assert_eq!(talk.asks(), ["acceptance_criteria"]);
    talk.answer(&json!({"acceptance_criteria": "WHEN asked THEN all orders are listed"}));
    assert_eq!(talk.outcome().patch, None);
}

#[test]
fn a_library_of_another_language_is_not_offered() {
    let rust = [("language", "Rust", "Cargo.toml")];
    let mut talk = told("Add authentication", Flow::Agent, &rust);
    assert_eq!(talk.asks(), ["auth_strategy", "acceptance_criteria"]);
    let mut talk = told("Add authentication", Flow::Agent, &[("language", "TypeScript", "tsconfig.json")]);
    assert_eq!(talk.asks(), ["auth_strategy", "auth_library", "acceptance_criteria"]);
}

#[test]
fn an_unknown_wish_gets_advice_and_the_agent_may_ask_instead() {
    let mut talk = agent("Draw a fox for the landing page");
    let advice = talk.interview.advice(talk.catalogue).unwrap();
    assert!(advice.message.contains("nothing to ask") && advice.might_ask.len() >= 3);
    assert_eq!(talk.asks(), ["acceptance_criteria"]);
    bring(
        &mut talk,
        &json!([
            {"id": "fox_style", "text": "Which style?", "options": ["Flat", "Sketch"], "why": "the brand book has both"},
            {"id": "fox_size", "text": "How large?"},
        ]),
    );
    assert_eq!(talk.interview.advice(talk.catalogue), None);
    assert_eq!(talk.asks(), ["fox_style", "fox_size"]);
    assert_eq!(talk.answer(&json!({"fox_style": "Cubist", "fox_size": "small"})), ["fox_style"]);
    talk.answer(&json!({"fox_style": "Other (specify)", "acceptance_criteria": "It is seen"}));
    assert_eq!(talk.asks(), ["fox_style__other"]);
    talk.answer(&json!({"fox_style__other": "Cubist"}));
    let outcome = talk.outcome();
    assert_eq!(fields(&outcome), [("fox_style", "Cubist"), ("fox_size", "small")]);
    assert_eq!(outcome.patch.as_ref().unwrap().category, "Other");
    assert!(outcome.verdict.record);
    let text = documents(&outcome, &Architecture::default()).adr.unwrap().render();
    assert!(
        text.contains("Asked by the agent, and answered:") && text.contains("the brand book has both"),
        "{text}"
    );
}

#[test]
fn an_agents_questions_stand_beside_those_of_the_catalogue_and_are_not_asked_twice() {
    let mut talk = agent("Add rate limiting to our API");
    let own = json!([{"id": "burst", "text": "How large may a burst be?"}]);
    bring(&mut talk, &own);
    bring(&mut talk, &own);
    assert_eq!(talk.asks(), ["burst", "rate_limit_scope"]);
    talk.answer(&json!({"burst": "10", "rate_limit_scope": "Each tenant", "rate_limit_amount": "5 a second",
        "rate_limit_excess": "Delayed", "acceptance_criteria": ["a", "b"]}));
    let outcome = talk.outcome();
    assert!(
        outcome.details.iter().any(|(label, value)| label.contains("burst") && value == "10"),
        "{outcome:?}"
    );

    // An earlier decision on the same question answers it.
    let mut again = told("Draw a fox", Flow::Agent, &[("Other.burst", "10", "docs/adr/x.md")]);
    bring(&mut again, &own);
    assert_eq!(again.asks(), ["acceptance_criteria"]);
}

#[test]
fn a_person_still_says_what_an_unknown_wish_is_about_and_a_seed_is_told_nothing() {
    assert_eq!(told("Draw a fox", Flow::Person, &TYPESCRIPT).asks(), ["category", "description"]);
    let mut seed = told("Add rate limiting to our API", Flow::Seed, &TYPESCRIPT);
    assert_eq!(seed.asks(), ["api_style", "backend_language"]);
    assert!(seed.interview.known().is_empty());
}

#[test]
fn a_folder_that_is_not_there_is_not_recorded() {
    for flow in [Flow::Seed, Flow::Person, Flow::Agent] {
        let mut talk = told("Add OAuth authentication with Clerk", flow, &[]);
        talk.files = vec!["README.md".to_owned()];
        assert_eq!(talk.outcome().allowlist, [] as [&str; 0], "{flow:?}");
        talk.files.push("src/auth/index.ts".to_owned());
        assert_eq!(talk.outcome().allowlist, ["src/auth/"], "{flow:?}");
    }
}

#[test]
fn a_wish_of_any_length_is_read_in_no_time_and_questions_stay_few() {
    let long = format!("Add rate limiting {}", "and caching and search and payments ".repeat(4000));
    let mut talk = agent(&long);
    let mut asked = 0;
    while let Step::Ask(questions) = talk.step() {
        asked += questions.len();
        assert!(asked <= 6, "{questions:?}");
        let answers: Map<String, Value> = questions
            .iter()
            .map(|one| (one.id.clone(), one.options.first().map_or(json!("x"), |first| json!(first))))
            .collect();
        talk.answer(&Value::Object(answers));
    }
}
