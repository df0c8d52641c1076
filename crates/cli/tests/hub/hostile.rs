use serde_json::{Value, json};

use crate::team::{Team, delta, hash, post, reason, small_push};

fn nothing_stored(team: &Team, what: &str) {
    assert_eq!(team.sql("SELECT (SELECT count(*) FROM blob) + (SELECT count(*) FROM entry) + (SELECT count(*) FROM push_key)"), "0", "{what}");
}

#[test]
fn pushes_that_lie_are_refused_and_leave_nothing() {
    let Some(team) = Team::new() else { return };
    let replica = team.replica();
    let client = replica.client(&team.token("eve", "agent", &["shop"]));
    let good = small_push("shop", "w", 0, "c1", &delta("Sign in", "x"));
    let listed = good["set"].as_object().unwrap().values().next().unwrap().clone();
    let with = |name: &str, value: Value| {
        let mut push = good.clone();
        push[name] = value;
        push
    };
    let at = |path: &str| with("set", json!({ path: listed }));
    let mut lying = good.clone();
    lying["blobs"] = json!({ listed["sha256"].as_str().unwrap(): "something else" });
    let item = |item: &str| {
        let mut one = listed.clone();
        one["item"] = json!(item);
        with("set", json!({ "changes/c1/specs/accounts/spec.md": one }))
    };
    let capability = |name: &str| {
        let mut one = listed.clone();
        one["capability"] = json!(name);
        with("set", json!({ "changes/c1/specs/accounts/spec.md": one }))
    };
    let nul = "a\0b";
    let huge = "x".repeat(1024 * 1024 + 1);
    for (what, push, expected) in [
        ("..", at("changes/../../etc/passwd"), (422, "unsafe_path")),
        ("absolute", at("/etc/passwd"), (422, "unsafe_path")),
        ("backslash", at("..\\x"), (422, "unsafe_path")),
        ("NUL in a path", at("a\0b"), (422, "unsafe_path")),
        ("NUL in a document", with("blobs", json!({ hash(nul): nul })), (422, "invalid_document")),
        ("NUL in a view", with("view", json!({ "kind": "worktree", "name": "a\0b" })), (422, "invalid_view")),
        ("lying hash", lying, (422, "hash_mismatch")),
        ("no hash", with("blobs", json!({ "abc": "x" })), (422, "invalid_hash")),
        ("huge document", with("blobs", json!({ hash(&huge): huge })), (422, "document_too_large")),
        (
            "forged branch",
            with("view", json!({ "kind": "branch", "name": "main" })),
            (403, "role_insufficient"),
        ),
        ("other protocol", with("protocol", json!(99)), (422, "protocol_mismatch")),
        ("unknown field", with("surprise", json!(1)), (400, "invalid_body")),
        ("item that leads out", item("change:../x"), (422, "invalid_item")),
        ("capability that leads out", capability("../accounts"), (422, "invalid_item")),
        ("no key", with("key", json!("x")), (422, "invalid_key")),
        ("odd repository", with("repo", json!("../shop")), (422, "invalid_repo")),
        ("not theirs", with("repo", json!("billing")), (404, "repo_not_found")),
        ("far ahead", with("base", json!(u64::MAX)), (409, "stale")),
    ] {
        let said = reason(&post(&client, "push", &push));
        assert_eq!((said.0, said.1.as_str()), expected, "{what}");
        nothing_stored(&team, what);
    }
    assert_eq!(post(&client, "push", &good).status, 200, "the replica goes on");
}

#[test]
fn floods_and_packed_bodies_are_refused() {
    let Some(team) = Team::new() else { return };
    let replica = team.replica();
    let token = team.token("eve", "agent", &["shop"]);
    let client = replica.client(&token);
    let mut many = small_push("shop", "w", 0, "c1", &delta("Sign in", "x"));
    let listed = many["set"].as_object().unwrap().values().next().unwrap().clone();
    let set: serde_json::Map<String, Value> =
        (0..50_001).map(|n| (format!("a/{n}"), listed.clone())).collect();
    many["set"] = Value::Object(set);
    many["blobs"] = json!({});
    assert_eq!(reason(&post(&client, "push", &many)), (422, "too_many_documents".to_owned()));
    // A million paths do not even fit through the door; the hub may hang up while they are being sent.
    let million: String = (0..1_000_000).map(|n| format!("\"a/{n}\":{{\"sha256\":\"\"}},")).collect();
    if let Ok(reply) = client.post("push", format!("{{\"set\":{{{million}").as_bytes()) {
        assert_eq!(reason(&reply), (413, "body_too_large".to_owned()));
    }
    let packed = replica.raw(&format!(
        "POST /api/v1/push HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\n\x1f\x1f\x08\x00",
        replica.address
    ));
    assert_eq!(packed.status, 415, "{}", packed.body);
    assert!(packed.body.contains("unsupported_encoding"), "{}", packed.body);
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(client.post("push", deep.as_bytes()).unwrap().status, 400);
    nothing_stored(&team, "floods");
    assert_eq!(replica.get("/ready", "").status, 200);
}

#[test]
fn names_that_no_index_takes_and_nul_that_front_matter_spells_do_no_harm() {
    let Some(team) = Team::new() else { return };
    let replica = team.replica();
    let client = replica.client(&team.token("eve", "agent", &["shop"]));
    // Words that do not pack: an index takes 2.7 KB of those.
    let long: String = (0..2_000).map(|n| hash(&n.to_string())[..8].to_owned() + " ").collect();
    let delta = delta(&long, "x");
    assert_eq!(post(&client, "push", &small_push("shop", "w", 0, "c1", &delta)).status, 200);
    let spec = format!(
        "---\ntitle: \"a\\0b\"\ndependencies:\n  - ref: \"spec://a\\0b\"\n  - ref: \"spec://{}\"\n---\n# Accounts\n",
        long.replace(' ', "-")
    );
    let mut push = small_push("shop", "w", 1, "c2", &spec);
    push["set"] =
        json!({ "specs/accounts/spec.md": { "sha256": hash(&spec), "kind": "spec", "item": "accounts" } });
    let reply = post(&client, "push", &push);
    assert_eq!(reply.status, 200, "{}", reply.body);
    assert_eq!(team.sql("SELECT count(*) || ' ' || max(length(slug)) FROM touch"), "1 1000");
}

#[test]
fn more_texts_and_claims_than_a_view_can_have_are_refused() {
    let Some(team) = Team::new() else { return };
    let replica = team.replica();
    let client = replica.client(&team.token("eve", "agent", &["shop"]));
    let texts: serde_json::Map<String, Value> =
        (0..50_001).map(|n| (hash(&n.to_string()), json!(n.to_string()))).collect();
    let mut push = small_push("shop", "w", 0, "c1", &delta("Sign in", "x"));
    let claims: Vec<Value> =
        (0..50_001).map(|n| json!({ "item": format!("change:c{n}"), "fence": 1 })).collect();
    let blobs = json!({ "repo": "shop", "blobs": texts });
    assert_eq!(reason(&post(&client, "blobs", &blobs)), (422, "too_many_documents".to_owned()));
    push["claims"] = json!(claims);
    assert_eq!(reason(&post(&client, "push", &push)), (422, "invalid_push".to_owned()));
    nothing_stored(&team, "more than a view can have");
}

#[test]
fn a_hash_of_another_repository_opens_nothing() {
    let Some(team) = Team::new() else { return };
    let replica = team.replica();
    let text = delta("Secret", "stay secret");
    let owner = replica.client(&team.token("ann", "agent", &["billing"]));
    assert_eq!(post(&owner, "push", &small_push("billing", "w", 0, "c1", &text)).status, 200);
    let thief = replica.client(&team.token("eve", "agent", &["shop"]));
    let mut push = small_push("shop", "w", 0, "c1", &text);
    push["blobs"] = json!({});
    // Whoever knows the hash and not the text is asked for the text, as for any other.
    assert_eq!(reason(&post(&thief, "push", &push)), (409, "missing_blobs".to_owned()));
}
