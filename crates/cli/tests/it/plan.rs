//! `hewto plan`.

use crate::sandbox::Sandbox;

#[test]
fn a_plan_is_written_shown_and_ticked() {
    let sandbox = Sandbox::workspace();
    let id = sandbox.spec("Login", &[]);
    let new = [
        "plan",
        "new",
        &id,
        "--approach",
        "A form",
        "--step",
        "Form: as drawn",
        "--step",
        "Check: a hash: bcrypt",
    ];
    insta::assert_snapshot!(sandbox.run(&new), @"
    planned  1700000000-login
    steps    2
    file     specs/1700000000-login/plan.md
    next     hewto build start 1700000000-login --approve
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.run(&["plan", "done", &id, "1", "--notes", "with\ntwo lines"]), @"
    done  1. Form
    plan  1 of 2 steps (50 %)
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.run(&["plan", "show", &id]), @"
    1 of 2 steps done

    A form

    [x] 1  Form  (simple)
           as drawn
           with
           two lines
    [ ] 2  Check  (simple)
           a hash: bcrypt
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.run(&["plan", "show", &id, "--json"]), @r#"
    {
      "approach": "A form",
      "steps": [
        {
          "index": 0,
          "title": "Form",
          "description": "as drawn",
          "complexity": "simple",
          "status": "completed",
          "notes": "with\ntwo lines"
        },
        {
          "index": 1,
          "title": "Check",
          "description": "a hash: bcrypt",
          "complexity": "simple",
          "status": "pending",
          "notes": null
        }
      ]
    }
    [exit 0]
    "#);
    insta::assert_snapshot!(sandbox.run(&["plan", "done", &id, "2", "--json"]), @r#"
    {
      "spec_id": "1700000000-login",
      "step_index": 1,
      "step": "2",
      "step_title": "Check",
      "completed": true,
      "plan_progress": {
        "total_steps": 2,
        "completed_steps": 2,
        "percentage": 100
      },
      "evidence": "reported"
    }
    [exit 0]
    "#);
    insta::assert_snapshot!(sandbox.run(&["spec", "show", &id]), @"
    Login
    1700000000-login · draft · phase plan · feature

    What it is about

    plan  2 of 2 steps (100 %)

    ────
    # Login

    What it is about
    [exit 0]
    ");
}

#[test]
fn a_second_plan_an_unknown_step_and_a_missing_plan_are_refused() {
    let sandbox = Sandbox::workspace();
    let id = sandbox.planned_spec("Login", &[]);
    let bare = sandbox.spec("Other", &[]);
    insta::assert_snapshot!(sandbox.run(&["plan", "new", &id, "--approach", "x", "--step", "a: b"]), @r"
    [stderr]
    error: `1700000000-login` has a plan already: `specs/1700000000-login/plan.md`
    hint: run `hewto plan edit 1700000000-login`
    [exit 1]
    ");
    insta::assert_snapshot!(sandbox.run(&["plan", "done", &id, "3"]), @"
    [stderr]
    error: there is no step 3: the plan has 2
    hint: run `hewto plan show 1700000000-login` to see its steps
    [exit 2]
    ");
    insta::assert_snapshot!(sandbox.run(&["plan", "show", &bare]), @r#"
    [stderr]
    error: `1700000000-other` has no plan
    hint: run `hewto plan new 1700000000-other --approach "…" --step "title: description"`
    [exit 1]
    "#);
}

#[test]
fn a_plan_can_be_read_from_json() {
    let sandbox = Sandbox::workspace();
    let id = sandbox.spec("Login", &[]);
    let plan = r#"{"approach": "A form", "steps": [
        {"title": "Form", "description": "as drawn", "complexity": "complex"},
        {"title": "Check", "description": "the hash"}]}"#;
    insta::assert_snapshot!(sandbox.run_with_input(&["plan", "new", &id, "--from", "-", "--json"], plan), @r#"
    {
      "spec_id": "1700000000-login",
      "plan_created": true,
      "total_steps": 2,
      "path": "specs/1700000000-login/plan.md"
    }
    [exit 0]
    "#);
    insta::assert_snapshot!(sandbox.run(&["plan", "show", &id]), @"
    0 of 2 steps done

    A form

    [ ] 1  Form  (complex)
           as drawn
    [ ] 2  Check  (simple)
           the hash
    [exit 0]
    ");
}

#[test]
fn json_that_is_no_plan_is_wrong_usage() {
    let sandbox = Sandbox::workspace();
    let id = sandbox.spec("Login", &[]);
    for (text, expected) in [
        ("not json", "`plan.json` holds no plan: expected ident at line 1 column 2"),
        (r#"{"approach": "x"}"#, "`plan.json` holds no plan: missing field `steps` at line 1 column 17"),
        (r#"{"approach": "x", "steps": [], "extra": 1}"#, "unknown field `extra`"),
        (
            r#"{"approach": "x", "steps": [{"title": "a", "description": "b", "complexity": "huge"}]}"#,
            "the complexity of step 1 is not one of trivial, simple, moderate, complex",
        ),
    ] {
        sandbox.write("plan.json", text);
        let output = sandbox.output(&["plan", "new", &id, "--from", "plan.json"]);
        assert_eq!(output.status.code(), Some(2), "{text}");
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(stderr.contains(expected), "{stderr}");
    }
    let output = sandbox.output(&["plan", "new", &id, "--from", "plan.json", "--approach", "x"]);
    assert_eq!(output.status.code(), Some(2), "--from and --approach exclude each other");
    assert_eq!(sandbox.output(&["plan", "show", &id]).status.code(), Some(1), "nothing was written");
}
