use hewto_testkit::Cluster;

use crate::team::{Team, reason, shown};

#[test]
fn a_replica_starts_on_an_empty_database_says_how_it_is_and_ends_when_asked() {
    let Some(team) = Team::new() else { return };
    let replica = team.replica();
    assert_eq!(replica.get("/health", "").status, 200);
    assert_eq!(replica.get("/ready", "").status, 200);
    assert_eq!(replica.get("/metrics", "").status, 401, "figures are for those with a token");
    let token = team.token("ops", "admin", &[]);
    let figures = |replica: &crate::team::Replica, token: &str| {
        replica.get("/metrics", &format!("Authorization: Bearer {token}\r\n"))
    };
    let metrics = figures(&replica, &token);
    assert!(metrics.body.contains("hewto_hub_database_connections"), "{}", metrics.body);
    for (role, repos) in [("reader", &[][..]), ("agent", &["shop"]), ("ci", &[]), ("admin", &["shop"])] {
        let refused = figures(&replica, &team.token("curious", role, repos));
        assert_eq!(refused.status, 403, "{role}: {}", refused.body);
    }
    let second = team.replica();
    assert_eq!(second.get("/ready", "").status, 200);
    let (status, said) = replica.end();
    assert!(status.success(), "{said}");
}

#[test]
fn a_token_is_shown_once_kept_as_a_digest_and_over_when_revoked() {
    let Some(team) = Team::new() else { return };
    let replica = team.replica();
    let token = team.token("ann", "agent", &["shop"]);
    assert_eq!(replica.client(&token).get("repos").unwrap().status, 200);
    let dump = team.sql("SELECT encode(digest, 'hex'), role FROM token");
    assert!(!dump.contains(&token) && dump.ends_with("|agent"), "{dump}");
    let list = shown(&team.hub(&["token", "list"]));
    assert!(list.contains("ann") && list.contains("shop") && !list.contains(&token), "{list}");
    assert!(team.hub(&["token", "revoke", "1"]).status.success());
    crate::team::wait_until("the token is over", || {
        replica.client(&token).get("repos").unwrap().status == 401
    });
    let again = team.hub(&["token", "revoke", "1"]);
    assert_eq!(again.status.code(), Some(1), "{}", shown(&again));
}

#[test]
fn wrong_calls_say_what_to_do() {
    let Some(team) = Team::new() else { return };
    let name = team.database.split(['/', '?']).nth(3).unwrap();
    let elsewhere = |other: &str| team.database.replace(name, other);
    let nobody = team.database.replace("hub@", "nobody_at_all@");
    for (args, code, says) in [
        (&["token", "create", "ann", "--role", "boss", "--repo", "shop"][..], 2, "roles are reader, agent"),
        (&["token", "create", "ann", "--role", "agent"], 2, "bound to no repository"),
        (
            &["token", "create", "ann", "--role", "agent", "--repo", "../shop"],
            2,
            "not a name of a repository",
        ),
        (&["token", "create", "a\nb", "--role", "agent", "--repo", "shop"], 2, "not a name of a person"),
        (&["serve", "--database", "mysql://x/y"], 2, "not an address of a PostgreSQL database"),
        (&["token", "create", "metrics", "--role", "admin", "--all-repos"], 2, "not a name of a person"),
        (&["token", "create", "several", "--role", "admin", "--all-repos"], 2, "not a name of a person"),
        (&["token", "list", "--database", &elsewhere("not_there")], 3, "no database of this name"),
        (&["serve", "--database", &elsewhere("not_there")], 3, "createdb --owner"),
        (&["serve", "--database", &nobody], 3, "does not let this user in"),
        (
            &["audit", "verify", "--database", "postgres:///nowhere?host=/nonexistent"],
            3,
            "cannot reach its database",
        ),
    ] {
        let output = team.hub(args);
        assert_eq!(output.status.code(), Some(code), "{args:?}: {}", shown(&output));
        assert!(shown(&output).contains(says), "{args:?}: {}", shown(&output));
    }
    assert_eq!(team.sql("SELECT count(*) FROM token"), "0");
}

#[test]
fn the_audit_tells_every_call_and_shows_when_somebody_changed_it() {
    let Some(team) = Team::new() else { return };
    let replica = team.replica();
    let token = team.token("ann", "agent", &["shop"]);
    let client = replica.client(&token);
    let push = crate::team::small_push("shop", "w", 0, "c1", &crate::team::delta("Sign in", "x"));
    assert_eq!(crate::team::post(&client, "push", &push).status, 200);
    assert_eq!(client.get("status").unwrap().status, 200);
    assert_eq!(reason(&client.get("status?repo=billing").unwrap()).1, "repo_not_found");
    crate::team::wait_until("the calls are noted", || {
        team.sql("SELECT count(*) FROM audit WHERE op = 'status'") == "2"
    });
    let verify = || team.hub(&["audit", "verify", "--json"]);
    // The chain is made behind the rows, and waits for everything that is still under way in the cluster.
    crate::team::wait_until("the chain has all of them", || {
        let whole = verify();
        assert!(whole.status.success(), "{}", shown(&whole));
        let view: serde_json::Value = serde_json::from_slice(&whole.stdout).unwrap();
        view["links"].as_u64().unwrap() >= 4
    });
    let view: serde_json::Value = serde_json::from_slice(&verify().stdout).unwrap();
    let ops = team.sql(
        "SELECT string_agg(DISTINCT op || ':' || outcome, ' ' ORDER BY op || ':' || outcome) FROM audit",
    );
    for op in ["push:ok", "status:ok", "status:repo_not_found", "token_create:ok"] {
        assert!(ops.contains(op), "{ops}");
    }
    // The hub's own user cannot change a row; a superuser can, and it shows.
    let cluster = Cluster::shared().unwrap();
    let refused = std::panic::catch_unwind(|| {
        cluster.sql(&team.database, "SET ROLE hub; UPDATE audit SET principal = 'eve'")
    });
    assert!(refused.is_err(), "the schema let an update through");
    let months = team.sql("SELECT inhrelid::regclass FROM pg_inherits WHERE inhparent = 'audit'::regclass");
    assert!(months.lines().count() >= 3, "{months}");
    for month in months.lines().filter(|name| *name != "audit_rest").chain(["audit", "audit_link"]) {
        let emptied = std::panic::catch_unwind(|| {
            cluster.sql(&team.database, &format!("SET ROLE hub; TRUNCATE {month}"))
        });
        assert!(emptied.is_err(), "{month} was emptied");
    }
    let head = view["head"].as_str().unwrap().to_owned();
    // A head may come from a letter, or from before the first call; what cannot be one is not taken for a cut end.
    for kept in [format!(" {} ", head.to_uppercase()), "0".repeat(64)] {
        let whole = team.hub(&["audit", "verify", "--head", &kept]);
        assert!(whole.status.success(), "{}", shown(&whole));
    }
    let mistyped = team.hub(&["audit", "verify", "--head", &head[1..]]);
    assert_eq!(mistyped.status.code(), Some(2), "{}", shown(&mistyped));
    assert!(shown(&mistyped).contains("64 hexadecimal digits"), "{}", shown(&mistyped));
    team.sql("SET session_replication_role = replica; UPDATE audit SET principal = 'eve' WHERE op = 'push'");
    let changed = verify();
    assert_eq!(changed.status.code(), Some(1));
    assert!(shown(&changed).contains("was changed"), "{}", shown(&changed));
    team.sql("SET session_replication_role = replica; UPDATE audit SET principal = 'ann' WHERE op = 'push'");
    assert!(verify().status.success());
    team.sql(
        "SET session_replication_role = replica; DELETE FROM audit_link; DELETE FROM audit WHERE op = 'push'",
    );
    let cut = team.hub(&["audit", "verify", "--head", &head]);
    assert_eq!(cut.status.code(), Some(1), "{}", shown(&cut));
}

#[test]
fn what_was_refused_is_in_the_audit_with_what_was_asked_for() {
    let Some(team) = Team::new() else { return };
    let replica = team.replica();
    let token = team.token("ann", "agent", &["shop"]);
    let push = crate::team::small_push("billing", "w", 0, "c1", &crate::team::delta("Sign in", "x"));
    assert_eq!(reason(&crate::team::post(&replica.client(&token), "push", &push)).1, "repo_not_found");
    let cookie = crate::browser::sign_in(&replica, &token);
    let page = replica.get("/w/billing/board", &format!("Cookie: {cookie}\r\n"));
    assert_eq!(page.status, 404, "{}", page.body);
    let refused =
        "SELECT op || ' ' || repo || ' ' || detail FROM audit WHERE outcome = 'repo_not_found' ORDER BY id";
    crate::team::wait_until("both are noted", || team.sql(refused).lines().count() == 2);
    let rows = team.sql(refused);
    assert!(rows.contains("push billing ") && rows.contains("page billing /w/billing/board"), "{rows}");
}

#[test]
fn a_token_for_figures_opens_nothing_else() {
    use std::os::unix::fs::PermissionsExt as _;
    let Some(team) = Team::new() else { return };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("metrics-token");
    fs_err::write(&file, "figures-and-nothing-else\n").unwrap();
    let path = file.to_str().unwrap();
    fs_err::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
    let readable = team.hub(&["serve", "--metrics-token-file", path]);
    assert_eq!(readable.status.code(), Some(2), "{}", shown(&readable));
    fs_err::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    let replica = team.replica_with(&["--words-only", "--metrics-token-file", path]);
    let bearer = "Authorization: Bearer figures-and-nothing-else\r\n";
    assert_eq!(replica.get("/metrics", bearer).status, 200);
    team.token("ann", "agent", &["shop"]);
    for path in ["repos", "status", "access?repo=shop", "search?q=x"] {
        assert_eq!(replica.get(&format!("/api/v1/{path}"), bearer).status, 404, "{path}");
    }
}
