//! `hewto change` and `hewto requirement`, as a person uses them.

use serde_json::json;

use crate::sandbox::Sandbox;

const SPEC: &str = "# auth Specification\n\n## Purpose\nLet people in and keep everybody else out, at all times.\n\n## Requirements\n\n\
    ### Requirement: Login\nThe system SHALL log in.\n\n#### Scenario: Good\n- **WHEN** it fits\n- **THEN** in\n\n\
    #### Scenario: Bad\n- **WHEN** it does not fit\n- **THEN** out\n";

fn modified(more: &str) -> String {
    let (_, login) = SPEC.split_once("### Requirement: Login").unwrap();
    format!("## MODIFIED Requirements\n\n### Requirement: Login{login}{more}")
}

fn scenario(name: &str) -> String {
    format!("\n#### Scenario: {name}\n- **WHEN** {name}\n- **THEN** it is so\n")
}

fn workspace() -> Sandbox {
    let sandbox = Sandbox::workspace();
    sandbox.write("specs/auth/spec.md", SPEC);
    sandbox
}

#[test]
fn a_change_goes_from_its_proposal_to_the_archive() {
    let sandbox = workspace();
    insta::assert_snapshot!(sandbox.run(&["change", "new", "add-lockout", "--why", "Because machines guess passwords all day long, and nobody stops them."]), @r"
    change  add-lockout
    folder  changes/add-lockout/
    next    write the deltas, then run `hewto change validate add-lockout`
    [exit 0]
    ");
    sandbox.write("changes/add-lockout/specs/auth/spec.md", &modified(&scenario("Locked")));
    insta::assert_snapshot!(sandbox.run(&["change", "validate", "add-lockout"]), @r"
    1 change valid: 0 errors, 0 warnings
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.run(&["change", "diff", "add-lockout"]), @r"
    auth
      Requirement Login: scenario Locked added
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.run(&["change", "list"]), @r"
    ID           TASKS  SPECS  TITLE
    add-lockout  0/0    auth   add lockout
    1 open change
    [exit 0]
    ");
    sandbox.ok(&["change", "archive", "add-lockout"]);
    assert_eq!(sandbox.read("specs/auth/spec.md"), format!("{SPEC}{}", scenario("Locked")));
}

#[test]
fn a_new_change_can_be_planned_though_it_has_a_place_for_tasks() {
    let sandbox = workspace();
    sandbox.ok(&["change", "new", "c"]);
    sandbox.ok(&["plan", "new", "change:c", "--approach", "Straight on", "--step", "First: do it"]);
    assert!(sandbox.read("changes/c/tasks.md").contains("1.1 First"));
    let again = sandbox.output(&["plan", "new", "change:c", "--approach", "x", "--step", "A: b"]);
    assert_eq!(again.status.code(), Some(1));
}

#[test]
fn every_reason_of_a_refusal_is_told_with_what_to_do() {
    let sandbox = workspace();
    sandbox.write("changes/c/proposal.md", "## Why\nx\n## What Changes\ny\n");
    sandbox.write(
        "changes/c/specs/auth/spec.md",
        "## MODIFIED Requirements\n\n### Requirement: Login\nThe system SHALL.\n\n#### Scenario: Good\n- **WHEN** w\n- **THEN** t\n\n\
         ### Requirement: Nope\nThe system SHALL.\n\n#### Scenario: S\n- **WHEN** w\n- **THEN** t\n",
    );
    insta::assert_snapshot!(sandbox.run(&["change", "archive", "c", "--yes"]), @r"
    [stderr]
    ✗ auth / Login / Bad: scenario `Bad` of the spec is not in the change, and it is not known that this is on purpose
        hint: copy `#### Scenario: Bad` from the spec into the modified requirement or, if it is to go, run `hewto change validate c --rebase`
    ✗ auth / Nope: requirement `Nope` is to be modified, but it is not in the spec
        hint: add it under ADDED, or archive the change that adds it first
    error: `c` cannot be archived: scenario `Bad` of the spec is not in the change, and it is not known that this is on purpose (and 1 more)
    hint: correct all of them; nothing was written
    [exit 1]
    ");
}

// @spec specs#the-archive-loses-no-scenario/a-conflict-that-was-resolved
#[test]
fn a_conflict_is_resolved_by_taking_over_and_rebasing() {
    let sandbox = workspace();
    sandbox
        .write("changes/c/specs/auth/spec.md", &modified("").replace("**THEN** in", "**THEN** in at once"));
    sandbox.output(&["change", "validate", "c"]);
    sandbox.write("specs/auth/spec.md", &SPEC.replace("**THEN** in", "**THEN** in and greeted"));
    let refused = sandbox.run(&["change", "archive", "c", "--yes"]);
    assert!(
        refused.contains("scenario `Good` was changed in the spec and differently in the change"),
        "{refused}"
    );
    assert!(refused.contains("then run `hewto change validate c --rebase`"), "{refused}");
    sandbox.write(
        "changes/c/specs/auth/spec.md",
        &modified("").replace("**THEN** in", "**THEN** in and greeted at once"),
    );
    sandbox.output(&["change", "validate", "c", "--rebase"]);
    sandbox.ok(&["change", "archive", "c", "--yes"]);
    assert!(sandbox.read("specs/auth/spec.md").contains("in and greeted at once"));
}

// @spec specs#the-archive-loses-no-scenario/two-changes-to-the-same-scenario
#[test]
fn the_second_change_to_one_scenario_is_refused_with_its_names() {
    let sandbox = workspace();
    for (id, then) in [("one", "in at once"), ("two", "in and greeted")] {
        let delta = modified("").replace("**THEN** in", &format!("**THEN** {then}"));
        sandbox.write(&format!("changes/{id}/specs/auth/spec.md"), &delta);
        sandbox.output(&["change", "validate", id]);
    }
    sandbox.ok(&["change", "archive", "one", "--yes"]);
    let before = sandbox.read("specs/auth/spec.md");
    let refused = sandbox.output(&["change", "archive", "two", "--yes", "--json"]);
    assert_eq!(refused.status.code(), Some(1));
    let refused: serde_json::Value = serde_json::from_slice(&refused.stdout).unwrap();
    assert_eq!(refused["error"], "archive_refused");
    let fault = &refused["errors"][0];
    assert_eq!((&fault["requirement"], &fault["scenario"]), (&json!("Login"), &json!("Good")), "{refused}");
    assert_eq!(sandbox.read("specs/auth/spec.md"), before);
}

#[test]
fn two_changes_to_one_requirement_overlap_and_lose_nothing() {
    let sandbox = workspace();
    for (id, name) in [("one", "First"), ("two", "Second")] {
        sandbox.write(&format!("changes/{id}/specs/auth/spec.md"), &modified(&scenario(name)));
        sandbox.output(&["change", "validate", id]);
    }
    let overlaps = sandbox.json(&["change", "overlaps"]);
    assert_eq!(overlaps["overlaps"][0]["capability"], json!("auth"));
    assert_eq!(overlaps["overlaps"][0]["requirement"], json!("Login"));
    assert_eq!(overlaps["overlaps"][0]["changes"], json!(["one", "two"]));
    for id in ["two", "one"] {
        sandbox.ok(&["change", "archive", id, "--yes"]);
    }
    let spec = sandbox.read("specs/auth/spec.md");
    assert_eq!(spec, format!("{SPEC}{}{}", scenario("Second"), scenario("First")));
}

#[test]
fn a_dry_run_answers_with_the_diff_and_writes_nothing() {
    let sandbox = workspace();
    sandbox.write("changes/c/specs/auth/spec.md", "## REMOVED Requirements\n- `### Requirement: Nothing`\n\n## ADDED Requirements\n\n### Requirement: New\nIt SHALL.\n\n#### Scenario: S\n- **WHEN** w\n- **THEN** t\n");
    let view = sandbox.json(&["change", "archive", "c", "--dry-run"]);
    assert!(view["diff"].as_str().unwrap().contains("+### Requirement: New"), "{view}");
    assert_eq!(sandbox.read("specs/auth/spec.md"), SPEC);
    let verdict = sandbox.run(&["change", "validate", "c"]);
    assert!(
        verdict.contains(
            "requirement `Nothing` is not in the spec; there is nothing to remove [removal-absent]"
        ),
        "{verdict}"
    );
}

#[test]
fn a_capability_is_retired_by_following_the_hints() {
    let sandbox = workspace();
    sandbox.write(
        "changes/c/specs/auth/spec.md",
        "## REMOVED Requirements\n\n### Requirement: Login\n**Reason**: gone\n",
    );
    let refused = sandbox.run(&["change", "archive", "c", "--yes"]);
    assert!(
        refused.contains("write `schema: spec-driven` and `retire_capabilities: true` into"),
        "{refused}"
    );
    sandbox.write("changes/c/.openspec.yaml", "retire_capabilities: true\n");
    let refused = sandbox.run(&["change", "archive", "c", "--yes"]);
    assert!(refused.contains("`retire_capabilities` has no effect: `schema` is missing"), "{refused}");
    assert!(refused.contains("add the line `schema: spec-driven`"), "{refused}");
    sandbox.write("changes/c/.openspec.yaml", "schema: spec-driven\nretire_capabilities: true\n");
    sandbox.ok(&["change", "archive", "c", "--yes"]);
    assert!(!sandbox.project().join("specs/auth/spec.md").exists());
}
