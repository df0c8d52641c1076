use std::panic::catch_unwind;

use hewto_net::HubClient;
use hewto_testkit::Cluster;
use serde_json::{Value, json};

use crate::document::{SPEC, one, started};
use crate::team::{Team, body, post, shown, wait_until};

const UNTOLD: &str = "SELECT count(*) FROM push_key WHERE audit_detail IS NOT NULL";

/// How often each push of one document is in the audit and in its chain, by version, the oldest first.
fn told(team: &Team) -> String {
    team.sql(
        "SELECT string_agg(said || ':' || rows || ':' || links, ' ' ORDER BY said) FROM (
             SELECT substring(a.detail FROM 'version ([0-9]+)')::int AS said, count(*) AS rows, count(l.seq) AS links
             FROM audit a LEFT JOIN audit_link l ON l.audit = a.id
             WHERE a.op = 'push' AND a.principal = 'ann' AND a.repo = 'shop' AND a.outcome = 'ok' GROUP BY 1) x",
    )
}

fn once(versions: std::ops::RangeInclusive<u64>) -> String {
    versions.map(|version| format!("{version}:1:1")).collect::<Vec<_>>().join(" ")
}

fn push(client: &HubClient, base: u64) {
    let text = format!("# Accounts\n\nAt {base}.\n");
    assert_eq!(body(post(client, "push", &one("w", base, SPEC, "spec", &text)))["version"], base + 1);
}

fn verified(team: &Team) -> Value {
    let output = team.hub(&["audit", "verify", "--json"]);
    assert!(output.status.success(), "{}", shown(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// A push of one document that no replica has told the audit of, because none runs.
fn push_without_replica(team: &Team, function: &str, base: u64) {
    team.sql(&format!(
        "SET ROLE hub;
         SELECT {function}(v.repo, v.kind, v.owner, v.name, {base}, NULL, v.owner, 'by-hand-{base}', '\\x00', '{SPEC}',
             sha256('text {base}'), 'text {base}', 'spec', 'accounts', 'Accounts', 0, 1, 'ann', 'shop', 'worktree w at version {}: 1 written, 0 removed')
         FROM (VALUES (1::bigint, 'worktree', 1::bigint, 'w')) v (repo, kind, owner, name)",
        base + 1
    ));
}

#[test]
fn two_replicas_tell_of_every_push_once() {
    let Some((team, _replica, ann)) = started() else { return };
    let second = team.replica();
    let other = second.client(&team.token("ann", "agent", &["shop"]));
    for base in 1..40 {
        push(if base % 2 == 0 { &ann } else { &other }, base);
    }
    wait_until("all pushes are told", || told(&team) == once(1..=40));
    assert_eq!(team.sql(UNTOLD), "0");
    wait_until("the chain has everything", || verified(&team)["not_yet_linked"] == 0);
    // The key is still known.
    let again = body(post(&ann, "push", &one("w", 1, SPEC, "spec", "# Accounts\n\nAt 1.\n")));
    assert_eq!((&again["version"], &again["repeated"]), (&json!(2), &json!(true)));
}

#[test]
fn pushes_of_a_replica_that_was_killed_are_told_by_the_next_one() {
    let Some((team, replica, ann)) = started() else { return };
    for base in 1..20 {
        push(&ann, base);
    }
    replica.kill();
    // Whoever looks at the chain makes it first.
    let seen = verified(&team);
    assert_eq!(told(&team), once(1..=20), "{seen}");
    let next = team.replica();
    push(&next.client(&team.token("ann", "agent", &["shop"])), 20);
    wait_until("the next one goes on", || told(&team) == once(1..=21));
    wait_until("the chain has everything", || verified(&team)["not_yet_linked"] == 0);
}

#[test]
fn what_was_not_told_yet_can_be_neither_changed_nor_swept_and_is_told_however_late() {
    let Some((team, replica, ann)) = started() else { return };
    push(&ann, 1);
    wait_until("both pushes are told", || told(&team) == once(1..=2));
    let (status, said) = replica.end();
    assert!(status.success(), "{said}");
    push_without_replica(&team, "push_document", 2);
    assert_eq!(team.sql(UNTOLD), "1");
    for attempt in [
        "DELETE FROM push_key",
        "UPDATE push_key SET audit_principal = 'eve' WHERE audit_detail IS NOT NULL",
        "UPDATE push_key SET at = now() - interval '8 days' WHERE audit_detail IS NOT NULL",
        "UPDATE push_key SET audit_principal = NULL, audit_repo = NULL, audit_detail = NULL",
        "TRUNCATE push_key",
    ] {
        let sql = format!("SET ROLE hub; SET hewto.repos = '*'; {attempt}");
        let done = catch_unwind(|| Cluster::shared().unwrap().sql(&team.database, &sql));
        assert!(done.is_err(), "{attempt} was let through");
    }
    assert_eq!(team.sql(UNTOLD), "1");
    // As if no replica had run for longer than keys are kept; others went on with the chain.
    team.sql("SET session_replication_role = replica; UPDATE push_key SET at = now() - interval '8 days'");
    team.sql(
        "INSERT INTO audit (principal, repo, op, outcome, detail) VALUES ('bob', 'shop', 'status', 'ok', '')",
    );
    let replica = team.replica();
    wait_until("it is told at last", || told(&team) == once(1..=3));
    wait_until("the chain has everything", || verified(&team)["not_yet_linked"] == 0);
    drop(replica);
    // Told, it is swept like all others.
    let _replica = team.replica();
    wait_until("the keys are swept", || team.sql("SELECT count(*) FROM push_key") == "0");
    assert_eq!(told(&team), once(1..=3));
}

#[test]
fn a_database_that_crashes_loses_and_doubles_nothing_of_what_was_told() {
    let Some(mut cluster) = Cluster::start(&[]) else { return };
    let team = Team::on(&cluster);
    let replica = team.replica();
    let ann = replica.client(&team.token("ann", "agent", &["shop"]));
    let first = one("w", 0, SPEC, "spec", "# Accounts\n");
    assert_eq!(post(&ann, "push", &first).status, 200);
    for base in 1..10 {
        push(&ann, base);
    }
    cluster.crash();
    let next = one("w", 10, SPEC, "spec", "# Accounts\n\nAfterwards.\n");
    wait_until("a push is through", || post(&ann, "push", &next).status == 200);
    wait_until("all pushes are told", || {
        cluster.sql(&team.database, "SELECT count(*) || ' ' || count(DISTINCT detail) FROM audit WHERE op = 'push' AND outcome = 'ok'") == "11 11"
    });
    wait_until("the chain has everything", || verified(&team)["not_yet_linked"] == 0);
}

#[test]
fn a_replica_of_the_version_before_writes_beside_this_one() {
    let Some((team, _replica, ann)) = started() else { return };
    push(&ann, 1);
    // It tells by itself.
    push_without_replica(&team, "store_document", 2);
    push(&ann, 3);
    wait_until("all pushes are told", || told(&team) == once(1..=4));
    // And writes dependencies without a word about it; the next push of the document finds them.
    team.sql(
        "SET ROLE hub; SET hewto.repos = '1';
         INSERT INTO edge (view, repo, path, item, target, kind) SELECT 1, 1, 'specs/accounts/spec.md', 'accounts', 'mail', 'uses'",
    );
    assert_eq!(team.sql("SELECT has_edges FROM entry WHERE kind = 'spec'"), "t");
    push(&ann, 4);
    assert_eq!(team.sql("SELECT count(*) FROM edge"), "0");
    assert_eq!(team.sql("SELECT has_edges FROM entry WHERE kind = 'spec'"), "f");
}
