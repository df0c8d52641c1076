//! Validation as seed 004 describes it.

use serde_json::json;

use super::{ok, refused};

#[test]
fn validate_all_specs() {
    let verdict = ok("validate_spec", json!({}));
    assert!(verdict["errors"].is_array() && verdict["warnings"].is_array() && verdict["summary"].is_string());
    assert!(verdict["summary"].as_str().unwrap().starts_with("1 spec valid, 1 not valid"), "{verdict}");
}

#[test]
fn validate_specific_spec() {
    let verdict = ok("validate_spec", json!({ "spec_id": "broken" }));
    let errors = verdict["errors"].as_array().unwrap();
    assert!(errors.iter().all(|error| error["file"] == "specs/broken/spec.md"), "{verdict}");
}

#[test]
fn spec_not_found_when_validating() {
    assert_eq!(refused("validate_spec", json!({ "spec_id": "nope" }))["error"], "spec_not_found");
}

#[test]
fn validation_of_a_spec_passes() {
    let verdict = ok("validate_spec", json!({ "spec_id": "auth" }));
    assert_eq!((&verdict["valid"], &verdict["errors"]), (&json!(true), &json!([])));
    assert!(verdict["summary"].as_str().unwrap().contains("valid"), "{verdict}");
}

// @spec specs#what-validates-can-be-read/a-requirement-without-a-scenario
#[test]
fn validation_of_a_spec_fails() {
    let verdict = ok("validate_spec", json!({ "spec_id": "broken" }));
    assert_eq!(verdict["valid"], false);
    let error = &verdict["errors"][0];
    for field in ["file", "description", "code", "hint", "section"] {
        assert!(error[field].is_string(), "{field}: {error}");
    }
    assert!(error["line"].is_u64(), "{error}");
}

#[test]
fn validate_all_changes() {
    let verdict = ok("validate_change", json!({}));
    assert!(verdict["summary"].as_str().unwrap().starts_with("1 change valid, 1 not valid"), "{verdict}");
}

#[test]
fn validate_specific_change() {
    let verdict = ok("validate_change", json!({ "change_id": "broken-change" }));
    let errors = verdict["errors"].as_array().unwrap();
    assert!(!errors.is_empty());
    let folder = "specs/_changes/broken-change/";
    assert!(errors.iter().all(|error| error["file"].as_str().unwrap().starts_with(folder)), "{verdict}");
}

#[test]
fn change_not_found_when_validating() {
    assert_eq!(refused("validate_change", json!({ "change_id": "nope" }))["error"], "change_not_found");
}

#[test]
fn validation_of_a_change_passes() {
    let verdict = ok("validate_change", json!({ "change_id": "add-two-factor" }));
    assert_eq!((&verdict["valid"], &verdict["errors"]), (&json!(true), &json!([])), "{verdict}");
}

#[test]
fn validation_of_a_change_fails() {
    let verdict = ok("validate_change", json!({ "change_id": "broken-change" }));
    assert_eq!(verdict["valid"], false);
    for error in verdict["errors"].as_array().unwrap() {
        for field in ["file", "section", "description"] {
            assert!(error[field].is_string(), "{field}: {error}");
        }
    }
}
