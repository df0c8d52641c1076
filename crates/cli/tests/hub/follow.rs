use hewto_testkit::Cluster;

use crate::team::{Team, body, delta, post, shown, small_push, wait_until};

#[test]
fn a_transaction_elsewhere_in_the_cluster_that_does_not_end_holds_up_no_search_and_raises_no_alarm() {
    let Some(mut cluster) = Cluster::start(&["-c fsync=off"]) else { return };
    let team = Team::on(&cluster);
    let replica = team.replica();
    let client = replica.client(&team.token("ann", "agent", &["shop"]));
    let push = |base: u64, word: &str| small_push("shop", "w", base, "c1", &delta("Sign in", word));
    let is_found = |word: &str| {
        let found = client.get(&format!("search?q={word}")).unwrap();
        found.status == 200 && body(found)["hits"].as_array().unwrap().len() == 1
    };
    let verify = || team.hub(&["audit", "verify"]);
    assert_eq!(post(&client, "push", &push(0, "apples")).status, 200);
    wait_until("the first push is searchable", || is_found("apples"));

    let elsewhere = cluster.hold("postgres", "BEGIN; SELECT pg_current_xact_id()");
    assert_eq!(post(&client, "push", &push(1, "pears")).status, 200);
    wait_until("a push is searchable meanwhile", || is_found("pears"));
    // As a row that has waited for longer than any call takes.
    let row = "INSERT INTO audit (at, principal, repo, op, outcome, detail) VALUES (now() - interval '1 hour', 'ann', 'shop', 'push', 'ok', '')";
    cluster.sql(&team.database, row);
    assert!(verify().status.success(), "{}", shown(&verify()));
    drop(elsewhere);
    wait_until("the chain goes on", || {
        cluster.sql(&team.database, "SELECT count(*) FROM audit a JOIN audit_link l ON l.audit = a.id WHERE op = 'push' AND detail LIKE '%version 2%'") == "1"
    });
    wait_until("what was put into the past shows again", || !verify().status.success());

    cluster.crash();
    let third = push(2, "plums");
    wait_until("a push is through", || post(&client, "push", &third).status == 200);
    wait_until("it is searchable after the crash", || is_found("plums"));
}
