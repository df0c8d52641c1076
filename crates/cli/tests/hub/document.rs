use hewto_net::HubClient;
use serde_json::{Value, json};

use crate::team::{Replica, Team, body, delta, hash, post, reason, small_push, wait_until};

/// A push of one document that is no delta, with its text.
pub(crate) fn one(view: &str, base: u64, path: &str, kind: &str, text: &str) -> Value {
    let hash = hash(text);
    let listed = json!({ "sha256": hash, "kind": kind, "item": "accounts" });
    json!({ "protocol": 1, "repo": "shop", "view": { "kind": "worktree", "name": view }, "base": base,
            "key": format!("{base}-{}", &hash[..20]), "set": { path: listed }, "blobs": { hash: text } })
}

/// A view of Ann's with one delta, at version 1.
pub(crate) fn started() -> Option<(Team, Replica, HubClient)> {
    let team = Team::new()?;
    let replica = team.replica();
    let ann = replica.client(&team.token("ann", "agent", &["shop"]));
    assert_eq!(post(&ann, "push", &small_push("shop", "w", 0, "c1", &delta("Sign in", "x"))).status, 200);
    Some((team, replica, ann))
}

pub(crate) const SPEC: &str = "specs/accounts/spec.md";

#[test]
fn one_document_is_new_then_known_and_counts_once() {
    let Some((team, _replica, ann)) = started() else { return };
    for (base, title) in [(1, "One"), (2, "Two"), (3, "One")] {
        let text = format!("# {title}\n\n## Requirements\n\n### Requirement: A\nThe system SHALL {title}.\n");
        let pushed = body(post(&ann, "push", &one("w", base, SPEC, "spec", &text)));
        assert_eq!((&pushed["version"], &pushed["documents"]), (&json!(base + 1), &json!(2)), "{pushed}");
        let entry = team.sql(
            "SELECT title || requirements || kind || encode(hash, 'hex') FROM entry WHERE kind = 'spec'",
        );
        assert_eq!(entry, format!("{title}1spec{}", hash(&text)));
    }
    assert_eq!(team.sql("SELECT count(*) FROM blob"), "3", "the delta and two texts, one of them twice");
    assert_eq!(team.sql("SELECT version || ' ' || documents FROM view"), "4 2");
    assert_eq!(team.sql("SELECT count(*) FROM push_key"), "4");
    wait_until("all pushes are in the audit", || {
        team.sql("SELECT count(*) FROM audit WHERE op = 'push' AND outcome = 'ok'") == "4"
    });
}

#[test]
fn one_document_is_refused_as_many_are_and_changes_nothing_then() {
    let Some((team, replica, ann)) = started() else { return };
    let first = one("w", 1, SPEC, "spec", "# One\n");
    assert_eq!(body(post(&ann, "push", &first))["version"], 2);
    let again = body(post(&ann, "push", &first));
    assert_eq!((&again["version"], &again["repeated"]), (&json!(2), &json!(true)));
    let stale = one("w", 1, SPEC, "spec", "# Other\n");
    assert_eq!(reason(&post(&ann, "push", &stale)), (409, "stale".to_owned()));
    let mut reused = one("w", 2, SPEC, "spec", "# Other\n");
    reused["key"] = first["key"].clone();
    assert_eq!(reason(&post(&ann, "push", &reused)), (409, "key_reused".to_owned()));
    let bob = replica.client(&team.token("bob", "agent", &["shop"]));
    let his = one("w", 2, SPEC, "spec", "# Bob's\n");
    assert_eq!(
        reason(&post(&bob, "push", &his)),
        (409, "stale".to_owned()),
        "his view of that name is another"
    );
    let stranger = replica.client(&team.token("eve", "agent", &["elsewhere"]));
    assert_eq!(reason(&post(&stranger, "push", &his)), (404, "repo_not_found".to_owned()));
    assert_eq!(team.sql("SELECT version || ' ' || documents FROM view WHERE version > 0"), "2 2");
    assert_eq!(team.sql("SELECT title FROM entry WHERE kind = 'spec'"), "One");
    assert_eq!(team.sql("SELECT count(*) FROM blob"), "2");
}

#[test]
fn one_document_keeps_nothing_of_what_it_depended_on_or_touched() {
    let Some((team, _replica, ann)) = started() else { return };
    let left = || team.sql("SELECT (SELECT count(*) FROM touch) || ' ' || (SELECT count(*) FROM edge)");
    let depends = "---\ndependencies:\n  - ref: spec://mail\n---\n# Accounts\n";
    assert_eq!(post(&ann, "push", &one("w", 1, SPEC, "spec", depends)).status, 200);
    assert_eq!(left(), "1 1");
    assert_eq!(post(&ann, "push", &one("w", 2, SPEC, "spec", "# Accounts\n")).status, 200);
    assert_eq!(left(), "1 0");
    let delta = "changes/c1/specs/accounts/spec.md";
    assert_eq!(body(post(&ann, "push", &one("w", 3, delta, "spec", "# Now a spec\n")))["documents"], 2);
    assert_eq!(left(), "0 0");
}

#[test]
fn only_a_record_that_comes_back_word_for_word_is_taken_for_one_that_git_has() {
    let Some((team, replica, ann)) = started() else { return };
    let found = body(ann.get("review?repo=shop&item=change%3Ac1").unwrap());
    let digest = found["subjects"][0]["digest"].as_str().unwrap();
    let rita = replica.client(&team.token("rita", "reviewer", &["shop"]));
    for verdict in ["rejected", "approved"] {
        let ballot = json!({ "repo": "shop", "item": "change:c1", "verdict": verdict, "digest": digest, "note": verdict });
        assert_eq!(post(&rita, "review/verdict", &ballot).status, 200);
    }
    let records = body(ann.get("outbox?repo=shop").unwrap())["records"].clone();
    let in_git = || team.sql("SELECT count(*) FROM review WHERE exported_at IS NOT NULL");
    // A file of that name with other words, alone and among others; then the record, alone and among others.
    let mut base = 1;
    for (forged, count) in [(true, "0"), (false, "2")] {
        for record in records.as_array().unwrap() {
            let text = if forged { "forged\n" } else { record["text"].as_str().unwrap() };
            let path = format!("changes/c1/review/{}.md", record["uid"].as_str().unwrap());
            let mut push = one("w", base, &path, "review", text);
            push["set"][&path]["item"] = json!("change:c1");
            push["key"] = json!(format!("record-{base}"));
            if base % 2 == 0 {
                let more = one("w", base, "specs/accounts/plan.md", "plan", &format!("# Plan {base}\n"));
                for part in ["set", "blobs"] {
                    push[part].as_object_mut().unwrap().extend(more[part].as_object().unwrap().clone());
                }
            }
            assert_eq!(body(post(&ann, "push", &push))["version"], base + 1);
            base += 1;
        }
        assert_eq!(in_git(), count);
    }
}
