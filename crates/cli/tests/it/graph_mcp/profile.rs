//! The profile of seed 002: its names, resources and templates.

use hewto_testkit::{Era, McpSession};
use serde_json::{Value, json};

use crate::graph_fixture::{edges, specman};
use crate::mcp_client::{ERAS, serve_with};

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
        for uri in [
            "spec://nothing",
            "spec://a/b",
            "impl://nothing/dependencies",
            "airsspec:///config",
            "http://x.org",
        ] {
            let error = session.request("resources/read", json!({ "uri": uri })).unwrap_err();
            assert!(
                error.data["concept_ref"].as_str().unwrap().contains("](../../spec/"),
                "{uri}: {error:?}"
            );
        }
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
