//! `hewto validate`.

use crate::sandbox::Sandbox;

#[test]
fn a_new_spec_is_valid() {
    let sandbox = Sandbox::workspace();
    sandbox.spec("Fine", &[]);
    insta::assert_snapshot!(sandbox.run(&["validate"]), @"
    INFO (1)
      specs/1700000000-fine/spec.md:1: the spec has no requirements [requirements-absent]
        hint: add `## Purpose` and `## Requirements`

    Status: PASSED | Specs: 1 | Errors: 0 | Warnings: 0 | Info: 1
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.run(&["validate", "--json"]), @r#"
    {
      "valid": true,
      "issues": [
        {
          "code": "requirements-absent",
          "severity": "info",
          "file": "specs/1700000000-fine/spec.md",
          "line": 1,
          "message": "the spec has no requirements",
          "hint": "add `## Purpose` and `## Requirements`"
        }
      ],
      "summary": {
        "specs": 1,
        "errors": 0,
        "warnings": 0,
        "infos": 1
      }
    }
    [exit 0]
    "#);
}

#[test]
fn errors_are_listed_and_the_answer_is_no() {
    let sandbox = Sandbox::workspace();
    sandbox.write("specs/broken/spec.md", "---\ntitle: [unclosed\n---\n\nText\n");
    let output = sandbox.output(&["validate"]);
    insta::assert_snapshot!(crate::sandbox::whole(&output), @"
    ERRORS (1)
      specs/broken/spec.md:2: the front matter is not valid YAML: unclosed bracket '[' [front-matter-invalid]
        hint: correct the YAML between the `---` lines; quote values that hold `: ` or ` #`

    INFO (1)
      specs/broken/spec.md:1: the spec has no requirements [requirements-absent]
        hint: add `## Purpose` and `## Requirements`

    Status: FAILED | Specs: 1 | Errors: 1 | Warnings: 0 | Info: 1
    [exit 1]
    ");
    assert_eq!(output.status.code(), Some(1));
    let json = sandbox.output(&["validate", "--json"]);
    assert_eq!(json.status.code(), Some(1));
    let report: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(report["valid"], false);
    let issue = report["issues"][0].as_object().unwrap();
    let keys: Vec<&str> = issue.keys().map(String::as_str).collect();
    assert_eq!(keys, ["code", "severity", "file", "line", "message", "hint"]);
}

#[test]
fn information_of_one_kind_is_told_once() {
    let sandbox = Sandbox::workspace();
    for title in ["Aaa", "Bbb", "Ccc"] {
        sandbox.spec(title, &[]);
    }
    insta::assert_snapshot!(sandbox.run(&["validate"]), @"
    INFO (3)
      specs/1700000000-aaa/spec.md:1: the spec has no requirements [requirements-absent]
        hint: add `## Purpose` and `## Requirements`
        and 2 more like this

    Status: PASSED | Specs: 3 | Errors: 0 | Warnings: 0 | Info: 3
    [exit 0]
    ");
}

#[test]
fn warnings_count_only_when_strict() {
    let sandbox = Sandbox::workspace();
    let id = sandbox.spec("Unfinished", &[]);
    let path = format!("specs/{id}/spec.md");
    let text = sandbox.read(&path).replace("description: What it is about", "description: \"\"");
    sandbox.write(&path, &text);
    insta::assert_snapshot!(sandbox.run(&["validate"]), @"
    WARNINGS (1)
      specs/1700000000-unfinished/spec.md:1: the description is empty [description-empty]
        hint: say why the spec is needed

    INFO (1)
      specs/1700000000-unfinished/spec.md:1: the spec has no requirements [requirements-absent]
        hint: add `## Purpose` and `## Requirements`

    Status: PASSED | Specs: 1 | Errors: 0 | Warnings: 1 | Info: 1
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.run(&["validate", "--strict"]), @"
    WARNINGS (1)
      specs/1700000000-unfinished/spec.md:1: the description is empty [description-empty]
        hint: say why the spec is needed

    INFO (1)
      specs/1700000000-unfinished/spec.md:1: the spec has no requirements [requirements-absent]
        hint: add `## Purpose` and `## Requirements`

    Status: FAILED | Specs: 1 | Errors: 0 | Warnings: 1 | Info: 1
    [exit 1]
    ");
}

#[test]
fn fix_sets_a_torn_state_aside_and_says_so() {
    let sandbox = Sandbox::workspace();
    let id = sandbox.spec("Torn", &[]);
    sandbox.write(&format!("specs/{id}/state.toon"), "spec_id: x\nlifecycle: act");
    insta::assert_snapshot!(sandbox.run(&["validate"]), @"
    ERRORS (1)
      specs/1700000000-torn/state.toon:2: the state cannot be read: `lifecycle` is `act`, not one of `draft`, `active`, `done`, `blocked`, `cancelled`, `archived` [state-invalid]
        hint: correct the file, or run `hewto validate --fix` to set it aside and rebuild it

    INFO (1)
      specs/1700000000-torn/spec.md:1: the spec has no requirements [requirements-absent]
        hint: add `## Purpose` and `## Requirements`

    Status: FAILED | Specs: 1 | Errors: 1 | Warnings: 0 | Info: 1
    [exit 1]
    ");
    insta::assert_snapshot!(sandbox.run(&["validate", "--fix"]), @"
    FIXED (1)
      rebuilt `specs/1700000000-torn/state.toon` as `draft`; the old file is `specs/1700000000-torn/state.toon.broken-1`

    INFO (1)
      specs/1700000000-torn/spec.md:1: the spec has no requirements [requirements-absent]
        hint: add `## Purpose` and `## Requirements`

    Status: PASSED | Specs: 1 | Errors: 0 | Warnings: 0 | Info: 1
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.run(&["validate"]), @"
    INFO (1)
      specs/1700000000-torn/spec.md:1: the spec has no requirements [requirements-absent]
        hint: add `## Purpose` and `## Requirements`

    Status: PASSED | Specs: 1 | Errors: 0 | Warnings: 0 | Info: 1
    [exit 0]
    ");
}
