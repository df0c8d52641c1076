//! Every workflow tool over the wire, in both eras: what it answers, and every way in which it refuses.

mod refusals;

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
