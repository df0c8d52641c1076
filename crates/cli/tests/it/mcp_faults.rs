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

const ACCOUNTS: &str = "# Accounts\n\n## Purpose\n\nWho may come in.\n\n## Requirements\n\n### Requirement: Sign in\n\n\
    The system SHALL let a known customer in.\n\n#### Scenario: Known\n\n- **WHEN** a customer signs in\n- **THEN** a session begins\n";

#[test]
fn what_does_not_fit_the_schema_and_what_makes_no_sense_are_told_in_one_answer() {
    let workspace = TestWorkspace::native();
    workspace.add(&format!("//- specs/accounts/spec.md\n{ACCOUNTS}"));
    let mut session = serve(&workspace, ERAS[0]);
    let open = json!({ "change_id": "taken", "why": "w", "what_changes": "x", "tasks": ["a"] });
    session.call("change_create", open).ok();
    let before = workspace.names_in("changes");
    let deltas = json!({ "accounts": {
        "modified": [{ "name": "Sgn in" }, { "name": "Sign in", "text": "The system SHALL.", "scenarios": [{ "name": "" }, { "name": " " }] }],
        "add_scenarios": [{ "requirement": "Sign in", "scenarios": [{ "name": "New" }, { "name": "" }] }],
    } });
    for (tool, arguments, expected) in [
        (
            "change_create",
            json!({ "change_id": "taken", "why": 5, "what_changes": " ", "tasks": ["a", "", 7], "nope": 1, "deltas": deltas }),
            &[
                "/change_id",
                "/deltas/accounts/add_scenarios/0/scenarios/1/name",
                "/deltas/accounts/modified/0/name",
                "/deltas/accounts/modified/1/scenarios/0/name",
                "/deltas/accounts/modified/1/scenarios/1/name",
                "/nope",
                "/tasks/1",
                "/tasks/2",
                "/what_changes",
                "/why",
            ][..],
        ),
        ("change_create", json!({ "why": "", "what_changes": "x" }), &["/change_id", "/why"]),
        (
            "change_update",
            json!({ "change_id": "take", "why": "", "design": 4, "add_tasks": [""] }),
            &["/add_tasks/0", "/change_id", "/design", "/why"],
        ),
        (
            "change_withdraw",
            json!({ "change_id": "take", "because": "x" }),
            &["/because", "/change_id", "/reason"],
        ),
        ("get_requirement", json!({ "spec_id": "acounts", "requirement": 4 }), &["/requirement", "/spec_id"]),
        ("workspace_status", json!({ "x": 1, "a": 2 }), &["/a", "/x"]),
    ] {
        let error = session.call(tool, arguments).error();
        assert_eq!(error["error"], "invalid_params", "{error}");
        assert_eq!(pointers(&error), expected, "{tool}: {error}");
        for fault in error["faults"].as_array().unwrap() {
            assert!(fault["expected"].as_str().is_some_and(|expected| !expected.is_empty()), "{fault}");
        }
    }
    assert_eq!(workspace.names_in("changes"), before);
}

#[test]
fn what_makes_no_sense_is_told_whole_where_everything_fits_the_schema() {
    let workspace = TestWorkspace::native();
    workspace.add(&format!("//- specs/accounts/spec.md\n{ACCOUNTS}"));
    let mut session = serve(&workspace, ERAS[1]);
    for (tool, arguments, expected) in [
        ("change_withdraw", json!({ "change_id": "none", "reason": " " }), &["/reason", "/change_id"][..]),
        ("change_update", json!({ "change_id": "none", "tasks": [""] }), &["/change_id", "/tasks/0"]),
        ("get_requirement", json!({ "spec_id": "accounts", "requirement": "Sgn in" }), &["/requirement"]),
        ("get_change", json!({ "change_id": "none" }), &["/change_id"]),
    ] {
        let error = session.call(tool, arguments).error();
        assert_eq!(pointers(&error), expected, "{tool}: {error}");
    }
}

#[test]
fn a_call_that_was_not_read_whole_leaves_nothing_behind() {
    let workspace = TestWorkspace::native();
    workspace.add(&format!("//- specs/accounts/spec.md\n{ACCOUNTS}"));
    let mut session = serve(&workspace, ERAS[0]);
    let scenario =
        json!({ "requirement": "Sign in", "scenarios": [{ "name": "New", "when": "a", "then": "b" }] });
    let fine = json!({ "change_id": "fine", "why": "w", "what_changes": "x", "tasks": ["a"],
        "deltas": { "accounts": { "add_scenarios": [scenario] } } });
    let mut odd = fine.clone();
    odd["priority"] = json!("high");
    assert_eq!(pointers(&session.call("change_create", odd).error()), ["/priority"]);
    assert!(!workspace.exists("changes/fine"));
    session.call("change_create", fine).ok();
    let withdrawn = json!({ "change_id": "fine", "reason": "no", "force": true });
    assert_eq!(pointers(&session.call("change_withdraw", withdrawn).error()), ["/force"]);
    let archived = json!({ "change_id": "fine", "allow_open_tasks": true, "force": true });
    assert_eq!(pointers(&session.call("change_archive", archived).error()), ["/force"]);
    assert!(workspace.exists("changes/fine/proposal.md"));
}

#[test]
fn an_id_may_say_what_it_is_the_id_of() {
    let workspace = TestWorkspace::native();
    workspace.add(&format!("//- specs/accounts/spec.md\n{ACCOUNTS}"));
    let mut session = serve(&workspace, ERAS[0]);
    let plain =
        session.call("get_requirement", json!({ "spec_id": "accounts", "requirement": "Sign in" })).ok();
    for arguments in [
        json!({ "spec_id": "spec:accounts", "requirement": "requirement:sign-in" }),
        json!({ "spec_id": "spec://accounts", "requirement": "Requirement: Sign in" }),
        json!({ "id": "requirement:accounts#sign-in" }),
        json!({ "requirement": "accounts#sign-in" }),
        json!({ "ref": "spec://accounts#sign-in" }),
    ] {
        assert_eq!(session.call("get_requirement", arguments.clone()).ok(), plain, "{arguments}");
    }
    for tool in ["spec_status", "get_spec_requirements", "validate_spec", "spec_check_dependencies"] {
        let told = session.call(tool, json!({ "spec_id": "accounts" })).ok();
        assert_eq!(session.call(tool, json!({ "spec_id": "spec:accounts" })).ok(), told, "{tool}");
    }
    let near = session.call("spec_status", json!({ "spec_id": "spec:acounts" })).error();
    assert_eq!((&near["spec_id"], &near["near"]), (&json!("acounts"), &json!(["accounts"])));
    session
        .call(
            "change_create",
            json!({ "change_id": "only", "why": "w", "what_changes": "x", "tasks": ["a"] }),
        )
        .ok();
    let other = session.call("spec_status", json!({ "spec_id": "spec:only" })).error();
    assert!(other["message"].as_str().unwrap().contains("is a change, not a spec"), "{other}");
}
