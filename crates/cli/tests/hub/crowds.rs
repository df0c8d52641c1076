//! One who takes much, and everybody else: sessions, places, pages and boards are shared so that nobody crowds out others.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::json;

use crate::browser::sign_in;
use crate::mcp::ask;
use crate::team::{Replica, Team, body, delta, post, reason, shown, small_push, wait_until};

/// Puts copies of the one document of a view beside it, so many, as a push of them would.
fn copied(team: &Team, view: &str, count: u32, (kind, item, path): (&str, &str, &str)) {
    team.sql(&format!(
        "INSERT INTO entry (view, repo, path, hash, kind, item, capability, title, requirements, reader_version)
         SELECT e.view, e.repo, replace('{path}', '#', n::text), e.hash, '{kind}', replace('{item}', '#', n::text), e.capability,
                e.title, e.requirements, e.reader_version
         FROM (SELECT * FROM entry WHERE view = (SELECT id FROM view WHERE name = '{view}') LIMIT 1) e, generate_series(1, {count}) n;
         UPDATE view SET version = version + 1, documents = documents + {count} WHERE name = '{view}'"
    ));
}

/// Whether a replica has written down a view with this path.
fn has_written(replica: &Replica, path: &str) -> bool {
    let in_each = |folder: &Path| -> Vec<PathBuf> {
        fs_err::read_dir(folder).into_iter().flatten().flatten().map(|one| one.path()).collect()
    };
    let indexes = in_each(replica.temporary.path()).into_iter();
    let runs = indexes.flat_map(|index| in_each(&index.join("views")));
    runs.flat_map(|run| in_each(&run)).any(|view| view.join(path).exists())
}

#[test]
fn whoever_signs_in_again_and_again_ends_their_own_sessions_and_nobody_elses() {
    let Some(team) = Team::new() else { return };
    let replica = team.replica();
    let (rita, rob) = (team.token("rita", "reviewer", &["shop"]), team.token("rob", "reader", &["shop"]));
    let ritas = sign_in(&replica, &rita);
    let robs: Vec<String> = (0..40).map(|_| sign_in(&replica, &rob)).collect();
    let with = |cookie: &str| replica.get("/", &format!("Cookie: {cookie}\r\n")).status;
    assert_eq!(with(&ritas), 200);
    assert_eq!((with(&robs[0]), with(&robs[7]), with(&robs[8]), with(&robs[39])), (303, 303, 200, 200));
}

#[test]
fn wrong_sign_ins_take_no_place_of_those_who_are_signed_in() {
    let Some(team) = Team::new() else { return };
    let replica = team.replica();
    let cookie = format!("Cookie: {}\r\n", sign_in(&replica, &team.token("rita", "reviewer", &["shop"])));
    let host = replica.address;
    let request = format!(
        "POST /login HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 11\r\n\r\ntoken=wrong"
    );
    // More at once than one holder has places for, from the address that the others come from too.
    let guess = || -> Vec<String> {
        let mut guesses: Vec<TcpStream> = (0..700).map(|_| TcpStream::connect(host).unwrap()).collect();
        for guess in &mut guesses {
            guess.write_all(request.as_bytes()).unwrap();
        }
        let status = |mut guess: TcpStream| {
            guess.set_read_timeout(Some(Duration::from_mins(1))).unwrap();
            let mut head = [0; 12];
            guess.read_exact(&mut head).unwrap();
            String::from_utf8_lossy(&head[9..]).into_owned()
        };
        guesses.into_iter().map(status).collect()
    };
    std::thread::scope(|scope| {
        let guessing = scope.spawn(|| [guess(), guess(), guess()].concat());
        while !guessing.is_finished() {
            // What asks nothing of the database is asked for often enough to come between them.
            let page = replica.get("/login", &cookie);
            assert_eq!(page.status, 200, "for somebody who is signed in: {}", page.body);
        }
        assert_eq!(replica.get("/", &cookie).status, 200);
        let statuses = guessing.join().unwrap();
        assert!(statuses.iter().all(|status| ["401", "429"].contains(&status.as_str())), "{statuses:?}");
        assert!(statuses.iter().any(|status| status == "429"), "a flood of them is turned away");
    });
}

#[test]
fn a_view_that_is_too_large_for_pages_says_so_and_holds_up_nobody() {
    let Some(team) = Team::new() else { return };
    let replica = team.replica();
    let ann = replica.client(&team.token("ann", "agent", &["shop"]));
    for view in ["large", "too-large"] {
        assert_eq!(
            post(&ann, "push", &small_push("shop", view, 0, "c0", &delta("Sign in", view))).status,
            200
        );
    }
    let bob = replica.client(&team.token("bob", "agent", &["other"]));
    assert_eq!(post(&bob, "push", &small_push("other", "w", 0, "c1", &delta("Sign in", "y"))).status, 200);
    // All in one folder, which is soon deleted again.
    copied(&team, "large", 15_000, ("decision", "d#", "docs/adr/#.md"));
    copied(&team, "too-large", 20_000, ("decision", "d#", "docs/adr/#.md"));
    let cookie = |name: &str, repo: &str| {
        format!("Cookie: {}\r\n", sign_in(&replica, &team.token(name, "reader", &[repo])))
    };
    let (rob, sam) = (cookie("rob", "shop"), cookie("sam", "other"));
    let refused = replica.get("/w/shop@ann%3A%20too-large/board", &rob);
    assert_eq!(refused.status, 422, "{}", refused.body);
    assert!(refused.body.contains("20001 documents and records"), "{}", refused.body);
    assert!(refused.body.contains("hewto ui"), "{}", refused.body);
    let told = replica.get("/w/shop@ann%3A%20too-large/proof.json", &rob);
    assert!(told.body.contains("view_too_large"), "{}", told.body);
    std::thread::scope(|scope| {
        let large = scope.spawn(|| replica.get("/w/shop@ann%3A%20large/proof.json", &rob).status);
        wait_until("the large view is being written down", || has_written(&replica, "docs/adr/1.md"));
        assert_eq!(replica.get("/w/other/proof.json", &sam).status, 200);
        assert!(!large.is_finished(), "somebody else's page waited for it");
        assert_eq!(large.join().unwrap(), 200);
    });
}

#[test]
fn an_agent_with_a_thousand_changes_pushes_nobody_from_the_board() {
    let Some(team) = Team::new() else { return };
    let replica = team.replica();
    let push = |name: &str, repo: &str, change: &str| {
        let client = replica.client(&team.token(name, "agent", &[repo]));
        let push = small_push(repo, name, 0, change, &delta("Sign in", name));
        assert_eq!(post(&client, "push", &push).status, 200);
    };
    push("zoe", "shop", "zz-quiet");
    push("yan", "tools", "zz-other");
    push("bot", "shop", "a0");
    copied(&team, "bot", 1_500, ("delta", "change:a#", "changes/a#/specs/accounts/spec.md"));
    let root = team.token("root", "admin", &[]);
    let board = replica.get("/", &format!("Cookie: {}\r\n", sign_in(&replica, &root))).body;
    for change in ["change:zz-quiet", "change:zz-other", "change:a"] {
        assert!(board.contains(change), "{change}");
    }
    assert!(board.contains("503 more are not shown") && board.contains("503 in "), "{board}");
    let told = body(replica.client(&root).get("items").unwrap());
    assert_eq!((told["items"].as_array().unwrap().len(), &told["more"]), (1_000, &json!(503)));
    assert_eq!(told["more_in"], json!([{ "repo": "shop", "more": 503 }]));
    let few = body(replica.client(&root).get("items?repo=tools").unwrap());
    assert_eq!((few["items"].as_array().unwrap().len(), &few["more"]), (1, &json!(0)));
}

#[test]
fn an_open_page_hears_nothing_once_its_token_is_over() {
    let Some(team) = Team::new() else { return };
    let replica = team.replica();
    let ann = replica.client(&team.token("ann", "agent", &["shop"]));
    assert_eq!(post(&ann, "push", &small_push("shop", "w", 0, "c1", &delta("Sign in", "x"))).status, 200);
    let cookie = format!("Cookie: {}\r\n", sign_in(&replica, &team.token("rita", "reviewer", &["shop"])));
    let mut stream = TcpStream::connect(replica.address).unwrap();
    stream.set_read_timeout(Some(Duration::from_mins(2))).unwrap();
    write!(stream, "GET /w/shop/events HTTP/1.1\r\nHost: {}\r\n{cookie}\r\n", replica.address).unwrap();
    let mut begun = [0; 12];
    stream.read_exact(&mut begun).unwrap();
    assert_eq!(&begun, b"HTTP/1.1 200");
    assert!(team.hub(&["token", "revoke", "2"]).status.success());
    wait_until("the token is over", || replica.get("/", &cookie).status == 303);
    assert_eq!(post(&ann, "push", &small_push("shop", "w", 1, "c2", &delta("Sign in", "y"))).status, 200);
    let (mut heard, mut bytes) = (Vec::new(), [0; 1024]);
    // The last chunk of a stream is empty.
    while !heard.ends_with(b"\r\n0\r\n\r\n") {
        let read = stream.read(&mut bytes).unwrap();
        assert_ne!(read, 0, "{}", String::from_utf8_lossy(&heard));
        heard.extend_from_slice(&bytes[..read]);
    }
    let heard = String::from_utf8_lossy(&heard);
    assert!(!heard.contains("event: changed"), "{heard}");
}

#[test]
fn a_repository_that_cannot_be_read_is_refused_and_does_not_mean_all_of_them() {
    let Some(team) = Team::new() else { return };
    let replica = team.replica();
    let token = team.token("ann", "agent", &["shop", "tools"]);
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": { "name": "status", "arguments": { "repo": "\0" } } });
    let told = ask(&replica, &token, "/mcp", &call).1;
    assert_eq!(told["result"]["isError"], true, "{told}");
    assert_eq!(told["result"]["structuredContent"]["error"], "invalid_argument", "{told}");
    for path in ["status?repo=%00", "items?repo=%zz", "search?q=x&repo=a%00b"] {
        let refused = reason(&replica.client(&token).get(path).unwrap());
        assert_eq!(refused, (422, "invalid_argument".to_owned()), "{path}");
    }
}

#[test]
fn only_a_comment_that_is_there_is_settled() {
    let Some(team) = Team::new() else { return };
    let replica = team.replica();
    let rita = replica.client(&team.token("rita", "reviewer", &["shop"]));
    assert_eq!(post(&rita, "push", &small_push("shop", "w", 0, "c1", &delta("Sign in", "x"))).status, 200);
    let subjects = body(rita.get("review?repo=shop&item=change%3Ac1").unwrap());
    let digest = subjects["subjects"][0]["digest"].as_str().unwrap();
    let say = |path: &str, field: &str, says: &str| {
        post(&rita, path, &json!({ "repo": "shop", "item": "change:c1", "digest": digest, field: says }))
    };
    let verdict = body(say("review/verdict", "verdict", "rejected"))["record"].as_str().unwrap().to_owned();
    let comment = body(say("review/comment", "text", "Why?"))["record"].as_str().unwrap().to_owned();
    let settle = |uid: &str| say("review/resolve", "comment", uid);
    let nowhere = verdict.replace(&verdict[..4], "2001");
    assert_eq!(reason(&settle(&nowhere)), (404, "comment_not_found".to_owned()));
    assert_eq!(reason(&settle(&verdict)), (409, "invalid_argument".to_owned()));
    assert_eq!(settle(&comment).status, 200, "{}", settle(&comment).body);
    assert_eq!(team.sql("SELECT count(*) FROM review WHERE kind = 'resolution'"), "1");
}

#[test]
fn a_token_has_no_name_that_an_issuer_could_give() {
    let Some(team) = Team::new() else { return };
    let made = team.hub(&["token", "create", "ann@id.example", "--role", "reader", "--repo", "shop"]);
    assert_eq!(made.status.code(), Some(2), "{}", shown(&made));
    assert!(shown(&made).contains("OAuth issuer"), "{}", shown(&made));
}
