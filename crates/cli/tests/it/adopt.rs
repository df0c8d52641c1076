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
