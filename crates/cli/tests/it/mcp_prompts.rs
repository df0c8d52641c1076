//! Prompts and completion over the wire.

use hewto_testkit::{Era, McpSession, TestWorkspace};
use serde_json::{Value, json};

use crate::mcp_client::{ERAS, create_spec, serve};

fn complete(session: &mut McpSession, reference: Value, name: &str, value: &str) -> Value {
    let params = json!({ "ref": reference, "argument": { "name": name, "value": value } });
    session.request("completion/complete", params).unwrap()["completion"].take()
}

#[test]
fn every_prompt_is_listed_and_filled_in_once() {
    for era in ERAS {
        let workspace = TestWorkspace::airsspec();
        let mut session = serve(&workspace, era);
        let list = session.request("prompts/list", json!({})).unwrap();
        for prompt in list["prompts"].as_array().unwrap() {
            let argument = prompt["arguments"][0]["name"].as_str().unwrap();
            assert_eq!(prompt["arguments"][0]["required"], true);
            let value = "17-login {{spec_id}} {{feature_description}}";
            let params = json!({ "name": prompt["name"], "arguments": { argument: value } });
            let filled = session.request("prompts/get", params).unwrap();
            let messages = filled["messages"].as_array().unwrap();
            assert_eq!((messages.len(), &messages[0]["role"]), (1, &json!("user")));
            let text = messages[0]["content"]["text"].as_str().unwrap();
            assert!(text.contains(value), "{text}");
            assert!(!text.replace(value, "").contains("{{"), "{text}");
        }
        let params = json!({ "name": "write_spec", "arguments": { "feature_description": "a login" } });
        let text = session.request("prompts/get", params).unwrap()["messages"][0]["content"]["text"].take();
        assert!(text.as_str().unwrap().starts_with(
            "You are helping write a specification for: a login\n\nA good spec should answer:\n1. WHAT: What exactly needs to be built?"
        ));
    }
}

#[test]
fn prompts_that_cannot_be_filled_in_are_refused() {
    for era in ERAS {
        let workspace = TestWorkspace::airsspec();
        let mut session = serve(&workspace, era);
        let cases = [
            json!({ "name": "create_plan" }),
            json!({ "name": "create_plan", "arguments": {} }),
            json!({ "name": "create_plan", "arguments": { "spec_id": " " } }),
            json!({ "name": "create_plan", "arguments": { "spec_id": 5 } }),
            json!({ "name": "create_plan", "arguments": { "spec_id": "a", "more": "b" } }),
            json!({ "name": "make_coffee", "arguments": {} }),
        ];
        for params in cases {
            let error = session.request("prompts/get", params.clone()).unwrap_err();
            assert_eq!((error.code, &error.data["code"]), (-32602, &json!(-32602)), "{params}");
            assert!(error.data["error"].is_string(), "{params}");
        }
    }
}

#[test]
fn ids_of_specs_are_completed_in_prompts_and_templates() {
    for era in ERAS {
        let workspace = TestWorkspace::native();
        let mut session = serve(&workspace, era);
        let login = create_spec(&mut session, "Login", json!({}));
        create_spec(&mut session, "Search", json!({}));
        let prompt = json!({ "type": "ref/prompt", "name": "review_spec" });
        let template = json!({ "type": "ref/resource", "uri": "airsspec:///{spec_id}/spec" });
        for reference in [prompt, template] {
            let found = complete(&mut session, reference.clone(), "spec_id", "login");
            assert_eq!(found, json!({ "values": [login], "total": 1, "hasMore": false }));
            assert_eq!(complete(&mut session, reference, "spec_id", "")["total"], 2);
        }
        for (reference, argument) in [
            (json!({ "type": "ref/prompt", "name": "no_such_prompt" }), "spec_id"),
            (json!({ "type": "ref/prompt", "name": "write_spec" }), "feature_description"),
            (json!({ "type": "ref/resource", "uri": "airsspec:///{other}" }), "other"),
        ] {
            assert_eq!(complete(&mut session, reference, argument, "")["values"], json!([]));
        }
    }
}

#[test]
fn no_more_than_a_hundred_ids_are_offered_and_the_rest_is_counted() {
    let workspace = TestWorkspace::native();
    for number in 0..150 {
        workspace.add(&format!("//- specs/spec-{number:03}/spec.md\n# Spec\n"));
    }
    let mut session = serve(&workspace, Era::Modern);
    let reference = json!({ "type": "ref/prompt", "name": "create_plan" });
    let found = complete(&mut session, reference.clone(), "spec_id", "spec-");
    assert_eq!(found["values"].as_array().unwrap().len(), 100);
    assert_eq!((&found["total"], &found["hasMore"]), (&json!(150), &json!(true)));
    let found = complete(&mut session, reference, "spec_id", "spec-14");
    assert_eq!((found["values"].as_array().unwrap().len(), &found["hasMore"]), (10, &json!(false)));
}

#[test]
fn without_a_workspace_nothing_is_completed() {
    let folder = TestWorkspace::empty();
    let mut session = serve(&folder, Era::Legacy);
    let reference = json!({ "type": "ref/prompt", "name": "create_plan" });
    assert_eq!(complete(&mut session, reference, "spec_id", "")["values"], json!([]));
}

#[test]
fn prompts_know_a_change_by_both_forms_of_its_id() {
    let workspace = TestWorkspace::native();
    workspace.add(
        "//- changes/add-limit/proposal.md\n# Change: add limit\n\n## Why\n\nAbuse.\n\n## What Changes\n\nLimits.\n\
         //- specs/api/spec.md\n# api\n",
    );
    let mut session = serve(&workspace, Era::Modern);
    let mut text = |name: &str, argument: &str, value: &str| {
        let params = json!({ "name": name, "arguments": { argument: value } });
        let text = session.request("prompts/get", params).unwrap()["messages"][0]["content"]["text"].take();
        text.as_str().unwrap().to_owned()
    };
    for prompt in ["create_plan", "review_spec", "validate_plan"] {
        let of_change = text(prompt, "spec_id", "change:add-limit");
        assert!(!of_change.contains("airsspec:///"), "{of_change}");
        assert_eq!(text(prompt, "spec_id", "add-limit"), of_change);
        assert!(text(prompt, "spec_id", "api").contains("airsspec:///api/spec"));
        assert!(text(prompt, "spec_id", "nobody").contains("airsspec:///nobody/spec"));
    }
    for prompt in ["apply", "archive"] {
        let bare = text(prompt, "change_id", "add-limit");
        assert!(!bare.contains("change:change:"), "{bare}");
        assert_eq!(text(prompt, "change_id", "change:add-limit"), bare);
    }
}
