use super::*;

fn deltas(value: Value) -> BTreeMap<String, NewDelta> {
    let read = read(serde_json::from_value(value).unwrap());
    assert_eq!(read.misread, Vec::<Value>::new());
    read.deltas
}

#[test]
fn sensible_spellings_say_the_same() {
    let plain = deltas(json!({"auth": {
        "added": [{"name": "R", "text": "It SHALL.", "scenarios": [{"name": "S", "when": "a", "then": ["b", "c"]}]}],
        "removed": [{"name": "Old", "reason": "unused"}],
    }}));
    for other in [
        json!({"auth": {"ADDED": [{"Name": "R", "description": "It SHALL.", "scenarios": {"S": {"WHEN": "a", "THEN": "THEN b AND c"}}}], "REMOVED": {"name": "Old", "reason": "unused"}}}),
        json!({"auth": {"ADDED Requirements": {"R": {"text": "It SHALL.", "scenarios": [{"name": "S", "when": "WHEN a", "then": ["b", "c"]}]}}, "remove": [{"requirement": "Old", "reason": "unused"}]}}),
    ] {
        assert_eq!(deltas(other.clone()), plain, "{other}");
    }
    let one_text = deltas(
        json!({"auth": {"added": [{"name": "R", "text": "It SHALL.", "scenarios": ["S: WHEN a THEN b AND c"]}]}}),
    );
    let scenario = &one_text["auth"].added[0].scenarios[0];
    assert_eq!((scenario.name.as_str(), scenario.steps.len()), ("S", 3));
}

#[test]
fn everything_that_is_wrong_is_told_with_its_pointer() {
    let value = json!({"a/b": {
        "aded": [],
        "added": [{"text": "x"}, {"name": "R", "text": 5, "scenarios": [{"name": "S", "whn": "x", "then": [1]}]}],
        "renamed": [{"from": "A"}],
    }, "c": 7});
    let read = read(serde_json::from_value(value).unwrap());
    let pointers: Vec<&str> = read.misread.iter().map(|fault| fault["pointer"].as_str().unwrap()).collect();
    assert_eq!(
        pointers,
        [
            "/deltas/a~1b/aded",
            "/deltas/a~1b/added/0/name",
            "/deltas/a~1b/added/1/text",
            "/deltas/a~1b/added/1/scenarios/0/whn",
            "/deltas/a~1b/added/1/scenarios/0/then",
            "/deltas/a~1b/renamed/0/to",
            "/deltas/c",
        ]
    );
}

#[test]
fn what_could_be_read_keeps_its_place_in_the_list() {
    let read = read(serde_json::from_value(json!({"a": {"added": [{"text": "x"}, {"name": "R"}]}})).unwrap());
    let names: Vec<&str> = read.deltas["a"].added.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["?", "R"]);
}

#[test]
fn lists_of_conditions_become_steps() {
    let scenario = json!({"name": "S", "given": ["g", "h"], "when": ["WHEN a", "b"], "then": ["c", "d"]});
    let read = deltas(json!({"a": {"added": [{"name": "R", "text": "It SHALL.", "scenarios": [scenario]}]}}));
    let steps = &read["a"].added[0].scenarios[0].steps;
    let told: Vec<String> = steps.iter().map(|step| format!("{:?} {}", step.keyword, step.text)).collect();
    assert_eq!(told, ["Given g", "And h", "When a", "And b", "Then c", "And d"]);
}

#[test]
fn faults_lead_to_what_the_caller_wrote() {
    let read = read(serde_json::from_value(json!({"api": {"ADDED": [{"name": "R"}]}})).unwrap());
    let faults = json!([{"pointer": "/deltas/api/added/0/text", "field": "deltas.api.added[0].text"}]);
    let error = read.located(Error::validation("no text").detail("faults", faults));
    assert_eq!(error.details["faults"][0]["pointer"], "/deltas/api/ADDED/0/text");
    assert_eq!(error.details["faults"][0]["field"], "deltas.api.ADDED[0].text");
}

fn told(scenarios: &Value) -> Vec<(String, Vec<String>)> {
    let read = deltas(json!({"a": {"added": [{"name": "R", "text": "It SHALL.", "scenarios": scenarios}]}}));
    let steps = |scenario: &hewto_engine::change::NewScenario| {
        scenario.steps.iter().map(|step| format!("{} {}", step.keyword, step.text)).collect()
    };
    read["a"].added[0].scenarios.iter().map(|scenario| (scenario.name.clone(), steps(scenario))).collect()
}

#[test]
fn a_scenario_in_one_text_is_read_however_it_is_written() {
    let few = ("Few".to_owned(), vec!["WHEN 3 calls".to_owned(), "THEN all answered".to_owned()]);
    for text in [
        "Few: WHEN 3 calls THEN all answered",
        "Few: when 3 calls, then all answered",
        "Scenario: Few\nWHEN 3 calls\nTHEN all answered",
        "Few\r\n* **WHEN** 3 calls\r\n* **THEN** all answered\r\n",
        "**Scenario: Few**:\n- When 3 calls\n- Then all answered",
        "#### Scenario: Few\n\n1. **When** 3 calls\n2. **Then** all answered",
    ] {
        assert_eq!(told(&json!([text])), std::slice::from_ref(&few), "{text}");
    }
    let named = told(&json!(["Ratio 1:2: WHEN a THEN b"]));
    assert_eq!(named[0].0, "Ratio 1:2");
    // Two below their headings in one text are two.
    let two = "#### Scenario: Few\n- WHEN 3 calls\n- THEN all answered\n\n#### Scenario: Many\n- WHEN 9\n- THEN none";
    assert_eq!(
        told(&json!(two)).iter().map(|(name, steps)| (name.as_str(), steps.len())).collect::<Vec<_>>(),
        [("Few", 2), ("Many", 2)]
    );
}

#[test]
fn steps_inside_when_go_together_with_given_and_then() {
    let steps = told(&json!([{"name": "S", "given": "x", "when": "WHEN a AND b", "then": ["c", "THEN d"]}]))
        .remove(0)
        .1;
    assert_eq!(steps, ["GIVEN x", "WHEN a", "AND b", "THEN c", "AND d"]);
    let steps = told(&json!([{"name": "S", "when": "WHEN a THEN b", "then": "c"}])).remove(0).1;
    assert_eq!(steps, ["WHEN a", "THEN b", "AND c"]);
}
