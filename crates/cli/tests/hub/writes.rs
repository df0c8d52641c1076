use serde_json::{Value, json};

use crate::team::{Team, body, delta, post, reason, shown, small_push, wait_until};

#[test]
fn a_push_that_is_taken_back_leaves_the_view_as_it_was() {
    let Some(team) = Team::new() else { return };
    let replica = team.replica();
    let client = replica.client(&team.token("ann", "agent", &["shop"]));
    let claim =
        json!({ "repo": "shop", "items": ["change:c1"], "lease_s": 60, "session": "a", "worktree": "w" });
    let lease = body(post(&client, "claims", &claim));
    let first = small_push("shop", "w", 0, "c1", &delta("Sign in", "first"));
    assert_eq!(body(post(&client, "push", &first))["version"], 1);
    let stored = || {
        team.sql(
            "SELECT (SELECT version || ' ' || documents || ' ' || pushed_at FROM view), (SELECT count(*) FROM blob),
                    (SELECT count(*) FROM touch), (SELECT count(*) FROM push_key), (SELECT count(*) FROM event),
                    (SELECT count(*) FROM audit WHERE op = 'push' AND outcome = 'ok')",
        )
    };
    let before = stored();
    let second = small_push("shop", "w", 1, "c2", &delta("Sign in", "second"));
    let mut used = second.clone();
    used["key"] = first["key"].clone();
    assert_eq!(reason(&post(&client, "push", &used)), (409, "key_reused".to_owned()));
    let mut late = second.clone();
    late["claims"] = json!([{ "item": "change:c1", "fence": lease["fence"] }]);
    team.sql("UPDATE lease SET fence = fence + 1");
    assert_eq!(reason(&post(&client, "push", &late)), (409, "claim_lost".to_owned()));
    assert_eq!(stored(), before);
    // The connection that was refused on is as good as any.
    let done = body(post(&client, "push", &second));
    assert_eq!((&done["version"], &done["documents"]), (&json!(2), &json!(2)));
}

#[test]
fn a_replica_that_was_just_written_to_ends_when_asked() {
    let Some(team) = Team::new() else { return };
    let replica = team.replica();
    let client = replica.client(&team.token("ann", "agent", &["shop"]));
    for base in 0..3 {
        let push = small_push("shop", "w", base, "c1", &delta("Sign in", &format!("{base}")));
        assert_eq!(post(&client, "push", &push).status, 200);
    }
    let (status, said) = replica.end();
    assert!(status.success(), "{said}");
}

#[test]
fn the_chain_goes_on_after_the_clock_was_set_back_and_takes_in_what_came_late() {
    let Some(team) = Team::new() else { return };
    let replica = team.replica();
    let client = replica.client(&team.token("ann", "agent", &["shop"]));
    let verify = || -> Value {
        let output = team.hub(&["audit", "verify", "--json"]);
        assert!(output.status.success(), "{}", shown(&output));
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let put = |at: &str| {
        team.sql(&format!(
            "INSERT INTO audit (at, principal, repo, op, outcome, detail) VALUES ({at}, 'ann', 'shop', 'push', 'ok', '')"
        ));
    };
    // As a row of a clock that was an hour ahead, and one of a transaction that took long.
    put("now() + interval '1 hour'");
    wait_until("the row of the future is in the chain", || {
        team.sql("SELECT count(*) FROM audit_link WHERE at > now() + interval '30 minutes'") == "1"
    });
    put("now() - interval '1 minute'");
    let push = small_push("shop", "w", 0, "c1", &delta("Sign in", "x"));
    assert_eq!(post(&client, "push", &push).status, 200);
    wait_until("the chain has all of them", || verify()["not_yet_linked"] == 0);
}
