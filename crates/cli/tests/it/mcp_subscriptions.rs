//! Being told of changes, in both eras: what is subscribed to and nothing else, whoever made the change.

use hewto_testkit::{Era, McpSession, TestWorkspace};
use serde_json::{Value, json};

use crate::mcp_client::serve;

const LOGIN: &str = "airsspec:///login/spec";

fn workspace() -> TestWorkspace {
    let workspace = TestWorkspace::native();
    workspace.add("//- specs/login/spec.md\n# Login\n//- specs/other/spec.md\n# Other\n");
    workspace
}

/// The next notification of this kind.
fn next(session: &mut McpSession, method: &str) -> Value {
    loop {
        let message = session.receive();
        if message["method"] == method {
            return message["params"].clone();
        }
    }
}

#[test]
fn a_client_of_the_old_era_hears_of_what_it_subscribed_to() {
    let workspace = workspace();
    let mut session = serve(&workspace, Era::Legacy);
    assert_eq!(session.request("resources/subscribe", json!({ "uri": LOGIN })).unwrap(), json!({}));
    // By hand, by somebody else, and not asked for.
    workspace.replace("specs/other/spec.md", "# Something else\n");
    workspace.replace("specs/login/spec.md", "# Login\n\nBy hand.\n");
    assert_eq!(next(&mut session, "notifications/resources/updated"), json!({ "uri": LOGIN }));
    // A resource that goes has changed too, and the client is told even by way of its own calls.
    fs_err::remove_file(workspace.path("specs/login/spec.md")).unwrap();
    assert_eq!(next(&mut session, "notifications/resources/updated"), json!({ "uri": LOGIN }));
    assert_eq!(session.request("resources/unsubscribe", json!({ "uri": LOGIN })).unwrap(), json!({}));
    let error = session.request("resources/subscribe", json!({ "uri": "airsspec:///a/b/c" })).unwrap_err();
    assert_eq!(error.code, -32002);
    let ended = session.close();
    assert!(ended.status.success() && ended.rest.is_empty(), "{ended:?}");
}

#[test]
fn a_client_of_the_old_era_that_has_listed_hears_when_the_list_changes() {
    let workspace = workspace();
    let mut session = serve(&workspace, Era::Legacy);
    session.request("resources/list", json!({})).unwrap();
    workspace.add("//- specs/new/spec.md\n# New\n");
    next(&mut session, "notifications/resources/list_changed");
    let list = session.request("resources/list", json!({})).unwrap();
    assert!(list.to_string().contains("airsspec:///new/spec"));
}

#[test]
fn a_subscription_of_the_new_era_is_confirmed_and_tagged_and_ends_with_the_input() {
    let workspace = workspace();
    let mut session = serve(&workspace, Era::Modern);
    let wanted = json!({ "resourcesListChanged": true, "toolsListChanged": true, "resourceSubscriptions": [LOGIN, "file:///x"] });
    let id = session.start("subscriptions/listen", json!({ "notifications": wanted }));
    let confirmed = next(&mut session, "notifications/subscriptions/acknowledged");
    assert_eq!(
        confirmed["notifications"],
        json!({ "resourcesListChanged": true, "resourceSubscriptions": [LOGIN] })
    );
    assert_eq!(confirmed["_meta"]["io.modelcontextprotocol/subscriptionId"], id);

    workspace.replace("specs/login/spec.md", "# Login\n\nBy hand.\n");
    let update = next(&mut session, "notifications/resources/updated");
    assert_eq!(update["uri"], LOGIN);
    assert_eq!(update["_meta"]["io.modelcontextprotocol/subscriptionId"], id);
    workspace.add("//- specs/new/spec.md\n# New\n");
    next(&mut session, "notifications/resources/list_changed");

    // Other requests go on beside it, and the end of input ends it.
    assert!(!session.call("spec_list", json!({})).is_error);
    assert!(session.close().status.success());
}

#[test]
fn a_cancelled_subscription_is_quiet_and_its_id_is_free() {
    let workspace = workspace();
    let mut session = serve(&workspace, Era::Modern);
    let filter = json!({ "notifications": { "resourceSubscriptions": [LOGIN] } });
    let id = session.start("subscriptions/listen", filter.clone());
    next(&mut session, "notifications/subscriptions/acknowledged");
    session.send(
        &json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } }),
    );
    let second = session.start("subscriptions/listen", filter);
    next(&mut session, "notifications/subscriptions/acknowledged");
    workspace.replace("specs/login/spec.md", "# Login\n\nBy hand.\n");
    let update = next(&mut session, "notifications/resources/updated");
    assert_eq!(update["_meta"]["io.modelcontextprotocol/subscriptionId"], second);
    let ended = session.close();
    assert!(ended.rest.iter().all(|line| !line.contains("resources/updated")), "{ended:?}");
}

#[test]
fn each_era_knows_only_its_own_way_to_subscribe() {
    let workspace = workspace();
    let mut legacy = serve(&workspace, Era::Legacy);
    let error = legacy.request("subscriptions/listen", json!({ "notifications": {} })).unwrap_err();
    assert_eq!(error.code, -32601);
    let mut modern = serve(&workspace, Era::Modern);
    for (method, params) in [
        ("resources/subscribe", json!({ "uri": LOGIN })),
        ("logging/setLevel", json!({ "level": "info" })),
        ("ping", json!({})),
    ] {
        assert_eq!(modern.request(method, params).unwrap_err().code, -32601, "{method}");
    }
}
