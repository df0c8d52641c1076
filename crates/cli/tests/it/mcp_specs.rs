//! Every scenario of seed 004 (Spec Oxide), driven over MCP; each test bears the scenario's name.

mod changes;
mod validation;

use hewto_testkit::{Era, McpSession, TestWorkspace};
use serde_json::{Value, json};

use crate::mcp_client::{ERAS, serve_with};

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
