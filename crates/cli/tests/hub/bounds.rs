use serde_json::json;

use crate::document::{SPEC, one, started};
use crate::team::{Team, body, delta, post, reason, shown, small_push};

#[test]
fn only_the_holder_of_a_claim_pushes_under_its_number() {
    let Some(team) = Team::new() else { return };
    let replica = team.replica();
    let client = |name: &str| replica.client(&team.token(name, "agent", &["shop"]));
    let (ann, bob) = (client("ann"), client("bob"));
    let ask =
        json!({ "repo": "shop", "items": ["change:c1"], "lease_s": 60, "session": "b", "worktree": "w" });
    let fence = body(post(&bob, "claims", &ask))["fence"].as_i64().unwrap();
    let mut push = small_push("shop", "w", 0, "c1", &delta("Sign in", "x"));
    for number in [fence, fence + 1, fence + 1_000, i64::MAX] {
        push["claims"] = json!([{ "item": "change:c1", "fence": number }]);
        assert_eq!(reason(&post(&ann, "push", &push)), (409, "claim_lost".to_owned()), "{number}");
    }
    push["claims"] = json!([{ "item": "change:c1", "fence": fence + 1 }]);
    assert_eq!(reason(&post(&bob, "push", &push)), (409, "claim_lost".to_owned()), "not a number of his");
    push["claims"] = json!([{ "item": "change:c1", "fence": fence }]);
    assert_eq!(body(post(&bob, "push", &push))["version"], 1);
    let mut late = small_push("shop", "w", 1, "c1", &delta("Sign in", "y"));
    late["claims"] = json!([{ "item": "change:c1", "fence": fence + 1 }]);
    assert_eq!(reason(&post(&bob, "push", &late)), (409, "claim_lost".to_owned()), "nor by the short way");
    // What nobody has claimed here may have been claimed at a hub that is gone.
    let mut old = small_push("shop", "other", 0, "c2", &delta("Sign in", "x"));
    old["claims"] = json!([{ "item": "change:c2", "fence": 7 }]);
    assert_eq!(post(&ann, "push", &old).status, 200);
}

#[test]
fn a_view_holds_no_more_documents_than_one_push_may_name() {
    let Some((team, _replica, ann)) = started() else { return };
    assert_eq!(body(post(&ann, "push", &one("w", 1, SPEC, "spec", "# One\n")))["version"], 2);
    team.sql("UPDATE view SET documents = 50000");
    let full = (422, "too_many_documents".to_owned());
    let more = one("w", 2, "specs/more/spec.md", "spec", "# More\n");
    assert_eq!(reason(&post(&ann, "push", &more)), full);
    let change = small_push("shop", "w", 2, "c2", &delta("Sign out", "x"));
    assert_eq!(reason(&post(&ann, "push", &change)), full);
    assert_eq!(
        team.sql("SELECT count(*) || ' ' || max(version) FROM entry, view"),
        "2 2",
        "nothing is stored"
    );
    let known = one("w", 2, SPEC, "spec", "# Another\n");
    assert_eq!(body(post(&ann, "push", &known))["version"], 3, "what is there may change");
    let mut less = one("w", 3, SPEC, "spec", "# Less\n");
    less["removed"] = json!(["changes/c1/specs/accounts/spec.md"]);
    assert_eq!(body(post(&ann, "push", &less))["documents"], 49_999, "and may go");
}

#[test]
fn rows_of_the_audit_that_share_a_number_show_and_hold_nothing_up() {
    let Some((team, replica, ann)) = started() else { return };
    let verify = || team.hub(&["audit", "verify"]);
    assert!(verify().status.success(), "{}", shown(&verify()));
    let forged = "INSERT INTO audit (id, at, principal, repo, op, outcome, detail) OVERRIDING SYSTEM VALUE
        SELECT id, at + interval '1 microsecond', 'rita', 'shop', 'verdict', 'ok', 'approved' FROM audit WHERE op = 'push'";
    team.sql(forged);
    let found = verify();
    assert_eq!(found.status.code(), Some(1), "{}", shown(&found));
    assert!(shown(&found).contains("1 row has the number of another one"), "{}", shown(&found));
    let quiet = "SET session_replication_role = replica;";
    team.sql(&format!("{quiet} DELETE FROM audit WHERE principal = 'rita'"));
    assert!(verify().status.success(), "{}", shown(&verify()));
    // Two of one number before either is in the chain: one gets there, the other shows, and later rows follow.
    team.sql(
        "INSERT INTO audit (id, at, principal, repo, op, outcome, detail) OVERRIDING SYSTEM VALUE
         SELECT 1000000, now() + make_interval(secs => n * 0.001), 'eve', 'shop', 'verdict', 'ok', n::text FROM generate_series(1, 2) n",
    );
    assert!(shown(&verify()).contains("1 row has the number of another one"), "{}", shown(&verify()));
    team.sql(&format!("{quiet} DELETE FROM audit WHERE principal = 'eve' AND detail = '2'"));
    assert_eq!(body(post(&ann, "push", &one("w", 1, SPEC, "spec", "# One\n")))["version"], 2);
    assert!(verify().status.success(), "{}", shown(&verify()));
    drop(replica);
}
