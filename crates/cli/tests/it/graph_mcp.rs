//! Seed 002 over MCP: the graph of the fixture, its resources and its profile, and each way they refuse.

mod profile;

use hewto_testkit::{Era, TestWorkspace};
use serde_json::json;

use crate::graph_fixture::{edges, handles, serve_graph, specman};
use crate::mcp_client::{ERAS, serve_with};

#[test]
fn the_workspace_is_described_with_its_folders_and_counts() {
    let workspace = specman();
    let mut session = serve_graph(&workspace);
    let view = session.call("specman_workspace_describe", json!({})).ok();
    let root = workspace.root().canonicalize().unwrap();
    assert_eq!(view["root"], root.to_str().unwrap());
    assert_eq!(view["dot_specman"], root.join(".specman").to_str().unwrap());
    assert_eq!(view["spec_dir"], root.join("spec").to_str().unwrap());
    assert_eq!(view["impl_dir"], root.join("impl").to_str().unwrap());
    assert_eq!(view["scratchpad_dir"], root.join(".specman/scratchpad").to_str().unwrap());
    assert_eq!(view["counts"]["specifications"], 4);
    assert_eq!(view["counts"]["implementations"], 2);
    assert_eq!(view["counts"]["scratch_pads"], 1);
    let inner = session.call("specman_workspace_describe", json!({ "path": "spec/nothing/yet.md" })).ok();
    assert_eq!(inner["root"], view["root"]);
    let (nowhere, elsewhere) = (tempfile::tempdir().unwrap(), specman());
    for (path, key) in [(nowhere.path(), "workspace_not_found"), (elsewhere.root(), "outside_workspace")] {
        let error = session.call("specman_workspace_describe", json!({ "path": path })).error();
        assert_eq!(error["error"], key, "{error}");
        assert!(error["concept_ref"].as_str().unwrap().starts_with("[Concept: "), "{error}");
    }
}

#[test]
fn without_a_workspace_every_tool_says_so_with_its_concept() {
    let nowhere = TestWorkspace::empty();
    let mut session = serve_with(&nowhere, Era::Legacy, &["--profile", "specman"]);
    let calls = [
        ("workspace.describe", json!({})),
        ("workspace.list_artifacts", json!({})),
        ("dependency.tree", json!({ "locator": "spec://a" })),
        ("dependency.slice", json!({ "locator": "spec://a", "mode": "upstream" })),
        ("templates.catalog", json!({})),
        ("templates.pointer_update", json!({ "pointer": "SPEC", "action": "inspect" })),
        ("prompt_catalog", json!({})),
        ("lifecycle.plan_creation", json!({ "target": { "kind": "Specification", "name": "a" } })),
        ("lifecycle.create", json!({ "plan_id": "x" })),
        ("lifecycle.plan_deletion", json!({ "target": "spec://a" })),
        ("lifecycle.delete", json!({ "plan_id": "x" })),
        ("lifecycle.scratchpad", json!({ "profile": "feat", "name": "a", "target": "impl://a" })),
        ("metadata.describe", json!({ "locator": "spec://a" })),
        ("metadata.patch", json!({ "locator": "spec://a", "set": { "a": 1 } })),
        ("operations.inspect", json!({})),
    ];
    for (tool, arguments) in calls {
        let error = session.call(&format!("specman.core.{tool}"), arguments).error();
        assert_eq!(
            (&error["error"], &error["code"]),
            (&json!("workspace_not_found"), &json!(-32000)),
            "{tool}"
        );
        assert!(error["concept_ref"].is_string() && error["hint"].is_string(), "{tool}: {error}");
    }
}

#[test]
fn artifacts_are_listed_by_handle_filtered_and_paged() {
    let workspace = specman();
    workspace.add("//- spec/broken/spec.md\n---\n- a\n---\n# Broken\n");
    let mut session = serve_graph(&workspace);
    let all = session.call("specman_workspace_list_artifacts", json!({})).ok();
    assert_eq!(
        handles(&all),
        [
            "impl://specman-library",
            "impl://specman-mcp-rust",
            "scratch://mcp-adapter",
            "spec://broken",
            "spec://specman-core",
            "spec://specman-data-model",
            "spec://specman-mcp",
            "spec://specman-templates",
        ]
    );
    let core = &all["artifacts"][4];
    assert_eq!(core["id"], json!({ "kind": "Specification", "name": "specman-core" }));
    assert_eq!(core["path"], "spec/specman-core/spec.md");
    assert_eq!(core["version"], "0.1.0");
    let status = all["artifacts"][3]["metadata"]["metadata_status"].as_str().unwrap();
    assert!(status.starts_with("invalid-front-matter: "), "{status}");
    let impls = session.call("specman_workspace_list_artifacts", json!({ "scheme": "impl" })).ok();
    assert_eq!(impls["total"], 2);
    let globbed =
        session.call("specman_workspace_list_artifacts", json!({ "glob": "spec/specman-m*/*" })).ok();
    assert_eq!(handles(&globbed), ["spec://specman-mcp"]);
    let first = session.call("specman_workspace_list_artifacts", json!({ "limit": 3 })).ok();
    assert_eq!((&first["total"], &first["remaining"]), (&json!(8), &json!(5)));
    let rest = json!({ "cursor": first["next_cursor"] });
    let rest = session.call("specman_workspace_list_artifacts", rest).ok();
    assert_eq!(handles(&rest)[0], "spec://broken");
    assert_eq!(rest.get("next_cursor"), None);
    for bad in [json!({ "scheme": "file" }), json!({ "glob": "[" }), json!({ "cursor": "x" })] {
        let error = session.call("specman_workspace_list_artifacts", bad).error();
        assert_eq!(error["error"], "invalid_params");
        assert!(error["concept_ref"].is_string(), "{error}");
        assert_eq!(error["status"], "failed");
    }
}

#[test]
fn the_tree_of_the_fixture_is_transitive_in_both_directions() {
    let workspace = specman();
    for era in ERAS {
        let mut session = serve_with(&workspace, era, &["--toolsets", "graph"]);
        for locator in [
            "spec://specman-core",
            "spec://specman-core/dependencies",
            "spec/specman-core/spec.md",
            "spec/specman-core",
        ] {
            let tree = session.call("specman_dependency_tree", json!({ "locator": locator })).ok();
            assert_eq!(tree["root"]["handle"], "spec://specman-core");
            assert_eq!(edges(&tree["upstream"]), ["spec://specman-core depends spec://specman-data-model"]);
            assert_eq!(
                edges(&tree["downstream"]),
                [
                    "impl://specman-library implements spec://specman-core",
                    "impl://specman-mcp-rust references impl://specman-library",
                    "impl://specman-mcp-rust references spec://specman-core",
                    "impl://specman-mcp-rust implements spec://specman-mcp",
                    "scratch://mcp-adapter targets impl://specman-mcp-rust",
                    "spec://specman-mcp depends spec://specman-core",
                ],
                "{locator}"
            );
            assert_eq!(tree["aggregate"].as_array().unwrap().len(), 7);
            assert_eq!(tree["upstream"][0]["relation"], "Upstream");
        }
    }
}

#[test]
fn a_slice_shows_one_side_and_what_leads_nowhere() {
    let workspace = specman();
    let mut session = serve_graph(&workspace);
    let up = json!({ "locator": "spec://specman-mcp", "mode": "upstream" });
    let slice = session.call("specman_dependency_slice", up).ok();
    assert_eq!(
        edges(&slice["edges"]),
        [
            "spec://specman-core depends spec://specman-data-model",
            "spec://specman-mcp depends? docs/ghost.md",
            "spec://specman-mcp depends spec://specman-core",
        ]
    );
    let ghost = &slice["edges"][1]["to"];
    assert_eq!(ghost["metadata"]["resolution"], "unresolved");
    assert_eq!(ghost["id"]["name"], "../../docs/ghost.md");
    workspace.add("//- docs/ghost.md\nNow it is there.\n");
    let up = json!({ "locator": "spec://specman-mcp", "mode": "upstream", "limit": 2 });
    let slice = session.call("specman_dependency_slice", up.clone()).ok();
    assert_eq!(slice["edges"][1]["to"]["metadata"].get("resolution"), None);
    let mut next = up;
    next["cursor"] = slice["next_cursor"].clone();
    let rest = session.call("specman_dependency_slice", next).ok();
    assert_eq!((rest["edges"].as_array().unwrap().len(), &rest["remaining"]), (1, &json!(0)));
}

// @spec graph#dependencies-are-a-graph-without-circles/two-specs-that-need-each-other
#[test]
fn a_circle_is_an_error_with_its_chain_and_the_partial_tree() {
    let workspace = specman();
    workspace.add("//- spec/a/spec.md\n---\ndependencies: [../b/spec.md]\n---\n# A\n//- spec/b/spec.md\n---\ndependencies: [../a/spec.md]\n---\n# B\n");
    let mut session = serve_graph(&workspace);
    let error = session.call("specman_dependency_tree", json!({ "locator": "spec://a" })).error();
    assert_eq!(error["error"], "dependency_cycle");
    assert_eq!(error["chain"], json!(["spec://a", "spec://b", "spec://a"]));
    assert_eq!(error["partial"]["root"]["handle"], "spec://a");
    assert_eq!(error["partial"]["upstream"].as_array().unwrap().len(), 2);
}

// @spec graph#handles-name-artifacts/a-handle-that-climbs
#[test]
fn locators_that_lead_nowhere_or_out_are_refused_with_the_concept() {
    let workspace = specman();
    let outside = tempfile::tempdir().unwrap();
    fs_err::write(outside.path().join("spec.md"), "# Secret\n").unwrap();
    std::os::unix::fs::symlink(outside.path(), workspace.path("spec/link")).unwrap();
    let mut session = serve_graph(&workspace);
    for (locator, key) in [
        ("spec://a/b", "invalid_locator"),
        ("spec://%2e%2e%2fx", "invalid_locator"),
        ("spec://", "invalid_locator"),
        ("file:///etc/passwd", "unsupported_scheme"),
        ("http://example.org/spec.md", "unsupported_scheme"),
        ("../../etc/passwd", "outside_workspace"),
        ("/etc/passwd", "outside_workspace"),
        ("spec/link/spec.md", "outside_workspace"),
        ("spec://nothing", "artifact_not_found"),
        ("spec/nothing/spec.md", "artifact_not_found"),
        ("impl", "artifact_not_found"),
        ("src/crates", "artifact_not_found"),
    ] {
        for tool in ["specman_dependency_tree", "specman_dependency_slice", "specman_metadata_describe"] {
            let mut arguments = json!({ "locator": locator });
            if tool == "specman_dependency_slice" {
                arguments["mode"] = json!("downstream");
            }
            let error = session.call(tool, arguments).error();
            assert_eq!(error["error"], key, "{locator}: {error}");
            assert!(error["concept_ref"].as_str().unwrap().contains("](../../spec/"), "{error}");
            assert!(error["hint"].is_string(), "{error}");
        }
    }
}

#[test]
fn the_envelope_says_what_a_call_wanted_to_do_and_the_list_who_looks_at_the_web() {
    let workspace = specman();
    let mut session = serve_graph(&workspace);
    let patch =
        |persist: bool| json!({ "locator": "spec://specman-core", "set": { "a": 1 }, "persist": persist });
    session.call("specman_metadata_patch", patch(false)).ok();
    session.call("specman_metadata_patch", patch(true)).ok();
    let inspect = json!({ "pointer": "SPEC", "action": "inspect" });
    session.call("specman_templates_pointer_update", inspect).ok();
    session.call("specman_templates_pointer_update", json!({ "pointer": "SPEC", "action": "clear" })).error();
    let log = session.call("specman_operations_inspect", json!({})).ok();
    let intents: Vec<&str> = log["operations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|operation| operation["lock_intent"].as_str().unwrap())
        .collect();
    assert_eq!(intents, ["workspace_wide", "read", "write", "read"]);
    let list = session.request("tools/list", json!({})).unwrap();
    let open = |name: &str| {
        let tool = list["tools"].as_array().unwrap().iter().find(|tool| tool["name"] == name).unwrap();
        tool["annotations"]["openWorldHint"] == true
    };
    assert!(open("specman_metadata_describe") && open("specman_dependency_tree"));
    assert!(!open("specman_workspace_list_artifacts") && !open("specman_lifecycle_delete"));
}

#[test]
fn decisions_and_the_task_do_not_stand_for_their_folder() {
    let workspace = specman();
    workspace.add("//- docs/adr/20250108T143512.000Z-0001_x.md\n# ADR\n//- docs/CURRENT_TASK.md\n# T\n");
    let mut session = serve_graph(&workspace);
    for folder in ["docs", "docs/adr"] {
        let error = session.call("specman_dependency_tree", json!({ "locator": folder })).error();
        assert_eq!(error["error"], "artifact_not_found", "{folder}");
    }
    let own = json!({ "locator": "docs/adr/20250108T143512.000Z-0001_x.md" });
    let tree = session.call("specman_dependency_tree", own).ok();
    assert_eq!(tree["root"]["handle"], "adr://20250108T143512.000Z-0001");
}
