//! Templates, pointers and prompts of seed 002 over MCP.

use serde_json::json;

use crate::graph_fixture::{serve_graph, specman};

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
        ("spec", "template_invalid"),
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
