use crate::team::{Laptop, Replica, Team};

pub(crate) fn sign_in(replica: &Replica, token: &str) -> String {
    let origin = format!("Origin: {}\r\n", replica.url());
    let page = replica.post_form("/login", &origin, &format!("token={token}"));
    assert_eq!(page.status, 303, "{}", page.body);
    let cookie = page.head.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap();
    for flag in ["HttpOnly", "SameSite=Strict"] {
        assert!(cookie.contains(flag), "{cookie}");
    }
    cookie.split(';').next().unwrap().to_owned()
}

pub(crate) fn field<'p>(page: &'p str, name: &str) -> &'p str {
    let rest = page
        .split(&format!("name=\"{name}\" value=\""))
        .nth(1)
        .unwrap_or_else(|| panic!("no {name}: {page}"));
    rest.split('"').next().unwrap()
}

/// Signs in, opens the review and presses a button; what the page says then.
pub(crate) fn decide(replica: &Replica, token: &str, repo: &str, item: &str, act: &str) -> String {
    let cookie = format!("Cookie: {}\r\n", sign_in(replica, token));
    let board = replica.get("/", &cookie);
    assert!(board.body.contains(item), "{}", board.body);
    let address = format!("/review?repo={repo}&item={}", item.replace(':', "%3A"));
    let page = replica.get(&address, &cookie).body;
    let form = format!(
        "word={}&repo={repo}&item={}&digest={}&note=looks+right&act={act}",
        field(&page, "word"),
        item.replace(':', "%3A"),
        field(&page, "digest")
    );
    let origin = format!("{cookie}Origin: {}\r\n", replica.url());
    let sent = replica.post_form("/review", &origin, &form);
    assert_eq!(sent.status, 303, "{}", sent.body);
    replica.get(&address, &cookie).body
}

#[test]
fn a_page_lets_nobody_in_without_a_token_and_takes_forms_of_its_own_pages_only() {
    let Some(team) = Team::new() else { return };
    let replica = team.replica();
    let laptop = Laptop::new("shop", &replica, &team.token("ann", "agent", &["shop"]));
    laptop.change("c1", "<script>alert(1)</script>", "let \"in\"");
    laptop.ok(&["hub", "push"]);
    let reviewer = team.token("rita", "reviewer", &["shop"]);
    assert_eq!(replica.get("/", "").status, 303);
    let origin = format!("Origin: {}\r\n", replica.url());
    assert_eq!(replica.post_form("/login", &origin, "token=hewto_guess").status, 401);
    assert_eq!(replica.post_form("/login", "", &format!("token={reviewer}")).status, 403, "no origin");
    assert_eq!(
        replica.post_form("/login", "Origin: http://evil.example\r\n", &format!("token={reviewer}")).status,
        403
    );
    let cookie = format!("Cookie: {}\r\n", sign_in(&replica, &reviewer));
    let page = replica.get("/review?repo=shop&item=change%3Ac1", &cookie);
    assert!(!page.body.contains("<script>"), "{}", page.body);
    assert!(page.head.contains("content-security-policy: default-src 'none'"), "{}", page.head);
    let digest = field(&page.body, "digest").to_owned();
    let form = |word: &str, digest: &str| {
        format!("word={word}&repo=shop&item=change%3Ac1&digest={digest}&act=approved")
    };
    let word = field(&page.body, "word").to_owned();
    for (headers, form, status) in [
        (format!("{cookie}Origin: http://evil.example\r\n"), form(&word, &digest), 403),
        (format!("{cookie}{origin}"), form("guessed", &digest), 403),
        (origin.clone(), form(&word, &digest), 303),
        (format!("{cookie}{origin}"), form(&word, &"0".repeat(64)), 409),
    ] {
        assert_eq!(replica.post_form("/review", &headers, &form).status, status, "{headers}{form}");
    }
    assert_eq!(team.sql("SELECT count(*) FROM review"), "0");
    // The page is not for an agent; what it sends all the same is refused.
    let agent = team.token("bot", "agent", &["shop"]);
    let cookie = format!("Cookie: {}\r\n", sign_in(&replica, &agent));
    assert_eq!(replica.get("/review?repo=shop&item=change%3Ac1", &cookie).status, 403);
    let board = replica.get("/", &cookie).body;
    let refused =
        replica.post_form("/review", &format!("{cookie}{origin}"), &form(field(&board, "word"), &digest));
    assert_eq!(refused.status, 403, "{}", refused.body);
    assert_eq!(team.sql("SELECT count(*) FROM review"), "0");
}

#[test]
fn what_fails_for_a_program_is_json_and_a_page_that_is_not_there_says_so() {
    let Some(team) = Team::new() else { return };
    let replica = team.replica();
    let cookie = format!("Cookie: {}\r\n", sign_in(&replica, &team.token("eve", "reader", &["other"])));
    for (headers, path, status, error) in [
        ("", "/w/shop/board.json", 401, "unauthorized"),
        (cookie.as_str(), "/w/shop/board.json", 404, "repo_not_found"),
        (cookie.as_str(), "/w/nowhere/board.json", 404, "repo_not_found"),
        (cookie.as_str(), "/w/other/board.json", 404, "view_not_found"),
        (cookie.as_str(), "/w/other/nope.json", 404, "not_found"),
    ] {
        let answer = replica.get(path, headers);
        assert_eq!(answer.status, status, "{path}: {}", answer.body);
        assert!(answer.head.contains("content-type: application/json"), "{path}: {}", answer.head);
        let told: serde_json::Value = serde_json::from_str(&answer.body).expect("JSON");
        assert_eq!(told["error"], error, "{path}: {told}");
        assert!(told["message"].is_string() && told["hint"].is_string(), "{path}: {told}");
    }
    let page = replica.get("/w/shop/board", &cookie);
    assert!(page.body.contains("<title>Not there · hewto</title>"), "{}", page.body);
}

#[test]
fn over_https_the_cookie_belongs_to_this_host_and_no_other_opens_its_session() {
    let Some(team) = Team::new() else { return };
    let replica = team.replica();
    let token = team.token("rita", "reviewer", &["shop"]);
    // A proxy ends TLS: the browser's origin says so, and the host is that of the page.
    let origin = replica.url().replacen("http://", "https://", 1);
    let page = replica.post_form("/login", &format!("Origin: {origin}\r\n"), &format!("token={token}"));
    let cookie = page.head.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap();
    assert!(cookie.starts_with("__Host-hewto_hub=") && cookie.contains("; Path=/;"), "{cookie}");
    assert!(cookie.ends_with("; Secure") && !cookie.contains("Domain"), "{cookie}");
    let held = cookie.split(';').next().unwrap();
    let with = |cookie: &str| replica.get("/", &format!("Cookie: {cookie}\r\n")).status;
    assert_eq!(with(held), 200);
    assert_eq!(with(held.trim_start_matches("__Host-")), 303, "another name opens nothing");
    let plain = sign_in(&replica, &token);
    assert_eq!(with(&plain), 200);
    assert_eq!(with(&format!("__Host-{plain}")), 303);
    let out = replica.post_form("/logout", &format!("Cookie: {held}\r\nOrigin: {origin}\r\n"), "");
    assert!(out.head.contains("set-cookie: __Host-hewto_hub=; "), "{}", out.head);
    assert_eq!(with(held), 303);
}
