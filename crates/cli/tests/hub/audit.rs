use std::io::Write as _;
use std::net::{Shutdown, TcpStream};
use std::time::Instant;

use serde_json::{Value, json};

use crate::browser::sign_in;
use crate::mcp::ask;
use crate::team::{Replica, Team, body, delta, post, reason, small_push, wait_until};

/// What is told of calls of nobody: how many, and all the words of it.
fn strangers(team: &Team) -> (u64, String) {
    let rows = team.sql("SELECT detail FROM audit WHERE principal = 'anonymous' ORDER BY id");
    let count = |row: &str| row.split(' ').next().unwrap().parse::<u64>().unwrap();
    (rows.lines().map(count).sum(), rows)
}

/// Rows of somebody as `op outcome repo detail`, in the order in which they came.
fn rows_of(team: &Team, name: &str) -> Vec<String> {
    let rows = team.sql(&format!(
        "SELECT op || ' ' || outcome || ' ' || repo || ' ' || detail FROM audit WHERE principal = '{name}' AND op NOT LIKE 'token%' ORDER BY id"
    ));
    rows.lines().map(|row| row.trim().to_owned()).collect()
}

fn wait_for_rows(team: &Team, name: &str, expected: &[&str]) {
    wait_until("all calls are in the audit", || rows_of(team, name).len() >= expected.len());
    assert_eq!(rows_of(team, name), expected);
}

#[test]
fn every_message_of_mcp_leaves_a_row_whatever_comes_of_it() {
    let Some(team) = Team::new() else { return };
    let replica = team.replica();
    let token = team.token("bot", "agent", &["shop"]);
    let send = |path: &str, message: &Value| ask(&replica, &token, path, message).0;
    let request = |method: &str| json!({ "jsonrpc": "2.0", "id": 1, "method": method });
    let tool = |name: &str, arguments: Value| json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": name, "arguments": arguments } });
    send("/mcp", &request("initialize"));
    send("/mcp", &request("server/discover"));
    send("/mcp/r/shop", &request("tools/list"));
    send("/mcp", &request("ping"));
    send("/mcp", &json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    send("/mcp", &request("resources/made-up"));
    send("/mcp", &tool("made-up", json!({})));
    send("/mcp/r/secret", &request("tools/list"));
    send("/mcp", &json!([1, 2]));
    send("/mcp", &tool("status", json!({})));
    send("/mcp", &tool("status", json!({ "repo": "secret" })));
    send("/mcp", &tool("claim_next", json!({ "repo": "shop", "items": ["change:c1"] })));
    send("/mcp", &tool("claim_keep", json!({ "repo": "shop", "item": "change:c1", "claim": 1 })));
    let bearer = format!("Authorization: Bearer {token}\r\n");
    let broken = format!(
        "POST /mcp HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n{bearer}Content-Type: application/json\r\nContent-Length: 5\r\n\r\n{{oops",
        replica.address
    );
    assert_eq!(replica.raw(&broken).status, 400);
    assert_eq!(replica.get("/mcp/r/shop", &bearer).status, 405);
    let mut expected = vec![
        "mcp ok  initialize",
        "mcp ok  server/discover",
        "mcp ok shop tools/list",
        "mcp ok  ping",
        "mcp ok  a notification",
        "mcp method_not_found",
        "mcp tool_not_found  tools/call",
        "mcp repo_not_found secret no repository of this name is open to this token",
        "mcp invalid_request",
        "status ok  mcp",
        "status repo_not_found secret mcp",
        "claim ok shop change:c1 with number 1",
        "claims/keep ok shop mcp",
        "mcp invalid_json",
        "mcp method_not_allowed shop",
    ];
    wait_until("all calls are in the audit", || rows_of(&team, "bot").len() >= expected.len());
    // A claim writes its row at once; the others come behind.
    let mut rows = rows_of(&team, "bot");
    rows.sort();
    expected.sort_unstable();
    assert_eq!(rows, expected);
}

#[test]
fn what_programs_ask_and_are_refused_leaves_a_row_each() {
    let Some(team) = Team::new() else { return };
    let replica = team.replica();
    let (token, eve) = (team.token("ann", "agent", &["shop"]), team.token("eve", "reviewer", &["shop"]));
    let (client, eve) = (replica.client(&token), replica.client(&eve));
    let bearer = format!("Authorization: Bearer {token}\r\n");
    let push = small_push("shop", "w", 0, "c1", &delta("Sign in", "x"));
    assert_eq!(post(&client, "push", &push).status, 200);
    assert_eq!(body(post(&client, "push", &push))["repeated"], true);
    assert_eq!(
        post(&client, "push", &json!({ "protocol": 1, "repo": "shop", "view": "hewto-secret-in-a-body" }))
            .status,
        400
    );
    let send = |head: &str, method: &str| {
        let host = replica.address;
        replica
            .raw(&format!(
                "{method} /api/v1/push HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{bearer}{head}\r\n"
            ))
            .status
    };
    assert_eq!(send("Content-Encoding: gzip\r\nContent-Length: 0\r\n", "POST"), 415);
    assert_eq!(send("Content-Length: 99999999\r\n", "POST"), 413);
    assert_eq!(send("", "DELETE"), 405);
    assert_eq!(client.get("nothing/like/this").unwrap().status, 404);
    wait_for_rows(
        &team,
        "ann",
        &[
            "push ok shop worktree w at version 1: 1 written, 0 removed",
            "push ok shop",
            "push invalid_body shop",
            "push unsupported_encoding",
            "push body_too_large",
            "push method_not_allowed",
            "nothing/like/this not_found  there is nothing at this path",
        ],
    );
    let digest = body(eve.get("review?repo=shop&item=change%3Ac1").unwrap())["subjects"][0]["digest"].clone();
    let remark = json!({ "repo": "shop", "item": "change:c1", "text": "why?", "digest": digest });
    for _ in 0..2 {
        assert_eq!(post(&eve, "review/comment", &remark).status, 200);
    }
    wait_until("both comments are in the audit", || rows_of(&team, "eve").len() == 3);
    let rows = rows_of(&team, "eve").join("\n");
    assert!(rows.contains("review ok shop") && rows.contains("review/comment ok shop"), "{rows}");
    assert!(rows.contains("comment ok shop change:c1: comment"), "{rows}");
}

#[test]
fn figures_leave_a_row_and_probes_none() {
    let Some(team) = Team::new() else { return };
    let replica = team.replica();
    let (ops, eve) = (team.token("ops", "admin", &[]), team.token("eve", "reader", &["shop"]));
    let figures = |token: &str| replica.get("/metrics", &format!("Authorization: Bearer {token}\r\n")).status;
    assert_eq!((figures(&ops), figures(&eve), replica.get("/metrics", "").status), (200, 403, 401));
    for _ in 0..5 {
        assert_eq!((replica.get("/health", "").status, replica.get("/ready", "").status), (200, 200));
    }
    wait_for_rows(&team, "ops", &["metrics ok"]);
    wait_for_rows(&team, "eve", &["metrics insufficient_scope"]);
    wait_until("the stranger is counted", || strangers(&team).0 == 1);
    assert_eq!(strangers(&team).1, "1 call: 1 unauthorized; at 1 /metrics");
    let probes =
        "SELECT count(*) FROM audit WHERE op || detail LIKE '%health%' OR op || detail LIKE '%ready%'";
    assert_eq!(team.sql(probes), "0");
}

#[test]
fn who_comes_without_a_token_is_counted_at_every_door() {
    let Some(team) = Team::new() else { return };
    let replica = team.replica();
    let token = team.token("ann", "agent", &["shop"]);
    let host = replica.address;
    let wrong = "Authorization: Bearer hewto_nobody_has_this_one_at_all\r\n";
    assert_eq!(replica.get("/api/v1/status", "").status, 401);
    assert_eq!(replica.get("/api/v1/status", wrong).status, 401);
    assert_eq!(replica.get("/mcp/r/shop", wrong).status, 401);
    let foreign = format!(
        "GET /api/v1/repos HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\nAuthorization: Bearer {token}\r\n\r\n"
    );
    assert_eq!(replica.raw(&foreign).status, 403);
    assert_eq!(
        replica.raw(&format!("OPTIONS /mcp HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n")).status,
        405
    );
    // Pages: a visitor, somebody who guesses, a form of another site.
    assert_eq!(replica.get("/", "").status, 303);
    assert_eq!(replica.get("/w/shop/board.json", "Cookie: hewto_hub=made-up\r\n").status, 401);
    assert_eq!(replica.get("/login", "").status, 200);
    let own = format!("Origin: http://{host}\r\n");
    assert_eq!(replica.post_form("/login", &own, "token=guessed-secret").status, 401);
    assert_eq!(replica.post_form("/login", "Origin: http://evil.example\r\n", "token=x").status, 403);
    assert_eq!(replica.get("/assets/none.css", "").status, 404);
    wait_until("all of them are counted", || strangers(&team).0 == 11);
    let told = strangers(&team).1;
    for word in [
        "unauthorized",
        "host_not_allowed",
        "origin_not_allowed",
        "method_not_allowed",
        "not_found",
        " ok",
        "/api/v1/status",
        "/login",
    ] {
        assert!(told.contains(word), "{word}: {told}");
    }
    let rows = team.sql("SELECT count(*) FROM audit WHERE principal = 'ann'");
    assert_eq!(rows, "0", "a token that was sent to another host is nobody's");
}

#[test]
fn a_flood_of_wrong_tokens_is_a_row_a_second_and_every_call_is_counted() {
    const FLOODERS: usize = 8;
    const EACH: usize = 60;
    let Some(team) = Team::new() else { return };
    let replica = team.replica();
    let client = replica.client(&team.token("ann", "agent", &["shop"]));
    let began = Instant::now();
    std::thread::scope(|scope| {
        for flooder in 0..FLOODERS {
            let replica = &replica;
            scope.spawn(move || {
                for number in 0..EACH {
                    let path = format!("/api/v1/{}{flooder}-{number}", "x".repeat(number * 10));
                    let status =
                        replica.get(&path, "Authorization: Bearer hewto_guess_0123456789abcdef\r\n").status;
                    assert!(matches!(status, 401 | 429), "{status}");
                }
            });
        }
        // Others work meanwhile.
        for base in 0..20 {
            let push = small_push("shop", "w", base, "c1", &delta("Sign in", &format!("{base}")));
            assert_eq!(post(&client, "push", &push).status, 200);
        }
    });
    let all = u64::try_from(FLOODERS * EACH).unwrap();
    wait_until("every call is counted", || strangers(&team).0 == all);
    let seconds = began.elapsed().as_secs();
    let (_, told) = strangers(&team);
    let rows = u64::try_from(told.lines().count()).unwrap();
    assert!(rows <= seconds + 2, "{rows} rows in {seconds} s");
    assert!(told.lines().all(|row| row.len() < 2_000), "{told}");
    assert!(!told.contains("0123456789abcdef"), "{told}");
    assert_eq!(team.sql("SELECT count(*) FROM audit WHERE op = 'push' AND principal = 'ann'"), "20");
}

#[test]
fn a_replica_that_is_asked_to_end_writes_down_everything_that_it_answered() {
    let Some(team) = Team::new() else { return };
    let replica = team.replica();
    let client = replica.client(&team.token("ann", "agent", &["shop"]));
    for _ in 0..50 {
        assert_eq!(client.get("status").unwrap().status, 200);
        assert_eq!(replica.get("/api/v1/status", "").status, 401);
    }
    let (status, said) = replica.end();
    assert!(status.success(), "{said}");
    assert_eq!(rows_of(&team, "ann").len(), 50);
    assert_eq!(strangers(&team).0, 50);
}

#[test]
fn who_leaves_before_the_answer_is_told_of_all_the_same() {
    let Some(team) = Team::new() else { return };
    let replica = team.replica();
    let token = team.token("ann", "agent", &["shop"]);
    let leave = |replica: &Replica, head: &str| {
        let mut stream = TcpStream::connect(replica.address).unwrap();
        stream.write_all(head.as_bytes()).unwrap();
        stream.shutdown(Shutdown::Both).unwrap();
    };
    let host = replica.address;
    // A body that never comes.
    leave(
        &replica,
        &format!(
            "POST /api/v1/push HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{{"
        ),
    );
    wait_until("the call that broke off is in the audit", || rows_of(&team, "ann").len() == 1);
    let row = rows_of(&team, "ann").remove(0);
    assert!(row.starts_with("push broken_"), "{row}");
}

#[test]
fn no_row_holds_a_token_wherever_it_was_put() {
    let Some(team) = Team::new() else { return };
    let replica = team.replica();
    let (token, other) = (team.token("ann", "reviewer", &["shop"]), team.token("bob", "agent", &["shop"]));
    let client = replica.client(&token);
    for path in [
        other.clone(),
        format!("status?repo={other}"),
        format!("status?token={other}"),
        format!("review?repo=shop&item={other}"),
        format!("view?repo=shop&kind={other}&name={other}"),
    ] {
        client.get(&path).unwrap();
    }
    post(
        &client,
        "claims",
        &json!({ "repo": other, "items": [other], "lease_s": 60, "session": other, "worktree": other }),
    );
    assert_eq!(reason(&post(&client, "push", &json!({ "protocol": other }))).1, "invalid_body");
    ask(&replica, &token, &format!("/mcp/r/{other}"), &json!({ "jsonrpc": "2.0", "id": 1, "method": other }));
    ask(&replica, &token, "/mcp", &json!({ "jsonrpc": "2.0", "id": 1, "method": other }));
    ask(
        &replica,
        &token,
        "/mcp",
        &json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": other, "arguments": { "repo": other } } }),
    );
    let cookie = sign_in(&replica, &token);
    replica.get(&format!("/w/{other}/board?token={other}"), &format!("Cookie: {cookie}\r\n"));
    replica.get(&format!("/review?repo={other}&item={other}"), &format!("Cookie: {cookie}\r\n"));
    replica.get(&format!("/api/v1/{other}?token={other}"), "");
    let (status, said) = replica.end();
    assert!(status.success(), "{said}");
    let secret = &other[6..40];
    assert!(rows_of(&team, "ann").len() >= 12, "{:?}", rows_of(&team, "ann"));
    let rows = team.sql("SELECT principal || repo || op || outcome || detail FROM audit");
    assert!(!rows.contains(secret), "{rows}");
    assert!(!said.contains(secret), "{said}");
}
