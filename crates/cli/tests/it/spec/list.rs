//! `hewto spec list`.

use crate::sandbox::{Sandbox, Terminal};

#[test]
fn the_list_can_be_filtered_and_cut() {
    let sandbox = Sandbox::workspace();
    for (title, category) in [("A", "feature"), ("B", "docs"), ("C", "feature")] {
        sandbox.spec(title, &["--category", category]);
    }
    let list = sandbox.json(&["spec", "list"]);
    let second = list["specs"][1]["id"].as_str().unwrap();
    sandbox.ok(&["spec", "move", second, "active"]);
    insta::assert_snapshot!(sandbox.run(&["spec", "list", "--state", "active"]), @"
    ID            STATE   CATEGORY  TITLE
    1700000000-b  active  docs      B
    1 spec
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.run(&["spec", "list", "--category", "feature", "--limit", "1"]), @"
    ID            STATE  CATEGORY  TITLE
    1700000000-a  draft  feature   A
    1 of 2 specs
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.run(&["spec", "list", "--state", "archived"]), @"
    no specs
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.run(&["spec", "list", "--state", "active", "--json"]), @r#"
    {
      "specs": [
        {
          "id": "1700000000-b",
          "kind": "work",
          "title": "B",
          "state": "active",
          "category": "docs",
          "created_at": "[TIME]"
        }
      ],
      "total": 1,
      "remaining": 0
    }
    [exit 0]
    "#);
}

#[test]
fn a_list_longer_than_the_engines_page_is_shown_whole() {
    let sandbox = Sandbox::workspace();
    for number in 0..1_205 {
        sandbox.write(&format!("specs/spec-{number:04}/spec.md"), "# Written by hand\n");
    }
    let list = sandbox.json(&["spec", "list"]);
    assert_eq!(list["specs"].as_array().unwrap().len(), 1_205);
    assert_eq!((list["remaining"].as_u64(), list.get("next_cursor")), (Some(0), None));
    let cut = sandbox.json(&["spec", "list", "--limit", "1100"]);
    assert_eq!(cut["specs"].as_array().unwrap().len(), 1_100);
    assert_eq!(cut["remaining"], 105);
}

#[test]
fn a_broken_spec_is_listed_beside_the_others() {
    let sandbox = Sandbox::workspace();
    sandbox.spec("Fine", &[]);
    let torn = sandbox.spec("Torn", &[]);
    sandbox.write(&format!("specs/{torn}/state.toon"), "spec_id: x\nlifecycle: act");
    insta::assert_snapshot!(sandbox.run(&["spec", "list"]), @"
    ID               STATE       CATEGORY  TITLE
    1700000000-fine  draft       feature   Fine
    1700000000-torn  unreadable  feature   Torn
    2 specs
    1 spec has problems: run `hewto validate`
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.run(&["spec", "status", &torn]), @r"
    [stderr]
    error: cannot read the state at line 2: `specs/1700000000-torn/state.toon`: the state cannot be read: `lifecycle` is `act`, not one of `draft`, `active`, `done`, `blocked`, `cancelled`, `archived`
    hint: correct the file by hand, or run `hewto validate --fix`, which sets it aside and rebuilds it
    [exit 1]
    ");
}

#[test]
fn a_promise_that_holds_is_living_and_nothing_is_wrong_with_it() {
    let sandbox = Sandbox::workspace();
    sandbox.write(
        "specs/auth/spec.md",
        "# Auth\n\n## Purpose\n\nPeople sign in, so that what is theirs stays theirs alone.\n\n## Requirements\n\n### Requirement: Login\n\nIt SHALL let people in.\n\n#### Scenario: Right\n\n- **WHEN** the password is right\n- **THEN** a session begins\n",
    );
    insta::assert_snapshot!(sandbox.run(&["spec", "list"]), @"
    ID    STATE   CATEGORY  TITLE
    auth  living  -         Auth
    1 spec
    [exit 0]
    ");
    let status = sandbox.ok(&["spec", "status", "auth"]);
    assert!(status.contains("living") && !status.contains("draft"), "{status}");
    let shown = sandbox.ok(&["spec", "show", "auth"]);
    assert!(shown.contains("auth · living\n"), "{shown}");
}

#[test]
fn a_list_is_as_wide_as_the_terminal_and_whole_elsewhere() {
    let sandbox = Sandbox::workspace();
    sandbox.spec(&"a title that goes on ".repeat(10), &[]);
    let (shown, code) = Terminal::of_width(40, &sandbox, &["spec", "list"]).end();
    assert_eq!(code, Some(0), "{shown}");
    // An id that is wider has a line of its own, so that it can be copied.
    let fits = |line: &str| line.chars().count() <= 40 || !line.contains(' ');
    assert!(shown.contains('…') && shown.lines().all(|line| fits(line.trim_end())), "{shown}");
    assert!(!sandbox.ok(&["spec", "list"]).contains('…'));
}
