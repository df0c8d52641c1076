//! What else people settle on a page: open questions, leases of agents, what has drifted.

use std::os::unix::fs::PermissionsExt as _;

use hewto_core::proof::settings::digest;
use hewto_engine::claim::{self, ClaimRequest};
use hewto_engine::decision::{self, AdrPreference, ClarifyRequest, Flow, Interviewer, ModelWish, Repository};
use hewto_engine::proof::run::{self, RunRequest};
use hewto_engine::{Caller, Start, Workspace};

use crate::shop::{Guest, SHOP, Shop};
use crate::wire::field;

fn workspace(shop: &Shop) -> Workspace {
    Workspace::discover(Start::Here(shop.workspace.root())).expect("a workspace")
}

/// The first value of an answer to this question that a page offers.
fn offered<'p>(page: &'p str, question: &str) -> &'p str {
    let start =
        page.find(&format!("name=\"answer.{question}\" value=\"")).unwrap_or_else(|| panic!("{page}"));
    page[start..].split('"').nth(3).expect("a value")
}

#[test]
fn open_questions_are_shown_answered_and_become_a_decision() {
    let shop = Shop::open(SHOP);
    let place = shop.decisions();
    let request = ClarifyRequest {
        intention: "Add OAuth authentication".to_owned(),
        context: None,
        session_id: None,
        answers: serde_json::Map::new(),
        questions: Vec::new(),
        flow: Flow::Seed,
        preference: AdrPreference::ByRule,
        place: place.clone(),
    };
    let repository = Repository::find(&place).expect("a repository");
    let nobody = |_: &ModelWish| Interviewer::default();
    decision::start(&repository, &shop.context, &nobody, &ModelWish::default(), &request).expect("questions");
    let guest = shop.sign_in();
    for page in ["board", "decisions"] {
        let page = guest.get(&format!("/w/shop/{page}"));
        assert!(
            page.main().contains("Open questions") && page.main().contains("Add OAuth"),
            "{}",
            page.main()
        );
    }
    let page = guest.get("/w/shop/decisions");
    let clerk = offered(page.main(), "auth_library").to_owned();
    let wrong = guest.post("/w/shop/answer", &[("answer.auth_library", "Nobody sells this")]);
    assert!((400..500).contains(&wrong.status), "{}", wrong.status);
    assert!(
        wrong.main().contains("readonly>Nobody sells this<"),
        "what was written is kept: {}",
        wrong.main()
    );
    let back = "/w/shop/decisions";
    let fields = [("answer.auth_library", clerk.as_str()), ("once", "a"), ("back", back)];
    for _ in 0..2 {
        let answer = guest.post("/w/shop/answer", &fields);
        assert_eq!(answer.header("location"), Some("/w/shop/decisions?done=decided"), "{}", answer.body);
    }
    let page = guest.get(back);
    assert!(!page.main().contains("Open questions"), "{}", page.main());
    assert!(page.main().contains(&clerk) && page.main().contains("1 decision"), "{}", page.main());
    assert_eq!(shop.workspace.names_in("docs/adr").len(), 1);
}

#[test]
fn a_lease_of_an_agent_is_released_and_the_agent_loses_it() {
    let shop = Shop::open(SHOP);
    let ws = workspace(&shop);
    let agent = shop.context.clone().with_caller(Caller {
        session_id: "s-1".to_owned(),
        principal: Some("<b>robot</b>".to_owned()),
        ..shop.context.caller().clone()
    });
    let request = ClaimRequest { item: Some("change:fast-login".to_owned()), ..ClaimRequest::default() };
    let claim = claim::next(&ws, &agent, &request).expect("it is free").claim.to_string();
    let guest = shop.sign_in();
    for page in ["ops", "change/fast-login"] {
        let page = guest.get(&format!("/w/shop/{page}"));
        assert!(page.main().contains("&lt;b&gt;robot&lt;/b&gt;"), "{}", page.main());
        assert_eq!(field(page.main(), "claim"), claim);
    }
    assert!(guest.get("/w/shop/board").main().contains("1 agent at work"));
    let answer = guest.post("/w/shop/release", &[("claim", &claim), ("back", "/w/shop/ops")]);
    assert_eq!(answer.header("location"), Some("/w/shop/ops?done=released"), "{}", answer.body);
    assert!(guest.get("/w/shop/ops").main().contains("Nobody has claimed anything"));
    assert!(claim::who(&ws, &agent).expect("a list").claims.is_empty());
    let log = shop.workspace.read(".hewto/logs/operations.jsonl");
    assert!(log.contains("\"web release\""), "{log}");
}

/// A scenario that a run of the shop's tests has shown.
fn proven(shop: &Shop) {
    shop.workspace.add(
        "//- .hewto/proof.toml\npolicy = \"enforce\"\n[check.unit]\nrun = [\"./check.sh\"]\ntimeout_s = 20\nreport = \"report.tap\"\nformat = \"tap\"\n\
         //- check.sh\n#!/bin/sh\nprintf 'ok 1 - known\\n' > report.tap\n\
         //- tests/login.rs\n// @spec accounts#sign-in/known\n#[test]\nfn known() {\n    assert!(sign_in());\n}\n",
    );
    let script = shop.workspace.path("check.sh");
    std::fs::set_permissions(script, std::fs::Permissions::from_mode(0o755)).expect("it may be run");
    let trusted = digest(shop.workspace.read(".hewto/proof.toml").as_bytes()).parse().ok();
    let ws = workspace(shop).with_children(vec!["/usr/bin".into(), "/bin".into()], vec![], trusted);
    let ran = run::run(&ws, &shop.context, &RunRequest::default()).expect("a run");
    assert_eq!(ran.status.as_str(), "passed", "{ran:?}");
}

fn state_of_known(guest: &Guest<'_>) -> String {
    let page = guest.get("/w/shop/proof.json?item=accounts");
    let view: serde_json::Value = serde_json::from_str(&page.body).expect("JSON");
    let rows = view["rows"].as_array().unwrap_or_else(|| panic!("{view}"));
    let row = rows.iter().find(|row| row["scenario"] == "Known").unwrap_or_else(|| panic!("{view}"));
    row["state"].as_str().expect("a state").to_owned()
}

#[test]
fn what_drifted_is_shown_and_accepted_with_a_reason() {
    let shop = Shop::open(SHOP);
    // A change that touches the scenario makes it doubtful by itself.
    for change in ["sign-in-by-mail", "fast-login"] {
        fs_err::remove_dir_all(shop.workspace.path(&format!("changes/{change}"))).expect("it was there");
    }
    proven(&shop);
    let guest = shop.sign_in();
    assert_eq!(state_of_known(&guest), "verified");
    let path = "specs/accounts/spec.md";
    let text =
        shop.workspace.read(path).replace("THEN** the customer is in", "THEN** the customer is in at once");
    shop.workspace.add(&format!("//- {path}\n{text}"));
    assert_eq!(state_of_known(&guest), "suspect");
    let page = guest.get("/w/shop/proof");
    let reference = field(page.main(), "ref").to_owned();
    assert_eq!(reference, "accounts#sign-in/known");
    let without_reason = guest.post("/w/shop/accept", &[("ref", &reference), ("back", "/w/shop/proof")]);
    assert_eq!(without_reason.status, 400);
    assert_eq!(state_of_known(&guest), "suspect");
    let fields = [("ref", reference.as_str()), ("reason", "said better"), ("back", "/w/shop/proof")];
    let answer = guest.post("/w/shop/accept", &fields);
    assert_eq!(answer.header("location"), Some("/w/shop/proof?done=accepted"), "{}", answer.body);
    assert_eq!(state_of_known(&guest), "verified");
    let record = shop.workspace.read(".hewto/proof/accepted/accounts/sign-in.toml");
    assert!(record.contains("ana") && record.contains("said better"), "{record}");
}

#[test]
fn an_edit_of_a_test_concerns_pages_that_show_proof() {
    let shop = Shop::open(SHOP);
    proven(&shop);
    let guest = shop.sign_in();
    assert!(guest.get("/w/shop/proof").body.contains("data-events=\"/w/shop/events?with=code\""));
    let mut events = guest.listen("/w/shop/events?with=code");
    shop.workspace.add("//- tests/login.rs\n// nothing is linked any more\n");
    events.wait_for("\"code\"");
}

#[test]
fn replies_stand_under_their_comment_and_settle_nothing() {
    let shop = Shop::open(SHOP);
    let guest = shop.sign_in();
    let (item, page) = ("change:sign-in-by-mail", "/w/shop/change/sign-in-by-mail");
    assert_eq!(
        guest.post("/w/shop/comments", &[("item", item), ("text", "which mail?"), ("back", page)]).status,
        303
    );
    let comment = field(guest.get(page).main(), "reply_to").to_owned();
    let fields = [
        ("item", item),
        ("reply_to", &comment),
        ("text", "the <i>first</i> one"),
        ("once", "r"),
        ("back", page),
    ];
    for _ in 0..2 {
        let answer = guest.post("/w/shop/comments", &fields);
        assert_eq!(answer.header("location"), Some(format!("{page}?done=reply").as_str()), "{}", answer.body);
    }
    let shown = guest.get(page);
    assert_eq!(shown.main().matches("class=\"reply\"").count(), 1, "{}", shown.main());
    assert!(shown.main().contains("the &lt;i&gt;first&lt;/i&gt; one"), "{}", shown.main());
    assert!(shown.main().contains("open"), "{}", shown.main());
    let lost = [("item", item), ("reply_to", "20260124T100000.000Z-FFFF"), ("text", "kept all the same")];
    let answer = guest.post("/w/shop/comments", &lost);
    assert_eq!(answer.status, 404);
    assert!(answer.main().contains("kept all the same"), "{}", answer.main());
    let view: serde_json::Value =
        serde_json::from_str(&guest.get(&format!("{page}.json")).body).expect("JSON");
    assert_eq!(view["comments"][0]["replies"][0]["text"], "the <i>first</i> one");
}
