//! Every scenario of seed 004 (Spec Oxide), driven over MCP; each test bears the scenario's name.

use hewto_testkit::{Era, McpSession, TestWorkspace};
use serde_json::{Value, json};

use crate::mcp_client::{ERAS, serve, serve_with};

const FIXTURE: &str = "\
//- .spox/config.toml
[paths]
spec_folder = \"specs/\"
changes_folder = \"specs/_changes\"
archive_folder = \"specs/_archive\"

[rules]
system = []
//- specs/auth/spec.md
# auth Specification

## Purpose

Let people in and keep everybody else out of the system.

## Requirements

### Requirement: Login

The system SHALL start a session for a known user.

#### Scenario: Good password

- **GIVEN** a registered user
- **WHEN** the password fits
- **THEN** a session starts
- **AND** the login is logged

#### Scenario: Bad password

- **WHEN** the password does not fit
- **THEN** nothing happens

### Requirement: Logout

The system SHALL end a session on request.

#### Scenario: Asked

- **WHEN** the user asks
- **THEN** the session ends
//- specs/broken/spec.md
# broken Specification

## Requirements

### Requirement: Nothing
//- specs/_changes/add-two-factor/proposal.md
# Change: Add two factor

## Why

Passwords alone are guessed too often by machines.

## What Changes

- A second factor
//- specs/_changes/add-two-factor/tasks.md
## 1. Build

- [x] 1.1 Store secrets
- [ ] 1.2 Ask for the code
//- specs/_changes/add-two-factor/design.md
Time-based codes.
//- specs/_changes/add-two-factor/specs/auth/spec.md
## ADDED Requirements

### Requirement: Second factor

The system SHALL ask for a code.

#### Scenario: Code

- **WHEN** the code fits
- **THEN** a session starts
//- specs/_changes/broken-change/proposal.md
# Change: Broken
//- specs/_changes/broken-change/tasks.md
- [ ] 1.1 Nothing
//- specs/_changes/broken-change/specs/auth/spec.md
## MODIFIED Requirements

### Requirement: Not there

The system SHALL fail.

#### Scenario: S

- **WHEN** w
- **THEN** t
";

fn session() -> (TestWorkspace, McpSession) {
    let workspace = TestWorkspace::from_fixture(FIXTURE);
    let session = serve_with(&workspace, Era::Legacy, &["--profile", "spox"]);
    (workspace, session)
}

fn empty() -> (TestWorkspace, McpSession) {
    let workspace = TestWorkspace::from_fixture(
        "//- .spox/config.toml\n[paths]\nspec_folder = \"specs/\"\nchanges_folder = \"specs/_changes\"\narchive_folder = \"specs/_archive\"\n[rules]\nsystem = []\n",
    );
    let session = serve_with(&workspace, Era::Legacy, &["--profile", "spox"]);
    (workspace, session)
}

fn ok(tool: &str, arguments: Value) -> Value {
    session().1.call(tool, arguments).ok()
}

fn refused(tool: &str, arguments: Value) -> Value {
    session().1.call(tool, arguments).error()
}

#[test]
fn mcp_delegates_to_core() {
    // The same facts come from the command line, which enters at the same function.
    let (workspace, mut session) = session();
    let over_mcp = session.call("get_scenario", json!({ "spec_id": "auth", "requirement": "Logout" })).ok();
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_hewto"))
        .args(["requirement", "show", "auth", "Logout", "--json"])
        .current_dir(workspace.root())
        .output()
        .unwrap();
    let by_hand: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(by_hand["scenarios"][0]["when"], over_mcp["when"]);
    assert_eq!(by_hand["text"], over_mcp["requirement_description"]);
}

#[test]
fn mcp_handles_errors_from_core() {
    let error = refused("get_spec_requirements", json!({ "spec_id": "nope" }));
    assert!(error["message"].as_str().unwrap().contains("nope"));
}

#[test]
fn server_responds_to_initialize() {
    let (_workspace, mut session) = session();
    let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {},
                         "clientInfo": { "name": "t", "version": "1" } });
    let result = session.request("initialize", params).unwrap();
    assert!(result["capabilities"]["tools"].is_object());
}

#[test]
fn server_info() {
    let (_workspace, mut session) = session();
    let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {},
                         "clientInfo": { "name": "t", "version": "1" } });
    let result = session.request("initialize", params).unwrap();
    assert_eq!(result["serverInfo"]["name"], "spox");
    assert!(!result["instructions"].as_str().unwrap().is_empty());
}

#[test]
fn list_all_specs() {
    for era in ERAS {
        let workspace = TestWorkspace::from_fixture(FIXTURE);
        let list = serve_with(&workspace, era, &["--profile", "spox"]).call("list_specs", json!({})).ok();
        assert_eq!(
            list,
            json!({
                "specs": [
                    { "id": "auth", "title": "auth Specification",
                      "purpose": "Let people in and keep everybody else out of the system." },
                    { "id": "broken", "title": "broken Specification", "purpose": null },
                ],
                "total": 2,
                "remaining": 0,
            })
        );
    }
}

#[test]
fn no_specs_found() {
    let list = empty().1.call("list_specs", json!({})).ok();
    assert_eq!(list["specs"], json!([]));
}

#[test]
fn get_requirements_for_existing_spec() {
    let view = ok("get_spec_requirements", json!({ "spec_id": "auth" }));
    assert_eq!(
        view["requirements"],
        json!([
            { "id": "login", "name": "Login", "scenario_count": 2 },
            { "id": "logout", "name": "Logout", "scenario_count": 1 },
        ])
    );
}

#[test]
fn spec_not_found_when_requirements_are_asked_for() {
    let error = refused("get_spec_requirements", json!({ "spec_id": "nope" }));
    assert_eq!(error["error"], "spec_not_found");
}

#[test]
fn get_specific_scenario() {
    let view =
        ok("get_scenario", json!({ "spec_id": "auth", "requirement": "Login", "scenario": "Bad password" }));
    assert_eq!(view["requirement_description"], "The system SHALL start a session for a known user.");
    assert_eq!((&view["name"], &view["when"]), (&json!("Bad password"), &json!("the password does not fit")));
    assert_eq!(view["then"], json!(["nothing happens"]));
}

#[test]
fn get_first_scenario_by_default() {
    let view = ok("get_scenario", json!({ "spec_id": "auth", "requirement": "login" }));
    assert_eq!(view["name"], "Good password");
    assert_eq!(view["given"], "a registered user");
    assert_eq!(view["then"], json!(["a session starts", "the login is logged"]));
}

#[test]
fn scenario_not_found() {
    let error = refused(
        "get_scenario",
        json!({ "spec_id": "auth", "requirement": "Login", "scenario": "Bad pasword" }),
    );
    assert_eq!((&error["error"], &error["near"]), (&json!("scenario_not_found"), &json!(["Bad password"])));
}

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

#[test]
fn search_with_no_index() {
    let error = refused("search_specs", json!({ "query": "second factor" }));
    assert!(error["hint"].as_str().unwrap().contains("hewto index build"), "{error}");
}

#[test]
fn server_without_index() {
    let (_workspace, mut session) = session();
    session.call("list_specs", json!({})).ok();
    session.call("get_spec_requirements", json!({ "spec_id": "auth" })).ok();
    session.call("get_scenario", json!({ "spec_id": "auth", "requirement": "Login" })).ok();
    assert_eq!(session.call("search_specs", json!({ "query": "x" })).error()["error"], "index_missing");
}

#[test]
fn the_profile_offers_exactly_the_seeds_tools_and_no_prompts() {
    let (_workspace, mut session) = session();
    let tools = session.request("tools/list", json!({})).unwrap();
    assert_eq!(tools["tools"].as_array().unwrap().len(), 8);
    let prompts = session.request("prompts/list", json!({})).unwrap();
    assert_eq!(prompts["prompts"], json!([]));
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
    for place in ["added/0/scenarios/0/then", "removed/0/nam", "removed/0/name", "renamde"] {
        assert!(faults.contains(&format!("/deltas/auth/{place}").as_str()), "{place}: {error}");
    }
    assert_eq!(faults.len(), 4, "{error}");
}
