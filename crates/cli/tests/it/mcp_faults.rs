//! Arguments that do not match the published schema: all faults at once, in the reply, never as a protocol error.

use hewto_testkit::TestWorkspace;
use serde_json::{Value, json};

use crate::mcp_client::{ERAS, create_planned_spec, create_started_spec, serve};

fn pointers(error: &Value) -> Vec<&str> {
    error["faults"].as_array().unwrap().iter().map(|fault| fault["pointer"].as_str().unwrap()).collect()
}

// @spec protocol#errors-can-be-acted-on/several-wrong-arguments
#[test]
fn every_fault_of_a_call_is_reported_with_its_place() {
    for era in ERAS {
        let workspace = TestWorkspace::airsspec();
        let mut session = serve(&workspace, era);
        let arguments = json!({
            "titel": "User Auth",
            "description": 5,
            "category": "epic",
            "dependencies": [{ "kind": "hard" }, { "spec_id": "a", "kind": "harder" }, "a"],
        });
        let error = session.call("spec_create", arguments).error();
        assert_eq!((&error["error"], &error["code"]), (&json!("invalid_params"), &json!(-32602)));
        let mut found = pointers(&error);
        found.sort_unstable();
        assert_eq!(
            found,
            [
                "/category",
                "/dependencies/0/spec_id",
                "/dependencies/1/kind",
                "/dependencies/2",
                "/description",
                "/titel",
                "/title",
            ]
        );
        for fault in error["faults"].as_array().unwrap() {
            for field in ["pointer", "field", "expected", "message"] {
                assert!(fault[field].is_string(), "{fault}");
            }
        }
        let missing =
            error["faults"].as_array().unwrap().iter().find(|fault| fault["pointer"] == "/title").unwrap();
        assert_eq!((&missing["field"], &missing["expected"]), (&json!("title"), &json!("a string")));
        assert!(workspace.names_in(".airsspec/specs").is_empty());
    }
}

#[test]
fn numbers_are_whole_and_in_range() {
    let workspace = TestWorkspace::native();
    let mut session = serve(&workspace, ERAS[0]);
    let id = create_planned_spec(&mut session, "Login", json!({}));
    let building = create_started_spec(&mut session, "Other");
    for index in [json!(-1), json!(0.5), json!("0"), json!(null), json!(1e300)] {
        let error = session.call("plan_step_complete", json!({ "spec_id": id, "step_index": index })).error();
        assert_eq!(pointers(&error), ["/step_index"], "{index}");
    }
    for percentage in [json!(-1), json!(101), json!(33.3), json!("40")] {
        let report = json!({ "spec_id": building, "progress_percentage": percentage });
        let error = session.call("build_update", report).error();
        assert_eq!(pointers(&error), ["/progress_percentage"], "{percentage}");
    }
    for percentage in [json!(0), json!(100), json!(62.0)] {
        session.call("build_update", json!({ "spec_id": building, "progress_percentage": percentage })).ok();
    }
}

#[test]
fn a_null_of_an_optional_argument_is_as_good_as_none() {
    let workspace = TestWorkspace::native();
    let mut session = serve(&workspace, ERAS[1]);
    let nulls =
        json!({ "title": "T", "description": "d", "category": null, "content": null, "dependencies": null });
    session.call("spec_create", nulls).ok();
    session
        .call(
            "spec_list",
            json!({ "state": null, "category": null, "limit": null, "cursor": null, "max_chars": null }),
        )
        .ok();
    let error = session.call("spec_create", json!({ "title": null, "description": "d" })).error();
    assert_eq!(pointers(&error), ["/title"]);
}

#[test]
fn a_call_without_arguments_is_a_call_with_none() {
    for era in ERAS {
        let workspace = TestWorkspace::native();
        let mut session = serve(&workspace, era);
        let listed = session.request("tools/call", json!({ "name": "spec_list" })).unwrap();
        assert_eq!(listed["structuredContent"]["total"], 0);
        let refused = session.request("tools/call", json!({ "name": "spec_status" })).unwrap();
        assert_eq!(refused["isError"], true);
    }
}

#[test]
fn an_unknown_tool_is_a_protocol_error_that_names_it_and_its_neighbours() {
    for era in ERAS {
        let workspace = TestWorkspace::native();
        let mut session = serve(&workspace, era);
        let error =
            session.request("tools/call", json!({ "name": "spec_lists", "arguments": {} })).unwrap_err();
        assert_eq!(error.code, -32602);
        assert!(error.message.contains("`spec_lists`"), "{}", error.message);
        assert!(error.data["near"].as_array().unwrap().contains(&json!("spec_list")), "{}", error.data);
    }
}
