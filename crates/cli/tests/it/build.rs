//! `hewto build`.

use crate::sandbox::Sandbox;

#[test]
fn a_build_goes_from_the_approved_plan_to_done() {
    let sandbox = Sandbox::workspace();
    let id = sandbox.planned_spec("Login", &[]);
    insta::assert_snapshot!(sandbox.run(&["build", "start", &id, "--approve"]), @"
    building  1700000000-login
    steps     2
    next      hewto plan done 1700000000-login 1
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.run(&["build", "update", &id, "--percent", "40", "--step", "First", "--notes", "slow"]), @"
    building  1700000000-login
    progress  40 %: First
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.run(&["spec", "status", &id]), @"
    spec     1700000000-login
    title    Login
    state    active
    phase    build
    plan     0 of 2 steps (0 %)
    build    40 %: First
    notes    slow
    depends  none
    updated  [TIME]
    [exit 0]
    ");
    sandbox.ok(&["plan", "done", &id, "1"]);
    insta::assert_snapshot!(sandbox.run(&["build", "done", &id, "--summary", "It works", "--deviations", "none"]), @"
    done  1700000000-login
    at    [TIME]
    plan  1 step of the plan still open
    not proven: no check is declared; `hewto proof init` declares those that fit
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.run(&["spec", "show", &id]), @"
    Login
    1700000000-login · done · phase build · feature

    What it is about

    plan        1 of 2 steps (50 %)
    build       100 %: First
    summary     It works
    deviations  none

    ────
    # Login

    What it is about
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.run(&["validate", "--strict"]), @"
    INFO (1)
      specs/1700000000-login/spec.md:1: the spec has no requirements [requirements-absent]
        hint: add `## Purpose` and `## Requirements`

    Status: PASSED | Specs: 1 | Errors: 0 | Warnings: 0 | Info: 1
    [exit 0]
    ");
}

#[test]
fn a_build_that_may_not_start_says_why() {
    let sandbox = Sandbox::workspace();
    let store = sandbox.spec("Account store", &[]);
    let id = sandbox.planned_spec("Login", &["--depends", &format!("{store}:hard")]);
    insta::assert_snapshot!(sandbox.run(&["build", "start", &store, "--approve"]), @r#"
    [stderr]
    error: `1700000000-account-store` has no plan
    hint: run `hewto plan new 1700000000-account-store --approach "…" --step "title: description"`
    [exit 1]
    "#);
    insta::assert_snapshot!(sandbox.run(&["build", "start", &id]), @r"
    [stderr]
    error: the plan of `1700000000-login` has not been approved
    hint: let a person review the plan, then run `hewto build start 1700000000-login --approve`
    [exit 1]
    ");
    insta::assert_snapshot!(sandbox.run(&["build", "start", &id, "--approve"]), @r"
    [stderr]
    error: `1700000000-login` waits for `1700000000-account-store`
    hint: finish these first, or run `hewto spec deps 1700000000-login --set ID:soft` and make the dependency soft
    [exit 1]
    ");
    insta::assert_snapshot!(sandbox.run(&["build", "start", &id, "--approve", "--json"]), @r#"
    {
      "error": "dependency_not_satisfied",
      "code": -32004,
      "message": "`1700000000-login` waits for `1700000000-account-store`",
      "hint": "finish these first, or run `hewto spec deps 1700000000-login --set ID:soft` and make the dependency soft",
      "blocking": [
        "1700000000-account-store"
      ]
    }
    [exit 1]
    "#);
    insta::assert_snapshot!(sandbox.run(&["build", "update", &id, "--percent", "1"]), @r"
    [stderr]
    error: the build of `1700000000-login` has not been started
    hint: run `hewto build start 1700000000-login --approve` first
    [exit 1]
    ");
    insta::assert_snapshot!(sandbox.run(&["build", "done", &id, "--summary", "x"]), @"
    [stderr]
    error: Cannot transition from 'draft' to 'done'
    hint: from `draft` it can go to `active`
    [exit 1]
    ");
}

#[test]
fn json_answers_are_the_views_themselves() {
    let sandbox = Sandbox::workspace();
    let id = sandbox.planned_spec("Login", &[]);
    insta::assert_snapshot!(sandbox.run(&["build", "start", &id, "--approve", "--json"]), @r#"
    {
      "spec_id": "1700000000-login",
      "build_started": true,
      "phase": "build",
      "plan_steps": 2,
      "notice": "plans are approved by an argument that agents give themselves; `hewto gate plan terminal` makes it a person's word"
    }
    [exit 0]
    "#);
    insta::assert_snapshot!(sandbox.run(&["build", "update", &id, "--percent", "50", "--json"]), @r#"
    {
      "spec_id": "1700000000-login",
      "updated": true,
      "build_progress": {
        "percentage": 50,
        "current_step": null,
        "notes": null
      },
      "updated_at": "[TIME]"
    }
    [exit 0]
    "#);
    insta::assert_snapshot!(sandbox.run(&["build", "done", &id, "--summary", "s", "--json"]), @r#"
    {
      "spec_id": "1700000000-login",
      "build_completed": true,
      "lifecycle_state": "done",
      "completed_at": "[TIME]",
      "open_steps": 2,
      "lacking": [
        {
          "state": "not_run",
          "reason": "no check is declared; `hewto proof init` declares those that fit"
        }
      ],
      "open": [
        {
          "key": "steps_open",
          "message": "2 steps of `1700000000-login` are open: `First`, `Second`",
          "hint": "run `hewto plan done 1700000000-login STEP` for each, or drop those that will not be done: run `hewto build done 1700000000-login --summary \"…\" --drop \"STEP=why\"`"
        }
      ]
    }
    [exit 0]
    "#);
}
