//! `hewto init`: a new workspace in each layout, an old one left alone, questions only on a terminal.

use crate::sandbox::Sandbox;

#[test]
fn init_makes_a_workspace_and_says_what_it_wrote() {
    let sandbox = Sandbox::empty();
    insta::assert_snapshot!(sandbox.run(&["init", "--yes", "--name", "Größe", "--description", "A \"shop\""]), @r#"
    workspace  [DIR]/project
    layout     native, new
    agents     none
    plan
      create  .hewto/config.toml    the workspace
      create  .hewto/proof.toml     the workspace
      create  .hewto/.gitignore     what belongs to one machine
      create  .hewto/manifest.json  what was written, for `hewto uninstall`

    wrote 4 files; `hewto uninstall` takes everything back
    next: hewto spec new "What is wanted" --description "…"
    to connect an agent: hewto init --agents claude-code
    [exit 0]
    "#);
    insta::assert_snapshot!(sandbox.read(".hewto/config.toml"), @r#"
    [project]
    name = "Größe"
    description = 'A "shop"'

    [defaults]
    category = "feature"
    "#);
    insta::assert_snapshot!(sandbox.run(&["validate", "--strict"]), @"
    No issues found. Workspace is valid (0 specs).
    [exit 0]
    ");
}

// @spec installation#init-connects-the-agents-in-use/twice
#[test]
fn init_in_a_workspace_says_so_and_changes_nothing() {
    let sandbox = Sandbox::workspace();
    let before = sandbox.files();
    insta::assert_snapshot!(sandbox.run(&["init", "--yes", "--name", "other"]), @r#"
    already a workspace (native): [DIR]/project
    nothing was changed
    next: hewto spec new "What is wanted" --description "…"
    to connect an agent: hewto init --agents claude-code
    [exit 0]
    "#);
    insta::assert_snapshot!(sandbox.run(&["init", "--layout", "openspec", "--json"]), @r#"
    {
      "root": "[DIR]/project",
      "layout": "native",
      "created": false,
      "files": [],
      "agents": [],
      "plan": [],
      "complete": true
    }
    [exit 0]
    "#);
    assert_eq!(sandbox.files(), before);
}

#[test]
fn init_below_a_workspace_is_inside_it() {
    let sandbox = Sandbox::workspace();
    fs_err::create_dir(sandbox.project().join("sub")).unwrap();
    let before = sandbox.files();
    insta::assert_snapshot!(sandbox.run(&["init", "sub", "--yes"]), @r#"
    already a workspace (native): [DIR]/project
    nothing was changed
    next: hewto spec new "What is wanted" --description "…"
    to connect an agent: hewto init --agents claude-code
    [exit 0]
    "#);
    assert_eq!(sandbox.files(), before);
}

#[test]
fn init_takes_the_folder_as_an_argument_and_its_name_as_the_name() {
    let sandbox = Sandbox::empty();
    fs_err::create_dir(sandbox.project().join("shop")).unwrap();
    sandbox.ok(&["init", "shop", "--yes"]);
    assert!(sandbox.read("shop/.hewto/config.toml").contains("name = \"shop\""));
}

#[cfg(target_os = "linux")]
#[test]
fn a_folder_whose_name_is_no_text_gets_its_index_too() {
    use std::os::unix::ffi::OsStrExt;

    let sandbox = Sandbox::empty();
    let folder = sandbox.root().join(std::ffi::OsStr::from_bytes(b"b\xff"));
    fs_err::create_dir(&folder).unwrap();
    let output = sandbox.hewto(&["init", "--yes"]).arg(&folder).output().expect("hewto runs");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "no warning");
    assert!(folder.join(".hewto/cache/search/index.json").exists());
}

#[test]
fn every_layout_can_be_made_and_worked_in() {
    for layout in ["native", "airsspec", "spox", "specman", "openspec"] {
        let sandbox = Sandbox::empty();
        let made = sandbox.json(&["init", "--yes", "--layout", layout]);
        assert_eq!(
            (made["layout"].as_str(), made["created"].as_bool()),
            (Some(layout), Some(true)),
            "{made}"
        );
        let id = sandbox.spec("A first spec", &[]);
        assert_eq!(sandbox.json(&["spec", "list"])["specs"][0]["id"].as_str(), Some(id.as_str()), "{layout}");
        // Under `.spox/` and `openspec/` those tools' own rules hold, and they want requirements in every spec.
        if !["spox", "openspec"].contains(&layout) {
            let report = sandbox.json(&["validate"]);
            assert_eq!(report["valid"].as_bool(), Some(true), "{layout}: {report}");
        }
    }
}

#[test]
fn names_and_descriptions_that_are_too_long_are_refused() {
    let sandbox = Sandbox::empty();
    for (flag, length) in [("--name", 101), ("--description", 501)] {
        let output = sandbox.output(&["init", "--yes", flag, &"ß".repeat(length)]);
        assert_eq!(output.status.code(), Some(1), "{flag}");
    }
    assert!(sandbox.files().is_empty());
    sandbox.ok(&["init", "--yes", "--name", &"ß".repeat(100), "--description", &"ß".repeat(500)]);
}

#[test]
fn without_a_terminal_nothing_is_asked() {
    let sandbox = Sandbox::empty();
    insta::assert_snapshot!(sandbox.run_with_input(&["init"], "typed\nby nobody\n"), @r#"
    workspace  [DIR]/project
    layout     native, new
    agents     none
    plan
      create  .hewto/config.toml    the workspace
      create  .hewto/proof.toml     the workspace
      create  .hewto/.gitignore     what belongs to one machine
      create  .hewto/manifest.json  what was written, for `hewto uninstall`

    wrote 4 files; `hewto uninstall` takes everything back
    next: hewto spec new "What is wanted" --description "…"
    to connect an agent: hewto init --agents claude-code
    [exit 0]
    "#);
    assert!(sandbox.read(".hewto/config.toml").contains("name = \"project\""));
}

#[test]
fn on_a_terminal_name_and_description_are_asked_for() {
    let sandbox = Sandbox::empty();
    let shown = sandbox.on_a_terminal(&["init"], "Web shop\nSells things\nyes\nelicited\n");
    assert!(shown.contains("Project name [project]: "), "{shown}");
    assert!(shown.contains("Description (optional): "), "{shown}");
    let config = sandbox.read(".hewto/config.toml");
    assert!(
        config.contains("name = \"Web shop\"") && config.contains("description = \"Sells things\""),
        "{config}"
    );
}

#[test]
fn on_a_terminal_yes_asks_nothing() {
    let sandbox = Sandbox::empty();
    let shown = sandbox.on_a_terminal(&["init", "--yes"], "");
    assert!(!shown.contains("Project name"), "{shown}");
    assert!(sandbox.read(".hewto/config.toml").contains("name = \"project\""));
}

#[test]
fn on_a_terminal_an_existing_workspace_asks_nothing() {
    let sandbox = Sandbox::workspace();
    let shown = sandbox.on_a_terminal(&["init"], "");
    assert!(!shown.contains("Project name") && shown.contains("already a workspace"), "{shown}");
}
