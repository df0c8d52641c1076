//! `hewto` alone.

use rustix::process::{Pid, Signal, kill_process};

use crate::sandbox::{Sandbox, Terminal};

#[test]
fn outside_a_workspace_three_lines_say_how_to_begin() {
    let sandbox = Sandbox::empty();
    insta::assert_snapshot!(sandbox.run(&[]), @r"
    no workspace at or above: [DIR]/project
    hewto demo  shows in a throw-away folder what hewto does
    hewto init  makes this folder a workspace and connects the agents in use
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.run(&["--json"]), @r#"
    {
      "root": null,
      "hint": "run `hewto init` in the folder that should become the workspace"
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
    no problems found
    note: plans are approved by an argument that agents give themselves; `hewto gate plan terminal` makes it a person's word
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
    insta::assert_snapshot!(sandbox.run(&[]), @r"
    [DIR]/project
    3 specs: 1 active, 2 draft
    no problems found
    note: plans are approved by an argument that agents give themselves; `hewto gate plan terminal` makes it a person's word

    ready next
      1700000000-account-store     Account store     make a plan: hewto plan new 1700000000-account-store     it has no plan yet and nothing blocks it
      1700000000-cancel-a-booking  Cancel a booking  make a plan: hewto plan new 1700000000-cancel-a-booking  it has no plan yet and nothing blocks it

    waiting
      1700000000-book-a-table  Book a table  for 1700000000-account-store
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.run(&["--json"]), @r#"
    {
      "root": "[DIR]/project",
      "layout": [
        "native"
      ],
      "specs": {
        "total": 3,
        "living": 0,
        "draft": 2,
        "active": 1,
        "blocked": 0,
        "done": 0,
        "cancelled": 0,
        "archived": 0,
        "unreadable": 0
      },
      "health": {
        "specs": 3,
        "errors": 0,
        "warnings": 0,
        "infos": 3
      },
      "changes": [],
      "ready": [
        {
          "item": "1700000000-account-store",
          "title": "Account store",
          "next": "make a plan: hewto plan new 1700000000-account-store",
          "why": "it has no plan yet and nothing blocks it",
          "call": "hewto plan new 1700000000-account-store --approach \"…\" --step \"title: description\""
        },
        {
          "item": "1700000000-cancel-a-booking",
          "title": "Cancel a booking",
          "next": "make a plan: hewto plan new 1700000000-cancel-a-booking",
          "why": "it has no plan yet and nothing blocks it",
          "call": "hewto plan new 1700000000-cancel-a-booking --approach \"…\" --step \"title: description\""
        }
      ],
      "blocked": [
        {
          "item": "1700000000-book-a-table",
          "title": "Book a table",
          "by": [
            "1700000000-account-store"
          ]
        }
      ],
      "overlaps": [],
      "building": [],
      "notice": "plans are approved by an argument that agents give themselves; `hewto gate plan terminal` makes it a person's word"
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
    insta::assert_snapshot!(sandbox.run(&[]), @r"
    [DIR]/project
    3 specs: 2 draft, 1 unreadable
    2 errors, 0 warnings: hewto validate
    note: plans are approved by an argument that agents give themselves; `hewto gate plan terminal` makes it a person's word

    ready next
      1700000000-fine  Fine  make a plan: hewto plan new 1700000000-fine  it has no plan yet and nothing blocks it
    [exit 0]
    ");
}

#[test]
fn what_archive_would_refuse_is_not_offered_to_it() {
    let sandbox = Sandbox::empty();
    let purpose =
        "## Purpose\nLet people in and keep everybody else out, at all times.\n\n## Requirements\n\n";
    let login = "### Requirement: Login\nThe system SHALL log in.\n\n#### Scenario: Good\n- **WHEN** it fits\n- **THEN** in\n";
    sandbox.write("openspec/specs/auth/spec.md", &format!("# auth\n\n{purpose}{login}"));
    for (id, name) in [("fits", "Login"), ("misses", "Logout")] {
        let delta = format!("## MODIFIED Requirements\n\n{}", login.replace("Login", name));
        sandbox.write(&format!("openspec/changes/{id}/specs/auth/spec.md"), &delta);
        sandbox.write(&format!("openspec/changes/{id}/tasks.md"), "- [x] 1.1 Do it\n");
    }
    insta::assert_snapshot!(sandbox.run(&[]), @r"
    [DIR]/project
    1 spec: 1 living
    1 error, 0 warnings: hewto validate
    note: plans are approved by an argument that agents give themselves; `hewto gate plan terminal` makes it a person's word

    ready next
      change:fits    fits    archive it: hewto change archive fits     all its tasks are done
      change:misses  misses  correct it: hewto change validate misses  it has 1 error

    open changes
      fits    fits    1 of 1 tasks
      misses  misses  1 of 1 tasks
    [exit 0]
    ");
}

#[test]
fn the_live_picture_follows_the_size_of_its_terminal() {
    let sandbox = Sandbox::workspace();
    sandbox.spec("A title of many words that ends here", &[]);
    let mut terminal = Terminal::of_width(200, &sandbox, &["status", "--watch"]);
    let wide = terminal.until("ends here");
    assert!(!wide.contains('…'), "{wide}");
    terminal.resize(40);
    terminal.until("…");
    // Whoever starts the tests in the background may have told all of them to ignore an interrupt.
    kill_process(Pid::from_raw(terminal.pid().cast_signed()).unwrap(), Signal::TERM).unwrap();
    terminal.end();
}
