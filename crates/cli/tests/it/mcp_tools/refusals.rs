//! What the workflow tools refuse, and with which key.

use hewto_testkit::TestWorkspace;
use serde_json::{Value, json};

use super::refused;
use crate::mcp_client::{ERAS, create_planned_spec, create_spec, create_started_spec, serve};

// @spec workflow#specs-are-created-as-drafts/a-dependency-that-is-not-there
#[test]
fn dependencies_that_cannot_be_are_refused() {
    let workspace = TestWorkspace::native();
    let mut session = serve(&workspace, ERAS[1]);
    let first = create_spec(&mut session, "First", json!({}));
    let second = create_spec(&mut session, "Second", json!({ "dependencies": [{ "spec_id": first }] }));
    let update = |dependencies: Value| json!({ "spec_id": first, "dependencies": dependencies });
    let cases = [
        (update(json!([{ "spec_id": "1700000000-nothing" }])), "spec_not_found", -32001),
        (update(json!([{ "spec_id": first }])), "validation_failed", -32005),
        (update(json!([{ "spec_id": second }])), "validation_failed", -32005),
        (update(json!([{ "spec_id": "../../etc" }])), "invalid_params", -32602),
    ];
    for (arguments, key, code) in cases {
        refused(&mut session, "spec_update", arguments, key, code);
    }
    let twice = json!({ "title": "T", "description": "d", "dependencies": [{ "spec_id": first }, { "spec_id": first }] });
    refused(&mut session, "spec_create", twice, "validation_failed", -32005);
    let nowhere =
        json!({ "title": "T", "description": "d", "dependencies": [{ "spec_id": "1700000000-nothing" }] });
    refused(&mut session, "spec_create", nowhere, "spec_not_found", -32001);
    assert_eq!(workspace.names_in("specs").len(), 2, "nothing was left behind");
}

// @spec workflow#the-lifecycle-allows-seven-moves/a-finished-spec-cannot-be-reopened
#[test]
fn a_move_that_the_lifecycle_does_not_know_is_refused_with_those_it_does() {
    for era in ERAS {
        let workspace = TestWorkspace::airsspec();
        let mut session = serve(&workspace, era);
        let id = create_started_spec(&mut session, "Login");
        session.call("build_complete", json!({ "spec_id": id, "summary": "Done" })).ok();
        let back = json!({ "spec_id": id, "to_state": "active" });
        let error = refused(&mut session, "spec_transition", back, "invalid_transition", -32003);
        assert_eq!(error["message"], "Cannot transition from 'done' to 'active'");
        assert_eq!(error["valid_transitions"], json!(["archived"]));
        session.call("spec_transition", json!({ "spec_id": id, "to_state": "archived" })).ok();
        refused(
            &mut session,
            "spec_update",
            json!({ "spec_id": id, "title": "Other" }),
            "spec_archived",
            -32003,
        );
    }
}

#[test]
fn plans_are_refused_where_they_do_not_fit() {
    for era in ERAS {
        let workspace = TestWorkspace::airsspec();
        let mut session = serve(&workspace, era);
        let bare = create_spec(&mut session, "Bare", json!({}));
        let planned = create_planned_spec(&mut session, "Planned", json!({}));
        let step = json!([{ "title": "t", "description": "d" }]);
        let cases = [
            ("plan_update", json!({ "spec_id": bare, "approach": "x" }), "plan_not_found", -32002),
            ("plan_step_complete", json!({ "spec_id": bare, "step_index": 0 }), "plan_not_found", -32002),
            ("build_start", json!({ "spec_id": bare, "plan_approved": true }), "plan_not_found", -32002),
            (
                "plan_create",
                json!({ "spec_id": planned, "approach": "x", "steps": step }),
                "validation_failed",
                -32005,
            ),
            (
                "plan_create",
                json!({ "spec_id": bare, "approach": "x", "steps": [] }),
                "validation_failed",
                -32005,
            ),
            (
                "plan_create",
                json!({ "spec_id": bare, "approach": " ", "steps": step }),
                "validation_failed",
                -32005,
            ),
            ("plan_update", json!({ "spec_id": planned }), "invalid_params", -32602),
            ("plan_step_complete", json!({ "spec_id": planned, "step_index": 2 }), "invalid_params", -32602),
            ("build_start", json!({ "spec_id": planned }), "validation_failed", -32005),
            (
                "build_start",
                json!({ "spec_id": planned, "plan_approved": false }),
                "validation_failed",
                -32005,
            ),
        ];
        for (tool, arguments, key, code) in cases {
            refused(&mut session, tool, arguments, key, code);
        }
    }
}

#[test]
fn builds_are_refused_out_of_order() {
    for era in ERAS {
        let workspace = TestWorkspace::airsspec();
        let mut session = serve(&workspace, era);
        let id = create_planned_spec(&mut session, "Login", json!({}));
        let summary = json!({ "spec_id": id, "summary": "s" });
        refused(
            &mut session,
            "build_update",
            json!({ "spec_id": id, "notes": "n" }),
            "validation_failed",
            -32005,
        );
        refused(&mut session, "build_complete", summary.clone(), "invalid_transition", -32003);
        let start = json!({ "spec_id": id, "plan_approved": true });
        session.call("build_start", start.clone()).ok();
        refused(&mut session, "build_start", start.clone(), "validation_failed", -32005);
        refused(
            &mut session,
            "build_complete",
            json!({ "spec_id": id, "summary": "  " }),
            "validation_failed",
            -32005,
        );
        session.call("build_complete", summary.clone()).ok();
        refused(&mut session, "build_complete", summary, "invalid_transition", -32003);
        refused(&mut session, "build_start", start, "invalid_transition", -32003);
    }
}

#[test]
fn ids_that_lead_nowhere_or_outside_are_refused_by_every_tool_that_takes_one() {
    let workspace = TestWorkspace::native();
    let mut session = serve(&workspace, ERAS[0]);
    create_spec(&mut session, "Login", json!({}));
    let with_id = [
        ("spec_update", json!({ "title": "t" })),
        ("spec_transition", json!({ "to_state": "active" })),
        ("spec_status", json!({})),
        ("spec_check_dependencies", json!({})),
        ("plan_create", json!({ "approach": "a", "steps": [{ "title": "t", "description": "d" }] })),
        ("plan_update", json!({ "approach": "a" })),
        ("plan_step_complete", json!({ "step_index": 0 })),
        ("build_start", json!({ "plan_approved": true })),
        ("build_update", json!({ "notes": "n" })),
        ("build_complete", json!({ "summary": "s" })),
    ];
    let ids = [
        ("1700000000-nothing", "spec_not_found", -32001),
        ("../x", "invalid_params", -32602),
        ("/etc/passwd", "invalid_params", -32602),
        ("a\0b", "invalid_params", -32602),
        ("", "invalid_params", -32602),
    ];
    for (tool, arguments) in with_id {
        for (id, key, code) in ids {
            let mut arguments = arguments.clone();
            arguments["spec_id"] = json!(id);
            refused(&mut session, tool, arguments, key, code);
        }
    }
    let near = refused(&mut session, "spec_status", json!({ "spec_id": "login" }), "spec_not_found", -32001);
    assert!(near["hint"].as_str().unwrap().contains("-login"), "{near}");
}

#[test]
fn texts_that_say_nothing_or_too_much_are_refused() {
    let workspace = TestWorkspace::native();
    let mut session = serve(&workspace, ERAS[1]);
    let long = "x".repeat(1_000_000);
    for (title, description) in
        [("  ", "d"), ("t", ""), ("t\0", "d"), (long.as_str(), "d"), ("two\nlines", "d")]
    {
        let arguments = json!({ "title": title, "description": description });
        refused(&mut session, "spec_create", arguments, "validation_failed", -32005);
    }
    let id = create_spec(&mut session, "Login", json!({}));
    refused(&mut session, "spec_update", json!({ "spec_id": id }), "invalid_params", -32602);
    refused(
        &mut session,
        "spec_update",
        json!({ "spec_id": id, "content": "a\0b" }),
        "validation_failed",
        -32005,
    );
    assert_eq!(workspace.names_in("specs"), [id]);
}
