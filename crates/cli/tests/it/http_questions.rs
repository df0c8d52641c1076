//! Questions to the user over HTTP: in the old era on the stream of the call that asks, in the new one as its answer.

use hewto_testkit::TestWorkspace;
use serde_json::{Value, json};

use crate::http_client::{Answer, HttpServer, initialize, token_file};

const TOKENS: &str = "ann read,write a-token-5f1c9a7be3d24806\nbob read,write b-token-5f1c9a7be3d24806\n";

fn asking() -> (TestWorkspace, HttpServer) {
    let workspace = TestWorkspace::native();
    let made = std::process::Command::new("git").args(["init", "-q"]).current_dir(workspace.root()).status();
    assert!(made.unwrap().success());
    token_file(&workspace, TOKENS);
    let server = HttpServer::start(workspace.root(), &["--token-file", "tokens"])
        .with_token("a-token-5f1c9a7be3d24806");
    (workspace, server)
}

fn answers() -> Value {
    json!({ "action": "accept", "content": { "auth_strategy": "OAuth", "auth_library": "next-auth" } })
}

#[test]
fn a_call_of_the_old_era_asks_on_its_stream_and_hears_the_answer_from_a_post() {
    let (_workspace, server) = asking();
    let mut hello = initialize();
    hello["params"]["capabilities"] = json!({ "elicitation": {} });
    let session = server.legacy(None, &hello).header("mcp-session-id").unwrap().to_owned();
    let call = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {
        "name": "require_clarification", "arguments": { "user_intention": "Add authentication" },
    } });
    let headers = [("Accept", "application/json, text/event-stream"), ("Mcp-Session-Id", &*session)];
    let ask = || {
        let mut wire = server.begin("POST", "/mcp", &headers, call.to_string().as_bytes());
        assert_eq!(wire.head().header("content-type"), Some("text/event-stream"));
        let question = wire.event().unwrap();
        assert_eq!(question["method"], "elicitation/create", "{question}");
        (wire, question["id"].clone())
    };
    let reply = |id: &Value, result: Value| {
        server.legacy(Some(&session), &json!({ "jsonrpc": "2.0", "id": id, "result": result })).status
    };

    let (mut wire, question) = ask();
    assert_eq!(reply(&question, json!({ "action": "decline" })), 202);
    let declined = wire.event().unwrap();
    assert_eq!(declined["result"]["structuredContent"]["status"], "needs_clarification", "{declined}");

    // What was decided is not asked again, so this comes last.
    let (mut wire, question) = ask();
    assert_eq!(
        server.legacy(Some("another"), &json!({ "jsonrpc": "2.0", "id": question, "result": {} })).status,
        404
    );
    assert_eq!(reply(&json!(999), answers()), 202, "an answer to nothing has no effect");
    assert_eq!(reply(&question, answers()), 202);
    let done = wire.event().unwrap();
    assert_eq!(
        (&done["id"], &done["result"]["structuredContent"]["status"]),
        (&json!(7), &json!("completed"))
    );
    assert_eq!(wire.event(), None);
}

#[test]
fn a_form_of_the_new_era_is_answered_once_and_by_whoever_was_asked() {
    let (_workspace, server) = asking();
    let call = |server: &HttpServer, more: Value| -> Answer {
        let mut params = json!({
            "name": "require_clarification",
            "arguments": { "user_intention": "Add authentication" },
            "_meta": { "io.modelcontextprotocol/clientCapabilities": { "elicitation": {} } },
        });
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        server.modern("/mcp", "tools/call", params)
    };
    let form = call(&server, json!({})).json()["result"].clone();
    assert_eq!(form["resultType"], "input_required", "{form}");
    let question = form["inputRequests"].as_object().unwrap().keys().next().unwrap().clone();
    let state = form["requestState"].as_str().unwrap();
    let reply =
        |state: &str| json!({ "requestState": state, "inputResponses": { (question.clone()): answers() } });
    let refused = |answer: &Answer| {
        let text = answer.json()["result"]["content"][0]["text"].as_str().unwrap().to_owned();
        assert!(text.contains("SESSION_NOT_FOUND"), "{text}");
    };
    refused(&call(&server, reply("forged")));
    let server = server.with_token("b-token-5f1c9a7be3d24806");
    refused(&call(&server, reply(state)));
    let server = server.with_token("a-token-5f1c9a7be3d24806");
    let done = call(&server, reply(state)).json();
    assert_eq!(done["result"]["structuredContent"]["status"], "completed", "{done}");
    refused(&call(&server, reply(state)));
}
