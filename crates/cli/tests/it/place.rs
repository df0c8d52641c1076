//! Which workspace a command works on: flag, variables, current folder, in this order, and no falling through.

use crate::sandbox::Sandbox;

/// A sandbox with three workspaces beside the project, each with one spec that is called as its folder.
fn three_workspaces() -> Sandbox {
    let sandbox = Sandbox::workspace();
    for name in ["a", "b", "c"] {
        let path = sandbox.root().join(name);
        fs_err::create_dir_all(path.join("deep/er")).unwrap();
        let path = path.to_str().unwrap();
        sandbox.ok(&["init", path, "--yes"]);
        sandbox.ok(&["--workspace", path, "spec", "new", name, "--description", "x"]);
    }
    sandbox
}

/// The titles that `spec list` shows.
fn titles(sandbox: &Sandbox, args: &[&str], variables: &[(&str, &str)]) -> String {
    let mut command = sandbox.hewto(&[args, &["spec", "list", "--json"]].concat());
    for (name, folder) in variables {
        command.env(name, if folder.is_empty() { "".into() } else { sandbox.root().join(folder) });
    }
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let list: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let specs = list["specs"].as_array().unwrap();
    specs.iter().map(|spec| spec["title"].as_str().unwrap()).collect::<Vec<_>>().join(",")
}

#[test]
fn the_flag_wins_then_the_variables_then_the_current_folder() {
    let sandbox = three_workspaces();
    let both = [("HEWTO_WORKSPACE", "b"), ("SPECMAN_WORKSPACE", "c")];
    assert_eq!(titles(&sandbox, &["--workspace", "../a"], &both), "a");
    assert_eq!(titles(&sandbox, &[], &both), "b");
    assert_eq!(titles(&sandbox, &[], &both[1..]), "c");
    assert_eq!(titles(&sandbox, &[], &[("HEWTO_WORKSPACE", ""), ("SPECMAN_WORKSPACE", "c")]), "c");
    assert_eq!(titles(&sandbox, &[], &[]), "");
}

#[test]
fn the_search_goes_up_from_wherever_it_starts() {
    let sandbox = three_workspaces();
    assert_eq!(titles(&sandbox, &["--workspace", "../a/deep/er"], &[]), "a");
    assert_eq!(titles(&sandbox, &[], &[("HEWTO_WORKSPACE", "b/deep")]), "b");
}

#[test]
fn an_override_that_is_no_workspace_is_an_error_and_no_fallback() {
    let sandbox = Sandbox::workspace();
    let elsewhere = sandbox.root().join("home");
    let elsewhere = elsewhere.to_str().unwrap();
    insta::assert_snapshot!(sandbox.run(&["spec", "list", "--workspace", elsewhere]), @"
    [stderr]
    error: `--workspace` names no workspace: [DIR]/home
    hint: name a folder inside a workspace, or run `hewto init` there
    [exit 1]
    ");
    insta::assert_snapshot!(sandbox.run(&["--workspace", elsewhere]), @"
    [stderr]
    error: `--workspace` names no workspace: [DIR]/home
    hint: name a folder inside a workspace, or run `hewto init` there
    [exit 1]
    ");
    insta::assert_snapshot!(sandbox.run(&["spec", "list", "--workspace", "no/such/folder"]), @"
    [stderr]
    error: cannot look for a workspace in: [DIR]/project/no/such/folder
    hint: name a folder that exists and can be read
    [exit 1]
    ");
    for name in ["HEWTO_WORKSPACE", "SPECMAN_WORKSPACE"] {
        let output = sandbox.hewto(&["spec", "list", "--json"]).env(name, elsewhere).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{name}");
        let error: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(
            (error["error"].as_str(), error["code"].as_i64()),
            (Some("workspace_not_found"), Some(-32000))
        );
        assert!(error["message"].as_str().unwrap().contains(name), "{error}");
    }
}

#[test]
fn outside_a_workspace_a_command_names_the_next_one() {
    let sandbox = Sandbox::empty();
    insta::assert_snapshot!(sandbox.run(&["spec", "list"]), @"
    [stderr]
    error: no workspace at or above: [DIR]/project
    hint: run `hewto init` in the folder that should become the workspace
    [exit 1]
    ");
    insta::assert_snapshot!(sandbox.run(&["validate", "--json"]), @r#"
    {
      "error": "workspace_not_found",
      "code": -32000,
      "message": "no workspace at or above: [DIR]/project",
      "hint": "run `hewto init` in the folder that should become the workspace"
    }
    [exit 1]
    "#);
}

#[test]
fn what_comes_next_is_typed_for_the_workspace_that_was_named() {
    let sandbox = Sandbox::workspace();
    sandbox.write("web/package.json", "{}");
    sandbox.ok(&["init", "web", "--nested", "--yes"]);
    let shown = sandbox.run(&["--workspace", "web", "spec", "new", "Cart", "--description", "x"]);
    assert!(shown.contains("hewto --workspace web plan new "), "{shown}");
    let id = shown.split_whitespace().nth(1).unwrap().to_owned();
    let planned = sandbox.run(&["plan", "new", &format!("web:{id}"), "--approach", "x", "--step", "a: b"]);
    assert!(planned.contains(&format!("hewto --workspace web build start {id} --approve")), "{planned}");
    let refused = sandbox.run(&["build", "start", &format!("web:{id}")]);
    assert!(refused.contains("run `hewto --workspace web build start"), "{refused}");
}
