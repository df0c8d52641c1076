use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::team::{Laptop, Replica, Team, body, delta, post, reason, small_push, wait_until};

/// A change that somebody has pushed, and its digest.
fn pushed(team: &Team, replica: &Replica) -> String {
    let ann = replica.client(&team.token("ann", "agent", &["shop"]));
    let push = small_push("shop", "w", 0, "c1", &delta("Sign in", "let in"));
    assert_eq!(post(&ann, "push", &push).status, 200);
    let found = body(ann.get("review?repo=shop&item=change%3Ac1").unwrap());
    found["subjects"][0]["digest"].as_str().unwrap().to_owned()
}

fn ballot(digest: &str, verdict: &str, note: &str) -> Value {
    json!({ "repo": "shop", "item": "change:c1", "verdict": verdict, "digest": digest, "note": note })
}

#[test]
fn a_verdict_that_is_posted_twice_is_one_record_and_another_mind_is_another() {
    let Some(team) = Team::new() else { return };
    let replica = team.replica();
    let digest = pushed(&team, &replica);
    let rita = replica.client(&team.token("rita", "reviewer", &["shop"]));
    let first = body(post(&rita, "review/verdict", &ballot(&digest, "approved", "fine")));
    let again = body(post(&rita, "review/verdict", &ballot(&digest, "approved", "fine")));
    assert_eq!(first, again);
    assert_eq!(team.sql("SELECT count(*) FROM review"), "1");
    let other = body(post(&rita, "review/verdict", &ballot(&digest, "rejected", "after all")));
    assert_ne!(first["record"], other["record"]);
    // What was said before something else is said anew.
    let back = body(post(&rita, "review/verdict", &ballot(&digest, "approved", "fine")));
    assert_ne!(first["record"], back["record"]);
    let sam = replica.client(&team.token("sam", "reviewer", &["shop"]));
    let his = body(post(&sam, "review/verdict", &ballot(&digest, "approved", "fine")));
    assert_eq!((&his["by"], team.sql("SELECT count(*) FROM review").as_str()), (&json!("sam"), "4"));
}

#[test]
fn verdicts_at_once_of_many_people_are_all_recorded_in_an_order_that_shows() {
    let Some(team) = Team::new() else { return };
    let replicas = [team.replica(), team.replica()];
    let digest = pushed(&team, &replicas[0]);
    let tokens: Vec<String> =
        (0..8).map(|n| team.token(&format!("rita{n}"), "reviewer", &["shop"])).collect();
    std::thread::scope(|scope| {
        for (at, token) in tokens.iter().enumerate() {
            let (client, digest) = (replicas[at % 2].client(token), &digest);
            scope.spawn(move || {
                assert_eq!(post(&client, "review/verdict", &ballot(digest, "approved", "")).status, 200);
            });
        }
    });
    assert_eq!(team.sql("SELECT count(DISTINCT uid), count(DISTINCT by_whom) FROM review"), "8|8");
}

#[test]
fn an_item_that_is_none_is_refused_and_nothing_is_recorded() {
    let Some(team) = Team::new() else { return };
    let replica = team.replica();
    let digest = pushed(&team, &replica);
    let rita = replica.client(&team.token("rita", "reviewer", &["shop"]));
    let long = format!("change:{}", "x".repeat(300));
    for item in ["change:c1\0", "", &long] {
        for (path, field) in [("review/verdict", "verdict"), ("review/comment", "text")] {
            let said = json!({ "repo": "shop", "item": item, "digest": digest, field: "approved" });
            assert_eq!(reason(&post(&rita, path, &said)), (422, "invalid_argument".to_owned()), "{item:?}");
        }
    }
    for (what, said) in [
        ("a note with NUL", ballot(&digest, "approved", "a\0b")),
        ("no verdict", ballot(&digest, "yes", "")),
        ("no digest", ballot("12", "approved", "")),
    ] {
        assert_eq!(reason(&post(&rita, "review/verdict", &said)).0, 422, "{what}");
    }
    assert_eq!(reason(&post(&rita, "review/verdict", &ballot(&"0".repeat(64), "approved", ""))).0, 409);
    assert_eq!(team.sql("SELECT count(*) FROM review"), "0");
}

#[test]
fn all_that_was_decided_comes_in_pages_and_the_same_is_not_sent_again() {
    let Some(team) = Team::new() else { return };
    let replica = team.replica();
    pushed(&team, &replica);
    team.sql(
        "INSERT INTO review (repo, uid, item, kind, by_whom, content, said, record, at, exported_at)
         SELECT (SELECT id FROM repo WHERE name = 'shop'), 'R' || lpad(n::text, 6, '0'), 'change:c1', 'comment', 'rita', '\\x00', '',
                'x', CASE WHEN n <= 10 THEN now() - interval '200 days' ELSE now() END, CASE WHEN n <= 5 THEN now() END
         FROM generate_series(1, 1203) n",
    );
    let ann = replica.client(&team.token("ann2", "reader", &["shop"]));
    let (mut seen, mut path, mut pages) = (BTreeSet::new(), "outbox?repo=shop".to_owned(), 0);
    let mark = loop {
        let page = body(ann.get(&path).unwrap());
        pages += 1;
        for record in page["records"].as_array().unwrap() {
            assert!(seen.insert(record["uid"].as_str().unwrap().to_owned()), "{record}");
        }
        match page["next"].as_str() {
            Some(last) => path = format!("outbox?repo=shop&after={last}"),
            None => break page["mark"].as_str().unwrap().to_owned(),
        }
    };
    // Five are old and in git; five are as old, and nobody has fetched them.
    assert_eq!((seen.len(), pages), (1_198, 3));
    let again = body(ann.get(&format!("outbox?repo=shop&seen={mark}")).unwrap());
    assert_eq!(again, json!({ "records": [], "mark": mark }));
    team.sql("INSERT INTO review SELECT repo, 'S1', item, kind, verdict, by_whom, content, said, record FROM review LIMIT 1");
    let more = body(ann.get(&format!("outbox?repo=shop&seen={mark}")).unwrap());
    assert_eq!(more["records"].as_array().unwrap().len(), 500);
}

#[test]
fn a_record_that_somebody_pushes_is_not_taken_for_one_that_was_said_here() {
    let Some(team) = Team::new() else { return };
    let replica = team.replica();
    let token = team.token("eve", "agent", &["shop"]);
    let laptop = Laptop::new("shop", &replica, &token);
    laptop.change("c1", "Sign in", "let in");
    laptop.ok(&["hub", "push"]);
    let client = replica.client(&token);
    let subject =
        |n: usize| body(client.get("review?repo=shop&item=change%3Ac1").unwrap())["subjects"][n].clone();
    let digest = subject(0)["digest"].as_str().unwrap().to_owned();
    let rita = replica.client(&team.token("rita", "reviewer", &["shop"]));
    assert_eq!(post(&rita, "review/verdict", &ballot(&digest, "rejected", "no")).status, 200);
    let brought = laptop.json(&["hub", "push"])["brought"][0].as_str().unwrap().to_owned();
    let real = fs_err::read_to_string(laptop.project.join(&brought)).unwrap();
    let forged = real.replace("verdict: rejected", "verdict: approved");
    assert_ne!(real, forged);
    laptop.write("changes/c1/review/20990101000000000000001.md", &forged);
    laptop.ok(&["hub", "push"]);
    let said = subject(0)["said"].clone();
    let told: Vec<(Option<&str>, Option<bool>)> = said
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["verdict"].as_str(), one["from_here"].as_bool()))
        .collect();
    assert!(told.contains(&(Some("rejected"), Some(true))), "{said}");
    assert!(!told.contains(&(Some("approved"), Some(true))), "{said}");
    let items = body(client.get("items?repo=shop").unwrap());
    assert_eq!(items["items"][0]["last_verdict"], "rejected", "{items}");
}

#[test]
fn a_version_comes_from_what_was_said_here_whatever_is_pushed() {
    let Some(team) = Team::new() else { return };
    let replica = team.replica();
    let token = team.token("eve", "agent", &["shop"]);
    let laptop = Laptop::new("shop", &replica, &token);
    laptop.change("c1", "Sign in", "let in");
    laptop.ok(&["hub", "push"]);
    let client = replica.client(&token);
    let digest = || {
        let found = body(client.get("review?repo=shop&item=change%3Ac1").unwrap());
        found["subjects"][0]["digest"].as_str().unwrap().to_owned()
    };
    let forged = format!(
        "---\nitem: change:c1\nverdict: approved\nby: rita\nchannel: hub\nat: 2026-01-18T13:11:40Z\ncontent: {}\nversion: 4294967295\nform: 2\n---\n\nforged\n",
        digest()
    );
    laptop.write("changes/c1/review/20260118T131140.349Z-B61E.md", &forged);
    laptop.ok(&["hub", "push"]);
    let rita = replica.client(&team.token("rita", "reviewer", &["shop"]));
    let versions = || {
        team.sql("SELECT string_agg(substring(record from 'version: [0-9]+'), ', ' ORDER BY uid) FROM review")
    };
    assert_eq!(post(&rita, "review/verdict", &ballot(&digest(), "approved", "")).status, 200);
    assert_eq!(versions(), "version: 1");
    laptop.change("c1", "Sign in", "let everybody in");
    laptop.ok(&["hub", "push"]);
    assert_eq!(post(&rita, "review/verdict", &ballot(&digest(), "rejected", "")).status, 200);
    assert_eq!(versions(), "version: 1, version: 2");
}

#[test]
fn a_comment_that_is_posted_twice_is_one_record_and_so_is_its_answer() {
    let Some(team) = Team::new() else { return };
    let replica = team.replica();
    let digest = pushed(&team, &replica);
    let rita = replica.client(&team.token("rita", "reviewer", &["shop"]));
    let comment = |text: &str, requirement: Option<&str>| json!({ "repo": "shop", "item": "change:c1", "digest": digest, "text": text, "requirement": requirement });
    let first = body(post(&rita, "review/comment", &comment("why?", None)));
    assert_eq!(first, body(post(&rita, "review/comment", &comment("why?", None))));
    let elsewhere = body(post(&rita, "review/comment", &comment("why?", Some("Sign in"))));
    assert_ne!(first["record"], elsewhere["record"], "the same words about something else");
    let settled =
        json!({ "repo": "shop", "item": "change:c1", "digest": digest, "comment": first["record"] });
    let once = body(post(&rita, "review/resolve", &settled));
    assert_eq!(once, body(post(&rita, "review/resolve", &settled)));
    assert_eq!(team.sql("SELECT count(*) FROM review"), "3");
}

#[test]
fn many_who_speak_of_one_item_hold_up_nobody_who_speaks_of_another() {
    let Some(team) = Team::new() else { return };
    let replica = team.replica();
    let digest = pushed(&team, &replica);
    let bot = replica.client(&team.token("bot", "agent", &["shop"]));
    assert_eq!(
        post(&bot, "push", &small_push("shop", "v", 0, "c2", &delta("Sign out", "let out"))).status,
        200
    );
    let other = body(bot.get("review?repo=shop&item=change%3Ac2").unwrap())["subjects"][0]["digest"].clone();
    // Somebody holds the lock of the item, as a replica that has stopped in the middle would.
    let lock =
        "SELECT pg_advisory_lock(hashtextextended('change:c1', (SELECT id FROM repo WHERE name = 'shop')))";
    let held = hewto_testkit::Cluster::shared().unwrap().hold(&team.database, lock);
    std::thread::scope(|scope| {
        for n in 0..40 {
            let said =
                json!({ "repo": "shop", "item": "change:c1", "digest": digest, "text": format!("word {n}") });
            let client = replica.client(&team.token(&format!("rita{n}"), "reviewer", &["shop"]));
            scope.spawn(move || assert_eq!(post(&client, "review/comment", &said).status, 200));
        }
        let waiting = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
                       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
        wait_until("somebody waits for the item", || team.sql(waiting) != "0");
        let said = json!({ "repo": "shop", "item": "change:c2", "digest": other, "text": "at once" });
        assert_eq!(post(&bot, "review/comment", &said).status, 200);
        assert_eq!(bot.get("status?repo=shop").unwrap().status, 200);
        assert_eq!(team.sql(waiting), "1", "one of them waits at the database, the others before it");
        drop(held);
    });
    assert_eq!(team.sql("SELECT count(*) FROM review"), "41");
}
