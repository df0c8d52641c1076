use hewto_core::hub::PushRequest;
use hewto_core::review::Digest;
use hewto_net::HubClient;
use serde_json::{Value, json};

use crate::team::{Replica, Team, body, delta, hash, post, reason, shown, small_push, wait_until};

/// The migrations of the version before, by number.
const BEFORE: [(&str, &str); 8] = [
    ("hub", include_str!("../../../hub/migrations/0001_hub.sql")),
    ("fence", include_str!("../../../hub/migrations/0002_fence.sql")),
    ("claims", include_str!("../../../hub/migrations/0003_claims.sql")),
    ("push", include_str!("../../../hub/migrations/0004_push.sql")),
    ("push_once", include_str!("../../../hub/migrations/0005_push_once.sql")),
    ("push_together", include_str!("../../../hub/migrations/0006_push_together.sql")),
    ("push_light", include_str!("../../../hub/migrations/0007_push_light.sql")),
    ("push_document", include_str!("../../../hub/migrations/0008_push_document.sql")),
];

#[test]
fn a_schema_of_another_version_is_refused_and_left_as_it_is() {
    let Some(team) = Team::new() else { return };
    drop(team.replica());
    team.sql("UPDATE _sqlx_migrations SET checksum = '\\x00'");
    let changed = team.hub(&["serve", "--listen", "127.0.0.1:0"]);
    assert_eq!(changed.status.code(), Some(3), "{}", shown(&changed));
    assert!(shown(&changed).contains("migration 1 of the database is not the one"), "{}", shown(&changed));
    team.sql("INSERT INTO _sqlx_migrations VALUES (9999, 'later', now(), true, '\\x00', 1)");
    let newer = team.hub(&["token", "list"]);
    assert_eq!(newer.status.code(), Some(3), "{}", shown(&newer));
    assert!(shown(&newer).contains("newer version"), "{}", shown(&newer));
}

/// What a replica answers whoever asks whether it is ready, and whoever pushes.
fn answers(replica: &Replica, client: &HubClient, push: &Value) -> (u16, u16) {
    (replica.get("/ready", "").status, post(client, "push", push).status)
}

#[test]
fn a_replica_stops_answering_while_the_schema_is_for_newer_ones_and_begins_again_by_itself() {
    let Some(team) = Team::new() else { return };
    let replica = team.replica();
    let client = replica.client(&team.token("ann", "agent", &["shop"]));
    let push = small_push("shop", "w", 0, "c1", &delta("Sign in", "x"));
    team.sql("INSERT INTO _sqlx_migrations VALUES (9999, 'later', now(), true, '\\x00', 1)");
    // Nobody asks whether it is ready: it finds out by itself.
    wait_until("it has seen the newer schema", || client.get("search?q=x").unwrap().status == 503);
    assert_eq!(reason(&post(&client, "push", &push)), (503, "schema_mismatch".to_owned()));
    assert_eq!(answers(&replica, &client, &push), (503, 503));
    assert_eq!(replica.get("/health", "").status, 200);

    team.sql("INSERT INTO schema_reach VALUES (9999, 10)");
    assert_eq!(answers(&replica, &client, &push), (200, 200), "it was said that this version may go on");
    team.sql("UPDATE schema_reach SET oldest = 11 WHERE version = 9999");
    assert_eq!(answers(&replica, &client, &push), (503, 503));
    team.sql("DELETE FROM _sqlx_migrations WHERE version = 9999");
    wait_until("it has seen that the schema is its own again", || post(&client, "push", &push).status == 200);
    assert_eq!(answers(&replica, &client, &push), (200, 200));

    team.sql("ALTER TABLE _sqlx_migrations RENAME TO gone");
    assert_eq!(answers(&replica, &client, &push), (503, 503), "a database that was emptied");
    team.sql("ALTER TABLE gone RENAME TO _sqlx_migrations");
    assert_eq!(answers(&replica, &client, &push), (200, 200), "and put back");
}

#[test]
fn no_hub_connects_as_a_user_for_whom_no_policy_holds_unless_somebody_says_so() {
    let Some(team) = Team::new() else { return };
    let superuser = Team { database: team.database.replace("hub@", "postgres@") };
    for command in [&["serve", "--listen", "127.0.0.1:0"][..], &["token", "list"], &["audit", "verify"]] {
        let refused = superuser.hub(command);
        assert_eq!(refused.status.code(), Some(3), "{}", shown(&refused));
        assert!(shown(&refused).contains("the database user `postgres`"), "{}", shown(&refused));
        assert!(shown(&refused).contains("--allow-superuser"), "{}", shown(&refused));
    }
    assert_eq!(
        team.sql("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"),
        "0",
        "nothing was made"
    );
    let listed = superuser.hub(&["token", "list", "--allow-superuser"]);
    assert!(listed.status.success(), "{}", shown(&listed));

    let bypasses = format!("bypasses_{}", std::process::id());
    team.sql(&format!("CREATE ROLE {bypasses} LOGIN BYPASSRLS"));
    let bypassing = Team { database: team.database.replace("hub@", &format!("{bypasses}@")) };
    let refused = bypassing.hub(&["token", "list"]);
    assert!(shown(&refused).contains("row-level security does not hold"), "{}", shown(&refused));
    team.sql(&format!("DROP ROLE {bypasses}"));
}

/// A database as the version before made it, with nothing in it but Ann and her repository.
fn old_database() -> Option<Team> {
    let team = Team::new()?;
    team.sql(
        "SET ROLE hub; CREATE TABLE _sqlx_migrations (version bigint PRIMARY KEY, description text NOT NULL,
         installed_on timestamptz NOT NULL DEFAULT now(), success boolean NOT NULL, checksum bytea NOT NULL,
         execution_time bigint NOT NULL)",
    );
    for (place, (about, sql)) in BEFORE.iter().enumerate() {
        team.sql(&format!(
            "SET ROLE hub; {sql};
             INSERT INTO _sqlx_migrations VALUES ({}, '{about}', now(), true, sha384(convert_to($migration${sql}$migration$, 'UTF8')), 1)",
            place + 1
        ));
    }
    team.sql("INSERT INTO repo (name) VALUES ('shop'); INSERT INTO principal (name) VALUES ('ann')");
    Some(team)
}

/// A push as a replica of the version before writes it.
fn push_as_before(team: &Team, push: &Value) {
    let request: PushRequest = serde_json::from_value(push.clone()).unwrap();
    let asked = (&request.view, &request.head, request.base, request.whole, &request.set, &request.removed);
    let asked = Digest::of(&serde_json::to_vec(&asked).unwrap());
    let (path, listed) = request.set.first_key_value().unwrap();
    let (hash, text) = request.blobs.first_key_value().unwrap();
    let (view, base, key) = (&request.view.name, request.base, &request.key);
    let change = listed.item.trim_start_matches("change:");
    team.sql(&format!(
        "SET ROLE hub; SET hewto.repos = '*';
         INSERT INTO view (repo, kind, name, owner) VALUES (1, 'worktree', '{view}', 1) ON CONFLICT DO NOTHING;
         SELECT store_push(1, 'worktree', 1, '{view}', {base}, NULL, 1, '{key}', '\\x{asked}', '{{}}', '{{}}',
             ARRAY['\\x{hash}'::bytea], ARRAY['{text}'], '{{}}',
             ARRAY['{path}'], ARRAY['\\x{hash}'::bytea], ARRAY['delta'], ARRAY['{item}'], ARRAY['accounts'], ARRAY[NULL::text], ARRAY[1], 1,
             ARRAY['{path}'], ARRAY['{change}'], ARRAY['accounts'], ARRAY['sign in'], ARRAY['Sign in'], ARRAY['modified'], ARRAY['\\x{hash}'::bytea],
             '{{}}', '{{}}', '{{}}', '{{}}', '{{}}', '{{}}', 'ann', 'shop', 'as before')",
        item = listed.item
    ));
}

#[test]
fn a_database_of_the_version_before_keeps_what_was_pushed_and_knows_its_keys() {
    let Some(team) = old_database() else { return };
    let first = small_push("shop", "w", 0, "c1", &delta("Sign in", "first"));
    let second = small_push("shop", "w", 1, "c1", &delta("Sign in", "second"));
    push_as_before(&team, &first);
    push_as_before(&team, &second);
    // A key of the time when nobody noted what it was used for.
    team.sql("INSERT INTO push_key (repo, principal, key, view, version, documents) VALUES (1, 1, 'from-long-ago', 1, 1, 1)");
    let replica = team.replica();
    let client = &replica.client(&team.token("ann", "agent", &["shop"]));
    assert_eq!(team.sql("SELECT version || ' ' || documents FROM view"), "2 1");
    assert_eq!(team.sql("SELECT count(*) FROM blob"), "2");
    let found = body(client.get("review?repo=shop&item=change%3Ac1").unwrap());
    assert!(found.to_string().contains("SHALL second"), "{found}");
    wait_until("what was pushed before is searchable", || {
        body(client.get("search?q=second").unwrap())["hits"].as_array().unwrap().len() == 1
    });

    for (push, version) in [(&first, 1), (&second, 2)] {
        let again = body(post(client, "push", push));
        assert_eq!((&again["version"], &again["repeated"]), (&json!(version), &json!(true)), "{again}");
    }
    let mut other = small_push("shop", "w", 2, "c2", &delta("Sign in", "other"));
    other["key"] = first["key"].clone();
    assert_eq!(reason(&post(client, "push", &other)), (409, "key_reused".to_owned()));
    other["key"] = json!("from-long-ago");
    assert_eq!(body(post(client, "push", &other))["repeated"], true);

    let third = small_push("shop", "w", 2, "c1", &delta("Sign in", "third"));
    assert_eq!(body(post(client, "push", &third))["version"], 3);
    // A replica of the version before that still runs, and this one again.
    let fourth = small_push("shop", "w", 3, "c1", &delta("Sign in", "fourth"));
    push_as_before(&team, &fourth);
    wait_until("a push by the version before is searchable", || {
        body(client.get("search?q=fourth").unwrap())["hits"].as_array().unwrap().len() == 1
    });
    let fifth = small_push("shop", "w", 4, "c1", &delta("Sign in", "fifth"));
    assert_eq!(body(post(client, "push", &fifth))["version"], 5);
    assert_eq!(body(post(client, "push", &first))["repeated"], true, "also after other pushes");
    let touched = format!("SELECT slug, content = '\\x{}' FROM touch", hash("x"));
    assert_eq!(team.sql(&touched), "sign in|f", "one row, of the last push");

    for table in ["blob", "view", "entry", "touch", "push_key"] {
        let seen = |repos: &str| {
            team.sql(&format!("SET ROLE hub; SET hewto.repos = '{repos}'; SELECT count(*) > 0 FROM {table}"))
        };
        assert_eq!(
            (
                seen("").as_str(),
                seen("2").as_str(),
                seen("2,1").as_str(),
                seen("1").as_str(),
                seen("*").as_str()
            ),
            ("f", "f", "t", "t", "t"),
            "{table}"
        );
    }
    assert_eq!(replica.get("/ready", "").status, 200);
    let verify = team.hub(&["audit", "verify"]);
    assert!(verify.status.success(), "{}", shown(&verify));
}

#[test]
fn replicas_that_start_at_once_bring_a_database_up_to_date_once() {
    let Some(team) = old_database() else { return };
    push_as_before(&team, &small_push("shop", "w", 0, "c1", &delta("Sign in", "first")));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert_eq!(team.replica().get("/ready", "").status, 200));
        }
        for _ in 0..2 {
            scope.spawn(|| {
                let listed = team.hub(&["token", "list"]);
                assert!(listed.status.success(), "{}", shown(&listed));
            });
        }
    });
    assert_eq!(
        team.sql("SELECT count(*) || ' ' || count(DISTINCT version) FROM _sqlx_migrations WHERE success"),
        "10 10"
    );
    assert_eq!(team.sql("SELECT version FROM view"), "1");
}

#[test]
fn pushes_of_the_version_before_go_on_while_the_database_is_brought_up_to_date() {
    let Some(team) = old_database() else { return };
    let first = |view: &str| small_push("shop", view, 0, "c1", &delta("Sign in", view));
    let pushed = std::sync::atomic::AtomicUsize::new(0);
    let is_over = std::sync::atomic::AtomicBool::new(false);
    let order = std::sync::atomic::Ordering::Relaxed;
    let replica = std::thread::scope(|scope| {
        for pusher in 0..4 {
            let (team, pushed, is_over) = (&team, &pushed, &is_over);
            scope.spawn(move || {
                let (view, mut base) = (format!("w{pusher}"), 0);
                while !is_over.load(order) {
                    push_as_before(
                        team,
                        &small_push("shop", &view, base, "c1", &delta("Sign in", &format!("{view} {base}"))),
                    );
                    base += 1;
                    pushed.fetch_add(1, order);
                }
            });
        }
        wait_until("everybody pushes", || pushed.load(order) > 8);
        let replica = team.replica();
        assert_eq!(replica.get("/ready", "").status, 200);
        let before = pushed.load(order);
        wait_until("they go on afterwards", || pushed.load(order) > before + 8);
        is_over.store(true, order);
        replica
    });
    assert_eq!(team.sql("SELECT sum(version) FROM view"), pushed.load(order).to_string());
    let client = replica.client(&team.token("ann", "agent", &["shop"]));
    assert_eq!(body(post(&client, "push", &first("w5")))["version"], 1);
}

#[test]
fn no_row_is_written_that_the_tables_checked_before_the_policies_did() {
    let Some(team) = Team::new() else { return };
    let replica = team.replica();
    let client = replica.client(&team.token("ann", "agent", &["shop"]));
    assert_eq!(post(&client, "push", &small_push("shop", "w", 0, "c1", &delta("Sign in", "x"))).status, 200);
    for statement in [
        "INSERT INTO view (repo, kind, name, owner) VALUES (1, 'tag', 'x', 1)",
        "INSERT INTO view (repo, kind, name, owner) VALUES (1, 'worktree', 'x', NULL)",
        "UPDATE view SET kind = 'branch'",
        "INSERT INTO blob (repo, hash, body) VALUES (1, '\\x00', 'x')",
        "UPDATE blob SET repo = 2",
    ] {
        let refused = format!(
            "SET ROLE hub; SET hewto.repos = '1';
             DO $$ BEGIN {statement}; RAISE 'written'; EXCEPTION WHEN insufficient_privilege THEN NULL; END $$"
        );
        team.sql(&refused);
    }
    assert_eq!(team.sql("SELECT kind || count(*) FROM view GROUP BY kind"), "worktree1");
}

#[test]
fn a_document_that_becomes_another_kind_keeps_nothing_of_what_it_was() {
    let Some(team) = Team::new() else { return };
    let replica = team.replica();
    let client = replica.client(&team.token("ann", "agent", &["shop"]));
    let push = |base: u64, kind: &str, text: &str| {
        let mut push = small_push("shop", "w", base, "c1", text);
        let path = "changes/c1/specs/accounts/spec.md";
        let listed = json!({ "sha256": hash(text), "kind": kind, "item": if kind == "delta" { "change:c1" } else { "accounts" } });
        push["set"] = json!({ path: listed });
        if kind == "delta" {
            push["set"][path]["capability"] = json!("accounts");
        }
        assert_eq!(body(post(&client, "push", &push))["documents"], 1, "{kind}");
        team.sql("SELECT (SELECT count(*) FROM touch) || ' ' || (SELECT count(*) FROM edge)")
    };
    let spec = "---\ndependencies:\n  - ref: spec://mail\n---\n# Accounts\n";
    assert_eq!(push(0, "delta", &delta("Sign in", "one")), "1 0");
    assert_eq!(push(1, "delta", &delta("Sign in", "two")), "1 0");
    assert_eq!(push(2, "spec", spec), "0 1");
    assert_eq!(push(3, "spec", &format!("{spec}\nMore.\n")), "0 1");
    assert_eq!(push(4, "spec", "# Accounts\n"), "0 0");
    assert_eq!(push(5, "delta", &delta("Sign in", "three")), "1 0");
    assert_eq!(push(6, "plan", "# A plan\n"), "0 0");
}

#[test]
fn texts_are_packed_the_quick_way_where_the_server_can() {
    let Some(team) = Team::new() else { return };
    let _replica = team.replica();
    let can =
        team.sql("SELECT 'lz4' = ANY (enumvals) FROM pg_settings WHERE name = 'default_toast_compression'");
    let is = team.sql("SELECT attcompression = 'l' FROM pg_attribute WHERE attrelid = 'blob'::regclass AND attname = 'body'");
    assert_eq!(is, can);
}
