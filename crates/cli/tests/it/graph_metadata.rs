//! The front matter of artifacts over MCP: shown, patched to the byte, and every way it is refused.

use serde_json::{Value, json};

use crate::graph_fixture::{serve_graph, specman};

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
    let long = format!("{}\n{}", workspace.read("spec/specman-core/spec.md"), "- a long line\n".repeat(300));
    workspace.add(&format!("//- spec/specman-core/spec.md\n{long}"));
    let answer = session.call("specman_metadata_patch", set).ok();
    let diff = answer["diff"].as_str().unwrap();
    assert!(
        diff.contains("+++ b/spec/specman-core/spec.md\n") && diff.contains("\n+version: \"0.2.0\"\n"),
        "{diff}"
    );
    assert!(
        diff.len() < 600 && !answer["updated_document"].as_str().unwrap().contains("long line"),
        "{answer}"
    );
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
        (json!({ "locator": "spec://specman-core", "set": { "spec": "spec://specman-mcp" } }), "wrong_kind"),
        (json!({ "locator": "impl://specman-library", "set": { "spec": null } }), "invalid_params"),
        (json!({ "locator": "spec", "set": { "a": 1 } }), "artifact_not_found"),
        (json!({ "locator": "../x", "set": { "a": 1 } }), "outside_workspace"),
        (json!({ "locator": "ftp://x", "set": { "a": 1 } }), "unsupported_scheme"),
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
        if key == "dependency_cycle" {
            assert!(error["partial"]["root"]["handle"].is_string() && error["chain"].is_array(), "{error}");
        }
    }
    assert_eq!(workspace.read("spec/listed/spec.md"), "---\n- a\n---\n# L\n");
}
