//! `hewto` alone.

use crate::sandbox::Sandbox;

#[test]
fn outside_a_workspace_three_lines_say_how_to_begin() {
    let sandbox = Sandbox::empty();
    insta::assert_snapshot!(sandbox.run(&[]), @"
    no workspace at or above: [DIR]/project
    hewto init makes this folder a workspace
    hewto demo shows the whole journey of a spec in a throw-away folder
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.run(&["--json"]), @r#"
    {
      "workspace": null,
      "total": 0,
      "states": [],
      "ready": [],
      "waiting": []
    }
    [exit 0]
    "#);
}

#[test]
fn in_an_empty_workspace_the_first_step_is_named() {
    let sandbox = Sandbox::workspace();
    insta::assert_snapshot!(sandbox.run(&[]), @r#"
    [DIR]/project
    no specs yet: hewto spec new "What is wanted" --description "…"
    [exit 0]
    "#);
}

#[test]
fn what_is_ready_and_what_waits_is_shown() {
    let sandbox = Sandbox::workspace();
    let store = sandbox.spec("Account store", &[]);
    sandbox.spec("Book a table", &["--depends", &format!("{store}:hard")]);
    let active = sandbox.spec("Cancel a booking", &["--depends", &store]);
    sandbox.ok(&["spec", "move", &active, "active"]);
    insta::assert_snapshot!(sandbox.run(&[]), @"
    [DIR]/project
    3 specs: 2 draft, 1 active

    ready next
      1700000000-cancel-a-booking  active  Cancel a booking
      1700000000-account-store     draft   Account store

    waiting
      1700000000-book-a-table  draft  Book a table (waits for 1700000000-account-store)
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.run(&["--json"]), @r#"
    {
      "workspace": "[DIR]/project",
      "total": 3,
      "states": [
        {
          "state": "draft",
          "specs": 2
        },
        {
          "state": "active",
          "specs": 1
        }
      ],
      "ready": [
        {
          "id": "1700000000-cancel-a-booking",
          "title": "Cancel a booking",
          "state": "active"
        },
        {
          "id": "1700000000-account-store",
          "title": "Account store",
          "state": "draft"
        }
      ],
      "waiting": [
        {
          "id": "1700000000-book-a-table",
          "title": "Book a table",
          "state": "draft",
          "blocking": [
            "1700000000-account-store"
          ]
        }
      ]
    }
    [exit 0]
    "#);
}

#[test]
fn what_cannot_be_read_is_counted_and_hides_nothing() {
    let sandbox = Sandbox::workspace();
    sandbox.spec("Fine", &[]);
    let broken = sandbox.spec("Torn", &[]);
    sandbox.write(&format!("specs/{broken}/state.toon"), "spec_id: x\nlifecycle: act");
    fs_err::create_dir(sandbox.project().join("specs/latin")).unwrap();
    fs_err::write(sandbox.project().join("specs/latin/spec.md"), b"# Gr\xf6\xdfe\n").unwrap();
    insta::assert_snapshot!(sandbox.run(&[]), @"
    [DIR]/project
    3 specs: 2 draft, 1 unreadable

    ready next
      1700000000-fine  draft  Fine
    [exit 0]
    ");
}
