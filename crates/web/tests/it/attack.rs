//! Every text that a repository or an agent can bring, on every page: it is shown, and does nothing.

use std::collections::BTreeSet;

use hewto_engine::claim::{self, ClaimRequest, Keep};
use hewto_engine::decision::{self, NewDecision, Repository};
use hewto_engine::{Caller, Start, Workspace};

use crate::shop::{Guest, SHOP, Shop};

/// What would act if it were let.
const EVIL: &str = "x\"><img src=x onerror=alert(1)><svg onload=alert(1)>'&lt;\u{202e}";

/// All that the pages are made of.
const ELEMENTS: &str = "html head meta title link script body a header span nav ul ol li form label input div main h1 h2 h3 h4 h5 \
                        h6 p section article aside footer code pre bdi del ins strong em table thead tbody tr th td svg defs \
                        marker path g rect text dialog dl dt dd kbd button details summary textarea time progress blockquote \
                        br hr fieldset legend select option mark";

/// Looks at every tag of a page: what is ours is known, and a text that acts would be one more.
fn check(page: &str, body: &str) {
    for tag in body.split('<').skip(1) {
        let tag = tag.split_once('>').unwrap_or_else(|| panic!("{page}: a tag does not end: {tag}")).0;
        let name = tag.trim_start_matches('/').split([' ', '\n']).next().unwrap_or_default();
        if name == "!DOCTYPE" {
            continue;
        }
        assert!(ELEMENTS.split_whitespace().any(|known| known == name), "{page}: <{tag}>");
        assert!(name != "script" || tag == "/script" || tag.contains("src=\"/assets/"), "{page}: <{tag}>");
        for attribute in tag.split("\" ").filter_map(|part| part.split_once("=\"")) {
            let (key, value) = attribute;
            let key = key.rsplit(' ').next().unwrap_or_default();
            assert!(!key.starts_with("on") && key != "style" && key != "srcdoc", "{page}: <{tag}>");
            if matches!(key, "href" | "src" | "action" | "formaction") {
                let is_ours = value.starts_with('/') && !value.starts_with("//") || value.starts_with('#');
                assert!(is_ours || value.starts_with("https://"), "{page}: <{tag}>");
            }
        }
    }
    // What a form sends back has to be exactly what it was given, and nobody reads it there.
    let shown: String = body.split('<').filter(|tag| !tag.starts_with("input type=\"hidden\"")).collect();
    assert!(!shown.contains('\u{202e}'), "{page} turns the direction of reading");
}

/// Follows every link to a page of the shop, and looks at each.
fn crawl(guest: &Guest<'_>, start: &[&str]) -> BTreeSet<String> {
    let mut open: Vec<String> = start.iter().map(|page| (*page).to_owned()).collect();
    let mut seen = BTreeSet::new();
    while let Some(page) = open.pop() {
        if seen.len() > 150 || !seen.insert(page.clone()) {
            continue;
        }
        let answer = guest.get(&page);
        assert!(answer.status < 500, "{page}: {}", answer.body);
        check(&page, &answer.body);
        let links = answer.body.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next());
        let links = links.filter(|link| link.starts_with("/w/shop/")).map(|link| link.replace("&amp;", "&"));
        open.extend(links);
    }
    seen
}

fn evil_shop() -> Shop {
    let shop = Shop::open(SHOP);
    let add = |text: String| shop.workspace.add(&text);
    let requirement = format!(
        "### Requirement: {EVIL}\nIt SHALL {EVIL} be.\n\n#### Scenario: {EVIL}\n- **WHEN** {EVIL}\n- **THEN** {EVIL}\n"
    );
    add(format!(
        "//- specs/evil/spec.md\n---\ntitle: '{}'\ncategory: '{}'\n---\n# {EVIL}\n\n## Purpose\n\n{EVIL} [a](javascript:alert(1)) ![b](https://evil.example/b.png) <script>alert(1)</script>\n\n## Requirements\n\n{requirement}",
        EVIL.replace('\'', "''"),
        EVIL.replace('\'', "''")
    ));
    add(format!("//- specs/<img src=x onerror=alert(1)>/spec.md\n# {EVIL}\n"));
    add("//- specs/broken/spec.md\n---\n<img src=x onerror=alert(1)>: [\n---\n# Broken\n".to_owned());
    for change in ["evil-one", "evil-two"] {
        add(format!(
            "//- changes/{change}/proposal.md\n# Change: {EVIL}\n\n## Why\n\n{EVIL} <script>alert(1)</script>\n\n## What Changes\n\n- {EVIL}\n\
             //- changes/{change}/tasks.md\n## 1. {EVIL}\n- [ ] 1.1 {EVIL}\n- [x] 1.2 <script>alert(1)</script>\n\
             //- changes/{change}/design.md\n# {EVIL}\n\n<iframe src=https://evil.example></iframe>\n\
             //- changes/{change}/specs/evil/spec.md\n## MODIFIED Requirements\n\n{requirement}- **AND** {EVIL}\n\n## REMOVED Requirements\n\n### Requirement: Gone {EVIL}\n**Reason**: {EVIL}\n**Migration**: {EVIL}\n\
             //- changes/{change}/specs/<b onclick=alert(1)>/spec.md\n## ADDED Requirements\n\n{requirement}"
        ));
    }
    add(format!("//- docs/adr/20260124T100000.000Z-AAAB_broken.md\n{EVIL}\n"));
    add(format!(
        "//- tests/<img src=x>.rs\n// @spec evil#{EVIL}\nfn x() {{}}\n//- src/evil.rs\n// @spec accounts#sign-in/known {EVIL}\nfn y() {{}}\n"
    ));
    add("//- .hewto/proof.toml\npolicy = \"warn\"\n".to_owned());
    shop
}

#[test]
fn no_text_of_a_repository_or_of_an_agent_acts_on_any_page() {
    let shop = evil_shop();
    let guest = shop.sign_in();
    let ws = Workspace::discover(Start::Here(shop.workspace.root())).expect("a workspace");
    let agent = shop.context.clone().with_caller(Caller {
        session_id: EVIL.to_owned(),
        principal: Some(EVIL.to_owned()),
        ..shop.context.caller().clone()
    });
    let request = ClaimRequest { item: Some("change:evil-one".to_owned()), ..ClaimRequest::default() };
    let claim = claim::next(&ws, &agent, &request).expect("it is free").claim;
    let keep = Keep { release: false, note: Some(EVIL.to_owned()) };
    claim::keep(&ws, &agent, claim, &keep).expect("it is kept");
    fs_err::remove_file(shop.workspace.path("docs/adr/20260124T100000.000Z-AAAB_broken.md"))
        .expect("it was there");
    let place = shop.decisions();
    let decided = NewDecision {
        category: "Database".to_owned(),
        fields: vec![("Type".to_owned(), EVIL.trim_end_matches('\u{202e}').to_owned())],
        context: EVIL.to_owned(),
        supersedes: None,
    };
    decision::record(&Repository::find(&place).expect("a repository"), &shop.context, &decided)
        .expect("it is decided");
    shop.workspace.add(&format!("//- docs/adr/20260124T100000.000Z-AAAB_broken.md\n{EVIL}\n"));
    let item = "change:evil-one";
    let said = guest.post("/w/shop/comments", &[("item", item), ("text", EVIL)]);
    assert_eq!(said.status, 303, "{}", said.body);
    for fields in [
        &[("item", EVIL), ("text", EVIL)][..],
        &[("item", item), ("text", EVIL), ("requirement", EVIL), ("quote", "nowhere")],
        &[("item", item), ("text", EVIL), ("reply_to", EVIL)],
    ] {
        let refused = guest.post("/w/shop/comments", fields);
        assert!((400..500).contains(&refused.status), "{}", refused.status);
        check("a refused comment", &refused.body);
    }
    let query: String = EVIL.bytes().map(|byte| format!("%{byte:02X}")).collect();
    let seen = crawl(
        &guest,
        &[
            "/w/shop/board",
            "/w/shop/specs",
            "/w/shop/graph",
            "/w/shop/decisions",
            "/w/shop/proof",
            "/w/shop/ops",
            "/w/shop/health",
            "/w/shop/change/evil-one",
            "/w/shop/change/evil-one?since=look",
            "/w/shop/spec/evil",
            "/w/shop/graph?around=spec%3A%2F%2Fevil&depth=3",
            &format!("/w/shop/specs?q={query}"),
            &format!("/w/shop/spec/{query}"),
            &format!("/w/shop/op/{query}"),
            &format!("/w/shop/{query}"),
            &format!("/w/{query}/board"),
            &format!("/w/shop/ops?tool={query}&session={query}&status={query}"),
            &format!("/w/shop/proof?item={query}&state={query}"),
            &format!("/w/shop/graph?around={query}"),
            &format!("/w/shop/decisions?category={query}"),
            &format!("/w/shop/board?done={query}"),
        ],
    );
    for page in ["/w/shop/requirement/evil/", "/w/shop/change/evil-two", "/w/shop/decision/", "/w/shop/op/"] {
        assert!(seen.iter().any(|one| one.starts_with(page)), "{page} was not reached: {seen:#?}");
    }
    let decisions = guest.get("/w/shop/decisions");
    assert!(
        decisions.main().contains("AAAB_broken.md") && decisions.main().contains("1 decision"),
        "{}",
        decisions.main()
    );
    let spec = guest.get("/w/shop/spec/evil");
    assert!(spec.main().contains("&lt;img src=x onerror=alert(1)&gt;"), "it is shown: {}", spec.main());
}

#[test]
fn json_is_json_for_whoever_opens_it() {
    let shop = evil_shop();
    let guest = shop.sign_in();
    for page in
        ["board", "spec/evil", "change/evil-one", "graph", "ops", "proof", "health", "decisions", "specs"]
    {
        let answer = guest.get(&format!("/w/shop/{page}.json"));
        assert_eq!(answer.header("content-type"), Some("application/json"), "{page}");
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"), "{page}");
        assert_eq!(answer.header("cross-origin-resource-policy"), Some("same-origin"), "{page}");
    }
}

#[test]
fn paths_lead_nowhere_but_to_pages() {
    let shop = Shop::open(SHOP);
    let guest = shop.sign_in();
    for path in [
        "/w/shop/spec/..%2f..%2f..%2fetc%2fpasswd",
        "/w/shop/change/..%2f..%2f.hewto",
        "/w/shop/review/..",
        "/w/shop/decision/..%2f..%2f.hewto%2fconfig",
        "/w/shop/op/..%2f..%2fconfig.toml",
        "/w/../w/shop/../../etc/passwd",
        "/assets/../style.css",
        "/assets/%2e%2e/hewto.js",
        "/w/shop%2f..%2fother/board",
        "/w//board",
        "/w/shop/spec/a%00b",
        "/w/shop/graph?around=file%3A%2F%2F%2Fetc%2Fpasswd&depth=3",
        "/w/shop/proof?item=..%2F..&since=--output%3D%2Ftmp%2Fx",
    ] {
        let answer = guest.get(path);
        assert!((200..500).contains(&answer.status), "{path}: {}", answer.status);
        assert!(!answer.body.contains("root:x:0:0") && !answer.body.contains("[project]"), "{path}");
    }
}

#[test]
fn a_form_from_elsewhere_changes_nothing_whatever_it_claims_to_be() {
    let shop = Shop::open(SHOP);
    let guest = shop.sign_in();
    let cookie = guest.cookie.as_str();
    let body = "item=change%3Asign-in-by-mail&text=hm&key=x&theme=dark";
    let origin = shop.origin();
    for path in ["comments", "verdict", "resolve", "seen", "answer", "release", "accept"] {
        for headers in [
            vec![("Cookie", cookie), ("Origin", "https://evil.example")],
            vec![("Cookie", cookie), ("Referer", origin.as_str())],
            vec![("Cookie", cookie), ("Origin", origin.as_str()), ("Sec-Fetch-Site", "cross-site")],
            vec![("Cookie", cookie), ("Origin", origin.as_str()), ("Origin", "https://evil.example")],
            vec![("Cookie", cookie), ("Origin", "http://hewto.localhost.evil.example")],
        ] {
            let answer = shop.ask("POST", &format!("/w/shop/{path}"), &headers, body);
            assert_eq!(answer.status, 403, "{path} {headers:?}");
        }
    }
    for path in ["/login", "/logout", "/theme"] {
        let answer = shop.ask("POST", path, &[("Cookie", cookie), ("Origin", "https://evil.example")], body);
        assert_eq!(answer.status, 403, "{path}");
        assert!(answer.header("set-cookie").is_none(), "{path}");
    }
    let rebound = [("Cookie", cookie), ("Host", "evil.example"), ("Origin", "http://evil.example")];
    assert_eq!(shop.ask("POST", "/w/shop/comments", &rebound, body).status, 403);
    assert!(shop.workspace.names_in("changes/sign-in-by-mail/review").is_empty(), "nothing was written");
    assert_eq!(guest.get("/w/shop/board").status, 200, "nobody was signed out");
}

#[test]
fn a_request_from_a_page_of_another_origin_reads_nothing() {
    let shop = Shop::open(SHOP);
    let guest = shop.sign_in();
    for headers in [
        vec![("Cookie", guest.cookie.as_str()), ("Origin", "http://localhost:3000")],
        vec![("Cookie", guest.cookie.as_str()), ("Origin", "null")],
    ] {
        let answer = shop.ask("GET", "/w/shop/board.json", &headers, "");
        assert!(answer.header("access-control-allow-origin").is_none(), "{}", answer.head);
        assert_eq!(answer.status, 403, "{headers:?}");
    }
    let preflight = [("Origin", "http://localhost:3000"), ("Access-Control-Request-Method", "POST")];
    let answer = shop.ask("OPTIONS", "/w/shop/comments", &preflight, "");
    assert!(
        answer.status >= 400 && answer.header("access-control-allow-origin").is_none(),
        "{}",
        answer.head
    );
}
