use hewto_core::proof::{CaseOutcome, Ref, State};

use super::*;
use crate::view::{LinkProblemView, MatrixSummary, MatrixView};

pub(super) fn row(name: &str, state: State, debt: Option<&str>) -> PromiseView {
    PromiseView {
        reference: Ref::parse(name).unwrap(),
        requirement: "Sign <in>".to_owned(),
        scenario: Some("Known & loved".to_owned()),
        file: "specs/accounts/spec.md".to_owned(),
        line: 12,
        state,
        reason: if state == State::Stale { "code changed".to_owned() } else { String::new() },
        red: !state.is_proven() && debt.is_none(),
        debt: debt.map(str::to_owned),
        code: vec![PlaceView { path: "src/a b.rs".to_owned(), line: 40, end: 50, name: None }],
        tests: vec![PlaceView {
            path: "tests/login.rs".to_owned(),
            line: 12,
            end: 20,
            name: Some("known".to_owned()),
        }],
        result: (state == State::Verified).then_some(CaseOutcome::Passed),
        run: None,
        fresh: true,
        exact: false,
        tag: format!("// @spec {name}"),
        similar: Vec::new(),
        notes: Vec::new(),
    }
}

pub(super) fn view() -> MatrixView {
    MatrixView {
        version: 1,
        selection: "all".to_owned(),
        policy: "enforce".to_owned(),
        summary: MatrixSummary {
            total: 3,
            verified: 1,
            debt: 1,
            red: 1,
            states: [(State::Verified, 1), (State::Stale, 1)].into(),
            line: "3 scenarios: 1 verified, 1 stale, 1 known debt".to_owned(),
        },
        rows: vec![
            row("accounts#sign-in/known-customer", State::Verified, None),
            row("accounts#sign-in/wrong-password", State::Stale, None),
            row("accounts#lockout/third-try", State::Uncovered, Some("baseline")),
        ],
        problems: vec![LinkProblemView {
            error: "link_dangling".to_owned(),
            path: "src/x,y.rs".to_owned(),
            line: 3,
            message: "no spec promises `a#b`\n::error::forged".to_owned(),
            hint: "did you mean `a#c`?".to_owned(),
            ..LinkProblemView::default()
        }],
        ..MatrixView::default()
    }
}

#[test]
fn junit_has_a_case_for_each_scenario_and_skips_debt() {
    insta::assert_snapshot!(junit(&view()));
}

#[test]
fn markdown_is_a_table() {
    insta::assert_snapshot!(markdown(&view()));
}

#[test]
fn annotations_cannot_be_forged() {
    let text = annotations(&view());
    assert_eq!(text.lines().filter(|line| line.starts_with("::error")).count(), 2, "{text}");
    insta::assert_snapshot!(text);
}

#[test]
fn ten_annotations_of_a_level_and_then_a_count() {
    let mut many = view();
    many.rows = vec![row("a#b/c", State::Failed, None); 30];
    let text = annotations(&many);
    assert_eq!(text.lines().filter(|line| line.starts_with("::error")).count(), 10);
    assert!(text.contains("21 more"), "{text}");
}

#[test]
fn sarif_is_valid_against_its_schema() {
    let schema: serde_json::Value = serde_json::from_str(include_str!("schema/sarif-2.1.0.json")).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let mut views = vec![view(), MatrixView::default()];
    views[0].rows.push(row("日本#語/ü", State::Failed, Some("waived until 2027-01-01")));
    let mut many = view();
    many.rows = vec![row("a#b/c", State::Uncovered, None); 5_100];
    views.push(many);
    for view in views {
        let log: serde_json::Value = serde_json::from_str(&sarif(&view)).unwrap();
        let errors: Vec<String> =
            validator.iter_errors(&log).map(|error| format!("{}: {error}", error.instance_path())).collect();
        assert!(errors.is_empty(), "{errors:#?}");
    }
    assert!(
        !validator.is_valid(&serde_json::json!({"version": "2.1.0"})),
        "the schema refuses what is not a log"
    );
}

#[test]
fn sarif_keeps_to_the_worst_results() {
    let mut many = view();
    many.problems.clear();
    many.rows = vec![row("a#b/c", State::Uncovered, Some("baseline")); 6_000];
    many.rows.push(row("a#b/red", State::Failed, None));
    let log: serde_json::Value = serde_json::from_str(&sarif(&many)).unwrap();
    let results = log["runs"][0]["results"].as_array().unwrap();
    assert_eq!(results.len(), 5_000);
    assert_eq!(results[0]["ruleId"], "promise_failed");
    assert_eq!(log["runs"][0]["properties"]["leftOut"], 1_001);
}

#[test]
fn texts_of_others_break_no_page() {
    let mut bad = view();
    bad.rows[0].requirement = "\u{1}<script>\u{202e}".to_owned();
    bad.rows[0].scenario = None;
    let page = html(&bad);
    assert!(!page.contains("<script>") && !page.contains('\u{202e}') && !page.contains('\u{1}'));
    assert!(badge(&bad).contains("1 of 3 verified"));
}
