//! A day with hewto, as an agent has it: three tasks from wish to archive, each with its number of calls and the bytes a
//! model reads for it. The bounds are what was measured, and a tenth more.

use std::fmt::Write as _;

use hewto_testkit::{Era, McpSession, TestWorkspace};
use serde_json::{Value, json};

use crate::mcp_client::{serve, serve_with};

const API: &str = "\
//- .hewto/config.toml
[project]
name = \"shop\"
//- .git/HEAD
ref: refs/heads/main
//- package.json
{ \"name\": \"shop\", \"type\": \"module\", \"dependencies\": { \"express\": \"5\" } }
//- specs/api/spec.md
# api Specification

## Purpose

What the HTTP interface of the shop promises to the programs that call it.

## Requirements

### Requirement: Authentication

Every call SHALL carry a key.

<!-- talk to Ann before this changes -->

#### Scenario: No key

- **WHEN** a call has no key
- **AND** it is not a health check
- **THEN** it is refused with 401

#### Scenario: Known key

- **WHEN** a call has a known key
- **THEN** it is answered
";

/// A conversation that counts what it costs.
struct Counted {
    session: McpSession,
    calls: usize,
    bytes: usize,
}

impl Counted {
    /// Begins with what every conversation costs: instructions and tools, as a model reads them.
    fn new(mut session: McpSession) -> Self {
        let tools = session.request("tools/list", json!({})).unwrap();
        let read = |tool: &Value| {
            json!({ "name": tool["name"], "description": tool["description"], "inputSchema": tool["inputSchema"] })
                .to_string()
                .len()
        };
        let bytes = tools["tools"].as_array().unwrap().iter().map(read).sum();
        Self { session, calls: 0, bytes }
    }

    fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let reply = self.session.call(tool, arguments).ok();
        self.calls += 1;
        self.bytes += reply.to_string().len();
        reply
    }

    #[track_caller]
    fn cost(&self, calls: usize, bytes: usize) {
        assert!(self.calls <= calls, "{} calls", self.calls);
        assert!(self.bytes <= bytes + bytes / 10, "{} bytes", self.bytes);
    }
}

#[test]
fn rate_limiting_from_wish_to_archive_costs_less_than_28_kilobytes() {
    let workspace = TestWorkspace::from_fixture(API);
    let mut agent = Counted::new(serve(&workspace, Era::Legacy));
    let start = agent.call("workspace_status", json!({}));
    assert_eq!(start["valid"], true, "{start}");
    let wish = "Add rate limiting to our API";
    let asked = agent.call("require_clarification", json!({ "user_intention": wish }));
    assert_eq!(asked["questions"][0]["id"], "rate_limit_scope", "{asked}");
    let told = json!({
        "rate_limit_scope": "Each user or API key",
        "rate_limit_amount": "100 a minute",
        "rate_limit_excess": "Refused with 429 and Retry-After",
        "acceptance_criteria": "When a key makes its 101st call in a minute, it is refused with 429",
    });
    let clarified = agent.call(
        "require_clarification",
        json!({ "user_intention": wish, "session_id": asked["session_id"], "answers": told }),
    );
    assert_eq!(clarified["status"], "completed", "{clarified}");
    let decision = clarified["artifacts_created"][0]["uid"].clone();
    let requirement =
        agent.call("get_requirement", json!({ "spec_id": "api", "requirement": "authentication" }));
    assert!(requirement["raw"].as_str().unwrap().contains("talk to Ann"));
    let created = agent.call(
        "change_create",
        json!({
            "change_id": "add-rate-limiting",
            "why": "One client can flood the interface and take it away from everybody else.",
            "what_changes": "- a limit for each key",
            "tasks": ["Count the calls of a key", "Refuse what is too much"],
            "decision": decision,
            "deltas": { "api": {
                "ADDED": [{
                    "name": "Rate limit",
                    "text": "The API SHALL refuse more than 100 calls of a key in a minute.",
                }],
                "add_scenarios": [{ "requirement": "Authentication", "scenarios": [{ "name": "Blocked key", "when": "a key is blocked", "then": "the call is refused with 403" }] }],
            } },
        }),
    );
    assert_eq!(created["validation"]["valid"], true, "{created}");
    assert!(created["next"].as_str().unwrap().contains("build_start"), "{created}");
    agent.call("build_start", json!({ "change_id": "add-rate-limiting", "plan_approved": true }));
    for step in ["1.1", "Refuse what is too much"] {
        agent.call("plan_step_complete", json!({ "spec_id": "add-rate-limiting", "step": step }));
    }
    agent.call(
        "build_complete",
        json!({ "spec_id": "change:add-rate-limiting", "summary": "Counts calls for each key." }),
    );
    let archived = agent.call("change_archive", json!({ "change_id": "add-rate-limiting" }));
    assert_eq!(archived["archived"], true);
    let spec = workspace.read("specs/api/spec.md");
    assert!(spec.contains("<!-- talk to Ann before this changes -->"), "{spec}");
    assert!(spec.contains("#### Scenario: Blocked key"), "{spec}");
    // What was said on acceptance is a scenario now.
    assert!(spec.contains("- **WHEN** a key makes its 101st call in a minute"), "{spec}");
    assert!(agent.bytes <= 28 * 1024, "{} bytes", agent.bytes);
    agent.cost(10, 25_800);
}

#[test]
fn a_change_to_a_copy_of_openspec_touches_only_what_it_means_to() {
    let workspace = TestWorkspace::from_fixture(
        "\
//- openspec/specs/cli-archive/spec.md
# cli-archive Specification

## Purpose

How the command line puts a finished change into the specs of a project.

## Requirements

### Requirement: Confirmation
The command SHALL ask before it writes.

#### Scenario: Confirmed
- **WHEN** the user confirms
- **THEN** the specs are written

#### Scenario: Declined
- **WHEN** the user declines
- **AND** nothing was written yet
- **THEN** nothing is written
",
    );
    let before = workspace.read("openspec/specs/cli-archive/spec.md");
    let mut agent = Counted::new(serve(&workspace, Era::Legacy));
    let requirement =
        agent.call("get_requirement", json!({ "spec_id": "cli-archive", "requirement": "Confirmation" }));
    // What was read is sent back with one scenario more, and nothing else shows as changed.
    let mut scenarios = requirement["scenarios"].as_array().unwrap().clone();
    scenarios
        .push(json!({ "name": "No terminal", "when": "there is no terminal", "then": ["it needs --yes"] }));
    let mut modified = requirement.clone();
    modified["scenarios"] = json!(scenarios);
    modified.as_object_mut().unwrap().remove("raw");
    let created = agent.call(
        "change_create",
        json!({
            "change_id": "ask-without-terminal",
            "why": "Scripts hang for ever because the question goes to nobody who could answer.",
            "what_changes": "- a flag in place of the question",
            "tasks": ["Add --yes"],
            "deltas": { "cli-archive": { "modified": [modified] } },
        }),
    );
    assert_eq!(created["validation"]["valid"], true, "{created}");
    let diff = agent.call("change_diff", json!({ "change_id": "ask-without-terminal" }));
    assert_eq!(diff["differences"].as_array().unwrap().len(), 1, "{diff}");
    // The same once more changes no byte.
    let shown = agent.call("get_change", json!({ "change_id": "ask-without-terminal", "section": "deltas" }));
    let same = agent
        .call("change_update", json!({ "change_id": "ask-without-terminal", "deltas": shown["deltas"] }));
    assert_eq!(same["updated"], false, "{same}");
    agent.call("plan_step_complete", json!({ "change_id": "ask-without-terminal", "step": 1 }));
    agent.call("change_archive", json!({ "change_id": "ask-without-terminal" }));
    let after = workspace.read("openspec/specs/cli-archive/spec.md");
    assert!(after.starts_with(before.trim_end()), "{after}");
    agent.cost(7, 21_000);
}

#[test]
fn a_specman_repository_is_offered_its_graph_and_says_where_other_tools_are() {
    let workspace = TestWorkspace::from_fixture(
        "\
//- .specman/templates/README.md
templates
//- spec/core/spec.md
---
name: core
version: \"1.0.0\"
---

# Core
//- spec/parser/spec.md
---
name: parser
version: \"1.0.0\"
dependencies:
  - ref: ../core/spec.md
---

# Parser
//- impl/parser/impl.md
---
spec: ../../spec/parser/spec.md
name: parser
version: \"0.1.0\"
location: ../../src
---

# Parser
",
    );
    let mut agent = Counted::new(serve_with(&workspace, Era::Legacy, &[]));
    let listed = agent.call("specman_workspace_list_artifacts", json!({}));
    assert!(listed.to_string().contains("spec://parser"), "{listed}");
    agent.call("specman_dependency_tree", json!({ "locator": "spec://parser" }));
    let elsewhere =
        agent.session.request("tools/call", json!({ "name": "change_create", "arguments": {} })).unwrap_err();
    let told = format!("{elsewhere:?}");
    assert!(told.contains("`specs`") && told.contains("--toolsets"), "{told}");
    agent.cost(2, 19_000);
    let mut workflow = serve_with(&workspace, Era::Legacy, &["--toolsets", "workflow"]);
    let standing = workflow.call("spec_check_dependencies", json!({ "spec_id": "parser" })).ok();
    assert_eq!(standing["all_satisfied"], true, "{standing}");
    assert_eq!(standing["dependencies"][0]["spec_id"], "core", "{standing}");
}

#[test]
fn every_fault_of_a_change_is_told_at_once_with_its_pointer() {
    let workspace = TestWorkspace::from_fixture(API);
    let mut session = serve(&workspace, Era::Legacy);
    let error = session
        .call(
            "change_create",
            json!({ "change_id": "Add It", "why": " ", "what_changes": "x", "tasks": ["", "b"], "deltas": {
                "api": { "add_scenarios": [{ "requirement": "Autentication", "scenarios": [{ "name": "S", "when": "a", "then": "b" }] }] },
            } }),
        )
        .error();
    let faults = error["faults"].as_array().unwrap();
    assert!(faults.len() >= 4, "{error}");
    assert!(error.to_string().contains("did you mean `Authentication`?"), "{error}");
    assert!(!workspace.exists("changes"), "nothing was written");
}

#[test]
fn a_requirement_without_text_is_refused_beside_everything_else() {
    let workspace = TestWorkspace::from_fixture(API);
    let mut session = serve(&workspace, Era::Legacy);
    let mut refused = |deltas: Value| {
        let new = json!({ "change_id": "add-x", "why": "One client can flood the interface.", "what_changes": "- x", "tasks": ["Do"], "deltas": deltas });
        session.call("change_create", new).error()
    };
    let alone = refused(json!({ "api": { "ADDED": [{ "name": "Rate limit" }] } }));
    assert_eq!(alone["faults"][0]["pointer"], "/deltas/api/ADDED/0/text", "{alone}");
    assert!(alone["message"].as_str().unwrap().contains("`Rate limit` has no text"), "{alone}");
    assert!(alone["hint"].as_str().unwrap().contains("SHALL"), "{alone}");
    let several = refused(json!({ "api": { "ADDED": [{ "name": "Rate limit" }, { "text": "It SHALL." }] } }));
    let pointers: Vec<&str> = several["faults"]
        .as_array()
        .unwrap()
        .iter()
        .map(|fault| fault["pointer"].as_str().unwrap())
        .collect();
    assert_eq!(pointers, ["/deltas/api/ADDED/1/name", "/deltas/api/ADDED/0/text"], "{several}");
    assert!(!workspace.exists("changes"), "nothing was written");
}

#[test]
fn a_change_is_withdrawn_and_stays_readable() {
    let workspace = TestWorkspace::from_fixture(API);
    let mut session = serve(&workspace, Era::Legacy);
    let quick = session
        .call("change_create", json!({ "change_id": "fix-typo-in-log", "why": "The log of the limiter says the wrong word in three places.", "what_changes": "- the word", "tasks": ["Mend it"] }))
        .ok();
    assert_eq!(quick["validation"]["valid"], true, "{quick}");
    assert!(quick["next"].as_str().unwrap().starts_with("quick lane"), "{quick}");
    let gone = session
        .call("change_withdraw", json!({ "change_id": "fix-typo-in-log", "reason": "somebody did it" }))
        .ok();
    assert!(workspace.exists(&format!("{}proposal.md", gone["path"].as_str().unwrap())), "{gone}");
    let listed = session.call("list_changes", json!({ "include_archived": true })).ok();
    assert_eq!(listed["changes"][0]["archived"], true, "{listed}");
    let read = session.call("get_change", json!({ "change_id": "fix-typo-in-log" })).ok();
    assert!(read["proposal"]["text"].as_str().unwrap().contains("somebody did it"), "{read}");
    let kinds = session.call("spec_list", json!({ "kind": "living" })).ok();
    assert_eq!(kinds["specs"][0]["id"], "api", "{kinds}");
    assert_eq!(session.call("spec_list", json!({ "state": "draft" })).ok()["total"], 0);
}

#[test]
fn workspace_status_stays_within_its_bound_however_much_there_is() {
    let mut fixture = API.to_owned();
    for n in 0..60 {
        let title = "long words ".repeat(20);
        let _ = write!(
            fixture,
            "//- changes/change-number-{n:02}/proposal.md\n# Change: {title}\n\n## Why\n\nBecause.\n"
        );
    }
    let workspace = TestWorkspace::from_fixture(&fixture);
    let mut session = serve(&workspace, Era::Legacy);
    let status = session.call("workspace_status", json!({})).ok();
    assert!(status.to_string().chars().count() <= 4_000, "{}", status.to_string().len());
    assert!(!status["left_out"].as_array().unwrap().is_empty());
    assert_eq!(status["open_changes"], 60);
}
