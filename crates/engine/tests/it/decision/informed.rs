use hewto_core::decision::record::Task;
use hewto_engine::decision::{ClarifyRequest, Flow};
use hewto_engine::view::ClarificationView;
use serde_json::{Value, json};

use super::support::Repo;

const TYPESCRIPT: [(&str, &str); 6] = [
    (".git/HEAD", "ref: refs/heads/main\n"),
    ("package.json", r#"{"dependencies": {"express": "5", "pg": "8"}, "devDependencies": {"vitest": "3"}}"#),
    ("tsconfig.json", "{}"),
    ("compose.yaml", "services:\n  cache:\n    image: redis:7\n"),
    (".github/workflows/ci.yml", "on: push\n"),
    ("src/middleware/log.ts", ""),
];

fn ids(view: &ClarificationView) -> Vec<&str> {
    view.questions.iter().flatten().map(|question| question.asked.id.as_str()).collect()
}

fn ask(repo: &Repo, wish: &str, questions: &Value) -> ClarifyRequest {
    ClarifyRequest {
        flow: Flow::Agent,
        questions: questions.as_array().unwrap().clone(),
        ..repo.request(wish)
    }
}

fn answer(repo: &Repo, first: &ClarificationView, answers: &Value) -> ClarificationView {
    let request = ClarifyRequest {
        session_id: first.session_id.clone(),
        answers: answers.as_object().unwrap().clone(),
        ..ask(repo, "", &json!([]))
    };
    repo.call(&request).unwrap()
}

#[test]
fn what_files_say_is_told_and_not_asked() {
    let repo = Repo::with(&TYPESCRIPT);
    let first = repo.call(&ask(&repo, "Add rate limiting to our API", &json!([]))).unwrap();
    assert_eq!(ids(&first), ["rate_limit_scope", "rate_limit_amount"]);
    let known: Vec<String> = first
        .known
        .iter()
        .flatten()
        .map(|fact| format!("{} {} {}", fact.about, fact.value, fact.seen_in))
        .collect();
    for fact in [
        "Language TypeScript tsconfig.json",
        "Backend framework Express.js package.json",
        "Database type PostgreSQL package.json",
        "Caching Redis compose.yaml",
        "Test runner Vitest package.json",
        "CI CD GitHub Actions .github/workflows/",
    ] {
        assert!(known.iter().any(|known| known == fact), "{fact}: {known:?}");
    }
    let more = answer(
        &repo,
        &first,
        &json!({"rate_limit_scope": "Each IP address", "rate_limit_amount": "9 a second"}),
    );
    assert_eq!(ids(&more), ["rate_limit_excess", "acceptance_criteria"]);
    let done = answer(
        &repo,
        &first,
        &json!({"rate_limit_excess": "Delayed", "acceptance_criteria": "When ten calls come in a second, the tenth waits"}),
    );
    let scenarios = done.scenarios.unwrap();
    assert_eq!(scenarios[0].name, "The tenth waits");
    assert_eq!(scenarios[0].steps[0].keyword, "WHEN");
    assert_eq!(repo.value("Backend", "Rate_Limit").as_deref(), Some("9 a second"));
    assert_eq!(repo.value("Backend", "Language"), None);
    let task = Task::read(&repo.read("docs/CURRENT_TASK.md")).unwrap();
    assert_eq!(task.allowlist, ["src/middleware/"]);

    // What was decided is known from now on.
    let again = repo.call(&ask(&repo, "Rate limit the admin routes too", &json!([]))).unwrap();
    assert_eq!(ids(&again), ["rate_limit_store", "acceptance_criteria"]);
}

#[test]
fn broken_and_huge_manifests_keep_nobody_from_asking() {
    let huge = format!("{{\"dependencies\": {{\"express\": \"{}\"}}}}", "5".repeat(300_000));
    let repo = Repo::with(&[
        (".git/HEAD", "ref: refs/heads/main\n"),
        ("package.json", &huge),
        ("Cargo.toml", "[[["),
        ("compose.yaml", "\u{0}"),
    ]);
    let first = repo.call(&ask(&repo, "Add rate limiting", &json!([]))).unwrap();
    assert_eq!(ids(&first)[0], "rate_limit_scope");
}

#[test]
fn an_agents_questions_are_asked_answered_and_recorded() {
    let repo = Repo::with(&TYPESCRIPT);
    let own = json!([{"id": "fox_style", "text": "Which style?", "options": ["Flat", "Sketch"], "why": "the brand book has both"}]);
    let first = repo.call(&ask(&repo, "Draw a fox", &own)).unwrap();
    assert_eq!(ids(&first), ["fox_style", "acceptance_criteria"]);
    assert_eq!(first.questions.as_ref().unwrap()[0].why.as_deref(), Some("the brand book has both"));
    answer(&repo, &first, &json!({"fox_style": "Flat", "acceptance_criteria": "It is seen"}));
    assert_eq!(repo.value("Other", "fox_style").as_deref(), Some("Flat"));
    assert!(repo.adr().contains("Asked by the agent, and answered:"));

    let faulty = json!([{"id": "category", "text": ""}, 5]);
    let error = repo.call(&ask(&repo, "Draw a fox", &faulty)).unwrap_err();
    assert_eq!(error.details["faults"].as_array().unwrap().len(), 3, "{error:?}");
}

#[test]
fn every_fault_of_every_question_is_told_in_one_refusal() {
    let repo = Repo::with(&TYPESCRIPT);
    let mut faulty = vec![
        json!({"id": "Fox-style", "text": "", "options": ["one"], "why": 5, "wy": "x"}),
        json!({"id": "fox style", "text": "Which?"}),
        json!({"id": "ears", "options": ["a", "a"]}),
    ];
    faulty.extend((0..3).map(|_| json!({ "text": "No id" })));
    let error = repo.call(&ask(&repo, "Draw a fox", &json!(faulty))).unwrap_err();
    let faults = error.details["faults"].as_array().unwrap();
    let pointers: Vec<&str> = faults.iter().map(|fault| fault["pointer"].as_str().unwrap()).collect();
    let expected = [
        "/questions",
        "/questions/0/wy",
        "/questions/0/text",
        "/questions/0/options",
        "/questions/0/why",
        "/questions/1/id",
        "/questions/2/text",
        "/questions/2/options",
        "/questions/3/id",
        "/questions/4/id",
        "/questions/5/id",
    ];
    assert_eq!(pointers, expected);
    assert!(faults.iter().all(|fault| fault["expected"].as_str().is_some_and(|text| !text.is_empty())));
}

#[test]
fn an_answer_to_no_question_is_told_and_known_facts_are_told_once() {
    let repo = Repo::with(&TYPESCRIPT);
    let first = repo.call(&ask(&repo, "Add rate limiting", &json!([]))).unwrap();
    assert!(first.known.is_some() && first.warning.is_none());
    let second = answer(&repo, &first, &json!({ "rate_limit_scop": "Each tenant" }));
    assert!(second.warning.unwrap().contains("`rate_limit_scop`"));
    assert!(second.known.is_none());
}

#[test]
fn where_the_catalogue_has_nothing_to_ask_it_says_so() {
    let repo = Repo::with(&TYPESCRIPT);
    let first = repo.call(&ask(&repo, "Draw a fox", &json!([]))).unwrap();
    assert!(first.message.unwrap().contains("nothing to ask") && first.might_ask.unwrap().len() >= 3);
}
