//! What the server says about itself and what it offers: handshake, discovery, lists, profiles, choices.

use hewto_testkit::{Era, McpSession, TestWorkspace};
use serde_json::{Value, json};

use crate::mcp_client::{ERAS, serve, serve_silent, serve_with};

/// The seed's tools, with what their schemas require (seed 000).
const SEED_TOOLS: [(&str, &[&str]); 12] = [
    ("build_complete", &["spec_id", "summary"]),
    ("build_start", &["spec_id"]),
    ("build_update", &["spec_id"]),
    ("plan_create", &["spec_id", "approach", "steps"]),
    ("plan_step_complete", &["spec_id", "step_index"]),
    ("plan_update", &["spec_id"]),
    ("spec_check_dependencies", &["spec_id"]),
    ("spec_create", &["title", "description"]),
    ("spec_list", &[]),
    ("spec_status", &["spec_id"]),
    ("spec_transition", &["spec_id", "to_state"]),
    ("spec_update", &["spec_id"]),
];

fn names(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|item| item["name"].as_str().unwrap()).collect()
}

fn tools(session: &mut McpSession) -> Value {
    session.request("tools/list", json!({})).unwrap()["tools"].take()
}

#[test]
fn initialize_agrees_on_the_version_that_was_asked_for_or_the_newest_that_has_a_handshake() {
    let workspace = TestWorkspace::native();
    for (asked, agreed) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),
        ("1999-01-01", "2025-11-25"),
    ] {
        let mut session = serve_silent(&workspace);
        let params = json!({ "protocolVersion": asked, "capabilities": {}, "clientInfo": { "name": "c", "version": "1" } });
        let result = session.request("initialize", params).unwrap();
        assert_eq!(result["protocolVersion"], agreed, "{asked}");
        assert_eq!(result["serverInfo"], json!({ "name": "hewto", "version": env!("CARGO_PKG_VERSION") }));
        // A client of the new era that shook hands all the same is served as one of the old.
        let list = session.request("tools/list", json!({})).unwrap();
        assert_eq!(list.get("resultType"), None, "{asked}");
    }
}

#[test]
fn only_what_is_really_there_is_declared() {
    let workspace = TestWorkspace::native();
    let mut session = serve_silent(&workspace);
    let initialized = session.request("initialize", json!({})).unwrap();
    let resources = json!({ "subscribe": true, "listChanged": true });
    let capabilities =
        json!({ "tools": {}, "resources": resources, "prompts": {}, "completions": {}, "logging": {} });
    assert_eq!(initialized["capabilities"], capabilities);
    let mut session = serve(&workspace, Era::Modern);
    let discovered = session.request("server/discover", json!({})).unwrap();
    assert_eq!(discovered["capabilities"], capabilities);
    assert_eq!(discovered["instructions"], initialized["instructions"]);
    for method in ["logging/setLevel", "resources/subscribe", "tasks/list"] {
        assert_eq!(session.request(method, json!({})).unwrap_err().code, -32601, "{method}");
    }
}

// @spec protocol#both-eras/discover-then-initialize
#[test]
fn discovery_names_every_version_and_the_server() {
    let workspace = TestWorkspace::native();
    let mut session = serve(&workspace, Era::Modern);
    let discovered = session.request("server/discover", json!({})).unwrap();
    let versions = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];
    assert_eq!(discovered["supportedVersions"], json!(versions));
    assert_eq!(discovered["resultType"], "complete");
    assert_eq!(discovered["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "hewto");
}

#[test]
fn a_modern_request_needs_its_meta_and_a_version_that_is_spoken() {
    let workspace = TestWorkspace::native();
    let mut session = serve_silent(&workspace);
    let mut ask = |meta: Value| session.request("tools/list", json!({ "_meta": meta }));
    let error = ask(json!({ "io.modelcontextprotocol/protocolVersion": "2026-07-28" })).unwrap_err();
    assert_eq!(error.code, -32602);
    let error = ask(json!({
        "io.modelcontextprotocol/protocolVersion": "2031-01-01",
        "io.modelcontextprotocol/clientCapabilities": {},
    }))
    .unwrap_err();
    assert_eq!((error.code, &error.data["requested"]), (-32022, &json!("2031-01-01")));
    assert!(error.data["supported"].as_array().unwrap().contains(&json!("2026-07-28")));
    assert_eq!(session.request("server/discover", json!({})).unwrap_err().code, -32602);
}

#[test]
fn the_new_era_is_told_how_long_things_may_be_kept_and_the_old_is_not() {
    let workspace = TestWorkspace::airsspec();
    let lists = [
        ("tools/list", json!({}), "public"),
        ("prompts/list", json!({}), "public"),
        ("resources/templates/list", json!({}), "public"),
        ("resources/list", json!({}), "private"),
        ("resources/read", json!({ "uri": "airsspec:///config" }), "private"),
    ];
    let mut session = serve(&workspace, Era::Modern);
    for (method, params, scope) in &lists {
        let result = session.request(method, params.clone()).unwrap();
        assert_eq!(
            (&result["resultType"], &result["cacheScope"]),
            (&json!("complete"), &json!(scope)),
            "{method}"
        );
        let ttl = result["ttlMs"].as_u64().unwrap();
        assert_eq!(ttl > 0, *scope == "public", "{method}: {ttl}");
        assert_eq!(result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "hewto", "{method}");
    }
    assert_eq!(session.request("server/discover", json!({})).unwrap()["cacheScope"], "public");
    let mut session = serve(&workspace, Era::Legacy);
    for (method, params, _) in &lists {
        let result = session.request(method, params.clone()).unwrap();
        for field in ["resultType", "ttlMs", "cacheScope", "_meta"] {
            assert_eq!(result.get(field), None, "{method}");
        }
    }
}

#[test]
fn the_list_of_tools_is_the_same_bytes_in_every_process() {
    let workspace = TestWorkspace::native();
    let first = tools(&mut serve(&workspace, Era::Legacy)).to_string();
    let mut session = serve(&workspace, Era::Modern);
    assert_eq!(tools(&mut session).to_string(), first);
    assert_eq!(tools(&mut session).to_string(), first);
    let error = session.request("tools/list", json!({ "cursor": "x" })).unwrap_err();
    assert_eq!(error.code, -32602);
}

#[test]
fn the_profile_is_the_seeds_server_its_tools_resources_and_prompts() {
    for era in ERAS {
        let workspace = TestWorkspace::airsspec();
        let mut session = serve_with(&workspace, era, &["--profile", "airsspec"]);
        let tools = tools(&mut session);
        assert_eq!(names(&tools), SEED_TOOLS.map(|(name, _)| name));
        for (tool, (name, required)) in tools.as_array().unwrap().iter().zip(SEED_TOOLS) {
            let schema = &tool["inputSchema"];
            let wanted: Vec<&str> = schema["required"]
                .as_array()
                .into_iter()
                .flatten()
                .map(|field| field.as_str().unwrap())
                .collect();
            assert_eq!(wanted, required, "{name}");
            assert!(tool["outputSchema"]["properties"].is_object(), "{name}");
        }
        let prompts = session.request("prompts/list", json!({})).unwrap();
        assert_eq!(
            names(&prompts["prompts"]),
            ["check_progress", "create_plan", "review_spec", "validate_plan", "write_spec"]
        );
        let concrete = session.request("resources/list", json!({})).unwrap();
        let templates = session.request("resources/templates/list", json!({})).unwrap();
        let kinds = concrete["resources"].as_array().unwrap().len()
            + templates["resourceTemplates"].as_array().unwrap().len();
        assert_eq!(kinds, 6);
        let list = session.request("tools/list", json!({})).unwrap();
        match era {
            Era::Modern => {
                assert_eq!(list["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "airsspec");
            }
            Era::Legacy => {
                let args = ["serve", "--profile", "airsspec"];
                let none: &[(&str, &str)] = &[];
                let mut raw =
                    McpSession::spawn_raw(env!("CARGO_BIN_EXE_hewto"), &args, workspace.root(), none, era);
                assert_eq!(raw.request("initialize", json!({})).unwrap()["serverInfo"]["name"], "airsspec");
            }
        }
    }
}

#[test]
fn a_read_only_server_offers_and_runs_only_what_changes_nothing() {
    for era in ERAS {
        let workspace = TestWorkspace::native();
        let mut session = serve_with(&workspace, era, &["--read-only"]);
        for tool in tools(&mut session).as_array().unwrap() {
            assert_eq!(tool["annotations"]["readOnlyHint"], true, "{tool}");
        }
        let call = json!({ "name": "spec_create", "arguments": { "title": "T", "description": "d" } });
        assert_eq!(session.request("tools/call", call).unwrap_err().code, -32602);
        assert!(workspace.names_in("specs").is_empty());
    }
}

#[test]
fn exactly_the_named_tools_are_offered() {
    let workspace = TestWorkspace::native();
    let mut session = serve_with(&workspace, Era::Legacy, &["--tools", "spec_status,spec_create"]);
    assert_eq!(names(&tools(&mut session)), ["spec_create", "spec_status"]);
    assert!(session.request("tools/call", json!({ "name": "spec_list" })).is_err());
}

#[test]
fn without_a_workspace_tools_say_how_to_make_one_and_work_once_it_is_there() {
    for era in ERAS {
        let folder = TestWorkspace::empty();
        let mut session = serve(&folder, era);
        let error = session.call("spec_list", json!({})).error();
        assert_eq!((&error["error"], &error["code"]), (&json!("workspace_not_found"), &json!(-32000)));
        assert!(error["hint"].as_str().unwrap().contains("hewto init"), "{error}");
        let error = session.request("resources/read", json!({ "uri": "airsspec:///config" })).unwrap_err();
        assert_eq!(error.data["code"], -32000);
        assert_eq!(session.request("resources/list", json!({})).unwrap()["resources"], json!([]));
        folder.add("//- .hewto/config.toml\n[project]\nname = \"late\"\ndescription = \"\"\n//- specs/\n");
        session.call("spec_list", json!({})).ok();
    }
}
