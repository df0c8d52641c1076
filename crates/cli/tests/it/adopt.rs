//! `hewto adopt`: what is seen, what is drafted, what comes again and what does not.

use crate::sandbox::Sandbox;

fn service(sandbox: &Sandbox) {
    sandbox.write(
        "src/main.rs",
        "fn app() -> Router {\n    Router::new().route(\"/users/{id}\", get(show_user))\n}\nfn key() { std::env::var(\"API_KEY\"); }\n",
    );
    sandbox.write("tests/api.rs", "#[test]\nfn a_user_is_shown() { call(\"/users/7\"); }\n");
    sandbox.write("src/lib.rs", "pub fn parse() {}\npub fn render() {}\n");
}

#[test]
fn the_inventory_needs_no_workspace_and_writes_nothing() {
    let sandbox = Sandbox::empty();
    service(&sandbox);
    let before = sandbox.files();
    insta::assert_snapshot!(sandbox.run(&["adopt", "--list"]));
    let view = sandbox.json(&["adopt", "--list", "--kind", "route"]);
    assert_eq!(view["items"].as_array().unwrap().len(), 1);
    assert_eq!(view["items"][0]["tests"][0]["name"], "a_user_is_shown");
    assert_eq!(
        (view["items"][0]["file"].as_str(), view["items"][0]["line"].as_u64()),
        (Some("src/main.rs"), Some(2))
    );
    assert_eq!(sandbox.files(), before);
}

#[test]
fn what_is_seen_becomes_one_change_and_comes_only_once() {
    let sandbox = Sandbox::workspace();
    service(&sandbox);
    insta::assert_snapshot!(sandbox.run(&["adopt"]));
    insta::assert_snapshot!(sandbox.read("changes/adopt-code/specs/http-users/spec.md"));
    assert!(!sandbox.project().join("specs/http-users").exists(), "living specs are not touched");
    let valid = sandbox.json(&["change", "validate", "adopt-code"]);
    assert_eq!(valid["valid"], true, "{valid}");
    assert!(sandbox.ok(&["adopt"]).contains("nothing that is not described already"));
    sandbox.write("src/more.rs", "fn b() { std::env::var(\"NEW_ONE\"); }\n");
    let again = sandbox.json(&["adopt"]);
    assert_eq!(
        (again["new"].as_u64(), again["change"]["change_id"].as_str()),
        (Some(1), Some("adopt-code-2"))
    );
    let delta = sandbox.read("changes/adopt-code-2/specs/configuration/spec.md");
    assert!(delta.contains("Variable NEW_ONE") && !delta.contains("API_KEY"), "{delta}");
}

#[test]
fn status_shows_what_nobody_has_described_until_it_is_promoted() {
    let sandbox = Sandbox::workspace();
    service(&sandbox);
    sandbox.ok(&["adopt"]);
    let shown = sandbox.ok(&["status"]);
    assert!(shown.contains("seen in the code, not yet described: 3"), "{shown}");
    let before = sandbox.read("changes/adopt-code/specs/http-users/spec.md");
    sandbox.ok(&["adopt", "--promote", "http-users#GET /users/{id}"]);
    let after = sandbox.read("changes/adopt-code/specs/http-users/spec.md");
    assert_eq!(after, before.replace("- Status: observed\n", ""));
    let backlog = sandbox.json(&["status"])["backlog"].as_array().unwrap().len();
    assert_eq!(backlog, 2);
    assert!(sandbox.run(&["adopt", "--promote", "http-users#GET /users/{id}"]).ends_with("[exit 1]"));
    assert!(
        sandbox.ok(&["adopt"]).contains("nothing that is not described already"),
        "it does not come back"
    );
}

#[test]
fn what_is_archived_with_its_mark_stays_on_the_list_until_it_is_promoted() {
    let sandbox = Sandbox::workspace();
    service(&sandbox);
    sandbox.ok(&["adopt"]);
    let tasks = sandbox.read("changes/adopt-code/tasks.md").replace("[ ]", "[x]");
    sandbox.write("changes/adopt-code/tasks.md", &tasks);
    sandbox.ok(&["change", "archive", "adopt-code", "--yes"]);
    let backlog = sandbox.json(&["status"])["backlog"].clone();
    assert_eq!(backlog.as_array().unwrap().len(), 3, "{backlog:#}");
    assert_eq!(backlog[1]["item"], "http-users", "{backlog:#}");
    assert_eq!(backlog[1]["tests"][0], "tests/api.rs:2 a_user_is_shown");
    sandbox.ok(&["adopt", "--promote", "http-users#GET /users/{id}"]);
    assert!(!sandbox.read("specs/http-users/spec.md").contains("Status: observed"));
    assert_eq!(sandbox.json(&["status"])["backlog"].as_array().unwrap().len(), 2);
    // Its code and its test are linked to it from now on, and the links hold.
    insta::assert_snapshot!(sandbox.read(".hewto/links.toml"));
    let links = sandbox.json(&["link"]);
    assert_eq!(links["problems"].as_array().map_or(0, Vec::len), 0, "{links:#}");
}

#[test]
fn several_are_promoted_in_one_commit_or_none_of_them() {
    let sandbox = Sandbox::workspace();
    service(&sandbox);
    sandbox.ok(&["adopt"]);
    let before = sandbox.files();
    // One that is there does not go without those that are not, and all of these are told.
    let mixed = ["http-users#GET /users/{id}", "http-users#GET /user/{id}", "configuration#Variable NOPE"];
    let args: Vec<&str> = mixed.iter().flat_map(|name| ["--promote", name]).collect();
    let refused = sandbox.run(&[&["adopt"][..], &args].concat());
    assert!(
        refused.contains("`http-users#GET /user/{id}`") && refused.contains("Variable NOPE`"),
        "{refused}"
    );
    assert!(refused.contains("did you mean `http-users#GET /users/{id}`"), "{refused}");
    assert!(refused.ends_with("[exit 1]"), "{refused}");
    assert_eq!(sandbox.files(), before);
    // By name, by another spelling of it, and twice.
    let all = ["http-users#GET /users/{id}", "variable api_key", "configuration#Variable API_KEY"];
    let args: Vec<&str> = all.iter().flat_map(|name| ["--promote", name]).collect();
    let view = sandbox.json(&[&["adopt"][..], &args].concat());
    assert_eq!(view.as_array().map(Vec::len), Some(2), "{view}");
    let left = sandbox.json(&["status"])["backlog"].clone();
    assert_eq!(left.as_array().map(Vec::len), Some(1), "{left}");
    for file in ["http-users", "configuration"] {
        let text = sandbox.read(&format!("changes/adopt-code/specs/{file}/spec.md"));
        assert!(!text.contains("Status: observed"), "{text}");
    }
}

#[test]
fn files_that_are_not_as_they_should_be_are_named_with_their_line() {
    let sandbox = Sandbox::workspace();
    service(&sandbox);
    sandbox.write(
        "src/merge.rs",
        "fn a() {}\n<<<<<<< HEAD\nfn b() { std::env::var(\"LEFT\"); }\n=======\n>>>>>>> x\n",
    );
    fs_err::write(
        sandbox.project().join("src/latin.py"),
        b"x = 1\n# caf\xe9\nos.getenv('READ_ALL_THE_SAME')\n",
    )
    .unwrap();
    std::os::unix::fs::symlink("/etc/passwd", sandbox.project().join("src/link.rs")).unwrap();
    let view = sandbox.json(&["adopt", "--list"]);
    let problems: Vec<String> = view["problems"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| format!("{}:{}", one["file"].as_str().unwrap(), one["line"]))
        .collect();
    assert_eq!(problems, ["src/latin.py:2", "src/merge.rs:2"]);
    let names = view["items"].to_string();
    assert!(names.contains("LEFT") && names.contains("READ_ALL_THE_SAME"), "{names}");
}
