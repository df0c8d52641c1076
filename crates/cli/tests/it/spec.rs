//! `hewto spec`.

mod list;
mod moves;

use crate::sandbox::Sandbox;

#[test]
fn a_new_spec_is_a_draft_with_the_next_command() {
    let sandbox = Sandbox::workspace();
    insta::assert_snapshot!(sandbox.run(&["spec", "new", "User login", "--description", "Customers log in"]), @r#"
    created  1700000000-user-login
    folder   specs/1700000000-user-login/
    next     hewto plan new 1700000000-user-login --approach "…" --step "title: description"
    [exit 0]
    "#);
    insta::assert_snapshot!(sandbox.run(&["spec", "list"]), @"
    ID                     STATE  CATEGORY  TITLE
    1700000000-user-login  draft  feature   User login
    1 spec
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.run(&["validate"]), @"
    INFO (1)
      specs/1700000000-user-login/spec.md:1: the spec has no requirements [requirements-absent]
        hint: add `## Purpose` and `## Requirements`

    Status: PASSED | Specs: 1 | Errors: 0 | Warnings: 0 | Info: 1
    [exit 0]
    ");
}

#[test]
fn new_takes_category_content_and_dependencies() {
    let sandbox = Sandbox::workspace();
    let hard = sandbox.spec("Account store", &["--category", "refactor"]);
    let soft = sandbox.spec("Branding", &["--category", "docs"]);
    sandbox.write("body.md", "# Login\n\nThe system SHALL let customers log in.\n");
    let id = sandbox.spec(
        "Customer login",
        &[
            "--category",
            "feature",
            "--content",
            "body.md",
            "--depends",
            &format!("{hard}:hard"),
            "--depends",
            &soft,
        ],
    );
    insta::assert_snapshot!(sandbox.run(&["spec", "list"]), @"
    ID                         STATE  CATEGORY  TITLE
    1700000000-account-store   draft  refactor  Account store
    1700000000-branding        draft  docs      Branding
    1700000000-customer-login  draft  feature   Customer login
    3 specs
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.run(&["spec", "show", &id]), @"
    Customer login
    1700000000-customer-login · draft · phase spec · feature

    What it is about

    depends on
      open  hard  draft  1700000000-account-store
      open  soft  draft  1700000000-branding

    ────
    # Login

    The system SHALL let customers log in.
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.run(&["spec", "deps", &id]), @"
      open  hard  draft  1700000000-account-store
      open  soft  draft  1700000000-branding
    1 dependency blocking a build
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.run(&["spec", "status", &id]), @"
    spec     1700000000-customer-login
    title    Customer login
    state    draft
    phase    spec
    plan     none
    build    0 %
    depends  0 of 2 satisfied, 1 blocking
    updated  [TIME]
    [exit 0]
    ");
}

#[test]
fn content_can_come_from_standard_input() {
    let sandbox = Sandbox::workspace();
    let args = ["spec", "new", "Piped", "--description", "x", "--content", "-", "--json"];
    sandbox.run_with_input(&args, "# From a pipe\n\nwith *text*\n");
    let list = sandbox.json(&["spec", "list"]);
    let shown = sandbox.ok(&["spec", "show", list["specs"][0]["id"].as_str().unwrap()]);
    assert!(shown.contains("# From a pipe\n\nwith *text*\n"), "{shown}");
}

#[test]
fn content_that_is_no_file_or_no_text_is_wrong_usage_and_writes_nothing() {
    let sandbox = Sandbox::workspace();
    fs_err::write(sandbox.project().join("binary"), [0xff, 0xfe, 0x00]).unwrap();
    let new = ["spec", "new", "x", "--description", "x", "--content"];
    insta::assert_snapshot!(sandbox.run(&[&new[..], &["missing.md"]].concat()), @"
    [stderr]
    error: failed to open file `missing.md`: No such file or directory (os error 2)
    [exit 2]
    ");
    insta::assert_snapshot!(sandbox.run(&[&new[..], &["binary"]].concat()), @"
    [stderr]
    error: `binary` is not UTF-8 text
    [exit 2]
    ");
    assert_eq!(sandbox.json(&["spec", "list"])["total"], 0);
}

#[test]
fn a_title_or_dependency_that_cannot_be_is_refused() {
    let sandbox = Sandbox::workspace();
    insta::assert_snapshot!(sandbox.run(&["spec", "new", "  ", "--description", "x"]), @"
    [stderr]
    error: `title` is blank
    hint: say something in `title`
    [exit 1]
    ");
    insta::assert_snapshot!(sandbox.run(&["spec", "new", "x", "--description", "x", "--depends", "1-none:hard"]), @r"
    [stderr]
    error: no spec named `1-none`
    hint: run `hewto spec list` to see the ids
    [exit 1]
    ");
    insta::assert_snapshot!(sandbox.run(&["spec", "new", "x", "--description", "x", "--depends", "../x"]), @r"
    [stderr]
    error: `../x` is not an id: an id cannot have empty, `.` or `..` segments
    hint: run `hewto spec list` to see the ids
    [exit 2]
    ");
    assert_eq!(sandbox.json(&["spec", "list"])["total"], 0);
}

#[test]
fn unknown_and_malformed_ids_say_what_to_do() {
    let sandbox = Sandbox::workspace();
    let id = sandbox.spec("User login", &[]);
    let typo = id.replace("login", "logn");
    insta::assert_snapshot!(sandbox.run(&["spec", "show", &typo]), @"
    [stderr]
    error: no spec named `1700000000-user-logn`
    hint: did you mean `1700000000-user-login`?
    [exit 1]
    ");
    insta::assert_snapshot!(sandbox.run(&["spec", "status", "quite-different"]), @r"
    [stderr]
    error: no spec named `quite-different`
    hint: run `hewto spec list` to see the ids
    [exit 1]
    ");
    insta::assert_snapshot!(sandbox.run(&["spec", "deps", "../../etc"]), @r"
    [stderr]
    error: `../../etc` is not an id: an id cannot have empty, `.` or `..` segments
    hint: run `hewto spec list` to see the ids
    [exit 2]
    ");
    insta::assert_snapshot!(sandbox.run(&["spec", "show", "quite-different", "--json"]), @r#"
    {
      "error": "spec_not_found",
      "code": -32001,
      "message": "no spec named `quite-different`",
      "hint": "run `hewto spec list` to see the ids",
      "spec_id": "quite-different"
    }
    [exit 1]
    "#);
}

#[test]
fn json_answers_are_the_views_themselves() {
    let sandbox = Sandbox::workspace();
    let other = sandbox.spec("Another", &[]);
    let new = ["spec", "new", "Shape", "--description", "d", "--depends", &other, "--json"];
    insta::assert_snapshot!(sandbox.run(&new), @r#"
    {
      "spec_id": "1700000000-shape",
      "created": true,
      "path": "specs/1700000000-shape/"
    }
    [exit 0]
    "#);
    let list = sandbox.json(&["spec", "list"]);
    let id = list["specs"][1]["id"].as_str().unwrap();
    insta::assert_snapshot!(sandbox.run(&["spec", "show", id, "--json"]), @r##"
    {
      "id": "1700000000-shape",
      "spec": {
        "metadata": {
          "title": "Shape",
          "description": "d",
          "category": "feature",
          "state": "draft",
          "dependencies": [
            {
              "spec_id": "1700000000-another",
              "kind": "soft"
            }
          ],
          "created_at": "[TIME]",
          "updated_at": "[TIME]"
        },
        "content": "# Shape\n\nd\n"
      },
      "plan": null,
      "plan_progress": null,
      "state": {
        "lifecycle": "draft",
        "phase": "spec",
        "build_progress": {
          "percentage": 0,
          "current_step": null,
          "notes": null
        },
        "reason": null,
        "summary": null,
        "deviations": null,
        "completed_at": null,
        "updated_at": "[TIME]"
      }
    }
    [exit 0]
    "##);
    insta::assert_snapshot!(sandbox.run(&["spec", "status", id, "--json"]), @r#"
    {
      "spec_id": "1700000000-shape",
      "kind": "work",
      "title": "Shape",
      "lifecycle_state": "draft",
      "phase": "spec",
      "plan_progress": null,
      "build_progress": {
        "percentage": 0,
        "current_step": null,
        "notes": null
      },
      "dependencies": {
        "total": 1,
        "satisfied": 0,
        "blocked": 0
      },
      "updated_at": "[TIME]"
    }
    [exit 0]
    "#);
}

#[test]
fn a_spec_written_by_hand_can_be_shown() {
    let sandbox = Sandbox::workspace();
    sandbox.write("specs/billing/invoices/spec.md", "# Invoices\n\nThe system SHALL number invoices.\n");
    insta::assert_snapshot!(sandbox.run(&["spec", "show", "billing/invoices"]), @"
    Invoices
    billing/invoices · draft · phase spec

    ────
    # Invoices

    The system SHALL number invoices.
    [exit 0]
    ");
}
