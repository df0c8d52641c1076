//! `hewto graph`, `hewto artifact`, `hewto template`, `hewto ops` and `hewto why`.

use std::process::{Command, Output};

use hewto_testkit::TestWorkspace;
use serde_json::{Value, json};

use crate::graph_fixture::{edges, serve_graph, specman};

fn hewto(workspace: &TestWorkspace, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hewto"));
    command.args(args).current_dir(workspace.root()).env_clear().env("HOME", workspace.root());
    command.output().unwrap()
}

fn ok(workspace: &TestWorkspace, args: &[&str]) -> String {
    let output = hewto(workspace, args);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn json_of(workspace: &TestWorkspace, args: &[&str]) -> Value {
    serde_json::from_str(&ok(workspace, args)).unwrap()
}

#[test]
fn a_graph_is_drawn_as_tree_dot_mermaid_and_json() {
    let workspace = specman();
    let tree = ok(&workspace, &["graph", "spec://specman-mcp"]);
    assert!(
        tree.contains("needs\n  depends (optional) docs/ghost.md  unresolved\n  depends spec://specman-core"),
        "{tree}"
    );
    assert!(tree.contains("    depends spec://specman-data-model"), "{tree}");
    assert!(tree.contains("is needed by\n  implements impl://specman-mcp-rust"), "{tree}");
    let up = ok(&workspace, &["graph", "spec://specman-mcp", "--up"]);
    assert!(!up.contains("is needed by"), "{up}");
    let dot = ok(&workspace, &["graph", "--format", "dot"]);
    assert!(
        dot.contains("\"impl://specman-library\" -> \"spec://specman-core\" [label=\"implements\"];"),
        "{dot}"
    );
    let mermaid = ok(&workspace, &["graph", "impl://specman-library", "--format", "mermaid"]);
    assert!(mermaid.starts_with("flowchart LR\n"), "{mermaid}");
    let json = json_of(&workspace, &["graph", "spec://specman-core", "--format", "json"]);
    let over_mcp = serve_graph(&workspace)
        .call(
            "specman_dependency_tree",
            json!({ "locator": "spec://specman-core", "include_document": true }),
        )
        .ok();
    assert_eq!(json, over_mcp);
    // A path is seen from where one stands.
    let mut inside = Command::new(env!("CARGO_BIN_EXE_hewto"));
    inside.args(["graph", "../spec/specman-core/spec.md", "--json"]).current_dir(workspace.path("impl"));
    let inside = inside.env_clear().output().unwrap();
    assert_eq!(serde_json::from_slice::<Value>(&inside.stdout).unwrap(), json);
    let missing = hewto(&workspace, &["graph", "spec://nothing"]);
    assert_eq!(missing.status.code(), Some(1));
}

#[test]
fn artifacts_are_made_shown_listed_and_deleted() {
    let workspace = specman();
    ok(&workspace, &["artifact", "new", "spec", "order-history", "--depends", "spec://specman-core"]);
    let made = ok(
        &workspace,
        &[
            "artifact",
            "new",
            "impl",
            "order-rust",
            "--spec",
            "spec://order-history",
            "--language",
            "rust@1.91.0",
        ],
    );
    assert_eq!(made, "created impl/order-rust/impl.md\n");
    ok(
        &workspace,
        &["artifact", "new", "scratch", "try-it", "--profile", "feat", "--target", "impl://order-rust"],
    );
    let list = ok(&workspace, &["artifact", "list", "--scheme", "scratch"]);
    assert!(list.contains("scratch://try-it"), "{list}");
    let shown = ok(&workspace, &["artifact", "show", "impl://order-rust"]);
    assert!(shown.contains("spec ../../spec/order-history/spec.md"), "{shown}");
    let blocked = hewto(&workspace, &["artifact", "delete", "spec://order-history"]);
    assert_eq!(blocked.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&blocked.stderr).contains("impl://order-rust"));
    ok(&workspace, &["artifact", "delete", "spec://specman-templates", "--force"]);
    let log = json_of(&workspace, &["ops", "--since", "1h", "--json"]);
    let forced = &log["operations"][0];
    assert_eq!(forced["capability_id"], "hewto artifact delete");
    assert_eq!(
        (&forced["inputs"]["force"], &forced["transcript"][0]["forced"]),
        (&json!(true), &json!(true))
    );
    assert_eq!(forced["artifacts"][0]["artifact"], "spec://specman-templates");
    assert_eq!(log["operations"][1]["error"]["error"], "deletion_blocked");
    ok(&workspace, &["artifact", "delete", "scratch://try-it"]);
    ok(&workspace, &["artifact", "delete", "impl://order-rust"]);
    ok(&workspace, &["artifact", "delete", "spec://order-history"]);
    assert!(!workspace.exists("spec/order-history"));
    for (args, missing) in
        [(["artifact", "new", "scratch", "x"], "--target"), (["artifact", "new", "impl", "x"], "--spec")]
    {
        let usage = hewto(&workspace, &args);
        assert_eq!(usage.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&usage.stderr).contains(missing), "{usage:?}");
    }
}

#[test]
fn templates_are_listed_set_shown_and_cleared() {
    let workspace = specman();
    workspace.add("//- templates/own.md\n# {{title}}\n");
    assert!(ok(&workspace, &["template", "list"]).contains("EmbeddedDefault"));
    assert_eq!(
        ok(&workspace, &["template", "set", "spec", "templates/own.md"]),
        "SPEC is now templates/own.md (PointerFile)\n"
    );
    assert!(ok(&workspace, &["template", "show", "spec"]).ends_with("# {{title}}\n"));
    assert_eq!(
        ok(&workspace, &["template", "clear", "spec"]),
        "SPEC is now embedded://spec (EmbeddedDefault)\n"
    );
    assert_eq!(hewto(&workspace, &["template", "set", "spec", "none.md"]).status.code(), Some(1));
}

#[test]
fn operations_are_shown_newest_first() {
    let workspace = specman();
    assert_eq!(ok(&workspace, &["ops"]), "no operations\n");
    let mut session = serve_graph(&workspace);
    session.call("specman_workspace_describe", json!({})).ok();
    session.call("specman_dependency_tree", json!({ "locator": "spec://nothing" })).error();
    session.close();
    let shown = ok(&workspace, &["ops"]);
    let lines: Vec<&str> = shown.lines().collect();
    assert!(
        lines[1].contains("specman.core.dependency.tree") && lines[1].contains("no artifact is called"),
        "{shown}"
    );
    assert!(lines[2].contains("specman.core.workspace.describe"), "{shown}");
    let filtered = json_of(&workspace, &["ops", "--tool", "specman_workspace_describe", "--json"]);
    assert_eq!(filtered["total"], 1);
    assert_eq!(hewto(&workspace, &["ops", "--since", "someday"]).status.code(), Some(2));
}

#[test]
fn a_file_is_explained_by_what_governs_it() {
    let workspace = specman();
    workspace.add("//- changes/add-x/proposal.md\n# Add X\n//- changes/add-x/specs/specman-mcp/spec.md\n## ADDED Requirements\n");
    let why = json_of(&workspace, &["why", "src/crates/specman-mcp/src/lib.rs", "--json"]);
    let governors: Vec<&str> = why["governed_by"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry["artifact"]["handle"].as_str().unwrap())
        .collect();
    assert_eq!(governors[0], "impl://specman-mcp-rust");
    assert!(governors.contains(&"spec://specman-mcp") && governors.contains(&"change://add-x"), "{why}");
    assert!(!governors.contains(&"spec://specman-data-model"), "{why}");
    let plainly = ok(&workspace, &["why", "src/crates/specman-mcp/src/lib.rs"]);
    assert!(plainly.contains("spec://specman-mcp  implemented by impl://specman-mcp-rust\n"), "{plainly}");
    let delta = ok(&workspace, &["why", "changes/add-x/specs/specman-mcp/spec.md"]);
    assert!(delta.starts_with("change://add-x  it is in its folder\n"), "{delta}");
    assert!(delta.contains("spec://specman-mcp  modified by change://add-x\n"), "{delta}");
    let named = ok(&workspace, &["why", "spec/specman-core/spec.md"]);
    assert!(named.contains("spec://specman-mcp  depends on the file itself\n"), "{named}");
    assert_eq!(hewto(&workspace, &["why", "README.md"]).status.code(), Some(1), "there is no such file");
    fs_err::write(workspace.path("README.md"), "# Read me\n").unwrap();
    let nothing = ok(&workspace, &["why", "README.md"]);
    assert_eq!(nothing, "nothing governs README.md\n");
    assert_eq!(hewto(&workspace, &["why", "../x"]).status.code(), Some(1));
    let tree = json_of(&workspace, &["graph", "change://add-x", "--format", "json"]);
    assert!(edges(&tree["upstream"]).contains(&"change://add-x modifies spec://specman-mcp".to_owned()));
}
