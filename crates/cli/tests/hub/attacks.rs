use std::sync::Mutex;

use serde_json::json;

use crate::browser::sign_in;
use crate::team::{Team, body, delta, post, reason, shown, small_push, wait_until};

#[test]
fn a_token_of_one_repository_does_nothing_in_another_and_learns_nothing_of_it() {
    let Some(team) = Team::new() else { return };
    let replica = team.replica();
    let sue = replica.client(&team.token("sue", "agent", &["secret"]));
    assert_eq!(post(&sue, "push", &small_push("secret", "w", 0, "c1", &delta("Sign in", "x"))).status, 200);
    let digest =
        body(sue.get("review?repo=secret&item=change%3Ac1").unwrap())["subjects"][0]["digest"].clone();
    let claim =
        json!({ "repo": "secret", "items": ["change:c1"], "lease_s": 60, "session": "s", "worktree": "w" });
    let fence = body(post(&sue, "claims", &claim))["fence"].clone();
    for role in ["reader", "agent", "reviewer", "ci", "admin"] {
        let eve = replica.client(&team.token(&format!("eve-{role}"), role, &["shop"]));
        for (path, said) in [
            ("push", small_push("secret", "w", 0, "c2", &delta("Sign in", "y"))),
            ("blobs", json!({ "repo": "secret", "blobs": {} })),
            ("claims", claim.clone()),
            (
                "claims/keep",
                json!({ "repo": "secret", "item": "change:c1", "fence": fence, "release": true }),
            ),
            (
                "review/verdict",
                json!({ "repo": "secret", "item": "change:c1", "verdict": "approved", "digest": digest }),
            ),
            (
                "review/comment",
                json!({ "repo": "secret", "item": "change:c1", "text": "x", "digest": digest }),
            ),
            (
                "review/resolve",
                json!({ "repo": "secret", "item": "change:c1", "comment": "20261116T171312.381Z-92CC", "digest": digest }),
            ),
        ] {
            let theirs = post(&eve, path, &said);
            let mut elsewhere = said.clone();
            elsewhere["repo"] = json!("nowhere");
            assert_eq!(theirs, post(&eve, path, &elsewhere), "{role} {path}");
            assert_eq!(reason(&theirs), (404, "repo_not_found".to_owned()), "{role} {path}");
        }
    }
    assert_eq!(team.sql("SELECT count(*) FROM review"), "0");
    assert_eq!(team.sql("SELECT principal || released FROM lease WHERE fence > 0"), "suefalse");
}

#[test]
fn of_pushes_at_once_from_one_version_one_wins() {
    let Some(team) = Team::new() else { return };
    let replicas = [team.replica(), team.replica()];
    let token = team.token("ann", "agent", &["shop"]);
    let first = small_push("shop", "w", 0, "c0", &delta("Sign in", "zero"));
    assert_eq!(post(&replicas[0].client(&token), "push", &first).status, 200);
    let answers = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for n in 0..10 {
            let (client, answers) = (replicas[n % 2].client(&token), &answers);
            scope.spawn(move || {
                let push = small_push("shop", "w", 1, &format!("c{n}"), &delta("Sign in", &format!("n{n}")));
                answers.lock().unwrap().push(reason(&post(&client, "push", &push)));
            });
        }
    });
    let answers = answers.into_inner().unwrap();
    assert_eq!(answers.iter().filter(|answer| answer.0 == 200).count(), 1, "{answers:?}");
    assert_eq!(answers.iter().filter(|answer| answer.1 == "stale").count(), 9, "{answers:?}");
    assert_eq!(team.sql("SELECT version FROM view"), "2");
}

#[test]
fn a_key_is_for_one_push_of_one_person() {
    let Some(team) = Team::new() else { return };
    let replica = team.replica();
    let (ann, bob) = (
        replica.client(&team.token("ann", "agent", &["shop"])),
        replica.client(&team.token("bob", "agent", &["shop"])),
    );
    let push = small_push("shop", "w", 0, "c1", &delta("Sign in", "x"));
    assert_eq!(body(post(&ann, "push", &push))["repeated"], false);
    assert_eq!(body(post(&ann, "push", &push))["repeated"], true);
    // Somebody else's push with the same key is their own.
    assert_eq!(body(post(&bob, "push", &push))["repeated"], false);
    let mut other_view = push.clone();
    other_view["view"]["name"] = json!("w2");
    assert_eq!(reason(&post(&ann, "push", &other_view)), (409, "key_reused".to_owned()));
    let mut other_text = small_push("shop", "w", 1, "c2", &delta("Sign in", "y"));
    other_text["key"] = push["key"].clone();
    assert_eq!(reason(&post(&ann, "push", &other_text)), (409, "key_reused".to_owned()));
    assert_eq!(team.sql("SELECT string_agg(name || version, ' ' ORDER BY id) FROM view"), "w1 w1");
}

#[test]
fn words_of_sql_are_words() {
    let Some(team) = Team::new() else { return };
    let replica = team.replica();
    let token = team.token("eve", "agent", &["shop"]);
    let client = replica.client(&token);
    assert_eq!(post(&client, "push", &small_push("shop", "w", 0, "c1", &delta("Sign in", "x"))).status, 200);
    for word in ["%27%3B%20DROP%20TABLE%20blob%3B--", "%27%20OR%201%3D1--", "%25%25", "%5C", "%24%24", "NULL"]
    {
        for path in [
            format!("search?q={word}"),
            format!("search?q=x&kind={word}&limit={word}"),
            format!("review?repo=shop&item={word}"),
            format!("status?repo={word}"),
            format!("overlaps?repo=shop&change={word}"),
            format!("edges?repo=shop&item={word}"),
            format!("outbox?repo=shop&after={word}&seen={word}"),
            format!("view?repo=shop&kind={word}&name={word}"),
        ] {
            let reply = client.get(&path).unwrap();
            assert!(matches!(reply.status, 200 | 404), "{path}: {} {}", reply.status, reply.body);
        }
        let ask = json!({ "repo": "shop", "items": [format!("change:{word}'; DROP TABLE lease;--")], "lease_s": 60, "session": "'", "worktree": "'" });
        assert_eq!(post(&client, "claims", &ask).status, 200);
    }
    assert_eq!(team.sql("SELECT count(*) FROM blob"), "1");
}

#[test]
fn whoever_lost_their_token_is_out_of_the_pages_and_whoever_signed_out_stays_out() {
    let Some(team) = Team::new() else { return };
    let replica = team.replica();
    let token = team.token("rita", "reviewer", &["shop"]);
    let (first, second) = (sign_in(&replica, &token), sign_in(&replica, &token));
    let with = |cookie: &str| replica.get("/", &format!("Cookie: {cookie}\r\n")).status;
    assert_eq!((with(&first), with(&second)), (200, 200));
    let origin = format!("Cookie: {first}\r\nOrigin: {}\r\n", replica.url());
    assert_eq!(replica.post_form("/logout", &origin, "").status, 303);
    assert_eq!((with(&first), with(&second)), (303, 200));
    assert!(team.hub(&["token", "revoke", "1"]).status.success());
    wait_until("the token is over", || with(&second) == 303);
    for made_up in ["hewto_hub=", "hewto_hub=x", "hewto_hub=../../etc/passwd"] {
        assert_eq!(with(made_up), 303, "{made_up}");
    }
}

#[test]
fn rows_that_are_put_into_the_past_of_the_audit_and_links_that_change_places_show() {
    let Some(team) = Team::new() else { return };
    let replica = team.replica();
    let client = replica.client(&team.token("ann", "agent", &["shop"]));
    for n in 0..4 {
        let push = small_push("shop", &format!("w{n}"), 0, &format!("c{n}"), &delta("Sign in", "x"));
        assert_eq!(post(&client, "push", &push).status, 200);
    }
    drop(replica);
    let verify = || team.hub(&["audit", "verify"]);
    assert!(verify().status.success(), "{}", shown(&verify()));
    let past = "INSERT INTO audit (at, principal, repo, op, outcome, detail) VALUES (now() - interval '1 day', 'eve', 'shop', 'push', 'ok', '')";
    team.sql(past);
    let forged = verify();
    assert_eq!(forged.status.code(), Some(1), "{}", shown(&forged));
    assert!(shown(&forged).contains("not in it"), "{}", shown(&forged));
    let quiet = "SET session_replication_role = replica;";
    team.sql(&format!("{quiet} DELETE FROM audit WHERE principal = 'eve'"));
    assert!(verify().status.success());
    team.sql(&format!(
        "{quiet} UPDATE audit_link a SET audit = b.audit, at = b.at FROM (SELECT audit, at FROM audit_link WHERE seq = 3) b WHERE a.seq = 2"
    ).replace("UPDATE audit_link a", "ALTER TABLE audit_link DROP CONSTRAINT audit_link_audit_key; UPDATE audit_link a"));
    let moved = verify();
    assert_eq!(moved.status.code(), Some(1), "{}", shown(&moved));
}
