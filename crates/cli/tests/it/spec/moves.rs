//! `hewto spec move` and `hewto spec deps`.

use crate::sandbox::Sandbox;

#[test]
fn moves_follow_the_lifecycle_and_keep_their_reason() {
    let sandbox = Sandbox::workspace();
    let id = sandbox.spec("Walk", &[]);
    insta::assert_snapshot!(sandbox.run(&["spec", "move", &id, "active"]), @r#"
    1700000000-walk  draft → active
    note: nobody has approved the plan of `1700000000-walk`
      hint: let a person review the plan, then run `hewto build start 1700000000-walk --approve`
    note: `1700000000-walk` has no plan
      hint: run `hewto plan new 1700000000-walk --approach "…" --step "title: description"`
    [exit 0]
    "#);
    insta::assert_snapshot!(sandbox.run(&["spec", "move", &id, "blocked", "--reason", "waits for legal"]), @"
    1700000000-walk  active → blocked
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.run(&["spec", "show", &id]), @"
    Walk
    1700000000-walk · blocked · phase spec · feature · waits for legal

    What it is about

    ────
    # Walk

    What it is about
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.run(&["spec", "move", &id, "done"]), @"
    [stderr]
    error: Cannot transition from 'blocked' to 'done'
    hint: from `blocked` it can go to `active`
    [exit 1]
    ");
    insta::assert_snapshot!(sandbox.run(&["spec", "move", &id, "done", "--json"]), @r#"
    {
      "error": "invalid_transition",
      "code": -32003,
      "message": "Cannot transition from 'blocked' to 'done'",
      "hint": "from `blocked` it can go to `active`",
      "valid_transitions": [
        "active"
      ]
    }
    [exit 1]
    "#);
    insta::assert_snapshot!(sandbox.run(&["spec", "move", &id, "active", "--json"]), @r#"
    {
      "spec_id": "1700000000-walk",
      "from_state": "blocked",
      "to_state": "active",
      "transitioned": true,
      "open": [
        {
          "key": "approval_pending",
          "message": "nobody has approved the plan of `1700000000-walk`",
          "hint": "let a person review the plan, then run `hewto build start 1700000000-walk --approve`"
        },
        {
          "key": "plan_not_found",
          "message": "`1700000000-walk` has no plan",
          "hint": "run `hewto plan new 1700000000-walk --approach \"…\" --step \"title: description\"`"
        }
      ]
    }
    [exit 0]
    "#);
}

#[test]
fn dependencies_can_be_set_and_removed_but_not_closed_into_a_circle() {
    let sandbox = Sandbox::workspace();
    let first = sandbox.spec("Aaa", &[]);
    let second = sandbox.spec("Bbb", &[]);
    insta::assert_snapshot!(sandbox.run(&["spec", "deps", &second, "--set", &format!("{first}:hard")]), @"
      open  hard  draft  1700000000-aaa
    1 dependency blocking a build
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.run(&["spec", "deps", &first, "--set", &second]), @"
    [stderr]
    error: this closes a circle: 1700000000-aaa → 1700000000-bbb → 1700000000-aaa
    hint: leave out one of the dependencies in the chain
    [exit 1]
    ");
    insta::assert_snapshot!(sandbox.run(&["spec", "deps", &second, "--json"]), @r#"
    {
      "spec_id": "1700000000-bbb",
      "all_satisfied": false,
      "dependencies": [
        {
          "spec_id": "1700000000-aaa",
          "kind": "hard",
          "state": "draft",
          "satisfied": false
        }
      ],
      "blocking": [
        "1700000000-aaa"
      ]
    }
    [exit 0]
    "#);
    insta::assert_snapshot!(sandbox.run(&["spec", "deps", &second, "--set", ""]), @"
    no dependencies
    [exit 0]
    ");
}
