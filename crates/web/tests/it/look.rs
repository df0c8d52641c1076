//! Every page: its content, its title, its empty state, its error and its JSON.

use insta::assert_snapshot;

use crate::shop::{SHOP, Shop};

/// What differs from run to run.
fn settled(page: &str, shop: &Shop) -> String {
    let page = page.replace(&shop.workspace.root().display().to_string(), "[root]");
    without_nonces(&page).replace("><", ">\n<")
}

/// A page without what makes its forms count once.
fn without_nonces(page: &str) -> String {
    let mut out = String::new();
    let mut rest = page;
    while let Some(at) = rest.find("name=\"once\" value=\"") {
        let (before, after) = rest.split_at(at + "name=\"once\" value=\"".len());
        out += before;
        let end = after.find('"').unwrap_or(0);
        let part = after[..end].split_once('-').map_or("", |(_, part)| part);
        out += "[once]-";
        out += part;
        rest = &after[end..];
    }
    out + rest
}

#[test]
fn the_board_tells_what_needs_you_and_why() {
    let shop = Shop::open(SHOP);
    let page = shop.sign_in().get("/w/shop/board");
    assert_eq!(page.status, 200);
    assert!(page.body.contains("<title>Board · shop · hewto</title>"), "{}", page.body);
    let main = page.main();
    assert!(main.contains("Sign in by mail") && main.contains("its plan waits for your verdict"), "{main}");
    assert!(main.contains("Fast login"), "{main}");
    assert!(main.contains("Overlaps"), "{main}");
}

#[test]
fn the_review_shows_requirement_by_requirement_what_is_promised_now_and_then() {
    let shop = Shop::open(SHOP);
    let page = shop.sign_in().get("/w/shop/change/sign-in-by-mail");
    assert_eq!(page.status, 200, "{}", page.body);
    assert_snapshot!("review", settled(promises(page.main()), &shop));
}

/// The part of a review that holds the promises.
fn promises(main: &str) -> &str {
    let start = main.find("<section id=\"region-promises\"").expect("promises are shown");
    let end = main.find("<aside").expect("and something beside them");
    &main[start..end]
}

#[test]
fn a_living_spec_is_told_no_state_and_its_risks_are_words() {
    let shop = Shop::open(
        "//- openspec/specs/parcels/spec.md\n# Parcels\n\n## Purpose\nParcels come and go, and each of them is kept.\n\n## Requirements\n\n\
         ### Requirement: Keep\nThe system SHALL keep parcels.\n\n#### Scenario: Kept\n- **WHEN** one comes\n- **THEN** it stays\n\
         //- openspec/changes/one/specs/parcels/spec.md\n## MODIFIED Requirements\n\n### Requirement: Keep\nThe system SHALL keep all.\n\n#### Scenario: A\n- **WHEN** a\n- **THEN** b\n\
         //- openspec/changes/two/specs/parcels/spec.md\n## MODIFIED Requirements\n\n### Requirement: Keep\nThe system SHALL keep any.\n\n#### Scenario: B\n- **WHEN** a\n- **THEN** b\n",
    );
    let guest = shop.sign_in();
    let list = guest.get("/w/shop/specs");
    assert!(list.main().contains("living") && !list.main().contains("cannot be read"), "{}", list.main());
    let page = guest.get("/w/shop/spec/parcels");
    assert!(page.main().contains("living") && !page.main().contains("draft"), "{}", page.main());
    let review = guest.get("/w/shop/change/one");
    assert!(review.main().contains("At risk") && !review.main().contains('`'), "{}", review.main());
}

#[test]
fn what_is_not_there_shows_the_way_on() {
    let shop = Shop::open(SHOP);
    let page = shop.sign_in().get("/w/shop/spec/nothing-like-it-at-all");
    assert_eq!(page.status, 404);
    assert!(page.main().contains("<a href=\"/w/shop/specs\">All specs</a>"), "{}", page.main());
}

#[test]
fn every_page_answers_and_has_its_view_as_json() {
    let shop = Shop::open(SHOP);
    let guest = shop.sign_in();
    for (page, title) in [
        ("board", "Board"),
        ("change/sign-in-by-mail", "Sign in by mail"),
        ("specs", "Specs"),
        ("spec/accounts", "Accounts"),
        ("requirement/accounts/sign-in", "Sign in"),
        ("graph", "Graph"),
        ("graph?around=spec%3A%2F%2Faccounts&depth=2", "Graph"),
        ("decisions", "Decisions"),
        ("proof", "Proof"),
        ("ops", "Operations"),
        ("health", "Health"),
        ("specs?q=password", "Search: password"),
    ] {
        let answer = guest.get(&format!("/w/shop/{page}"));
        assert_eq!(answer.status, 200, "{page}: {}", answer.body);
        assert!(answer.body.contains(&format!("<title>{title} · shop · hewto</title>")), "{page}");
        assert_eq!(answer.header("content-type"), Some("text/html; charset=utf-8"));
        let (path, query) = page.split_once('?').unwrap_or((page, ""));
        let json = guest.get(&format!("/w/shop/{path}.json?{query}"));
        assert_eq!(json.status, 200, "{page}");
        assert_eq!(json.header("content-type"), Some("application/json"));
        let view: serde_json::Value = serde_json::from_str(&json.body).expect("JSON");
        assert!(view.is_object(), "{page}");
        let part = guest.get(&format!("/w/shop/{path}?part=main&{query}"));
        assert!(!part.body.contains("<html"), "{page}");
    }
}

#[test]
fn an_empty_workspace_names_the_next_command_on_every_page() {
    let shop = Shop::open("//- .hewto/config.toml\n[project]\nname = \"new\"\n//- specs/\n");
    let guest = shop.sign_in();
    for (page, command) in [
        ("board", "hewto spec new"),
        ("specs", "hewto spec new"),
        ("graph", "hewto spec new"),
        ("decisions", "hewto clarify"),
        ("proof", "hewto proof init"),
        ("ops", "hewto claim"),
        ("health", "hewto validate"),
    ] {
        let answer = guest.get(&format!("/w/shop/{page}"));
        assert_eq!(answer.status, 200, "{page}");
        assert!(answer.main().contains(command), "{page}: {}", answer.main());
    }
}

#[test]
fn what_blocks_a_spec_is_a_link_where_it_is_a_spec_and_words_where_it_is_a_reason() {
    let state = |id: &str, rest: &str| {
        format!("//- specs/{id}/state.toon\nspec_id: {id}\n{rest}updated_at: \"2026-01-01T00:00:00Z\"\n")
    };
    let draft = "lifecycle: draft\nphase: spec\n";
    let shop = Shop::open(&format!(
        "//- .hewto/config.toml\n[project]\nname = \"shop\"\n\
         //- specs/first/spec.md\n# The first\n\nIt is.\n{}\
         //- specs/second/spec.md\n---\ntitle: The second\ndependencies:\n  - spec_id: spec://first\n    kind: hard\n---\n\n# The second\n\nIt is.\n{}\
         //- specs/third/spec.md\n# The third\n\nIt is.\n{}",
        state("first", draft),
        state("second", draft),
        state("third", "lifecycle: blocked\nphase: spec\nreason: legal has to agree\n"),
    ));
    let page = shop.sign_in().get("/w/shop/board");
    let main = page.main();
    assert!(main.contains("waits for <a href=\"/w/shop/review/first\" title=\"first\">"), "{main}");
    assert!(main.contains("<p class=\"why\"><bdi>legal has to agree</bdi></p>"), "{main}");
}

#[test]
fn a_heading_that_says_nothing_else_is_told_once() {
    let shop = Shop::open(SHOP);
    let page = shop.sign_in().get("/w/shop/change/sign-in-by-mail");
    let main = page.main();
    assert!(main.contains("## 1. All</pre>") && !main.contains("1. All</bdi></h3>"), "{main}");
    assert!(main.contains("Approach</bdi></h3>"), "{main}");
}

#[test]
fn what_is_not_there_is_404_with_near_names() {
    let shop = Shop::open(SHOP);
    let guest = shop.sign_in();
    for (page, near) in [
        ("spec/acounts", "/w/shop/spec/accounts"),
        ("change/sign-in-by-mai", "/w/shop/change/sign-in-by-mail"),
        ("graph?around=spec%3A%2F%2Facounts", "around=spec%3A%2F%2Faccounts"),
    ] {
        let answer = guest.get(&format!("/w/shop/{page}"));
        assert_eq!(answer.status, 404, "{page}");
        assert!(answer.main().contains(near), "{page}: {}", answer.main());
    }
    for (page, near) in [
        ("spec/sign-in-by-mai", "/w/shop/change/sign-in-by-mail"),
        ("bord", "/w/shop/board"),
        ("prof", "/w/shop/proof"),
    ] {
        let main = guest.get(&format!("/w/shop/{page}")).main().to_owned();
        assert!(main.contains(&format!("<li><a href=\"{near}\">")), "{page}: {main}");
    }
    for (page, way_on) in
        [("nope", "/w/shop/board"), ("op/none", "/w/shop/ops"), ("graph?around=x", "/w/shop/graph")]
    {
        let main = guest.get(&format!("/w/shop/{page}")).main().to_owned();
        assert!(main.contains(&format!("<p><a href=\"{way_on}\">")), "{page}: {main}");
    }
    assert!(guest.get("/w/nothing-like-it/board").main().contains("<a href=\"/\">All workspaces</a>"));
    for page in ["nope", "op/none", "decision/none", "requirement/accounts/nope"] {
        assert_eq!(guest.get(&format!("/w/shop/{page}")).status, 404, "{page}");
    }
    assert_eq!(guest.get("/w/shap/board").status, 404);
    assert!(guest.get("/w/shap/board").body.contains("/w/shop/board"));
    for (path, error) in [
        ("/w/shop/spec/acounts.json", "spec_not_found"),
        ("/w/shop/nope.json", "artifact_not_found"),
        ("/w/shap/board.json", "workspace_not_found"),
        ("/w/shop/verdict.json", "method_not_allowed"),
    ] {
        let json = guest.get(path);
        assert!(matches!(json.status, 404 | 405), "{path}: {}", json.status);
        assert_eq!(json.header("content-type"), Some("application/json"), "{path}");
        let view: serde_json::Value = serde_json::from_str(&json.body).expect("JSON");
        assert_eq!(view["error"], error, "{path}: {view}");
        assert!(view["message"].is_string(), "{path}: {view}");
    }
    for name in ["accounts", "fast-login", "change:fast-login"] {
        assert_eq!(guest.get(&format!("/w/shop/graph?around={name}")).status, 200, "{name}");
    }
    let outside = shop.ask("GET", "/w/shop/board.json", &[], "");
    assert_eq!((outside.status, outside.header("content-type")), (401, Some("application/json")));
}

#[test]
fn an_address_outside_of_any_workspace_is_a_page_for_browsers_and_json_for_programs() {
    let shop = Shop::open(SHOP);
    let guest = shop.sign_in();
    let cookie = guest.cookie.as_str();
    let browser =
        |path: &str| shop.ask("GET", path, &[("Accept", "text/html,*/*;q=0.8"), ("Cookie", cookie)], "");
    let page = browser("/bord");
    assert_eq!((page.status, page.header("content-type")), (404, Some("text/html; charset=utf-8")));
    assert!(page.body.contains("/w/shop/board"), "{}", page.body);
    assert!(browser("/shap").body.contains("/w/shop/board"));
    // Whoever is not signed in is told of no workspace.
    let stranger = shop.ask("GET", "/shap", &[("Accept", "text/html")], "");
    assert_eq!(stranger.status, 404);
    assert!(!stranger.body.contains("/w/shop"), "{}", stranger.body);
    let program = shop.ask("GET", "/nope", &[("Accept", "application/json")], "");
    assert_eq!((program.status, program.header("content-type")), (404, Some("application/json")));
}

#[test]
fn the_page_of_proof_is_kept_until_something_moves() {
    let shop = Shop::open(SHOP);
    let guest = shop.sign_in();
    let page = || guest.get("/w/shop/proof").main().to_owned();
    let (first, again) = (page(), page());
    assert_eq!(first, again);
    assert!(!first.contains("tests/login.rs"), "{first}");
    shop.workspace.add("//- tests/login.rs\n// @spec accounts#sign-in\n#[test]\nfn known() {}\n");
    assert!(page().contains("tests/login.rs"), "{}", page());
    let path = "specs/accounts/spec.md";
    let text = shop.workspace.read(path).replacen("### Requirement: Sign in", "### Requirement: Walk in", 1);
    shop.workspace.add(&format!("//- {path}\n{text}"));
    assert!(page().contains("Walk in"), "{}", page());
    let filtered = guest.get("/w/shop/proof?state=verified");
    assert!(filtered.main().contains("No promise matches"), "{}", filtered.main());
}

#[test]
fn one_operation_is_shown_whole_and_refusals_are_among_them() {
    let shop = Shop::open(SHOP);
    let guest = shop.sign_in();
    let refused = guest.post("/w/shop/comments", &[("item", "change:nope"), ("text", "hm")]);
    assert_eq!(refused.status, 404);
    let page = guest.get("/w/shop/ops?status=failed");
    assert!(page.main().contains("web comment"), "{}", page.main());
    let start = page.main().find("/w/shop/op/").expect("a link to the operation");
    let link = page.main()[start..].split('"').next().expect("a link ends");
    let one = guest.get(link);
    assert_eq!(one.status, 200);
    assert!(one.main().contains("change:nope"), "{}", one.main());
}

#[test]
fn a_column_of_thousands_is_cut_and_its_rest_has_an_address() {
    let shop = Shop::open(SHOP);
    for number in 0..60 {
        shop.workspace.add(&format!(
            "//- changes/c{number}/proposal.md\n# Change: C{number}\n\n## Why\n\nBecause.\n\n## What Changes\n\n- x\n"
        ));
    }
    let guest = shop.sign_in();
    let page = guest.get("/w/shop/board");
    assert!(page.main().contains("board?column=ready&amp;from=50"), "{}", page.main());
    let rest = guest.get("/w/shop/board?column=ready&from=50");
    assert_eq!(rest.status, 200);
    assert!(rest.main().matches("data-item").count() >= 11, "{}", rest.main());
}
