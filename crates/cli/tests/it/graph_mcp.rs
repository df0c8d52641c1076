//! Seed 002 over MCP: the graph of the fixture, its metadata, its templates, and each way they refuse.

use hewto_testkit::{Era, McpSession};
use serde_json::{Value, json};

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
    let outside = session.call("specman_workspace_describe", json!({ "path": "/" })).error();
    assert!(
        ["outside_workspace", "workspace_not_found"].contains(&outside["error"].as_str().unwrap()),
        "{outside}"
    );
    assert!(outside["concept_ref"].as_str().unwrap().starts_with("[Concept: "), "{outside}");
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
    ] {
        for tool in ["specman_dependency_tree", "specman_metadata_describe"] {
            let error = session.call(tool, json!({ "locator": locator })).error();
            assert_eq!(error["error"], key, "{locator}: {error}");
            assert!(error["concept_ref"].as_str().unwrap().contains("](../../spec/"), "{error}");
            assert!(error["hint"].is_string(), "{error}");
        }
    }
    let remote = session.call("specman_dependency_tree", json!({ "locator": "https://example.org/x" })).ok();
    assert_eq!(remote["root"]["handle"], "https://example.org/x");
}

#[test]
fn metadata_is_shown_as_data_and_patched_byte_for_byte() {
    let workspace = specman();
    let mut session = serve_graph(&workspace);
    let locator = "impl://specman-mcp-rust";
    let view = session.call("specman_metadata_describe", json!({ "locator": locator })).ok();
    assert_eq!(view["kind"], "Implementation");
    assert_eq!(view["front_matter"]["version"], "0.1.0");
    assert_eq!(view["front_matter"]["references"][0]["optional"], false);
    workspace.add("//- notes/plain.md\n# Plain\n");
    let plain = session.call("specman_metadata_describe", json!({ "locator": "notes/plain.md" })).ok();
    assert_eq!(plain["front_matter"], json!({}));

    let before = workspace.read("impl/specman-mcp-rust/impl.md");
    let add = |persist: bool| json!({ "locator": locator, "add_references": ["spec://specman-data-model"], "persist": persist });
    let preview = session.call("specman_metadata_patch", add(false)).ok();
    assert_eq!((&preview["changed"], &preview["persisted"]), (&json!(true), &Value::Null));
    assert_eq!(workspace.read("impl/specman-mcp-rust/impl.md"), before);
    let patched = session.call("specman_metadata_patch", add(true)).ok();
    assert_eq!(patched["persisted"]["path"], "impl/specman-mcp-rust/impl.md");
    let after = workspace.read("impl/specman-mcp-rust/impl.md");
    assert_eq!(patched["updated_document"], after.as_str());
    assert!(after.contains("  - ref: ../../spec/specman-data-model/spec.md\n    type: specification\n    optional: false\n---"), "{after}");
    let again = session.call("specman_metadata_patch", add(true)).ok();
    assert_eq!(again["changed"], false);
    let remove =
        json!({ "locator": locator, "remove_references": ["spec://specman-data-model"], "persist": true });
    session.call("specman_metadata_patch", remove).ok();
    assert_eq!(workspace.read("impl/specman-mcp-rust/impl.md"), before);
    let set = json!({ "locator": "spec://specman-core", "set": { "version": "0.2.0", "owner": "me" }, "persist": true });
    session.call("specman_metadata_patch", set).ok();
    assert!(workspace.read("spec/specman-core/spec.md").contains("version: \"0.2.0\"\n"));
}

#[test]
fn a_patch_that_makes_no_sense_is_refused_and_nothing_is_written() {
    let workspace = specman();
    workspace.add("//- spec/listed/spec.md\n---\n- a\n---\n# L\n//- docs/adr/20250108T143512.000Z-0001_x.md\n# ADR\n//- docs/archive/task/20250108T143512.000Z-0001_x.md\n# T\n");
    let mut session = serve_graph(&workspace);
    for (arguments, key) in [
        (json!({ "locator": "spec://specman-core" }), "invalid_params"),
        (json!({ "locator": "spec://specman-core/dependencies", "set": { "a": 1 } }), "read_only_handle"),
        (
            json!({ "locator": "spec://specman-data-model", "add_dependencies": ["spec://specman-mcp"] }),
            "dependency_cycle",
        ),
        (
            json!({ "locator": "spec://specman-core", "add_dependencies": ["spec://specman-core"] }),
            "dependency_cycle",
        ),
        (
            json!({ "locator": "spec://specman-core", "add_dependencies": ["impl://specman-library"] }),
            "wrong_kind",
        ),
        (json!({ "locator": "spec://specman-core", "add_references": ["spec://specman-mcp"] }), "wrong_kind"),
        (
            json!({ "locator": "impl://specman-library", "add_dependencies": ["spec://specman-mcp"] }),
            "wrong_kind",
        ),
        (
            json!({ "locator": "spec://specman-core", "add_dependencies": ["spec://nothing"] }),
            "artifact_not_found",
        ),
        (
            json!({ "locator": "spec://specman-core", "remove_dependencies": ["spec://specman-mcp"] }),
            "reference_not_found",
        ),
        (json!({ "locator": "spec://listed", "set": { "a": 1 } }), "document_invalid"),
        (json!({ "locator": "scratch://mcp-adapter", "set": { "target": "x" } }), "invalid_params"),
        (json!({ "locator": "adr://20250108T143512.000Z-0001", "set": { "a": 1 } }), "immutable_artifact"),
        (
            json!({ "locator": "docs/archive/task/20250108T143512.000Z-0001_x.md", "set": { "a": 1 } }),
            "immutable_artifact",
        ),
        (json!({ "locator": "https://example.org/x", "set": { "a": 1 } }), "not_local"),
    ] {
        let mut arguments = arguments;
        arguments["persist"] = json!(true);
        let error = session.call("specman_metadata_patch", arguments.clone()).error();
        assert_eq!(error["error"], key, "{arguments}: {error}");
        assert!(error["concept_ref"].is_string(), "{error}");
    }
    assert_eq!(workspace.read("spec/listed/spec.md"), "---\n- a\n---\n# L\n");
}

#[test]
fn templates_come_from_override_pointer_or_the_binary() {
    let workspace = specman();
    let mut session = serve_graph(&workspace);
    let scenario = |name: &str| json!({ "scenario": name });
    let embedded = session.call("specman_templates_catalog", scenario("Specification")).ok();
    assert_eq!(embedded["templates"][0]["tier"], "EmbeddedDefault");
    assert_eq!(embedded["templates"][0]["required_tokens"], json!(["output_name"]));
    assert!(!embedded["templates"][0]["html_directives"].as_array().unwrap().is_empty());
    workspace.add("//- templates/own.md\n# {{title}} by {{author}}\n//- templates/prompts/spec.md\n# Ours\n<!-- be brief -->\nWrite {{spec_name}}.\n");
    let set = json!({ "pointer": "SPEC", "action": "set", "locator": "templates/own.md" });
    let view = session.call("specman_templates_pointer_update", set.clone()).ok();
    assert_eq!(
        (&view["changed"], &view["tier"], &view["fallback"]),
        (&json!(true), &json!("PointerFile"), &json!("embedded://spec"))
    );
    assert_eq!(workspace.read(".specman/templates/SPEC"), "templates/own.md\n");
    assert_eq!(session.call("specman_templates_pointer_update", set).ok()["changed"], false);
    let pointed = session.call("specman_templates_catalog", scenario("spec")).ok();
    assert_eq!(pointed["templates"][0]["required_tokens"], json!(["author", "title"]));
    workspace.add("//- .specman/templates/spec.md\n# {{output_name}}\n");
    let own = session.call("specman_templates_catalog", scenario("Specification")).ok();
    assert_eq!(own["templates"][0]["tier"], "WorkspaceOverride");
    fs_err::remove_file(workspace.path(".specman/templates/spec.md")).unwrap();
    let prompts = session.call("specman_prompt_catalog", json!({ "artifact_type": "spec" })).ok();
    let prompt = &prompts["prompts"][0];
    assert_eq!((&prompt["title"], &prompt["tokens"]), (&json!("Ours"), &json!(["spec_name"])));
    assert_eq!(prompt["html_directives"][0]["text"], "be brief");
    assert_eq!(prompt["template"]["tier"], "PointerFile");
    let all = session.call("specman_prompt_catalog", json!({})).ok();
    let ids: Vec<&str> =
        all["prompts"].as_array().unwrap().iter().map(|prompt| prompt["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["impl", "scratch-feat", "scratch-fix", "scratch-ref", "scratch-revision", "spec"]);
    let clear = json!({ "pointer": "SPEC", "action": "clear" });
    assert_eq!(
        session.call("specman_templates_pointer_update", clear.clone()).ok()["tier"],
        "EmbeddedDefault"
    );
    assert_eq!(session.call("specman_templates_pointer_update", clear).error()["error"], "pointer_absent");
    let all = session.call("specman_templates_catalog", json!({})).ok();
    assert_eq!(all["total"], 8);
}

#[test]
fn pointers_that_lead_nowhere_or_out_are_refused() {
    let workspace = specman();
    let mut session = serve_graph(&workspace);
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let hanging = format!("https://{}/t.md", silent.local_addr().unwrap());
    for (locator, key) in [
        ("templates/none.md", "template_invalid"),
        ("../outside.md", "outside_workspace"),
        ("/etc/passwd", "outside_workspace"),
        ("http://example.org/t.md", "template_invalid"),
        ("spec://specman-core", "template_invalid"),
        ("https://127.0.0.1:1/t.md", "template_unreachable"),
        (hanging.as_str(), "template_unreachable"),
    ] {
        let set = json!({ "pointer": "IMPL", "action": "set", "locator": locator });
        let error = session.call("specman_templates_pointer_update", set).error();
        assert_eq!(error["error"], key, "{locator}: {error}");
        assert!(error["concept_ref"].is_string(), "{error}");
    }
    let missing = json!({ "pointer": "IMPL", "action": "set" });
    assert_eq!(session.call("specman_templates_pointer_update", missing).error()["error"], "invalid_params");
    workspace.add("//- .specman/templates/IMPL\ngone.md\n");
    let error = session.call("specman_templates_catalog", json!({ "scenario": "Implementation" })).error();
    assert_eq!(error["error"], "template_invalid");
    let inspect = json!({ "pointer": "IMPL", "action": "inspect" });
    let view = session.call("specman_templates_pointer_update", inspect).ok();
    assert!(view["problem"].as_str().unwrap().contains("not there"), "{view}");
    workspace.add("//- .specman/templates/IMPL\nhttps://127.0.0.1:1/t.md\n");
    let fallen = session.call("specman_templates_catalog", json!({ "scenario": "Implementation" })).ok();
    assert_eq!(fallen["templates"][0]["tier"], "EmbeddedDefault");
    assert!(fallen["templates"][0]["provenance"]["problem"].is_string());
    assert_eq!(
        session.call("specman_prompt_catalog", json!({ "artifact_type": "x" })).error()["error"],
        "invalid_params"
    );
}

#[test]
fn the_profile_lists_fifteen_dotted_tools_and_takes_both_spellings() {
    let workspace = specman();
    for era in ERAS {
        let mut session = serve_with(&workspace, era, &["--profile", "specman"]);
        let list = session.request("tools/list", json!({})).unwrap();
        let tools = list["tools"].as_array().unwrap();
        assert_eq!(tools.len(), 15);
        for tool in tools {
            assert!(tool["name"].as_str().unwrap().starts_with("specman.core."), "{tool}");
            assert!(tool["_meta"]["concept_ref"].as_str().unwrap().starts_with("[Concept: "), "{tool}");
            assert_eq!(tool["_meta"]["spec_version"], ">=1.0.0");
        }
        let tree = tools.iter().find(|tool| tool["name"] == "specman.core.dependency.tree").unwrap();
        assert_eq!(tree["_meta"]["extensions"][0]["type"], "extension");
        call_raw(&mut session, "specman.core.workspace.describe");
        call_raw(&mut session, "specman_workspace_describe");
    }
}

fn call_raw(session: &mut McpSession, name: &str) {
    let result = session.request("tools/call", json!({ "name": name, "arguments": {} })).unwrap();
    assert_ne!(result["isError"], true, "{result}");
}

#[test]
fn artifacts_are_resources_with_their_trees_templates_and_completion() {
    let workspace = specman();
    workspace.add("//- changes/add-x/proposal.md\n# Add X\n//- changes/add-x/specs/specman-core/spec.md\n## ADDED Requirements\n");
    for era in ERAS {
        let mut session = serve_with(&workspace, era, &["--toolsets", "graph"]);
        let list = session.request("resources/list", json!({})).unwrap();
        let uris: Vec<&str> = list["resources"]
            .as_array()
            .unwrap()
            .iter()
            .map(|entry| entry["uri"].as_str().unwrap())
            .collect();
        for uri in [
            "spec://specman-core",
            "spec://specman-core/dependencies",
            "impl://specman-library",
            "scratch://mcp-adapter",
            "change://add-x",
        ] {
            assert!(uris.contains(&uri), "{uri}");
        }
        let read = |session: &mut McpSession, uri: &str| {
            let result = session.request("resources/read", json!({ "uri": uri })).unwrap();
            result["contents"][0].clone()
        };
        let text = read(&mut session, "spec://specman-core");
        assert_eq!(
            (&text["mimeType"], text["text"].as_str().unwrap()),
            (&json!("text/markdown"), workspace.read("spec/specman-core/spec.md").as_str())
        );
        let tree = read(&mut session, "spec://specman-core/dependencies");
        let tree: Value = serde_json::from_str(tree["text"].as_str().unwrap()).unwrap();
        assert!(
            edges(&tree["downstream"]).contains(&"change://add-x modifies spec://specman-core".to_owned())
        );
        assert!(session.request("resources/read", json!({ "uri": "spec://nothing" })).is_err());
        assert!(session.request("resources/read", json!({ "uri": "airsspec:///config" })).is_err());
        let templates = session.request("resources/templates/list", json!({})).unwrap();
        let templates: Vec<(&str, bool)> = templates["resourceTemplates"]
            .as_array()
            .unwrap()
            .iter()
            .map(|template| {
                (template["uriTemplate"].as_str().unwrap(), template["_meta"]["extensions"].is_array())
            })
            .collect();
        assert_eq!(templates.len(), 10);
        assert!(
            templates.contains(&("spec://{id}", false))
                && templates.contains(&("adr://{id}/dependencies", true))
        );
        let complete = json!({ "ref": { "type": "ref/resource", "uri": "impl://{name}" }, "argument": { "name": "name", "value": "mcp" } });
        let completed = session.request("completion/complete", complete).unwrap();
        assert_eq!(completed["completion"]["values"], json!(["specman-mcp-rust"]));
    }
}

#[test]
fn the_protocol_can_be_narrowed_by_the_environment() {
    let workspace = specman();
    let env = [("SPECMAN_MCP_PROTOCOLS", "2026-07-28")];
    let mut session =
        McpSession::spawn_raw(env!("CARGO_BIN_EXE_hewto"), &["serve"], workspace.root(), &env, Era::Legacy);
    let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } });
    let error = session.request("initialize", hello.clone()).unwrap_err();
    assert!(
        error.data["concept_ref"].as_str().unwrap().contains("concept-mcp-transport-compliance"),
        "{error:?}"
    );
    let env = [("SPECMAN_MCP_PROTOCOLS", "2025-06-18, 2099-01-01")];
    let mut session =
        McpSession::spawn_raw(env!("CARGO_BIN_EXE_hewto"), &["serve"], workspace.root(), &env, Era::Legacy);
    assert_eq!(session.request("initialize", hello).unwrap()["protocolVersion"], "2025-06-18");
}
