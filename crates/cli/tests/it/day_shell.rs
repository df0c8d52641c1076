//! A day with hewto on the command line: a change from its proposal to the archive, and what one wants to know meanwhile.

use crate::sandbox::Sandbox;

const SPEC: &str = "# api Specification\n\n## Purpose\nWhat the interface promises to the programs that call it.\n\n## Requirements\n\n\
    ### Requirement: Keys\nEvery call SHALL carry a key.\n\n#### Scenario: None\n- **WHEN** a call has no key\n- **THEN** it is refused\n";

fn workspace() -> Sandbox {
    let sandbox = Sandbox::workspace();
    sandbox.write("specs/api/spec.md", SPEC);
    sandbox
}

#[test]
fn a_change_is_written_worked_on_and_archived_by_commands_that_say_what_is_next() {
    let sandbox = workspace();
    insta::assert_snapshot!(sandbox.run(&["next"]), @r"
    nothing is under way: hewto change new, or hewto spec new
    [exit 0]
    ");
    let why = "Because one client can flood the interface and take it away from all.";
    let requirement = "Rate limit: The API SHALL refuse more than 100 calls a minute.";
    let scenario = "Too many: WHEN a key makes its 101st call THEN it is refused with 429";
    let mut new = vec!["change", "new", "add-limit", "--why", why, "--what", "- a limit", "--task", "Count"];
    new.extend(["--spec", "api", "--requirement", requirement, "--scenario", scenario]);
    sandbox.ok(&new);
    insta::assert_snapshot!(sandbox.run(&["next"]), @r"
    change:add-limit  add limit
    do `Count`, then hewto plan done change:add-limit 1
    it is proposed; with one task it needs no plan and no build
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.run(&["list"]), @r"
    ID         KIND    STATE  TITLE
    api        living  -      api Specification
    add-limit  change  draft  add limit
    2 items
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.run(&["validate", "add-limit"]), @r"
    1 change valid: 0 errors, 0 warnings
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.run(&["archive", "add-limit"]), @r"
    [stderr]
    error: 1 of 1 tasks of `add-limit` are open
    hint: finish them, or run `hewto change archive add-limit --yes`
    [exit 1]
    ");
    sandbox.ok(&["plan", "done", "add-limit", "1"]);
    insta::assert_snapshot!(sandbox.run(&["plan", "undo", "add-limit", "Count", "--reason", "not on Windows"]), @r"
    open again  1.1 Count
    plan        0 of 1 step (0 %)
    [exit 0]
    ");
    assert!(sandbox.read("changes/add-limit/tasks.md").contains("Reopened: not on Windows"));
    sandbox.ok(&["plan", "done", "add-limit", "1.1"]);
    insta::assert_snapshot!(sandbox.run(&["archive", "add-limit"]), @r"
    api updated  +1 ~0 -0 >0
    archived: changes/archive/[DATE]-add-limit/
    note: `change:add-limit` is not proven: `api#rate-limit/too-many` is uncovered (nothing is linked)
      hint: declare the checks with `hewto proof init`, write the test with the line `// @spec api#rate-limit/too-many` above it, then run `hewto proof run`
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.run(&["requirement", "list"]), @r"
    SPEC  ID          SCENARIOS  REQUIREMENT
    api   keys        1          Keys
    api   rate-limit  1          Rate limit
    2 requirements in 1 spec
    [exit 0]
    ");
}

#[test]
fn a_change_is_edited_and_withdrawn_and_stays_readable() {
    let sandbox = workspace();
    let why = "Because one client can flood the interface and take it away from all.";
    sandbox.ok(&["change", "new", "add-limit", "--why", why, "--what", "- a limit"]);
    let other = "Because two clients can flood the interface and take it away from all.";
    let edited = sandbox.run(&["change", "edit", "add-limit", "--why", other]);
    assert!(edited.contains("-Because one client") && edited.contains("+Because two clients"), "{edited}");
    insta::assert_snapshot!(sandbox.run(&["change", "withdraw", "add-limit", "--reason", "nobody floods"]), @r"
    withdrawn  add-limit
    folder     changes/archive/[DATE]-add-limit/
    [exit 0]
    ");
    let archived = sandbox.json(&["list", "--archived", "--kind", "change"]);
    assert_eq!(archived["specs"][0]["state"], "archived", "{archived}");
    assert!(sandbox.run(&["change", "show", "add-limit"]).contains("Because two clients"));
    insta::assert_snapshot!(sandbox.run(&["why", "src/nothing.rs"]), @r"
    there is no src/nothing.rs
    nothing governs src/nothing.rs
    [exit 1]
    ");
}

#[test]
fn a_build_under_way_makes_no_workspace_invalid() {
    let sandbox = workspace();
    let why = "Because one client can flood the interface and take it away from all.";
    let requirement = "api: Rate limit: The API SHALL refuse more than 100 calls a minute.";
    let scenario = "Too many: WHEN a key makes its 101st call THEN it is refused with 429";
    let mut new = vec!["change", "new", "add-limit", "--why", why, "--what", "- a limit", "--task", "Count"];
    new.extend(["--requirement", requirement, "--scenario", scenario]);
    sandbox.ok(&new);
    sandbox.ok(&["build", "start", "change:add-limit", "--approve"]);
    assert_eq!(sandbox.json(&["validate", "--strict"])["valid"], true);
    // Its archive would refuse it, and that is said of the change alone.
    let verdict = sandbox.output(&["change", "validate", "add-limit"]);
    assert_eq!(verdict.status.code(), Some(1));
}

#[test]
fn next_names_a_whole_command() {
    let sandbox = workspace();
    sandbox.ok(&["spec", "new", "Login", "--description", "x"]);
    let shown = sandbox.run(&["next"]);
    let id = shown.split_whitespace().next().unwrap();
    assert!(shown.contains(&format!("\n  hewto plan new {id} --approach ")), "{shown}");
}
