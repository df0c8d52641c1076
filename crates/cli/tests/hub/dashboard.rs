use serde_json::Value;

use crate::browser::{field, sign_in};
use crate::team::{Laptop, Page, Replica, Team, body, delta, post, small_push, wait_until};

/// Somebody who looks at pages.
struct Person<'r> {
    replica: &'r Replica,
    cookie: String,
}

impl<'r> Person<'r> {
    fn new(replica: &'r Replica, token: &str) -> Self {
        Self { replica, cookie: format!("Cookie: {}\r\n", sign_in(replica, token)) }
    }

    fn page(&self, path: &str) -> Page {
        self.replica.get(path, &self.cookie)
    }

    fn json(&self, path: &str) -> Value {
        let page = self.page(path);
        assert_eq!(page.status, 200, "{path}: {}", page.body);
        serde_json::from_str(&page.body).unwrap()
    }

    fn send(&self, path: &str, form: &str) -> Page {
        let headers = format!("{}Origin: {}\r\n", self.cookie, self.replica.url());
        self.replica.post_form(path, &headers, form)
    }
}

const SPEC: &str = "# Invoices\n\n## Purpose\nBills for parcels.\n\n## Requirements\n\n### Requirement: Refund a parcel\nThe system SHALL refund a returned parcel within ten days.\n\n#### Scenario: Returned\n- **WHEN** a parcel comes back\n- **THEN** the money goes back\n";

fn laptop(team: &Team, replica: &Replica) -> Laptop {
    let laptop = Laptop::new("shop", replica, &team.token("ann", "agent", &["shop"]));
    laptop.write("specs/invoices/spec.md", SPEC);
    laptop.change("by-mail", "Sign in", "let a customer sign in by mail");
    laptop.ok(&["hub", "push"]);
    laptop
}

#[test]
fn the_pages_of_the_dashboard_show_what_was_pushed() {
    let Some(team) = Team::new() else { return };
    let replica = team.replica();
    let _ann = laptop(&team, &replica);
    let rita = Person::new(&replica, &team.token("rita", "reviewer", &["shop"]));
    let board = rita.page("/w/shop/board");
    assert_eq!(board.status, 200, "{}", board.body);
    assert!(board.body.contains("by-mail") && board.body.contains("Needs you"), "{}", board.body);
    let style = board.body.split("href=\"").find(|part| part.starts_with("/assets/style")).unwrap();
    assert_eq!(rita.page(style.split('"').next().unwrap()).status, 200);
    for (path, says) in [
        ("/w/shop/specs", "Invoices"),
        ("/w/shop/spec/invoices", "Refund a parcel"),
        ("/w/shop/requirement/invoices/Refund%20a%20parcel", "within ten days"),
        ("/w/shop/change/by-mail", "Approve version 1"),
        ("/w/shop/graph", "Graph"),
        ("/w/shop/decisions", "Decisions"),
        ("/w/shop/health", "Health"),
        ("/w/shop/ops", "Operations"),
        ("/w/shop/proof", "Proof is not known here"),
        ("/", "by-mail"),
        ("/w/shop/board.json", "by-mail"),
    ] {
        let page = rita.page(path);
        assert_eq!(page.status, 200, "{path}: {}", page.body);
        assert!(page.body.contains(says), "{path}: {}", page.body);
        assert!(
            !page.body.contains("/views/"),
            "{path} tells where the replica keeps its files: {}",
            page.body
        );
    }
    wait_until("the push is searchable", || {
        rita.page("/w/shop/specs?q=refund").body.contains("Refund a parcel")
    });
    assert!(rita.page("/search?q=refund").body.contains("/w/shop/requirement/invoices/Refund%20a%20parcel"));
    // The view behind a page is what the laptop has, with the same digest.
    let view = rita.json("/w/shop/change/by-mail.json");
    let reviewer = replica.client(&team.token("rob", "reader", &["shop"]));
    let subject = body(reviewer.get("review?repo=shop&item=change%3Aby-mail").unwrap());
    assert_eq!(view["digest"], subject["subjects"][0]["digest"], "{view}");
    for path in ["/w/shop/nope", "/w/nowhere/board", "/w/shop@nobody/board"] {
        let page = rita.page(path);
        assert_eq!(page.status, 404, "{path}: {}", page.body);
    }
    assert_eq!(replica.get("/w/shop/board", "").status, 303, "nobody is signed in");
}

#[test]
fn a_verdict_on_a_page_counts_and_one_on_an_older_text_shows_what_is_different() {
    let Some(team) = Team::new() else { return };
    let replica = team.replica();
    let ann = laptop(&team, &replica);
    let rita = Person::new(&replica, &team.token("rita", "reviewer", &["shop"]));
    let page = rita.page("/w/shop/change/by-mail").body;
    let form = |page: &str, part: &str, rest: &str| {
        let once = page.split("name=\"once\" value=\"").nth(1).unwrap().split('-').next().unwrap().to_owned();
        format!("once={once}-{part}&back=%2Fw%2Fshop%2Fchange%2Fby-mail&item=change%3Aby-mail&{rest}")
    };
    let comment = form(&page, "comment", "text=Which+mail%3F&requirement=Sign+in&capability=accounts");
    assert_eq!(rita.send("/w/shop/comments", &comment).status, 303);
    let shown = field(&page, "shown").to_owned();
    let verdict =
        |shown: &str| form(&page, "verdict", &format!("verdict=approve&note=keep+this&shown={shown}"));
    // The text changes while the page is open.
    ann.change("by-mail", "Sign in", "let a customer sign in by letter");
    ann.ok(&["hub", "push"]);
    let stale = rita.send("/w/shop/verdict", &verdict(&shown));
    assert_eq!(stale.status, 409, "{}", stale.body);
    assert!(stale.body.contains("letter") && stale.body.contains("keep this"), "{}", stale.body);
    assert!(stale.body.contains("<del>") && stale.body.contains("<ins>"), "{}", stale.body);
    assert_eq!(team.sql("SELECT count(*) FROM review WHERE kind = 'verdict'"), "0");
    let forged = verdict(&shown).replacen("once=", "once=x", 1);
    assert_eq!(rita.send("/w/shop/verdict", &forged).status, 403);
    let now = rita.page("/w/shop/change/by-mail").body;
    assert!(now.contains("Which mail?"), "{now}");
    let decided = rita.send("/w/shop/verdict", &verdict(field(&now, "shown")));
    assert_eq!(decided.status, 303, "{}", decided.body);
    let view = rita.json("/w/shop/change/by-mail.json");
    assert_eq!(view["standing"], "approved", "{view}");
    ann.ok(&["hub", "push"]);
    let records = fs_err::read_dir(ann.project.join("changes/by-mail/review")).unwrap().count();
    assert_eq!(records, 2, "a comment and a verdict");
}

#[test]
fn what_somebody_was_shown_and_has_seen_is_known_to_every_replica() {
    let Some(team) = Team::new() else { return };
    let (one, other) = (team.replica(), team.replica());
    let ann = laptop(&team, &one);
    let token = team.token("rita", "reviewer", &["shop"]);
    let (here, there) = (Person::new(&one, &token), Person::new(&other, &token));
    let page = here.page("/w/shop/change/by-mail").body;
    let shown = field(&page, "shown").to_owned();
    let form = |page: &str, rest: &str| {
        let once = page.split("name=\"once\" value=\"").nth(1).unwrap().split('-').next().unwrap().to_owned();
        format!("once={once}-x&back=%2Fw%2Fshop%2Fchange%2Fby-mail&item=change%3Aby-mail&{rest}")
    };
    assert_eq!(here.send("/w/shop/seen", &form(&page, &format!("shown={shown}"))).status, 303);
    ann.change("by-mail", "Sign in", "let a customer sign in by letter");
    ann.ok(&["hub", "push"]);
    let board = there.page("/w/shop/board").body;
    assert!(board.contains("new since your look"), "{board}");
    let since = there.page("/w/shop/change/by-mail?since=look").body;
    assert!(since.contains("1 difference") && since.contains("letter"), "{since}");
    let elsewhere = there.page("/w/shop/change/by-mail").body;
    let verdict = form(&elsewhere, &format!("verdict=approve&note=keep+this&shown={shown}"));
    let stale = there.send("/w/shop/verdict", &verdict);
    assert_eq!(stale.status, 409, "{}", stale.body);
    assert!(stale.body.contains("<del>") && stale.body.contains("<ins>"), "{}", stale.body);
}

#[test]
fn pages_show_no_repository_that_is_not_granted_and_no_review_to_agents() {
    let Some(team) = Team::new() else { return };
    let replica = team.replica();
    let _ann = laptop(&team, &replica);
    let secret = replica.client(&team.token("sue", "agent", &["secret"]));
    let push = small_push("secret", "w", 0, "launch", &delta("Sign in", "launch the secret"));
    assert_eq!(post(&secret, "push", &push).status, 200);
    let eve = Person::new(&replica, &team.token("eve", "agent", &["shop"]));
    for path in ["/", "/w/shop/board", "/w/shop/change/by-mail", "/search?q=launch", "/w/shop/ops"] {
        let page = eve.page(path).body;
        assert!(!page.contains("secret") && !page.contains("change/launch"), "{path}: {page}");
    }
    let (theirs, nowhere) = (eve.page("/w/secret/board"), eve.page("/w/nowhere/board"));
    assert_eq!((theirs.status, &theirs.body), (404, &nowhere.body));
    let reviews =
        ["/w/shop/change/by-mail", "/w/shop/change/by-mail.json", "/review?repo=shop&item=change%3Aby-mail"];
    let ci = Person::new(&replica, &team.token("ci", "ci", &["shop"]));
    for path in reviews {
        for agent in [&eve, &ci] {
            let page = agent.page(path);
            assert_eq!(page.status, 403, "{path}: {}", page.body);
            assert!(!page.body.contains("sign in by mail"), "{path}: {}", page.body);
        }
    }
    // Somebody who only reads sees it, and decides nothing.
    let reader = Person::new(&replica, &team.token("ron", "reader", &["shop"]));
    for path in reviews {
        let page = reader.page(path);
        assert_eq!(page.status, 200, "{path}: {}", page.body);
        let buttons = ["value=\"approve\"", "value=\"approved\"", "name=\"text\""];
        assert!(!buttons.iter().any(|button| page.body.contains(button)), "{path}: {}", page.body);
    }
    let others = eve.page("/w/shop/ops").body;
    assert!(!others.contains("sue"), "{others}");
}

#[test]
fn nothing_that_is_pushed_configures_or_leaves_the_folder_of_the_pages() {
    let Some(team) = Team::new() else { return };
    let replica = team.replica();
    let token = team.token("eve", "agent", &["shop"]);
    let eve = replica.client(&token);
    let mut push = small_push("shop", "w", 0, "c1", &delta("Sign in", "x"));
    let config = "[gates]\nplan = \"none\"\n";
    let hash = crate::team::hash(config);
    push["set"][".hewto/proof.toml"] = serde_json::json!({ "sha256": hash, "kind": "spec", "item": "s1" });
    push["blobs"][hash] = serde_json::json!(config);
    assert_eq!(post(&eve, "push", &push).status, 200);
    let rita = Person::new(&replica, &team.token("rita", "reviewer", &["shop"]));
    assert_eq!(rita.json("/w/shop/change/c1.json")["gate"], "hub");
}
