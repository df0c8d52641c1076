//! Decisions that other tools recorded, the graph around one thing, health that is computed behind the page, large specs.

use serde_json::Value;

use crate::shop::{SHOP, Shop};
use crate::wire::field;

const ADRS: &str = "\
//- docs/adr/0001-record-decisions.md
# 1. Record decisions

Date: 2020-01-02

## Status

Accepted

## Context

<script>alert(1)</script> is text.

## Decision

We write them down.

## Consequences

None.
//- docs/adr/0002 use postgres.md
---
status: proposed
date: 2021-02-03
---
# Use PostgreSQL

## Context and Problem Statement

Which database?

## Decision Outcome

Chosen option: PostgreSQL.
//- docs/adr/README.md
# Decisions
";

#[test]
fn a_record_of_another_tool_is_listed_and_the_graph_leads_to_its_page() {
    let shop = Shop::open(SHOP);
    shop.workspace.add(ADRS);
    let guest = shop.sign_in();
    let list = guest.get("/w/shop/decisions");
    assert!(list.main().contains("Recorded by other tools"), "{}", list.main());
    assert!(
        list.main().contains("Record decisions") && list.main().contains("2020-01-02"),
        "{}",
        list.main()
    );
    assert!(list.main().contains("hewto import"), "{}", list.main());
    assert!(!list.main().contains("README"), "{}", list.main());
    let choice = guest.get("/w/shop/graph");
    assert!(choice.main().contains("Use PostgreSQL"), "{}", choice.main());
    let all: Value = serde_json::from_str(&guest.get("/w/shop/graph.json").body).expect("JSON");
    let nodes = all["nodes"].as_array().expect("nodes");
    for (page, title) in [
        ("decision/0001-record-decisions", "Record decisions"),
        ("decision/0002%20use%20postgres", "Use PostgreSQL"),
    ] {
        let node = nodes.iter().find(|node| node["metadata"]["title"] == title);
        let around =
            node.and_then(|node| node["handle"].as_str()).unwrap_or_else(|| panic!("{title}: {all}"));
        let around = around.replace('%', "%25").replace(' ', "%20");
        let graph = guest.get(&format!("/w/shop/graph?around={around}"));
        assert_eq!(graph.status, 200, "{around}: {}", graph.main());
        let link = format!("/w/shop/{page}");
        assert!(graph.main().contains(&link), "{link}: {}", graph.main());
        let one = guest.get(&link);
        assert_eq!(one.status, 200, "{link}: {}", one.main());
        assert!(one.body.contains(&format!("<title>{title} · shop · hewto</title>")), "{}", one.body);
        assert!(one.main().contains("recorded by another tool"), "{}", one.main());
        assert!(!one.main().contains("<script"), "{}", one.main());
        let view: Value = serde_json::from_str(&guest.get(&format!("{link}.json")).body).expect("JSON");
        assert_eq!(view["title"], title, "{view}");
    }
    assert_eq!(guest.get("/w/shop/decision/0003-nothing").status, 404);
}

#[test]
fn the_graph_goes_so_many_steps_from_one_thing_and_says_what_it_leaves_out() {
    let shop = Shop::open(SHOP);
    for number in 0..200 {
        let on = if number == 0 { "accounts".to_owned() } else { format!("s{}", number - 1) };
        shop.workspace.add(&format!(
            "//- specs/s{number}/spec.md\n---\ndependencies:\n  - spec://{on}\n---\n# S{number}\n\
             //- specs/leaf{number}/spec.md\n---\ndependencies:\n  - spec://accounts\n---\n# Leaf {number}\n"
        ));
    }
    let guest = shop.sign_in();
    let view = |query: &str| -> Value {
        let answer = guest.get(&format!("/w/shop/graph.json?{query}"));
        assert_eq!(answer.status, 200, "{}", answer.body);
        serde_json::from_str(&answer.body).expect("JSON")
    };
    let handles = |view: &Value| -> Vec<(String, i64)> {
        let nodes = view["nodes"].as_array().expect("nodes").iter();
        nodes
            .map(|node| (node["handle"].as_str().unwrap().to_owned(), node["distance"].as_i64().unwrap()))
            .collect()
    };
    let near = view("around=s100&depth=2");
    let mut found = handles(&near);
    found.sort();
    let expected =
        [("spec://s100", 0), ("spec://s101", 1), ("spec://s102", 2), ("spec://s98", -2), ("spec://s99", -1)];
    assert_eq!(found, expected.map(|(handle, far)| (handle.to_owned(), far)));
    assert_eq!(near["edges"].as_array().map(Vec::len), Some(4), "{near}");
    assert_eq!(near["left_out"], 0, "{near}");
    // Two hundred leaves, the first of the chain and two changes hang on it.
    let wide = view("around=accounts&depth=1");
    assert_eq!(handles(&wide).len(), 150);
    assert_eq!(wide["left_out"], 54, "{wide}");
    let all = view("");
    assert_eq!(all["nodes"].as_array().map(Vec::len), Some(150));
}

#[test]
fn code_and_tests_stand_in_the_graph_where_somebody_asks_for_proof() {
    let shop = Shop::open(SHOP);
    shop.workspace.add("//- .hewto/proof.toml\npolicy = \"warn\"\n");
    shop.workspace.add(
        "//- tests/login.rs\n// @spec accounts#sign-in/known\n#[test]\nfn known() {}\n\
         // @spec accounts#sign-in/expired\n#[test]\nfn expired() {}\n",
    );
    let guest = shop.sign_in();
    let view: Value =
        serde_json::from_str(&guest.get("/w/shop/graph.json?around=accounts").body).expect("JSON");
    let nodes = view["nodes"].as_array().expect("nodes");
    let file = nodes.iter().position(|node| node["handle"] == "tests/login.rs");
    let file = file.unwrap_or_else(|| panic!("no file: {view}"));
    assert_eq!(nodes[file]["id"]["name"], "tests/login.rs", "a file is no test of it: {view}");
    let edges = view["edges"].as_array().expect("edges").iter().filter(|edge| edge["from"] == file);
    let edges: Vec<&Value> = edges.collect();
    assert_eq!(edges.len(), 1, "two tests of one file are one line: {view}");
    assert_eq!(edges[0]["type"], "tests");
    let back: Value =
        serde_json::from_str(&guest.get("/w/shop/graph.json?around=tests%2Flogin.rs").body).expect("JSON");
    assert!(back["nodes"].to_string().contains("spec://accounts"), "{back}");
}

#[test]
fn the_page_of_health_never_waits_for_all_documents_and_its_view_is_whole() {
    let shop = Shop::open(SHOP);
    let guest = shop.sign_in();
    let view: Value = serde_json::from_str(&guest.get("/w/shop/health.json").body).expect("JSON");
    assert!(view["report"]["issues"].as_array().is_some_and(|issues| !issues.is_empty()), "{view}");
    assert!(view["doctor"]["findings"].is_array(), "{view}");
    // Sooner or later, and by itself: the page says what it knows, and hears of the rest.
    let page = guest.get("/w/shop/health");
    assert!(page.body.contains("data-watches=\"work health\""), "{}", page.body);
    let is_there = |_| guest.get("/w/shop/health").main().contains("change-overlap");
    assert!((0..500).any(is_there), "each look waits a moment for what is being computed");
    let one = guest.get("/w/shop/health?rule=change-overlap");
    assert!(one.main().contains("change-overlap") && !one.main().contains("tasks-missing"), "{}", one.main());
    assert!(one.main().contains("All rules"), "{}", one.main());
    let none = guest.get("/w/shop/health?rule=%3Cb%3E");
    assert!(
        none.main().contains("Nothing breaks the rule") && !none.main().contains("<b>"),
        "{}",
        none.main()
    );
}

#[test]
fn a_spec_of_five_thousand_scenarios_is_shown_whole_and_compared_by_name() {
    let shop = Shop::open(SHOP);
    let scenarios = |word: &str| -> String {
        let one = |n: usize| format!("#### Scenario: S{n}\n- **WHEN** case {n}\n- **THEN** {word} {n}\n\n");
        (0..5_000).map(one).collect()
    };
    let spec = format!(
        "# Many\n\n## Purpose\n\nMany cases, all of them kept in one place.\n\n## Requirements\n\n\
         ### Requirement: Keep\nThe system SHALL keep them.\n\n{}",
        scenarios("answer")
    );
    let delta = format!(
        "## MODIFIED Requirements\n\n### Requirement: Keep\nThe system SHALL keep them.\n\n{}",
        scenarios("answer")
            .replace("answer 77\n", "reply 77\n")
            .replace("Scenario: S78\n", "Scenario: T78\n")
    );
    shop.workspace.add(&format!("//- specs/many/spec.md\n{spec}"));
    shop.workspace.add(&format!(
        "//- changes/more/proposal.md\n# Change: More\n\n## Why\n\nBecause it is needed.\n\n## What Changes\n\n- x\n\
         //- changes/more/specs/many/spec.md\n{delta}"
    ));
    let guest = shop.sign_in();
    let page = guest.get("/w/shop/spec/many");
    assert_eq!((page.status, page.main().matches("class=\"scenario\"").count()), (200, 5_000));
    let view: Value = serde_json::from_str(&guest.get("/w/shop/change/more.json").body).expect("JSON");
    let cards = view["promises"][0]["scenarios"].as_array().expect("scenarios");
    let of = |operation: &str| -> Vec<&str> {
        let found = cards.iter().filter(|card| card["operation"] == operation);
        found.filter_map(|card| card["name"].as_str()).collect()
    };
    assert_eq!((of("changed"), of("added"), of("removed")), (vec!["S77"], vec!["T78"], vec!["S78"]));
    assert_eq!(of("kept").len(), 4_998);
    // Ten thousand clauses have links in place of boxes; each opens one, where a comment is anchored as ever.
    let page = guest.get("/w/shop/change/more");
    let boxes = |page: &str| page.matches("name=\"text\"").count();
    assert_eq!((page.status, boxes(page.main())), (200, 0));
    assert!(page.body.len() < 3_500_000, "{} bytes", page.body.len());
    assert!(page.main().contains("href=\"?comment=0-77-1#comment-0-77-1\""), "a link to each clause");
    let opened = guest.get("/w/shop/change/more?comment=0-77-1");
    let form = opened.main().split("<form").find(|form| form.contains("name=\"text\"")).expect("a box");
    assert_eq!((boxes(opened.main()), field(form, "scenario")), (1, "S77"));
    let back = field(form, "back");
    let fields =
        [("item", "change:more"), ("requirement", "Keep"), ("capability", "many"), ("scenario", "S77")];
    let fields = [&fields[..], &[("quote", field(form, "quote")), ("text", "why a reply?"), ("back", back)]];
    let sent = guest.post("/w/shop/comments", &fields.concat());
    assert_eq!(sent.status, 303, "{}", sent.body);
    assert!(sent.head.contains("location: /w/shop/change/more?done=comment"), "{}", sent.head);
    assert!(guest.get("/w/shop/change/more").main().contains("why a reply?"));
}
