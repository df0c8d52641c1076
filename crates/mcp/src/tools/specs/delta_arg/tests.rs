use super::*;

fn deltas(value: Value) -> Result<BTreeMap<String, NewDelta>> {
    read(serde_json::from_value(value).unwrap())
}

#[test]
fn sensible_spellings_say_the_same() {
    let plain = deltas(json!({"auth": {
            "added": [{"name": "R", "text": "It SHALL.", "scenarios": [{"name": "S", "when": "a", "then": ["b", "c"]}]}],
            "removed": [{"name": "Old", "reason": "unused"}],
        }}))
        .unwrap();
    for other in [
        json!({"auth": {"ADDED": [{"Name": "R", "description": "It SHALL.", "scenarios": {"S": {"WHEN": "a", "THEN": "THEN b AND c"}}}], "REMOVED": {"name": "Old", "reason": "unused"}}}),
        json!({"auth": {"ADDED Requirements": {"R": {"text": "It SHALL.", "scenarios": [{"name": "S", "when": "WHEN a", "then": ["b", "c"]}]}}, "remove": [{"requirement": "Old", "reason": "unused"}]}}),
    ] {
        assert_eq!(deltas(other.clone()).unwrap(), plain, "{other}");
    }
    let one_text = deltas(
        json!({"auth": {"added": [{"name": "R", "text": "It SHALL.", "scenarios": ["S: WHEN a THEN b AND c"]}]}}),
    );
    let scenario = &one_text.unwrap()["auth"].added[0].scenarios[0];
    assert_eq!((scenario.name.as_str(), scenario.steps.len()), ("S", 3));
}

#[test]
fn everything_that_is_wrong_is_told_with_its_pointer() {
    let error = deltas(json!({"a/b": {
            "aded": [],
            "added": [{"text": "x"}, {"name": "R", "text": 5, "scenarios": [{"name": "S", "whn": "x", "then": [1]}]}],
            "renamed": [{"from": "A"}],
        }, "c": 7}))
        .unwrap_err();
    let pointers: Vec<&str> =
        error.details["faults"].as_array().unwrap().iter().map(|f| f["pointer"].as_str().unwrap()).collect();
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
