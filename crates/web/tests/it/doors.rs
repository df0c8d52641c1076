//! Who comes in, by which name, from where.

use std::sync::Arc;

use hewto_engine::Clock;
use hewto_http::{Authenticator, BoxFuture, Principal, Scope, TokenFault, Tokens};
use hewto_testkit::TestWorkspace;

use crate::shop::{SHOP, Shop};

const PERSON: &str = "f3a91c07de5b48826d10e94ab7c35f68";
const AGENT: &str = "0b1c2d3e4f5a69788796a5b4c3d2e1f0";

#[test]
fn nobody_sees_a_page_without_signing_in() {
    let shop = Shop::open(SHOP);
    for path in ["/", "/w/shop/board", "/w/shop/change/sign-in-by-mail"] {
        let answer = shop.ask("GET", path, &[], "");
        assert_eq!(answer.status, 401, "{path}");
        assert!(!answer.body.contains("Sign in by mail"), "{path}");
    }
    for path in ["/w/shop/board.json", "/w/shop/events", "/w/shop/board?part=main"] {
        assert_eq!(shop.ask("GET", path, &[], "").status, 401, "{path}");
    }
    let forged = shop.ask("GET", "/w/shop/board", &[("Cookie", "hewto_session=0000")], "");
    assert_eq!(forged.status, 401);
}

#[test]
fn a_link_works_once_and_its_cookie_is_held_tight() {
    let shop = Shop::open(SHOP);
    let link = shop.sign_in_links.link();
    assert!(link.starts_with(&format!("{}/login#", shop.origin())), "{link}");
    let key = link.split_once('#').unwrap().1.to_owned();
    let login = |key: &str| shop.ask("POST", "/login", &[("Origin", &shop.origin())], &format!("key={key}"));
    let answer = login(&key);
    assert_eq!(answer.status, 303);
    let cookie = answer.header("set-cookie").unwrap();
    for part in ["HttpOnly", "SameSite=Strict", "Path=/"] {
        assert!(cookie.contains(part), "{cookie}");
    }
    assert!(!cookie.contains("Domain"), "the cookie belongs to this host alone: {cookie}");
    assert!(!cookie.contains(&key), "the key is not what the cookie says");
    let again = login(&key);
    assert_eq!(again.status, 403);
    assert!(again.header("set-cookie").is_none());
    assert_eq!(login("nonsense").status, 403);
}

#[test]
fn signing_out_ends_the_session() {
    let shop = Shop::open(SHOP);
    let guest = shop.sign_in();
    assert_eq!(guest.get("/w/shop/board").status, 200);
    assert_eq!(guest.post("/logout", &[]).status, 303);
    assert_eq!(guest.get("/w/shop/board").status, 401);
}

#[test]
fn the_events_of_a_page_end_when_somebody_signs_out() {
    let shop = Shop::open(SHOP);
    let guest = shop.sign_in();
    let events = guest.listen("/w/shop/events");
    assert_eq!(guest.post("/logout", &[]).status, 303);
    // Whatever happens next is told to nobody.
    shop.workspace.add("//- specs/new/spec.md\n# New\n");
    events.wait_for_end();
    assert_eq!(guest.get("/w/shop/events").status, 401);
}

/// Knows one token, which ends at a moment.
#[derive(Debug)]
struct Ending(i64);

impl Authenticator for Ending {
    fn identify<'a>(&'a self, _: &'a [u8]) -> BoxFuture<'a, Result<Arc<Principal>, TokenFault>> {
        let scopes = vec![Scope::Read, Scope::Approve];
        Box::pin(std::future::ready(Ok(Arc::new(Principal::new("ana", scopes).ending(self.0)))))
    }
}

#[test]
fn nobody_stays_signed_in_longer_than_the_token_lasts() {
    let now = Clock::system().now().as_second();
    for (left, status) in [(-1, 401), (3_600, 200)] {
        let authenticators: Vec<Arc<dyn Authenticator>> = vec![Arc::new(Ending(now + left))];
        let shop = Shop::serve(TestWorkspace::from_fixture(SHOP), 0, authenticators);
        let answer = shop.ask("POST", "/login", &[("Origin", &shop.origin())], "token=x");
        let cookie = answer.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
        assert_eq!(shop.ask("GET", "/w/shop/board", &[("Cookie", &cookie)], "").status, status, "{left}");
    }
}

#[test]
fn nobody_hears_of_workspaces_that_are_not_theirs() {
    let tokens: Tokens = format!("ana read,approve {PERSON} workspace=other\n").parse().unwrap();
    let authenticators: Vec<Arc<dyn Authenticator>> = vec![Arc::new(tokens)];
    let shop = Shop::serve(TestWorkspace::from_fixture(SHOP), 0, authenticators);
    let answer = shop.ask("POST", "/login", &[("Origin", &shop.origin())], &format!("token={PERSON}"));
    let cookie = answer.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
    for path in
        ["/w/shop/board", "/w/shap/board", "/w/shop/board.json", "/w/shop/change/x.json", "/w/shop/events"]
    {
        let answer = shop.ask("GET", path, &[("Cookie", &cookie)], "");
        assert_eq!(answer.status, 404, "{path}");
        assert!(
            !answer.body.contains("/w/shop/") && !answer.body.contains("\"shop\""),
            "{path}: {}",
            answer.body
        );
    }
    let home = shop.ask("GET", "/", &[("Cookie", &cookie)], "");
    assert!(
        home.body.contains("No workspace is open to you") && !home.body.contains("shop"),
        "{}",
        home.body
    );
}

#[test]
fn on_this_machine_the_pages_have_one_name_and_no_other_sets_a_cookie() {
    let shop = Shop::open(SHOP);
    let port = shop.address.port();
    for host in [format!("127.0.0.1:{port}"), format!("localhost:{port}"), format!("evil.localhost:{port}")] {
        let answer = shop.ask("GET", "/login?x=1", &[("Host", &host)], "");
        assert_eq!(answer.status, 307, "{host}");
        assert_eq!(answer.header("location"), Some(format!("{}/login?x=1", shop.origin()).as_str()));
        let key = shop.sign_in_links.link().split_once('#').unwrap().1.to_owned();
        let origin = format!("http://{host}");
        let answer =
            shop.ask("POST", "/login", &[("Host", &host), ("Origin", &origin)], &format!("key={key}"));
        assert_eq!(answer.status, 403, "{host}");
        assert!(answer.header("set-cookie").is_none());
    }
    for host in ["evil.example", "hewto.localhost.evil.example"] {
        assert_eq!(shop.ask("GET", "/w/shop/board", &[("Host", host)], "").status, 403, "{host}");
    }
}

#[test]
fn a_form_comes_from_exactly_this_origin() {
    let shop = Shop::open(SHOP);
    let guest = shop.sign_in();
    let body = "item=change%3Asign-in-by-mail&text=hm";
    let port = shop.address.port();
    let other = format!("http://hewto.localhost:{}", port - 1);
    let secure = format!("https://hewto.localhost:{port}");
    for origin in
        [None, Some("null"), Some("http://127.0.0.1:3000"), Some(other.as_str()), Some(secure.as_str())]
    {
        let mut headers = vec![("Cookie", guest.cookie.as_str())];
        headers.extend(origin.map(|origin| ("Origin", origin)));
        let answer = shop.ask("POST", "/w/shop/comments", &headers, body);
        assert_eq!(answer.status, 403, "{origin:?}");
    }
    let same_site =
        [("Cookie", guest.cookie.as_str()), ("Origin", &shop.origin()), ("Sec-Fetch-Site", "same-site")];
    assert_eq!(shop.ask("POST", "/w/shop/comments", &same_site, body).status, 403);
    assert!(shop.workspace.names_in("changes/sign-in-by-mail/review").is_empty(), "nothing was written");
}

#[test]
fn every_answer_keeps_scripts_frames_and_strangers_out() {
    let shop = Shop::open(SHOP);
    let guest = shop.sign_in();
    let pages = [guest.get("/w/shop/board"), guest.get("/w/shop/nope"), shop.ask("GET", "/login", &[], "")];
    for page in &pages {
        let policy = page.header("content-security-policy").unwrap();
        assert!(policy.starts_with("default-src 'none'"), "{policy}");
        assert!(policy.contains("frame-ancestors 'none'") && !policy.contains("unsafe"), "{policy}");
        assert_eq!(page.header("x-frame-options"), Some("DENY"));
        assert_eq!(page.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(page.header("referrer-policy"), Some("same-origin"));
        assert_eq!(page.header("cache-control"), Some("no-store"));
        assert!(page.header("access-control-allow-origin").is_none());
        assert!(!page.body.contains("<script>") && !page.body.contains(" style="), "nothing is inline");
    }
    let style = pages[0].body.split("href=\"").find(|part| part.starts_with("/assets/style")).unwrap();
    let style = shop.ask("GET", style.split('"').next().unwrap(), &[], "");
    assert_eq!(style.status, 200);
    assert!(style.header("cache-control").unwrap().contains("immutable"));
}

#[test]
fn a_token_of_an_agent_opens_no_page_and_one_that_only_reads_none_that_decides() {
    let tokens: Tokens =
        format!("ana read,write,approve {PERSON}\nrobot read,write {AGENT}\n").parse().unwrap();
    let authenticators: Vec<Arc<dyn Authenticator>> = vec![Arc::new(tokens)];
    let shop = Shop::serve(TestWorkspace::from_fixture(SHOP), 0, authenticators);
    let bearer = |token: &str| format!("Bearer {token}");
    for token in [AGENT, PERSON] {
        let answer = shop.ask("GET", "/w/shop/board", &[("Authorization", &bearer(token))], "");
        assert_eq!(answer.status, 401, "a header opens no page");
    }
    let login = |token: &str| {
        let answer = shop.ask("POST", "/login", &[("Origin", &shop.origin())], &format!("token={token}"));
        answer.header("set-cookie").map(|cookie| cookie.split(';').next().unwrap().to_owned())
    };
    let get = |cookie: &str, path: &str| shop.ask("GET", path, &[("Cookie", cookie)], "").status;
    let person = login(PERSON).unwrap();
    assert_eq!(get(&person, "/w/shop/change/sign-in-by-mail"), 200);
    let robot = login(AGENT).unwrap();
    assert_eq!(get(&robot, "/w/shop/board"), 200);
    assert_eq!(get(&robot, "/w/shop/change/sign-in-by-mail"), 403);
    assert_eq!(get(&robot, "/w/shop/change/sign-in-by-mail.json"), 403);
    let headers = [("Cookie", robot.as_str()), ("Origin", &shop.origin())];
    let verdict = "item=change%3Asign-in-by-mail&verdict=approve&shown=00";
    assert_eq!(shop.ask("POST", "/w/shop/verdict", &headers, verdict).status, 403);
    assert!(login("wrong").is_none());
}
