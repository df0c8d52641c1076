use std::io::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, RwLock};
use std::time::{Duration, Instant};

use hewto_net::HubClient;
use hewto_testkit::Cluster;
use serde_json::json;

use crate::team::{Laptop, Team, body, delta, post, small_push, wait_until};

/// Short here; `HEWTO_HUB_SECONDS=60 HEWTO_HUB_CLIENTS=200` by hand.
#[expect(clippy::disallowed_methods, reason = "long runs are asked for by the environment")]
fn setting(name: &str, short: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(short)
}

#[test]
fn replicas_that_are_killed_lose_nothing_that_was_acknowledged_and_no_number_has_two_holders() {
    let Some(team) = Team::new() else { return };
    let token = team.token("agents", "agent", &["shop"]);
    let mut replicas = [Some(team.replica()), Some(team.replica())];
    let addresses = replicas.each_ref().map(|one| RwLock::new(one.as_ref().unwrap().address));
    let done = AtomicBool::new(false);
    let (pushed, claimed) = (Mutex::new(Vec::new()), Mutex::new(Vec::new()));
    let lasts = Duration::from_secs(setting("HEWTO_HUB_SECONDS", 6));
    std::thread::scope(|scope| {
        for agent in 0..setting("HEWTO_HUB_CLIENTS", 16) {
            let address = &addresses[usize::try_from(agent % 2).unwrap()];
            let (done, pushed, claimed, token) = (&done, &pushed, &claimed, &token);
            scope.spawn(move || {
                let (mut base, mut turn) = (0, 0);
                while !done.load(Ordering::Relaxed) {
                    let url = format!("http://{}", address.read().unwrap());
                    let client = HubClient::new(&url, token, None, Duration::from_secs(5)).unwrap();
                    turn += 1;
                    let change = format!("c{agent}-{turn}");
                    let push = small_push("shop", &format!("w{agent}"), base, &change, &delta("Sign in", &change));
                    if let Ok(reply) = client.post("push", push.to_string().as_bytes()) {
                        match reply.status {
                            200 => {
                                base = body(reply)["version"].as_u64().unwrap();
                                pushed.lock().unwrap().push((agent, base, change));
                            }
                            409 => {
                                // The answer to an earlier one was lost; its key tells what became of it.
                                let value: serde_json::Value = serde_json::from_str(&reply.body).unwrap();
                                base = value["error"]["data"]["version"].as_u64().unwrap_or(base);
                            }
                            _ => {}
                        }
                    }
                    let item = format!("change:shared{}", turn % 5);
                    let ask = json!({ "repo": "shop", "items": [item], "lease_s": 1, "session": format!("a{agent}"), "worktree": "w" });
                    if let Ok(reply) = client.post("claims", ask.to_string().as_bytes())
                        && reply.status == 200
                    {
                        let lease = body(reply);
                        let fence = lease["fence"].as_u64().unwrap();
                        claimed.lock().unwrap().push((lease["item"].as_str().unwrap().to_owned(), fence, agent));
                    }
                }
            });
        }
        let began = Instant::now();
        let mut killed = 0;
        while began.elapsed() < lasts {
            std::thread::sleep(Duration::from_secs(2));
            let at = killed % 2;
            replicas[at].take().unwrap().kill();
            let again = team.replica();
            *addresses[at].write().unwrap() = again.address;
            replicas[at] = Some(again);
            killed += 1;
        }
        done.store(true, Ordering::Relaxed);
        let (pushes, claims) = (pushed.lock().unwrap().len(), claimed.lock().unwrap().len());
        let _ = writeln!(
            std::io::stderr(),
            "{killed} replicas killed in {} s; {pushes} pushes and {claims} claims acknowledged",
            began.elapsed().as_secs()
        );
    });
    let pushed = pushed.into_inner().unwrap();
    assert!(!pushed.is_empty());
    for (agent, version, change) in &pushed {
        // Each acknowledged version is in the history of its view, at the place that was said.
        let row = team.sql(&format!(
            "SELECT k.version FROM push_key k JOIN view v ON v.id = k.view WHERE v.name = 'w{agent}' AND k.key LIKE '{change}-%'"
        ));
        assert_eq!(row, version.to_string(), "{change}");
    }
    let doubled = team
        .sql("SELECT count(*) FROM (SELECT view, version FROM push_key GROUP BY 1, 2 HAVING count(*) > 1) x");
    assert_eq!(doubled, "0");
    let mut holders = std::collections::HashMap::new();
    let mut last = std::collections::HashMap::new();
    let mut history = claimed.into_inner().unwrap();
    assert!(!history.is_empty());
    history.sort_by_key(|(_, fence, _)| *fence);
    for (item, fence, agent) in history {
        assert_eq!(*holders.entry(fence).or_insert(agent), agent, "number {fence} has two holders");
        let before = last.insert(item.clone(), fence).unwrap_or(0);
        assert!(before <= fence, "numbers of {item} only grow");
    }
    let verify = team.hub(&["audit", "verify"]);
    assert!(verify.status.success(), "{}", crate::team::shown(&verify));
}

#[test]
fn a_database_that_crashes_is_waited_for_and_nothing_is_lost_or_doubled() {
    let Some(mut cluster) = Cluster::start(&[]) else { return };
    let team = Team::on(&cluster);
    let replica = team.replica();
    let client = replica.client(&team.token("ann", "agent", &["shop"]));
    let first = small_push("shop", "w", 0, "c1", &delta("Sign in", "one"));
    assert_eq!(post(&client, "push", &first).status, 200);
    cluster.stop();
    assert_eq!(replica.get("/ready", "").status, 503);
    assert_eq!(replica.get("/health", "").status, 200);
    let second = small_push("shop", "w", 1, "c2", &delta("Sign in", "two"));
    let refused = post(&client, "push", &second);
    assert_eq!(refused.status, 503, "{}", refused.body);
    let key = crate::team::reason(&refused).1;
    assert!(matches!(key.as_str(), "identity_unavailable" | "database_unavailable"), "{key}");
    cluster.start_again();
    wait_until("it is ready again", || replica.get("/ready", "").status == 200);
    cluster.crash();
    // The same key as often as it takes, and it is done once.
    wait_until("the push is through", || post(&client, "push", &second).status == 200);
    let again = body(post(&client, "push", &second));
    assert_eq!((&again["version"], &again["repeated"]), (&json!(2), &json!(true)));
    assert_eq!(cluster.sql(&team.database, "SELECT version FROM view"), "2");
}

#[test]
fn a_replica_that_starts_before_its_database_waits_for_it() {
    let Some(mut cluster) = Cluster::start(&["-c fsync=off"]) else { return };
    let team = Team::on(&cluster);
    cluster.stop();
    let replica = team.replica();
    assert_eq!(replica.get("/ready", "").status, 503);
    cluster.start_again();
    wait_until("it is ready", || replica.get("/ready", "").status == 200);
}

#[test]
fn a_hub_that_was_wiped_is_rebuilt_by_pushes_and_verdicts_come_back_from_git() {
    let Some(team) = Team::new() else { return };
    let replica = team.replica();
    let ann = Laptop::new("shop", &replica, &team.token("ann", "agent", &["shop"]));
    ann.change("c1", "Sign in", "let in");
    ann.git_init();
    ann.ok(&["hub", "push"]);
    let rev = replica.client(&team.token("rita", "reviewer", &["shop"]));
    let subject = body(rev.get("review?repo=shop&item=change%3Ac1").unwrap())["subjects"][0].clone();
    let ballot =
        json!({ "repo": "shop", "item": "change:c1", "verdict": "approved", "digest": subject["digest"] });
    assert_eq!(post(&rev, "review/verdict", &ballot).status, 200);
    assert_eq!(ann.json(&["hub", "push"])["brought"].as_array().unwrap().len(), 1);
    drop(replica);
    ann.ok(&["validate"]);
    let Some(wiped) = Team::new() else { return };
    let replica = wiped.replica();
    let token = wiped.token("ann", "agent", &["shop"]);
    ann.speaks_to(&replica.url(), &token);
    ann.ok(&["hub", "push"]);
    let again = body(replica.client(&token).get("review?repo=shop&item=change%3Ac1").unwrap());
    let said = &again["subjects"][0]["said"][0];
    assert_eq!(
        (&said["verdict"], &said["by"], &said["channel"]),
        (&json!("approved"), &json!("rita"), &json!("hub")),
        "{again}"
    );
}
