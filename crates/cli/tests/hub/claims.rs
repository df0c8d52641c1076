use std::collections::HashSet;
use std::sync::Mutex;

use serde_json::{Value, json};

use crate::team::{Laptop, Team, body, post, reason};

fn ask(repo: &str, items: &[&str], session: &str, lease_s: u32) -> Value {
    json!({ "repo": repo, "items": items, "lease_s": lease_s, "session": session, "worktree": "w" })
}

#[test]
fn many_agents_at_two_replicas_never_get_the_same_work() {
    let Some(team) = Team::new() else { return };
    let replicas = [team.replica(), team.replica()];
    let token = team.token("agents", "agent", &["shop"]);
    let items: Vec<String> = (0..60).map(|n| format!("change:c{n}")).collect();
    let names: Vec<&str> = items.iter().map(String::as_str).collect();
    let taken = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for agent in 0..12 {
            let (client, names, taken) = (replicas[agent % 2].client(&token), &names, &taken);
            scope.spawn(move || {
                loop {
                    let reply = post(
                        &client,
                        "claims",
                        &ask("shop", names, &format!("s{agent}-{}", taken.lock().unwrap().len()), 60),
                    );
                    if reply.status != 200 {
                        assert_eq!(reason(&reply).1, "nothing_ready", "{}", reply.body);
                        // Somebody may have been passed over while another held the row for a moment.
                        if taken.lock().unwrap().len() >= names.len() {
                            return;
                        }
                        continue;
                    }
                    let lease = body(reply);
                    taken
                        .lock()
                        .unwrap()
                        .push((lease["item"].as_str().unwrap().to_owned(), lease["fence"].as_u64().unwrap()));
                }
            });
        }
    });
    let taken = taken.into_inner().unwrap();
    let works: HashSet<_> = taken.iter().map(|(item, _)| item).collect();
    let fences: HashSet<_> = taken.iter().map(|(_, fence)| fence).collect();
    assert_eq!((taken.len(), works.len(), fences.len()), (60, 60, 60));
}

#[test]
fn a_holder_who_slept_past_their_lease_is_refused_by_number() {
    let Some(team) = Team::new() else { return };
    let replica = team.replica();
    let (ann, bob) = (
        replica.client(&team.token("ann", "agent", &["shop"])),
        replica.client(&team.token("bob", "agent", &["shop"])),
    );
    let first = body(post(&ann, "claims", &ask("shop", &["change:c1"], "a", 60)));
    assert_eq!(
        reason(&post(&bob, "claims", &ask("shop", &["change:c1"], "b", 60))),
        (409, "claimed".to_owned())
    );
    let keep = json!({ "repo": "shop", "item": "change:c1", "fence": first["fence"], "lease_s": 60 });
    assert_eq!(post(&ann, "claims/keep", &keep).status, 200);
    // The clock of the database is what counts; it is moved on here.
    team.sql("UPDATE lease SET expires_at = now() - interval '1 second'");
    let second = body(post(&bob, "claims", &ask("shop", &["change:c1"], "b", 60)));
    assert!(second["fence"].as_u64() > first["fence"].as_u64());
    assert_eq!(reason(&post(&ann, "claims/keep", &keep)), (409, "claim_lost".to_owned()));
    let mut push = crate::team::small_push("shop", "w", 0, "c1", &crate::team::delta("Sign in", "late"));
    push["claims"] = json!([{ "item": "change:c1", "fence": first["fence"] }]);
    assert_eq!(reason(&post(&ann, "push", &push)), (409, "claim_lost".to_owned()));
    push["claims"] = json!([{ "item": "change:c1", "fence": second["fence"] }]);
    assert_eq!(post(&bob, "push", &push).status, 200);
    // Nobody keeps what somebody else holds by knowing its number.
    let stolen = json!({ "repo": "shop", "item": "change:c1", "fence": second["fence"], "release": true });
    assert_eq!(reason(&post(&ann, "claims/keep", &stolen)), (409, "claim_lost".to_owned()));
}

#[test]
fn a_step_and_its_item_are_not_held_by_two() {
    let Some(team) = Team::new() else { return };
    let replica = team.replica();
    let (ann, bob) = (
        replica.client(&team.token("ann", "agent", &["shop"])),
        replica.client(&team.token("bob", "agent", &["shop"])),
    );
    let step = body(post(&ann, "claims", &ask("shop", &["change:c1\\abc123"], "a", 60)));
    assert_eq!(reason(&post(&bob, "claims", &ask("shop", &["change:c1"], "b", 60))).1, "claimed");
    assert_eq!(
        post(&bob, "claims", &ask("shop", &["change:c1\\def456"], "b", 60)).status,
        200,
        "another step is free"
    );
    {
        let (client, fence) = (&ann, step["fence"].clone());
        let release = json!({ "repo": "shop", "item": "change:c1\\abc123", "fence": fence, "release": true });
        assert_eq!(post(client, "claims/keep", &release).status, 200);
    }
    team.sql("UPDATE lease SET expires_at = now() - interval '1 second', steps_until = '-infinity'");
    assert_eq!(post(&ann, "claims", &ask("shop", &["change:c1"], "a", 60)).status, 200);
    assert_eq!(reason(&post(&bob, "claims", &ask("shop", &["change:c1\\def456"], "b2", 60))).1, "claimed");
}

#[test]
fn two_laptops_take_turns_with_the_same_commands_as_one() {
    let Some(team) = Team::new() else { return };
    let replica = team.replica();
    let ann = Laptop::new("shop", &replica, &team.token("ann", "agent", &["shop"]));
    ann.change("c1", "Sign in", "let in");
    ann.change("c2", "Sign out", "let out");
    ann.git_init();
    let bob = ann.cloned(&replica, &team.token("bob", "agent", &["shop"]));
    let first = ann.json(&["claim"]);
    let second = bob.json(&["claim"]);
    assert_ne!(first["spec_id"], second["spec_id"], "{first}\n{second}");
    assert_ne!(first["claim"], second["claim"]);
    assert_eq!(ann.fails(&["claim"])["error"], "nothing_ready");
    let item = second["spec_id"].as_str().unwrap();
    assert_eq!(ann.fails(&["claim", item])["error"], "claimed");
    let number = second["claim"].as_u64().unwrap().to_string();
    bob.ok(&["release", &number]);
    assert_eq!(ann.json(&["claim", item])["spec_id"], second["spec_id"]);
    // Whoever was away comes back with a number that is over.
    assert_eq!(bob.fails(&["release", &number])["error"], "claim_lost");
    drop(replica);
    // As far as Bob's machine knows, there is work to be had.
    assert_eq!(bob.fails(&["claim"])["error"], "hub_unreachable");
    ann.ok(&["validate"]);
    ann.ok(&["status"]);
}

#[test]
fn numbers_of_one_repository_tell_nothing_of_another() {
    let Some(team) = Team::new() else { return };
    let replica = team.replica();
    let ann = replica.client(&team.token("ann", "agent", &["secret", "shop"]));
    let eve = replica.client(&team.token("eve", "agent", &["shop"]));
    let first = body(post(&eve, "claims", &ask("shop", &["change:a"], "e", 60)));
    for n in 0..5 {
        assert_eq!(post(&ann, "claims", &ask("secret", &[&format!("change:s{n}")], "a", 60)).status, 200);
    }
    let second = body(post(&eve, "claims", &ask("shop", &["change:b"], "e", 60)));
    assert_eq!((&first["fence"], &second["fence"]), (&json!(1), &json!(2)));
    // Above what was given without the hub, and never so far that numbers are not exact any more.
    let mut far = ask("shop", &["change:c"], "e", 60);
    far["after"] = json!(40);
    assert_eq!(body(post(&eve, "claims", &far))["fence"], 41);
    far["items"] = json!(["change:d"]);
    far["after"] = json!(u64::MAX);
    assert_eq!(body(post(&eve, "claims", &far))["fence"], 42);
}

#[test]
fn those_who_name_the_same_work_in_another_order_do_not_wait_for_each_other_in_a_circle() {
    let Some(team) = Team::new() else { return };
    let replica = team.replica();
    let token = team.token("agents", "agent", &["shop"]);
    let names: Vec<String> = (0..200).map(|n| format!("change:c{n}")).collect();
    std::thread::scope(|scope| {
        for agent in 0..8 {
            let (client, names) = (replica.client(&token), &names);
            scope.spawn(move || {
                let mut items: Vec<&str> = names.iter().map(String::as_str).collect();
                if agent % 2 == 1 {
                    items.reverse();
                }
                let reply = post(&client, "claims", &ask("shop", &items, &format!("s{agent}"), 60));
                assert_eq!(reply.status, 200, "{}", reply.body);
            });
        }
    });
    assert_eq!(team.sql("SELECT count(*), count(DISTINCT fence) FROM lease WHERE fence > 0"), "8|8");
}

#[test]
fn numbers_grow_above_what_many_say_was_given_elsewhere_and_are_given_once() {
    let Some(team) = Team::new() else { return };
    let (one, other) = (team.replica(), team.replica());
    let token = team.token("agents", "agent", &["shop"]);
    let given = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for agent in 0..8_u64 {
            let client = if agent % 2 == 0 { one.client(&token) } else { other.client(&token) };
            let given = &given;
            scope.spawn(move || {
                for turn in 0..10_u64 {
                    let mut wanted =
                        ask("shop", &[&format!("change:c{agent}-{turn}")], &format!("s{agent}"), 60);
                    let after = (agent * 7 + turn * 5) % 60;
                    wanted["after"] = json!(after);
                    let lease = body(post(&client, "claims", &wanted));
                    let fence = lease["fence"].as_u64().unwrap();
                    assert!(fence > after, "{lease}");
                    given.lock().unwrap().push(fence);
                }
            });
        }
    });
    let given = given.into_inner().unwrap();
    assert_eq!(given.iter().collect::<HashSet<_>>().len(), given.len(), "{given:?}");
}
