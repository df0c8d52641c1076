//! Every workflow tool over the wire, in both eras: what it answers, and every way in which it refuses.

use hewto_testkit::{McpSession, TestWorkspace};
use serde_json::{Value, json};

use crate::mcp_client::{ERAS, create_planned_spec, create_spec, create_started_spec, serve};

/// Asserts the key and the seed's number of a refused call and hands out the whole error.
#[track_caller]
fn refused(session: &mut McpSession, tool: &str, arguments: Value, key: &str, code: i64) -> Value {
    let error = session.call(tool, arguments).error();
    assert_eq!((error["error"].as_str(), error["code"].as_i64()), (Some(key), Some(code)), "{error}");
    assert!(error["hint"].is_string(), "an error says what to do next: {error}");
    error
}

#[test]
fn a_spec_walks_from_draft_to_archived() {
    for era in ERAS {
        for workspace in [TestWorkspace::native(), TestWorkspace::airsspec()] {
            let specs = if workspace.exists(".airsspec") { ".airsspec/specs" } else { "specs" };
            let mut session = serve(&workspace, era);

            let created = session
                .call(
                    "spec_create",
                    json!({ "title": "User Auth!", "description": "So that people can log in" }),
                )
                .ok();
            let id = created["spec_id"].as_str().unwrap().to_owned();
            assert!(id.ends_with("-user-auth"), "{id}");
            assert_eq!(created, json!({ "spec_id": id, "created": true, "path": format!("{specs}/{id}/") }));
            assert_eq!(workspace.names_in(&format!("{specs}/{id}")), ["spec.md", "state.toon"]);

            let updated = session
                .call("spec_update", json!({ "spec_id": id, "content": "# Login\n\nBy mail.\n" }))
                .ok();
            assert_eq!((&updated["spec_id"], &updated["updated"]), (&json!(id), &json!(true)));
            assert!(workspace.read(&format!("{specs}/{id}/spec.md")).ends_with("# Login\n\nBy mail.\n"));

            let status = session.call("spec_status", json!({ "spec_id": id })).ok();
            assert_eq!(
                (&status["lifecycle_state"], &status["phase"], &status["plan_progress"]),
                (&json!("draft"), &json!("spec"), &Value::Null)
            );

            let steps = json!([
                { "title": "Store: hash", "description": "Argon2", "complexity": "complex" },
                { "title": "Form", "description": "" },
                { "title": "Mail", "description": "Confirm" },
            ]);
            let planned = session
                .call("plan_create", json!({ "spec_id": id, "approach": "Small steps", "steps": steps }))
                .ok();
            assert_eq!(
                planned,
                json!({ "spec_id": id, "plan_created": true, "total_steps": 3, "path": format!("{specs}/{id}/plan.md") })
            );

            let mut started =
                session.call("build_start", json!({ "spec_id": id, "plan_approved": true })).ok();
            let notice = started.as_object_mut().unwrap().remove("notice");
            assert!(
                notice.is_some_and(|notice| notice.as_str().unwrap().contains("hewto gate plan terminal"))
            );
            assert_eq!(
                started,
                json!({ "spec_id": id, "build_started": true, "phase": "build", "plan_steps": 3 })
            );

            // 1.0 is an integer to JSON Schema.
            let ticked = session
                .call("plan_step_complete", json!({ "spec_id": id, "step_index": 1.0, "notes": "easy" }))
                .ok();
            assert_eq!(
                ticked,
                json!({
                    "spec_id": id, "step_index": 1, "step": "2", "step_title": "Form", "completed": true,
                    "plan_progress": { "total_steps": 3, "completed_steps": 1, "percentage": 33 },
                })
            );

            let replaced = json!([
                { "title": "Form", "description": "With a field" },
                { "title": "Reset", "description": "By mail" },
            ]);
            let replanned = session.call("plan_update", json!({ "spec_id": id, "steps": replaced })).ok();
            assert_eq!(
                replanned,
                json!({ "spec_id": id, "updated": true, "total_steps": 2, "kept": ["Form"], "dropped": ["Store: hash", "Mail"] })
            );

            let reported = session
                .call("build_update", json!({ "spec_id": id, "progress_percentage": 40, "current_step": "Reset", "notes": null }))
                .ok();
            assert_eq!(
                reported["build_progress"],
                json!({ "percentage": 40, "current_step": "Reset", "notes": null })
            );

            let status = session.call("spec_status", json!({ "spec_id": id })).ok();
            assert_eq!(status["lifecycle_state"], "active");
            assert_eq!(
                status["plan_progress"],
                json!({ "total_steps": 2, "completed_steps": 1, "percentage": 50 })
            );
            assert_eq!(status["build_progress"]["percentage"], 40, "plan and build are counted apart");
            assert_eq!(status["dependencies"], json!({ "total": 0, "satisfied": 0, "blocked": 0 }));

            let done = session
                .call(
                    "build_complete",
                    json!({ "spec_id": id, "summary": "Login works", "deviations": "No reset" }),
                )
                .ok();
            assert_eq!(
                (&done["build_completed"], &done["lifecycle_state"], &done["open_steps"]),
                (&json!(true), &json!("done"), &json!(1))
            );

            let archived = session
                .call(
                    "spec_transition",
                    json!({ "spec_id": id, "to_state": "archived", "reason": "shipped" }),
                )
                .ok();
            assert_eq!(
                archived,
                json!({ "spec_id": id, "from_state": "done", "to_state": "archived", "transitioned": true })
            );
            assert_eq!(session.call("spec_status", json!({ "spec_id": id })).ok()["reason"], "shipped");
            assert!(session.close().status.success());
        }
    }
}

#[test]
fn specs_are_listed_by_state_and_category_a_page_at_a_time() {
    for era in ERAS {
        let workspace = TestWorkspace::native();
        let mut session = serve(&workspace, era);
        let bug = create_spec(&mut session, "Bug", json!({ "category": "bugfix" }));
        let docs = create_spec(&mut session, "Docs", json!({ "category": "docs" }));
        let active = create_started_spec(&mut session, "Feature");

        let all = session.call("spec_list", json!({})).ok();
        assert_eq!((&all["total"], &all["remaining"], all.get("next_cursor")), (&json!(3), &json!(0), None));
        let ids: Vec<&str> =
            all["specs"].as_array().unwrap().iter().map(|spec| spec["id"].as_str().unwrap()).collect();
        let mut sorted = [bug.as_str(), docs.as_str(), active.as_str()];
        sorted.sort_unstable();
        assert_eq!(ids, sorted);

        let drafts = session.call("spec_list", json!({ "state": "draft", "category": "docs" })).ok();
        assert_eq!(drafts["specs"][0]["id"], json!(docs));
        assert_eq!(drafts["total"], 1);

        let first = session.call("spec_list", json!({ "limit": 2, "category": null })).ok();
        assert_eq!((&first["total"], &first["remaining"]), (&json!(3), &json!(1)));
        let rest = session.call("spec_list", json!({ "limit": 2, "cursor": first["next_cursor"] })).ok();
        assert_eq!((rest["specs"].as_array().unwrap().len(), rest.get("next_cursor")), (1, None));

        refused(&mut session, "spec_list", json!({ "cursor": "made up" }), "invalid_params", -32602);
        let other = json!({ "state": "active", "cursor": first["next_cursor"] });
        refused(&mut session, "spec_list", other, "invalid_params", -32602);
    }
}

// @spec protocol#replies-fit-a-context-window/a-list-that-is-too-long
#[test]
fn a_long_list_stays_within_its_characters_and_says_how_to_go_on() {
    let workspace = TestWorkspace::native();
    for number in 0..400 {
        workspace.add(&format!("//- specs/{number:04}-spec/spec.md\n# {}\n", "long title ".repeat(10)));
    }
    let mut session = serve(&workspace, ERAS[0]);
    let page = session.call("spec_list", json!({ "limit": 1000 }));
    assert!(page.text.chars().count() <= 25_000, "{}", page.text.len());
    let page = page.ok();
    let seen = page["specs"].as_array().unwrap().len();
    assert_eq!((&page["total"], page["remaining"].as_u64().unwrap()), (&json!(400), 400 - seen as u64));
    let more = session.call("spec_list", json!({ "limit": 1000, "max_chars": 1_000_000 })).ok();
    assert_eq!(more["specs"].as_array().unwrap().len(), 400);
}

#[test]
fn dependencies_gate_the_build_and_are_reported() {
    for era in ERAS {
        let workspace = TestWorkspace::airsspec();
        let mut session = serve(&workspace, era);
        let done = create_started_spec(&mut session, "Database");
        session.call("build_complete", json!({ "spec_id": done, "summary": "There" })).ok();
        let open = create_spec(&mut session, "Api", json!({}));
        let wish = create_spec(&mut session, "Wish", json!({}));
        let dependencies = json!([
            { "spec_id": done, "kind": "hard" },
            { "spec_id": open, "kind": "hard" },
            { "spec_id": wish },
        ]);
        let id = create_planned_spec(&mut session, "Login", json!({ "dependencies": dependencies }));

        let check = session.call("spec_check_dependencies", json!({ "spec_id": id })).ok();
        assert_eq!(
            check,
            json!({
                "spec_id": id,
                "all_satisfied": false,
                "dependencies": [
                    { "spec_id": done, "kind": "hard", "state": "done", "satisfied": true },
                    { "spec_id": open, "kind": "hard", "state": "draft", "satisfied": false },
                    { "spec_id": wish, "kind": "soft", "state": "draft", "satisfied": false },
                ],
                "blocking": [open],
            })
        );
        let start = json!({ "spec_id": id, "plan_approved": true });
        let error = refused(&mut session, "build_start", start.clone(), "dependency_not_satisfied", -32004);
        assert_eq!(error["blocking"], json!([open]));

        let soft = json!([{ "spec_id": open, "kind": "soft" }]);
        session.call("spec_update", json!({ "spec_id": id, "dependencies": soft })).ok();
        session.call("build_start", start).ok();
    }
}

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

#[test]
fn a_state_that_cannot_be_read_hides_nothing_and_is_not_overwritten() {
    for era in ERAS {
        let workspace = TestWorkspace::native();
        let mut session = serve(&workspace, era);
        let broken = create_planned_spec(&mut session, "Broken", json!({}));
        let whole = create_spec(&mut session, "Whole", json!({}));
        let file = format!("specs/{broken}/state.toon");
        workspace.add(&format!("//- {file}\nspec_id: {broken}\nlifecycle: act"));
        let list = session.call("spec_list", json!({})).ok();
        let entry = |id: &str| {
            list["specs"].as_array().unwrap().iter().find(|spec| spec["id"] == id).unwrap().clone()
        };
        assert_eq!(entry(&broken)["state"], Value::Null);
        assert_eq!(entry(&broken)["diagnostics"][0]["file"], json!(file));
        assert_eq!(entry(&whole)["state"], "draft");
        for (tool, arguments) in [
            ("spec_status", json!({ "spec_id": broken })),
            ("build_start", json!({ "spec_id": broken, "plan_approved": true })),
            ("spec_transition", json!({ "spec_id": broken, "to_state": "active" })),
        ] {
            let error = session.call(tool, arguments).error();
            assert!(error["message"].as_str().unwrap().contains(&file), "{tool} names the file: {error}");
        }
        assert!(workspace.read(&file).ends_with("lifecycle: act"));
    }
}
