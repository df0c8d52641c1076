//! Resources over the wire: the list, the templates, and reading each kind.

use hewto_testkit::{Era, McpSession, TestWorkspace};
use serde_json::{Value, json};

use crate::mcp_client::{ERAS, create_planned_spec, create_spec, serve};

fn read(session: &mut McpSession, uri: &str) -> (String, String) {
    let result = session.request("resources/read", json!({ "uri": uri })).unwrap();
    let contents = result["contents"].as_array().unwrap();
    assert_eq!((contents.len(), &contents[0]["uri"]), (1, &json!(uri)));
    let text = |field: &str| contents[0][field].as_str().unwrap().to_owned();
    (text("mimeType"), text("text"))
}

#[test]
fn each_kind_of_resource_is_read_with_its_type() {
    for era in ERAS {
        let workspace = TestWorkspace::airsspec();
        let mut session = serve(&workspace, era);
        let id = create_planned_spec(&mut session, "User Auth", json!({}));

        let (mime, config) = read(&mut session, "airsspec:///config");
        assert_eq!((mime.as_str(), config), ("application/toml", workspace.read(".airsspec/config.toml")));

        let (mime, specs) = read(&mut session, "airsspec:///specs");
        let specs: Value = serde_json::from_str(&specs).unwrap();
        assert_eq!((mime.as_str(), &specs["total"]), ("application/json", &json!(1)));
        let entry = specs["specs"][0].as_object().unwrap();
        for field in ["id", "title", "state", "category", "phase", "created_at", "updated_at"] {
            assert!(entry[field].is_string(), "{field}");
        }
        assert_eq!((&entry["id"], &entry["phase"]), (&json!(id), &json!("plan")));

        let (mime, bundle) = read(&mut session, &format!("airsspec:///{id}"));
        let bundle: Value = serde_json::from_str(&bundle).unwrap();
        assert_eq!((mime.as_str(), &bundle["id"]), ("application/json", &json!(id)));
        assert_eq!(bundle["spec"]["metadata"]["title"], "User Auth");
        assert!(bundle["spec"]["content"].is_string());
        assert_eq!(
            bundle["plan"]["steps"][1],
            json!({
                "index": 1, "title": "Second", "description": "Do that", "complexity": "complex",
                "status": "pending", "notes": null,
            })
        );
        assert_eq!(bundle["state"]["lifecycle"], "draft");

        for (part, mime, file) in [
            ("spec", "text/markdown", "spec.md"),
            ("plan", "text/markdown", "plan.md"),
            ("state", "application/toon", "state.toon"),
        ] {
            let expected = (mime.to_owned(), workspace.read(&format!(".airsspec/specs/{id}/{file}")));
            assert_eq!(read(&mut session, &format!("airsspec:///{id}/{part}")), expected);
        }
    }
}

#[test]
fn the_list_has_what_there_is_and_no_more() {
    for era in ERAS {
        let workspace = TestWorkspace::native();
        let mut session = serve(&workspace, era);
        let bare = create_spec(&mut session, "Bare", json!({}));
        let planned = create_planned_spec(&mut session, "Planned", json!({}));
        let list = session.request("resources/list", json!({})).unwrap();
        let mut uris: Vec<&str> = list["resources"]
            .as_array()
            .unwrap()
            .iter()
            .map(|resource| resource["uri"].as_str().unwrap())
            .collect();
        assert_eq!(uris[..2], ["airsspec:///config", "airsspec:///specs"]);
        let mut expected = vec!["airsspec:///config".to_owned(), "airsspec:///specs".to_owned()];
        for (id, parts) in
            [(&bare, vec!["", "/spec", "/state"]), (&planned, vec!["", "/spec", "/plan", "/state"])]
        {
            expected.extend(parts.iter().map(|part| format!("airsspec:///{id}{part}")));
        }
        uris.sort_unstable();
        expected.sort_unstable();
        assert_eq!(uris, expected);
        for resource in list["resources"].as_array().unwrap() {
            assert!(resource["mimeType"].is_string() && resource["name"].is_string(), "{resource}");
            let uri = resource["uri"].as_str().unwrap();
            assert_eq!(read(&mut session, uri).0, resource["mimeType"].as_str().unwrap());
        }
    }
}

#[test]
fn a_long_list_is_read_page_by_page() {
    let workspace = TestWorkspace::native();
    for number in 0..250 {
        workspace.add(&format!("//- specs/{number:03}/spec.md\n# Spec {number}\n"));
    }
    for era in ERAS {
        let mut session = serve(&workspace, era);
        let mut seen = Vec::new();
        let mut params = json!({});
        loop {
            let page = session.request("resources/list", params).unwrap();
            let uris = page["resources"].as_array().unwrap();
            seen.extend(uris.iter().map(|resource| resource["uri"].as_str().unwrap().to_owned()));
            match page.get("nextCursor") {
                Some(cursor) => params = json!({ "cursor": cursor }),
                None => break,
            }
        }
        assert_eq!(seen.len(), 2 + 250 * 3);
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), 2 + 250 * 3, "nothing is listed twice");
        let error = session.request("resources/list", json!({ "cursor": "made up" })).unwrap_err();
        assert_eq!(error.code, -32602);
    }
}

#[test]
fn templates_are_the_four_of_the_seed() {
    let workspace = TestWorkspace::native();
    let mut session = serve(&workspace, Era::Legacy);
    let list = session.request("resources/templates/list", json!({})).unwrap();
    let templates: Vec<(&str, &str)> = list["resourceTemplates"]
        .as_array()
        .unwrap()
        .iter()
        .map(|template| (template["uriTemplate"].as_str().unwrap(), template["mimeType"].as_str().unwrap()))
        .collect();
    assert_eq!(
        templates,
        [
            ("airsspec:///{spec_id}", "application/json"),
            ("airsspec:///{spec_id}/spec", "text/markdown"),
            ("airsspec:///{spec_id}/plan", "text/markdown"),
            ("airsspec:///{spec_id}/state", "application/toon"),
        ]
    );
}

#[test]
fn what_is_not_there_is_an_error_of_the_era_with_the_seeds_number_inside() {
    for (era, outer) in [(Era::Legacy, -32002), (Era::Modern, -32602)] {
        let workspace = TestWorkspace::airsspec();
        let mut session = serve(&workspace, era);
        let bare = create_spec(&mut session, "Bare", json!({}));
        let cases = [
            ("airsspec:///1700000000-nothing/spec".to_owned(), "spec_not_found", -32001),
            ("airsspec:///1700000000-nothing".to_owned(), "spec_not_found", -32001),
            (format!("airsspec:///{bare}/plan"), "plan_not_found", -32002),
            (format!("airsspec:///{bare}/else"), "resource_not_found", -32602),
            ("airsspec:///../../etc/passwd".to_owned(), "resource_not_found", -32602),
            ("airsspec:///..%2F..%2Fetc".to_owned(), "resource_not_found", -32602),
            ("file:///etc/passwd".to_owned(), "resource_not_found", -32602),
            (String::new(), "resource_not_found", -32602),
        ];
        for (uri, key, code) in cases {
            let error = session.request("resources/read", json!({ "uri": uri })).unwrap_err();
            assert_eq!(error.code, outer, "{uri}");
            assert_eq!((&error.data["error"], &error.data["code"]), (&json!(key), &json!(code)), "{uri}");
            assert!(error.data["hint"].is_string() && error.data["uri"] == json!(uri), "{}", error.data);
        }
    }
}

#[test]
fn an_id_of_several_segments_is_one_in_its_address() {
    let workspace = TestWorkspace::native();
    workspace.add("//- specs/auth/log in/spec.md\n# Log in\n//- specs/config/spec.md\n# Config\n");
    let mut session = serve(&workspace, Era::Modern);
    let list = session.request("resources/list", json!({})).unwrap();
    let uris: Vec<&str> =
        list["resources"].as_array().unwrap().iter().map(|r| r["uri"].as_str().unwrap()).collect();
    assert!(uris.contains(&"airsspec:///auth%2Flog%20in/spec"), "{uris:?}");
    assert_eq!(read(&mut session, "airsspec:///auth%2Flog%20in/spec").1, "# Log in\n");
    assert_eq!(read(&mut session, "airsspec:///config").0, "application/toml");
    let bundle = read(&mut session, "airsspec:///%63onfig").1;
    assert!(uris.contains(&"airsspec:///%63onfig") && bundle.contains("# Config"), "{uris:?}");
}
