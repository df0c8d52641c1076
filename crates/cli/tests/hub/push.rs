use std::os::unix::fs::PermissionsExt as _;

use hewto_testkit::Cluster;
use serde_json::{Value, json};

use crate::team::{Laptop, Team, body, delta, post, reason, small_push, wait_until};

#[test]
fn a_push_brings_what_changed_and_a_second_one_nothing() {
    let Some(team) = Team::new() else { return };
    let replica = team.replica();
    let laptop = Laptop::new("shop", &replica, &team.token("ann", "agent", &["shop"]));
    laptop.ok(&["spec", "new", "Accounts", "--description", "Who customers are"]);
    laptop.change("sign-in", "Sign in", "let a customer sign in");
    let first = laptop.json(&["hub", "push"]);
    assert_eq!((&first["version"], &first["kind"]), (&json!(1), &json!("worktree")), "{first}");
    assert!(first["documents"].as_u64().unwrap() >= 4, "{first}");
    let second = laptop.json(&["hub", "push"]);
    assert_eq!((&second["version"], &second["changed"]), (&json!(1), &json!(0)), "{second}");
    laptop.change("sign-in", "Sign in", "let a member sign in");
    let third = laptop.json(&["hub", "push"]);
    assert_eq!((&third["version"], &third["changed"]), (&json!(2), &json!(1)), "{third}");
    fs_err::remove_dir_all(laptop.project.join("changes/sign-in")).unwrap();
    let fourth = laptop.json(&["hub", "push"]);
    assert_eq!((&fourth["version"], &fourth["removed"]), (&json!(3), &json!(3)), "{fourth}");
    assert_eq!(team.sql("SELECT count(*) FROM touch"), "0");
    let status = laptop.ok(&["status", "--hub"]);
    assert!(status.contains("shop") && status.contains("worktree"), "{status}");
}

#[test]
fn a_push_whose_memory_is_lost_or_old_finds_its_way() {
    let Some(team) = Team::new() else { return };
    let replica = team.replica();
    let laptop = Laptop::new("shop", &replica, &team.token("ann", "agent", &["shop"]));
    laptop.change("sign-in", "Sign in", "let a customer sign in");
    laptop.ok(&["hub", "push"]);
    fs_err::remove_dir_all(laptop.project.join(".hewto/hub")).unwrap();
    assert_eq!(laptop.json(&["hub", "push"])["version"], 2);
    // The view moved on without this checkout.
    team.sql("UPDATE view SET version = 7");
    laptop.change("sign-in", "Sign in", "let a member sign in");
    assert_eq!(laptop.json(&["hub", "push"])["version"], 8);
}

#[test]
fn the_same_key_is_done_once_and_a_stale_base_is_refused() {
    let Some(team) = Team::new() else { return };
    let replica = team.replica();
    let client = replica.client(&team.token("ann", "agent", &["shop"]));
    let first = small_push("shop", "w", 0, "c1", &delta("Sign in", "x"));
    assert_eq!(body(post(&client, "push", &first))["version"], 1);
    let again = body(post(&client, "push", &first));
    assert_eq!((&again["version"], &again["repeated"]), (&json!(1), &json!(true)));
    let stale = small_push("shop", "w", 0, "c2", &delta("Sign in", "y"));
    assert_eq!(reason(&post(&client, "push", &stale)), (409, "stale".to_owned()));
    let mut missing = small_push("shop", "w", 1, "c2", &delta("Sign in", "y"));
    let blobs = std::mem::take(&mut missing["blobs"]);
    missing["blobs"] = json!({});
    let refused = post(&client, "push", &missing);
    assert_eq!(reason(&refused), (409, "missing_blobs".to_owned()));
    assert_eq!(team.sql("SELECT version FROM view"), "1");
    assert_eq!(post(&client, "blobs", &json!({ "repo": "shop", "blobs": blobs })).status, 200);
    assert_eq!(body(post(&client, "push", &missing))["version"], 2);
}

#[test]
fn texts_that_no_view_names_are_swept_after_a_day_and_no_others() {
    let Some(team) = Team::new() else { return };
    let replica = team.replica();
    let client = replica.client(&team.token("ann", "agent", &["shop"]));
    let first = small_push("shop", "w", 0, "c1", &delta("Sign in", "x"));
    assert_eq!(body(post(&client, "push", &first))["version"], 1);
    let mut second = small_push("shop", "w", 1, "c1", &delta("Sign in", "y"));
    assert_eq!(body(post(&client, "push", &second))["version"], 2);
    assert_eq!(team.sql("SELECT count(*) FROM blob"), "2");
    drop(replica);
    team.sql("UPDATE blob SET stored_at = now() - interval '2 days'");
    let replica = team.replica();
    wait_until("the old text is gone", || team.sql("SELECT count(*) FROM blob") == "1");
    assert_eq!(team.sql("SELECT documents FROM view"), "1");
    // What is named without being sent is new again; what is there stays.
    let client = replica.client(&team.token("bob", "agent", &["shop"]));
    second["base"] = json!(0);
    second["blobs"] = json!({});
    assert_eq!(body(post(&client, "push", &second))["documents"], 1);
    assert_eq!(team.sql("SELECT stored_at > now() - interval '1 hour' FROM blob"), "t");
}

#[test]
fn only_ci_writes_branches_and_everybody_their_own_work_trees() {
    let Some(team) = Team::new() else { return };
    let replica = team.replica();
    let mut branch = small_push("shop", "main", 0, "c1", &delta("Sign in", "x"));
    branch["view"]["kind"] = json!("branch");
    for role in ["reader", "agent", "reviewer", "admin"] {
        let client = replica.client(&team.token(role, role, &["shop"]));
        assert_eq!(reason(&post(&client, "push", &branch)), (403, "role_insufficient".to_owned()), "{role}");
    }
    let ci = replica.client(&team.token("pipeline", "ci", &["shop"]));
    assert_eq!(post(&ci, "push", &branch).status, 200);
    let worktree = small_push("shop", "w", 0, "c1", &delta("Sign in", "x"));
    assert_eq!(reason(&post(&ci, "push", &worktree)).0, 403);
    // Two people who call their work trees the same have two.
    for name in ["ann", "bob"] {
        let client = replica.client(&team.token(name, "agent", &["shop"]));
        assert_eq!(body(post(&client, "push", &worktree))["version"], 1, "{name}");
    }
    assert_eq!(team.sql("SELECT count(*) FROM view WHERE name = 'w'"), "2");
    let pipeline = Laptop::bare("shop");
    let reply = pipeline
        .command(&["hub", "push", "--branch", "main"])
        .env("HEWTO_HUB_URL", replica.url())
        .env("HEWTO_HUB_TOKEN", "nonsense-but-long-enough")
        .output()
        .unwrap();
    assert!(!reply.status.success());
}

#[test]
fn overlaps_across_views_and_repositories_show_at_once_and_the_same_words_do_not() {
    let Some(team) = Team::new() else { return };
    let (replica, other) = (team.replica(), team.replica());
    let ann = replica.client(&team.token("ann", "agent", &["shop", "web"]));
    let bob = other.client(&team.token("bob", "agent", &["shop"]));
    let text = delta("Sign in", "let a customer in");
    assert_eq!(post(&ann, "push", &small_push("shop", "w", 0, "by-mail", &text)).status, 200);
    assert_eq!(post(&bob, "push", &small_push("shop", "w", 0, "by-mail", &text)).status, 200);
    let none = |client: &hewto_net::HubClient, path: &str| {
        body(client.get(path).unwrap())["overlaps"].as_array().unwrap().len()
    };
    assert_eq!(none(&ann, "overlaps"), 0, "the same words in two places are one change");
    let other_text = delta("sign IN", "let a member in");
    assert_eq!(post(&bob, "push", &small_push("shop", "w2", 0, "fast-login", &other_text)).status, 200);
    let found = body(ann.get("overlaps?repo=shop&change=by-mail").unwrap());
    let touched = found["overlaps"][0]["touched_by"].as_array().unwrap().len();
    assert_eq!((found["overlaps"][0]["capability"].as_str(), touched), (Some("accounts"), 3), "{found}");
    // The same requirement in another repository, which only one of them may see.
    assert_eq!(
        post(&ann, "push", &small_push("web", "w", 0, "new-form", &delta("Sign in", "z"))).status,
        200
    );
    assert_eq!(body(ann.get("overlaps").unwrap())["overlaps"][0]["touched_by"].as_array().unwrap().len(), 4);
    assert_eq!(body(bob.get("overlaps").unwrap())["overlaps"][0]["touched_by"].as_array().unwrap().len(), 3);
}

#[test]
fn specs_of_other_repositories_are_found_and_what_depends_on_them_is_told() {
    let Some(team) = Team::new() else { return };
    let replica = team.replica();
    let token = team.token("ann", "agent", &["shop", "billing"]);
    let billing = Laptop::new("billing", &replica, &token);
    billing.write(
        "specs/invoices/spec.md",
        "# Invoices\n\n## Purpose\nBills for parcels.\n\n## Requirements\n\n### Requirement: Refund a parcel\nThe system SHALL refund a returned parcel within ten days.\n\n#### Scenario: Returned\n- **WHEN** a parcel comes back\n- **THEN** the money goes back\n",
    );
    billing.ok(&["hub", "push"]);
    let shop = Laptop::new("shop", &replica, &token);
    shop.write(
        "specs/orders/spec.md",
        "---\ndependencies:\n  - ref: repo:billing/spec://invoices\n---\n# Orders\n\n## Purpose\nOrders of customers.\n",
    );
    shop.ok(&["hub", "push"]);
    wait_until("the push is searchable", || {
        let found = shop.json(&["search", "--hub", "refund parcel"]);
        found["hits"]
            .as_array()
            .unwrap()
            .iter()
            .any(|hit| hit["repo"] == "billing" && hit["requirement"] == "Refund a parcel")
    });
    let edges = body(replica.client(&token).get("edges?repo=billing&item=invoices").unwrap());
    let edge = &edges["edges"][0];
    assert_eq!(
        (&edge["from_repo"], &edge["from"], &edge["known"]),
        (&json!("shop"), &json!("orders"), &json!(true)),
        "{edges}"
    );
    let why = billing.ok(&["why", "specs/invoices/spec.md", "--hub"]);
    assert!(why.contains("shop: orders → billing: invoices"), "{why}");
    // Code is governed by what its tags name.
    billing.write("src/refund.rs", "// @spec invoices#refund-a-parcel\nfn refund() {}\n");
    let why = billing.ok(&["why", "src/refund.rs", "--hub"]);
    assert!(why.contains("shop: orders → billing: invoices"), "{why}");
}

#[test]
fn a_server_pushes_two_seconds_after_a_change() {
    let Some(team) = Team::new() else { return };
    let replica = team.replica();
    let token = team.token("ann", "agent", &["shop"]);
    let laptop = Laptop::new("shop", &replica, &token);
    let rita = replica.client(&team.token("rita", "reviewer", &["shop"]));
    let mut child = laptop.command(&["serve"]).stdin(std::process::Stdio::piped()).spawn().unwrap();
    laptop.change("sign-in", "Sign in", "let a customer sign in");
    let client = replica.client(&token);
    wait_until("the server has pushed", || {
        let status: Value = body(client.get("status").unwrap());
        status["repos"][0]["views"]
            .as_array()
            .is_some_and(|views| views.iter().any(|view| view["changes"] == 1))
    });
    // What it fetches by itself is in the operation log as everything that is written (D-17).
    wait_until("the verdict is on what was pushed last", || {
        let found = body(rita.get("review?repo=shop&item=change%3Asign-in").unwrap());
        let ballot = json!({ "repo": "shop", "item": "change:sign-in", "verdict": "approved", "digest": found["subjects"][0]["digest"] });
        post(&rita, "review/verdict", &ballot).status == 200
    });
    let folder = laptop.project.join("changes/sign-in/review");
    wait_until("the server has fetched", || folder.is_dir());
    let log = laptop.project.join(".hewto/logs/operations.jsonl");
    wait_until("it is noted", || {
        fs_err::read_to_string(&log)
            .is_ok_and(|text| text.contains("hewto hub push") && text.contains("/review/"))
    });
    drop(child.stdin.take());
    child.wait().unwrap();
}

#[test]
fn the_dashboard_of_a_laptop_pushes_too() {
    let Some(team) = Team::new() else { return };
    let replica = team.replica();
    let token = team.token("ann", "agent", &["shop"]);
    let laptop = Laptop::new("shop", &replica, &token);
    laptop.change("sign-in", "Sign in", "let a customer sign in");
    // Something that opens browsers, so that no terminal is needed.
    let programs = laptop.home().join("bin");
    fs_err::create_dir_all(&programs).unwrap();
    fs_err::write(programs.join("xdg-open"), "#!/bin/sh\n").unwrap();
    fs_err::set_permissions(programs.join("xdg-open"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:/usr/bin:/bin", programs.display());
    let mut child = laptop.command(&["ui", "--port", "0"]).env("PATH", path).spawn().unwrap();
    let client = replica.client(&token);
    wait_until("the dashboard has pushed", || {
        let status: Value = body(client.get("status").unwrap());
        status["repos"][0]["views"].as_array().is_some_and(|views| views.len() == 1)
    });
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn a_repository_alone_names_no_hub_and_its_name_is_all_that_leaves_without_a_grant() {
    let Some(team) = Team::new() else { return };
    let replica = team.replica();
    let laptop = Laptop::bare("shop");
    laptop.ok(&["init", "--yes", "--name", "shop", "--description", "x", "--agents", "none"]);
    let config = fs_err::read_to_string(laptop.project.join(".hewto/config.toml")).unwrap();
    laptop.write(
        ".hewto/config.toml",
        &format!("{config}\n[hub]\nurl = \"{}\"\nrepo = \"shop\"\n", replica.url()),
    );
    assert_eq!(laptop.fails(&["hub", "push"])["error"], "config_invalid");
    laptop.speaks_to(&replica.url(), &team.token("ann", "agent", &["other"]));
    let refused = laptop.fails(&["hub", "push"]);
    assert_eq!(
        (&refused["error"], &refused["reason"]),
        (&json!("hub_refused"), &json!("repo_not_found")),
        "{refused}"
    );
    assert_eq!(team.sql("SELECT count(*) FROM blob"), "0");
}

#[test]
fn a_small_push_is_one_statement() {
    let Some(cluster) = Cluster::start(&["-c fsync=off", "-c log_statement=all"]) else { return };
    let team = Team::on(&cluster);
    let replica = team.replica();
    let client = replica.client(&team.token("ann", "agent", &["shop"]));
    let push = |base: u64, text: &str| {
        let sent = small_push("shop", "w", base, &format!("c{base}"), &delta("Sign in", text));
        assert_eq!(body(post(&client, "push", &sent))["version"], base + 1);
    };
    push(0, "a");
    let log = cluster.folder().join("data/log");
    let before = fs_err::read_to_string(&log).unwrap().len();
    push(1, "b");
    let log = fs_err::read_to_string(&log).unwrap();
    let count = |text: &str| log[before..].matches(text).count();
    assert_eq!(count("SELECT store_push("), 1, "{}", &log[before..]);
    // Others are under way meanwhile, such as the index that is filled at the start; no other one is of a push.
    assert!(log[..before].contains("LEFT JOIN push_key"), "the first push of a view takes the long way");
    assert_eq!(count("LEFT JOIN push_key"), 0, "{}", &log[before..]);
    assert_eq!(cluster.sql(&team.database, "SELECT count(*) FROM touch"), "2");
    assert_eq!(cluster.sql(&team.database, "SELECT count(*) FROM audit WHERE op = 'push'"), "2");
}

#[test]
fn a_push_of_known_and_new_documents_counts_each_once() {
    let Some(team) = Team::new() else { return };
    let replica = team.replica();
    let client = replica.client(&team.token("ann", "agent", &["shop"]));
    let mut version = 0;
    let mut push = |changes: &[(&str, &str)], removed: &[&str]| {
        let mut all = small_push("shop", "w", version, changes[0].0, &delta("Sign in", changes[0].1));
        for (change, says) in &changes[1..] {
            let one = small_push("shop", "w", version, change, &delta("Sign in", says));
            for part in ["set", "blobs"] {
                all[part].as_object_mut().unwrap().extend(one[part].as_object().unwrap().clone());
            }
        }
        let path = |change: &&str| format!("changes/{change}/specs/accounts/spec.md");
        all["removed"] = json!(removed.iter().map(path).collect::<Vec<_>>());
        let answer = body(post(&client, "push", &all));
        version = answer["version"].as_u64().unwrap();
        let counted = team.sql("SELECT documents || ' ' || (SELECT count(*) FROM entry) FROM view");
        assert_eq!(counted, format!("{0} {0}", answer["documents"]), "{answer}");
        answer["documents"].as_u64().unwrap()
    };
    assert_eq!(push(&[("c1", "a"), ("c2", "a")], &[]), 2);
    assert_eq!(push(&[("c1", "b"), ("c3", "b")], &[]), 3);
    assert_eq!(push(&[("c1", "c"), ("c2", "c"), ("c4", "c"), ("c5", "c")], &["c3"]), 4);
    assert_eq!(push(&[("c6", "d")], &["c1", "never"]), 4);
}
