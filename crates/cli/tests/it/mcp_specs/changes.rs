//! Changes as seed 004 describes them, and the walk of one.

use hewto_testkit::{Era, TestWorkspace};
use serde_json::{Value, json};

use super::{FIXTURE, empty, ok, refused};
use crate::mcp_client::{ERAS, serve};

#[test]
fn list_all_active_changes() {
    let view = ok("list_changes", json!({}));
    let first = &view["changes"][0];
    assert_eq!((&first["id"], &first["title"]), (&json!("add-two-factor"), &json!("Add two factor")));
    assert_eq!(first["task_progress"], json!({ "completed": 1, "total": 2 }));
}

#[test]
fn no_active_changes() {
    assert_eq!(empty().1.call("list_changes", json!({})).ok()["changes"], json!([]));
}

#[test]
fn get_full_change() {
    let view = ok("get_change", json!({ "change_id": "add-two-factor" }));
    assert_eq!(view["proposal"]["what_changes"], "- A second factor");
    assert_eq!((&view["tasks"]["completed"], &view["tasks"]["total"]), (&json!(1), &json!(2)));
    assert_eq!(view["tasks"]["groups"][0]["tasks"][1]["title"], "Ask for the code");
    assert_eq!(view["design"], "Time-based codes.\n");
    assert_eq!(
        view["deltas"],
        json!({ "auth": {
            "added": [{
                "name": "Second factor",
                "text": "The system SHALL ask for a code.",
                "scenarios": [{ "name": "Code", "given": null, "when": "the code fits", "then": ["a session starts"] }],
            }],
            "modified": [], "removed": [], "renamed": [],
        } })
    );
}

#[test]
fn get_change_section() {
    for section in ["proposal", "tasks", "design", "deltas"] {
        let view = ok("get_change", json!({ "change_id": "add-two-factor", "section": section }));
        for other in ["proposal", "tasks", "design", "deltas"] {
            assert_eq!(view.get(other).is_some(), other == section, "{section}: {view}");
        }
    }
    let error = refused("get_change", json!({ "change_id": "add-two-factor", "section": "weather" }));
    assert_eq!(error["error"], "invalid_params");
}

#[test]
fn change_not_found() {
    let error = refused("get_change", json!({ "change_id": "add-two-facto" }));
    assert_eq!((&error["error"], &error["near"]), (&json!("change_not_found"), &json!(["add-two-factor"])));
}

#[test]
fn a_change_is_proposed_built_and_archived_over_mcp() {
    for era in ERAS {
        let workspace = TestWorkspace::from_fixture(FIXTURE);
        let mut session = serve(&workspace, era);
        let created = session
            .call(
                "change_create",
                json!({
                    "change_id": "add-lockout",
                    "why": "Passwords are guessed by machines, again and again, every night.",
                    "what_changes": "- Lock an account after five wrong passwords",
                    "deltas": { "auth": {
                        "added": [{
                            "name": "Lockout",
                            "text": "The system SHALL lock an account after five wrong passwords.",
                            "scenarios": [{ "name": "Fifth", "when": "the fifth is wrong", "then": ["it is locked"] }],
                        }],
                        "renamed": [{ "from": "Logout", "to": "Sign out" }],
                    } },
                }),
            )
            .ok();
        assert_eq!(created["path"], "specs/_changes/add-lockout/");
        let item = "change:add-lockout";
        session
            .call(
                "plan_create",
                json!({ "spec_id": item, "approach": "Count", "steps": [{ "title": "Count", "description": "In the store" }] }),
            )
            .ok();
        session.call("build_start", json!({ "spec_id": item, "plan_approved": true })).ok();
        session.call("plan_step_complete", json!({ "spec_id": item, "step_index": 0 })).ok();
        assert!(workspace.read("specs/_changes/add-lockout/tasks.md").contains("[x]"));
        session.call("build_complete", json!({ "spec_id": item, "summary": "Locked" })).ok();
        let diff = session.call("change_diff", json!({ "change_id": "add-lockout" })).ok();
        let lines: Vec<&str> = diff["differences"]
            .as_array()
            .unwrap()
            .iter()
            .map(|line| line["text"].as_str().unwrap())
            .collect();
        assert!(lines.iter().any(|line| line.contains("Lockout")), "{lines:?}");
        assert_eq!(session.call("change_overlaps", json!({})).ok()["overlaps"], json!([]));
        let preview =
            session.call("change_archive", json!({ "change_id": "add-lockout", "dry_run": true })).ok();
        assert!(preview["diff"].as_str().unwrap().contains("+### Requirement: Lockout"), "{preview}");
        let before = workspace.read("specs/auth/spec.md");
        let done = session.call("change_archive", json!({ "change_id": "add-lockout" })).ok();
        assert!(done["path"].as_str().unwrap().starts_with("specs/_archive/"), "{done}");
        let after = workspace.read("specs/auth/spec.md");
        assert!(after.contains("### Requirement: Sign out") && after.contains("### Requirement: Lockout"));
        let kept = before.split("### Requirement: Logout").next().unwrap();
        assert!(after.starts_with(kept), "{after}");
    }
}

#[test]
fn what_a_change_removes_is_named_plainly_or_in_full_and_faults_in_deltas_have_their_place() {
    let workspace = TestWorkspace::from_fixture(FIXTURE);
    let mut session = serve(&workspace, Era::Legacy);
    let mut propose = |id: &str, delta: Value| {
        session.call(
            "change_create",
            json!({
                "change_id": id,
                "why": "Nobody has asked for it in years, and it breaks at every turn.",
                "what_changes": "- Less",
                "deltas": { "auth": delta },
            }),
        )
    };
    let removals = [
        ("by-name", json!(["Logout"])),
        ("with-a-reason", json!([{ "name": "Logout", "reason": "unused" }])),
        ("in-full", json!([{ "name": "Logout", "text": "unused", "scenarios": [] }])),
    ];
    for (id, removed) in removals {
        propose(id, json!({ "removed": removed })).ok();
        let delta = workspace.read(&format!("specs/_changes/{id}/specs/auth/spec.md"));
        assert!(delta.contains("## REMOVED Requirements\n\n### Requirement: Logout\n"), "{delta}");
        assert_eq!(delta.contains("unused"), id != "by-name", "{delta}");
    }

    let faulty = json!({
        "added": [{ "name": "A", "scenarios": [{ "name": "S", "when": "w", "then": 7 }] }],
        "modified": null,
        "removed": [{ "nam": "Logout" }],
        "renamde": [],
    });
    let error = propose("faulty", faulty).error();
    let faults: Vec<&str> =
        error["faults"].as_array().unwrap().iter().map(|fault| fault["pointer"].as_str().unwrap()).collect();
    for place in ["added/0/scenarios/0/then", "added/0/text", "removed/0/nam", "removed/0/name", "renamde"] {
        assert!(faults.contains(&format!("/deltas/auth/{place}").as_str()), "{place}: {error}");
    }
    assert_eq!(faults.len(), 5, "{error}");
}
