//! Documents on the web, as seed 002 allows them: looked at, never written. Here the address is dead and its copy serves.

use hewto_testkit::TestWorkspace;
use serde_json::json;

use crate::graph_fixture::{edges, serve_graph, specman};

const URL: &str = "https://127.0.0.1:1/spec/remote/spec.md";
/// Where its copy is kept: by the SHA-256 of the address.
const COPY: &str =
    ".hewto/cache/templates/url-c3c3f1488804be44447aee026c4e9d539306dfc7ce03b4aea1bddb8f6007eab6";
const DOCUMENT: &str = "\
---
name: remote
version: \"2.1.0\"
dependencies:
  - ../model/spec.md  # beside it
  - ref: https://example.org/glossary.md
    optional: true
---

# Remote
";

/// A workspace that has fetched the document once, with a spec that depends on it.
fn with_copy() -> TestWorkspace {
    let workspace = specman();
    let note = json!({ "locator": URL, "retrieved_at": "2026-01-24T10:00:00Z", "last_modified": null, "etag": null });
    workspace.add(&format!(
        "//- {COPY}.md\n{DOCUMENT}//- {COPY}.json\n{note}\n//- spec/local/spec.md\n---\ndependencies: [{URL}]\n---\n# L\n"
    ));
    workspace
}

#[test]
fn a_document_on_the_web_is_described_from_its_last_good_copy() {
    let workspace = with_copy();
    let mut session = serve_graph(&workspace);
    let view = session.call("specman_metadata_describe", json!({ "locator": URL })).ok();
    assert_eq!((&view["kind"], &view["id"]["name"]), (&json!("Specification"), &json!("remote")));
    assert_eq!((&view["handle"], &view["path"]), (&json!(URL), &json!(null)));
    assert_eq!(view["front_matter"]["version"], "2.1.0");
    assert_eq!(view["remote"]["retrieved_at"], "2026-01-24T10:00:00Z");
    assert!(view["remote"]["problem"].as_str().unwrap().contains("cannot fetch"), "{view}");
}

#[test]
fn its_tree_goes_both_ways_and_its_references_are_addresses() {
    let workspace = with_copy();
    let mut session = serve_graph(&workspace);
    let tree = session.call("specman_dependency_tree", json!({ "locator": URL })).ok();
    assert_eq!(tree["root"]["version"], "2.1.0");
    assert_eq!(tree["root"]["metadata"].get("resolution"), None);
    assert_eq!(
        edges(&tree["upstream"]),
        [
            format!("{URL} depends https://127.0.0.1:1/spec/model/spec.md"),
            format!("{URL} depends? https://example.org/glossary.md"),
        ]
    );
    assert_eq!(edges(&tree["downstream"]), [format!("spec://local depends {URL}")]);
    let up = json!({ "locator": URL, "mode": "upstream" });
    assert_eq!(session.call("specman_dependency_slice", up).ok()["total"], 2);
    // Seen from a spec it is an address that nobody has looked at.
    let tree = session.call("specman_dependency_tree", json!({ "locator": "spec://local" })).ok();
    assert_eq!(tree["upstream"][0]["to"]["metadata"]["metadata_status"], "missing");
}

#[test]
fn a_patch_of_it_is_a_preview_and_never_written() {
    let workspace = with_copy();
    let mut session = serve_graph(&workspace);
    let patch = |more: serde_json::Value| {
        let mut arguments = json!({ "locator": URL });
        for (key, value) in more.as_object().unwrap() {
            arguments[key] = value.clone();
        }
        arguments
    };
    let add = patch(json!({ "add_dependencies": ["../other/spec.md"], "set": { "version": "3.0.0" } }));
    let view = session.call("specman_metadata_patch", add.clone()).ok();
    let expected = DOCUMENT
        .replace("2.1.0", "3.0.0")
        .replace("    optional: true\n", "    optional: true\n  - ../other/spec.md\n");
    assert_eq!((&view["updated_document"], &view["persisted"]), (&json!(expected), &json!(null)));
    assert_eq!(view["artifact"]["handle"], URL);
    let mut persist = add;
    persist["persist"] = json!(true);
    let error = session.call("specman_metadata_patch", persist).error();
    assert_eq!(error["error"], "not_local");
    assert!(error["concept_ref"].is_string(), "{error}");
    assert_eq!(workspace.read(&format!("{COPY}.md")), DOCUMENT);
    for (more, key) in [
        (json!({ "add_dependencies": ["spec://specman-core"] }), "not_remote"),
        (json!({ "add_dependencies": ["http://example.org/x"] }), "unsupported_scheme"),
        (json!({ "add_dependencies": ["https://127.0.0.1:1/spec/remote/spec.md"] }), "dependency_cycle"),
        (json!({ "add_references": ["../x.md"] }), "wrong_kind"),
        (json!({ "remove_dependencies": ["../nothing.md"] }), "reference_not_found"),
        (json!({ "set": { "spec": "../x.md" } }), "wrong_kind"),
    ] {
        let error = session.call("specman_metadata_patch", patch(more.clone())).error();
        assert_eq!(error["error"], key, "{more}: {error}");
    }
}

#[test]
fn an_address_that_cannot_be_fetched_is_shown_but_not_described() {
    let workspace = specman();
    let mut session = serve_graph(&workspace);
    let tree = session.call("specman_dependency_tree", json!({ "locator": URL })).ok();
    let root = &tree["root"];
    assert_eq!((&root["handle"], &root["metadata"]["resolution"]), (&json!(URL), &json!("unresolved")));
    assert!(root["metadata"]["problem"].as_str().unwrap().contains("cannot fetch"), "{root}");
    for (tool, arguments) in [
        ("specman_metadata_describe", json!({ "locator": URL })),
        ("specman_metadata_patch", json!({ "locator": URL, "set": { "a": 1 } })),
    ] {
        let error = session.call(tool, arguments).error();
        assert_eq!(error["error"], "document_unreachable");
        assert!(error["concept_ref"].is_string() && error["hint"].is_string(), "{error}");
    }
}
