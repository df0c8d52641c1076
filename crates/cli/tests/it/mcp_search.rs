//! Search over MCP: the scenarios of seed 004, an index that follows the files, odd queries, and what to read first.

use std::fmt::Write as _;
use std::process::Command;

use hewto_testkit::{Era, McpSession, TestWorkspace};
use serde_json::{Value, json};

use crate::mcp_client::{ERAS, serve, serve_with};

const FIXTURE: &str = "\
//- .hewto/config.toml
//- specs/sign-in/spec.md
# Sign-in and sessions

## Purpose

Let people in with a password and keep everybody else out.

## Requirements

### Requirement: Idle Expiry

A session SHALL end after `session_ttl` minutes without any request.

#### Scenario: Left alone

- **WHEN** nobody has clicked for half an hour
- **THEN** the next request is answered with the sign-in page

### Requirement: Account Lockout

After ten wrong passwords the system SHALL refuse further attempts for fifteen minutes.
//- specs/refunds/spec.md
# Refunds

## Purpose

Sending goods and money back.

## Requirements

### Requirement: Return Window

A customer SHALL be able to send an order back within thirty days of delivery.
//- changes/longer-window/proposal.md
# Change: Longer return window

## Why

Parcels to islands take two weeks, which leaves too little time to decide.

## What Changes

- Sixty days instead of thirty
//- changes/longer-window/specs/refunds/spec.md
## MODIFIED Requirements

### Requirement: Return Window

A customer SHALL be able to send an order back within sixty days of delivery.
//- docs/adr/0001-money.md
# Keep money in integer cents

Floating point loses pennies when refunds are split over several payments.
";

/// The workspace with its index.
fn indexed() -> TestWorkspace {
    let workspace = TestWorkspace::from_fixture(FIXTURE);
    build(&workspace);
    workspace
}

fn build(workspace: &TestWorkspace) {
    let built = hewto(workspace, &["index", "build"]);
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
}

fn hewto(workspace: &TestWorkspace, args: &[&str]) -> std::process::Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hewto"));
    command.args(args).current_dir(workspace.root()).env_clear().output().unwrap()
}

fn search(session: &mut McpSession, query: &str) -> Value {
    session.call("search_specs", json!({ "query": query })).ok()
}

/// `spec/requirement` of each result.
fn names(answer: &Value) -> Vec<String> {
    let results = answer["results"].as_array().unwrap();
    let name = |hit: &Value| {
        format!("{}/{}", hit["spec_id"].as_str().unwrap(), hit["requirement"].as_str().unwrap_or("-"))
    };
    results.iter().map(name).collect()
}

#[test]
fn search_with_query() {
    let workspace = indexed();
    for era in ERAS {
        let mut session = serve_with(&workspace, era, &["--profile", "spox"]);
        let answer = search(&mut session, "user gets logged out when inactive");
        assert_eq!(names(&answer)[0], "sign-in/Idle Expiry", "{answer}");
        assert_eq!(answer["mode"], "fused");
        let results = answer["results"].as_array().unwrap();
        assert!(answer["total"].as_u64().unwrap() >= results.len() as u64);
        let scores: Vec<f64> = results.iter().map(|hit| hit["score"].as_f64().unwrap()).collect();
        assert!(scores.is_sorted_by(|a, b| a >= b), "{scores:?}");
        for hit in results {
            let score = hit["score"].as_f64().unwrap();
            assert!((0.0..=1.0).contains(&score) && hit["snippet"].is_string(), "{hit}");
            assert!(hit.get("requirement").is_some(), "{hit}");
        }
    }
}

#[test]
fn search_with_empty_results() {
    let workspace = indexed();
    let mut session = serve(&workspace, Era::Modern);
    let answer = search(&mut session, "recipe for sourdough bread with rye");
    assert_eq!((&answer["results"], &answer["total"]), (&json!([]), &json!(0)));
    let strict = session.call("search_specs", json!({ "query": "lost session", "threshold": 1.0 })).ok();
    assert_eq!(strict["results"], json!([]));
}

#[test]
fn a_hit_in_a_purpose_has_no_requirement_and_an_identifier_is_found_exactly() {
    let workspace = indexed();
    let mut session = serve(&workspace, Era::Modern);
    let answer = search(&mut session, "sending goods and money back");
    assert!(names(&answer).contains(&"refunds/-".to_owned()), "{answer}");
    let answer = search(&mut session, "session_ttl");
    assert_eq!(names(&answer)[0], "sign-in/Idle Expiry");
    let limited = session.call("search_specs", json!({ "query": "session", "limit": 1 })).ok();
    assert_eq!(limited["results"].as_array().unwrap().len(), 1);
}

#[test]
fn a_changed_spec_is_found_at_the_next_call_whoever_changed_it() {
    let workspace = indexed();
    let mut session = serve(&workspace, Era::Modern);
    let shipping = "//- specs/shipping/spec.md\n# Shipping\n\n## Requirements\n\n\
                    ### Requirement: Carrier Choice\n\nThe buyer SHALL pick who delivers the parcel.\n";
    workspace.add(shipping);
    let answer = search(&mut session, "choose the delivery company");
    assert_eq!(names(&answer)[0], "shipping/Carrier Choice", "{answer}");
    workspace.add(&shipping.replace("Carrier Choice", "Parcel Broker"));
    assert_eq!(names(&search(&mut session, "choose the delivery company"))[0], "shipping/Parcel Broker");
    fs_err::remove_dir_all(workspace.path("specs/shipping")).unwrap();
    let gone = names(&search(&mut session, "choose the delivery company"));
    assert!(!gone.iter().any(|name| name.starts_with("shipping/")), "{gone:?}");
    session
        .call(
            "spec_create",
            json!({ "title": "Gift wrapping", "description": "Parcels that are presents get paper and a bow" }),
        )
        .ok();
    let answer = search(&mut session, "wrap a present");
    assert!(answer["results"][0]["spec_id"].as_str().unwrap().ends_with("-gift-wrapping"), "{answer}");
}

#[test]
fn two_servers_and_a_command_share_one_index() {
    let workspace = indexed();
    let mut sessions = [serve(&workspace, Era::Legacy), serve(&workspace, Era::Modern)];
    for round in 0..3 {
        workspace.add(&format!(
            "//- specs/round/spec.md\n# Round\n\n## Requirements\n\n### Requirement: Number {round}\n\nA zebra crosses.\n"
        ));
        for session in &mut sessions {
            assert_eq!(names(&search(session, "zebra"))[0], format!("round/Number {round}"));
        }
        let found = hewto(&workspace, &["search", "zebra", "--json"]);
        let found: Value = serde_json::from_slice(&found.stdout).unwrap();
        assert_eq!(found["results"][0]["requirement"], format!("Number {round}"));
    }
}

#[test]
fn while_vectors_are_made_what_there_is_serves_and_the_mode_counts() {
    let workspace = indexed();
    let mut session = serve(&workspace, Era::Modern);
    let mut many = "//- specs/many/spec.md\n# Many\n\n## Requirements\n".to_owned();
    for n in 0..120 {
        let _ = write!(many, "\n### Requirement: Item {n}\n\nIt SHALL hold widget {n}.\n");
    }
    workspace.add(&many);
    let answer = search(&mut session, "widget");
    let mode = answer["mode"].as_str().unwrap();
    // A fast machine makes them all within the call, and a slower one those that rank until then.
    let starts = ["lexical (embedding ", "fused (roughly: embedding "];
    let is_under_way = starts.iter().any(|start| mode.starts_with(start)) && mode.ends_with(" of 129)");
    assert!(is_under_way || mode == "fused", "{mode}");
    assert!(names(&answer)[0].starts_with("many/Item"), "{answer}");
    while search(&mut session, "widget")["mode"] != "fused" {
        std::thread::yield_now();
    }
}

// @spec search#words-and-meaning-count-together/other-words-for-the-same-thing
#[test]
fn what_means_the_same_is_found_by_other_words() {
    let workspace = indexed();
    let mut session = serve(&workspace, Era::Modern);
    let query = "log off inactive visitors";
    let words = session.call("search_specs", json!({ "query": query, "mode": "lexical" })).ok();
    assert!(!names(&words).contains(&"sign-in/Idle Expiry".to_owned()), "{words}");
    let answer = search(&mut session, query);
    assert_eq!(names(&answer)[0], "sign-in/Idle Expiry", "{answer}");
}

#[test]
fn the_rankers_can_be_asked_for_alone() {
    let workspace = indexed();
    let mut session = serve(&workspace, Era::Modern);
    for mode in ["lexical", "dense", "fused"] {
        let answer = session.call("search_specs", json!({ "query": "wrong passwords", "mode": mode })).ok();
        assert_eq!(answer["mode"], mode);
        assert_eq!(names(&answer)[0], "sign-in/Account Lockout");
    }
    let wrong = session.call("search_specs", json!({ "query": "x", "mode": "psychic" })).error();
    assert_eq!(wrong["error"], "invalid_params");
}

#[test]
fn odd_queries_are_answered_or_refused() {
    let workspace = indexed();
    let mut session = serve(&workspace, Era::Modern);
    for blank in ["", " \n\t"] {
        let refused = session.call("search_specs", json!({ "query": blank })).error();
        assert_eq!(refused["error"], "validation_failed", "{blank:?}");
    }
    let endless = "session ".repeat(12_800);
    let queries = [
        "the of and",
        "?!…",
        "[a-z]+(b|c)*\\",
        "\"",
        "a AND (b OR",
        "🚢🎉",
        "שלום עולם",
        "مرحبا",
        "検索の仕様",
        "\u{202e}drawkcab",
        &endless,
    ];
    for query in queries {
        let answer = search(&mut session, query);
        assert!(answer["results"].is_array(), "{query:?}");
    }
    assert_eq!(names(&search(&mut session, &endless))[0], "sign-in/Idle Expiry");
}

#[test]
fn a_torn_or_foreign_index_is_made_anew_without_a_word() {
    let workspace = indexed();
    for spoiled in ["", "{\"format\":99}", "\u{0}\u{1}"] {
        fs_err::write(workspace.path(".hewto/cache/search/index.json"), spoiled).unwrap();
        let mut session = serve(&workspace, Era::Modern);
        assert_eq!(names(&search(&mut session, "session_ttl"))[0], "sign-in/Idle Expiry");
        assert_eq!(session.close().stderr, "");
    }
}

#[test]
fn context_for_a_task_is_what_bears_on_it_whole_with_its_handles() {
    let workspace = indexed();
    let mut session = serve(&workspace, Era::Modern);
    let answer =
        session.call("context_for", json!({ "text": "give customers more time to return orders" })).ok();
    let handles: Vec<&str> =
        answer["items"].as_array().unwrap().iter().map(|item| item["handle"].as_str().unwrap()).collect();
    assert!(handles.contains(&"spec://refunds#return-window"), "{answer}");
    assert!(handles.contains(&"change:longer-window"), "{answer}");
    let requirement = &answer["items"][handles.iter().position(|h| h.starts_with("spec:")).unwrap()];
    assert!(requirement["text"].as_str().unwrap().contains("within thirty days of delivery"));
    let decision = session.call("context_for", json!({ "text": "split a refund, rounding of pennies" })).ok();
    assert!(decision.to_string().contains("decision:0001-money"), "{decision}");
    let tight = session.call("context_for", json!({ "text": "returning orders", "budget": 400 }));
    assert!(tight.text.chars().count() <= 400, "{}", tight.text);
}

#[test]
fn context_for_files_is_their_document_or_what_their_names_say() {
    let workspace = TestWorkspace::from_fixture(FIXTURE);
    // There is no index, and none is needed.
    let mut session = serve(&workspace, Era::Modern);
    let answer = session.call("context_for", json!({ "files": ["specs/sign-in/spec.md"] })).ok();
    assert_eq!(answer["items"][0]["handle"], "spec://sign-in#account-lockout", "{answer}");
    assert_eq!(answer["items"][1]["handle"], "spec://sign-in#idle-expiry", "{answer}");
    let answer = session.call("context_for", json!({ "files": ["src/account/lockout.rs"] })).ok();
    assert_eq!(answer["items"][0]["handle"], "spec://sign-in#account-lockout", "{answer}");
    for (arguments, error) in [
        (json!({}), "invalid_params"),
        (json!({ "text": "  " }), "invalid_params"),
        (json!({ "files": ["../../etc/passwd"] }), "invalid_params"),
        (json!({ "text": "x", "budget": 0 }), "invalid_params"),
    ] {
        assert_eq!(session.call("context_for", arguments.clone()).error()["error"], error, "{arguments}");
    }
}
