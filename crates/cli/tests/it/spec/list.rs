//! `hewto spec list`.

use crate::sandbox::Sandbox;

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
