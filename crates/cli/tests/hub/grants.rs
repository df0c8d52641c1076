use serde_json::Value;

use crate::team::{Team, body, delta, post, reason, small_push, wait_until};

#[test]
fn what_is_not_granted_shows_in_no_answer_no_count_and_no_error() {
    let Some(team) = Team::new() else { return };
    let replica = team.replica();
    let ann = replica.client(&team.token("ann", "agent", &["secret", "shop"]));
    let eve = replica.client(&team.token("eve", "reader", &["shop"]));
    assert_eq!(
        post(&ann, "push", &small_push("shop", "w", 0, "c1", &delta("Sign in", "let in"))).status,
        200
    );
    wait_until("the first push is searchable", || {
        body(eve.get("search?q=sign").unwrap())["hits"].as_array().unwrap().len() == 1
    });
    let ask = |path: &str| -> Value {
        let mut value = body(eve.get(path).unwrap());
        // Times and marks differ between any two answers.
        for name in ["as_of", "pushed_at"] {
            value.as_object_mut().unwrap().remove(name);
        }
        value
    };
    let paths = [
        "search?q=sign+in",
        "search?q=launch",
        "overlaps",
        "status",
        "repos",
        "claims",
        "items",
        "edges?repo=shop",
    ];
    let before: Vec<Value> = paths.map(ask).to_vec();
    // The same requirement, a claim and a verdict in the repository that is not theirs.
    let secret = small_push("secret", "w", 0, "launch", &delta("Sign in", "launch the secret"));
    assert_eq!(post(&ann, "push", &secret).status, 200);
    let claim = serde_json::json!({ "repo": "secret", "items": ["change:launch"], "lease_s": 60, "session": "s", "worktree": "w" });
    assert_eq!(post(&ann, "claims", &claim).status, 200);
    wait_until("the second push is searchable", || {
        body(ann.get("search?q=launch").unwrap())["hits"].as_array().unwrap().len() == 1
    });
    for (path, before) in paths.iter().zip(before) {
        assert_eq!(ask(path), before, "{path}");
    }
    // There and not theirs reads like not there, whatever is asked.
    for path in [
        "status",
        "overlaps",
        "edges",
        "outbox",
        "access",
        "review?item=change:launch",
        "view?kind=branch&name=main",
        "search?q=x",
        "claims",
        "items",
    ] {
        let join = if path.contains('?') { '&' } else { '?' };
        let theirs = eve.get(&format!("{path}{join}repo=secret")).unwrap();
        let nowhere = eve.get(&format!("{path}{join}repo=nowhere")).unwrap();
        assert_eq!(theirs, nowhere, "{path}");
        assert_eq!(reason(&theirs), (404, "repo_not_found".to_owned()), "{path}");
    }
}

#[test]
fn the_database_itself_shows_a_transaction_only_what_it_speaks_for() {
    let Some(team) = Team::new() else { return };
    let replica = team.replica();
    let ann = replica.client(&team.token("ann", "agent", &["secret", "shop"]));
    for repo in ["secret", "shop"] {
        assert_eq!(post(&ann, "push", &small_push(repo, "w", 0, "c1", &delta("Sign in", repo))).status, 200);
    }
    let shop = team.sql("SELECT id FROM repo WHERE name = 'shop'");
    for table in ["blob", "view", "entry", "touch", "push_key"] {
        let count = |repos: &str| {
            team.sql(&format!("SET ROLE hub; SET hewto.repos = '{repos}'; SELECT count(*) FROM {table}"))
        };
        assert_eq!(
            (count("").as_str(), count(&shop).as_str(), count("*").as_str()),
            ("0", "1", "2"),
            "{table}"
        );
    }
}

#[test]
fn a_superuser_whom_the_database_fences_nowhere_shows_no_more() {
    let Some(team) = Team::new() else { return };
    // The first command makes the schema, as its owner.
    let tokens = [team.token("ann", "agent", &["secret", "shop"]), team.token("eve", "reader", &["shop"])];
    let superuser = Team { database: team.database.replace("hub@", "postgres@") };
    let replica = superuser.replica_with(&["--words-only", "--allow-superuser"]);
    let [ann, eve] = tokens.map(|token| replica.client(&token));
    for (repo, change) in [("shop", "c1"), ("secret", "launch")] {
        let push = small_push(repo, "w", 0, change, &delta("Sign in", change));
        assert_eq!(post(&ann, "push", &push).status, 200);
    }
    assert_eq!(body(ann.get("overlaps").unwrap())["overlaps"].as_array().unwrap().len(), 1);
    for path in ["overlaps", "overlaps?repo=shop", "status", "repos", "items", "claims", "edges?repo=shop"] {
        let told = body(eve.get(path).unwrap()).to_string();
        assert!(!told.contains("secret") && !told.contains("launch"), "{path}: {told}");
    }
    assert_eq!(body(eve.get("overlaps").unwrap())["overlaps"], serde_json::json!([]));
}

#[test]
fn what_a_search_is_up_to_is_a_time_and_no_count_of_what_happens_elsewhere() {
    let Some(team) = Team::new() else { return };
    let replica = team.replica();
    let eve = replica.client(&team.token("eve", "reader", &["shop"]));
    wait_until("the index has been looked at", || {
        let as_of = body(eve.get("search?q=x").unwrap())["as_of"].as_str().unwrap().to_owned();
        // As RFC 3339 writes it; nothing else in the answer counts events.
        let is_time = as_of.len() >= 20 && as_of.as_bytes()[10] == b'T' && as_of.ends_with('Z');
        assert!(is_time, "{as_of}");
        !as_of.starts_with("1970")
    });
}
